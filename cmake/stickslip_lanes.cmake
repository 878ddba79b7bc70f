# stickslip_lanes(stem...)
#
# Each stem is one kernel compiled once per instruction set: stem_baseline.cpp, stem_avx2.cpp and stem_avx512.cpp in the
# calling folder include the same header (core/lanes.hpp names the sets). Only these files get wide instructions; the
# right one is picked at run time (core/instruction_set.hpp), so the program runs on every x86-64.
#
# Always optimised: lanes that are not inlined are slower than plain numbers. Infinities and NaN do not occur inside a
# kernel (its inputs are checked, Lanes' is_finite looks at the bits), which lets derivatives by zero vanish.
#
# With sanitizers the baseline is instrumented, without much optimisation; the wide sets are the same source, and instrumenting them
# too takes the compiler half an hour per file.
function(stickslip_lanes)
  set(flags -O3 -fno-math-errno -fno-trapping-math -fno-signed-zeros -ffinite-math-only)
  set(baseline "")
  set(avx2 -mavx2 -mfma)
  set(avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw)
  foreach(stem IN LISTS ARGN)
    foreach(set_name baseline avx2 avx512)
      set(of_set ${${set_name}})
      if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        set(of_set "")
      endif()
      set(of_sanitizers "")
      if(STICKSLIP_SANITIZE OR STICKSLIP_SANITIZE_THREADS)
        # The kernels of a batch take the compiler a quarter of an hour with sanitizers, whatever the set.
        set(of_sanitizers -O1 -g1)
        if(NOT set_name STREQUAL "baseline" OR "${CMAKE_CURRENT_SOURCE_DIR}" MATCHES "/batch$")
          set(of_sanitizers -O1 -g1 -fno-sanitize=all)
        endif()
      endif()
      if(STICKSLIP_ASSERTIONS)  # a checked operator[] is not inlined, and would carry wide instructions to other files
        list(APPEND of_sanitizers -U_GLIBCXX_ASSERTIONS)
      endif()
      set_property(SOURCE ${stem}_${set_name}.cpp PROPERTY COMPILE_OPTIONS ${flags} ${of_set} ${of_sanitizers})
      if(set_name STREQUAL avx512 AND STICKSLIP_WITHOUT_AVX512)
        set_property(SOURCE ${stem}_${set_name}.cpp PROPERTY HEADER_FILE_ONLY ON)
      endif()
    endforeach()
  endforeach()
endfunction()

# A third of the time for kernels is saved where the processor lacks the widest set.
if(STICKSLIP_FOR_THIS_PROCESSOR AND NOT STICKSLIP_TESTS AND EXISTS /proc/cpuinfo)
  file(READ /proc/cpuinfo processor)
  foreach(feature avx512f avx512dq avx512vl avx512bw)
    if(NOT processor MATCHES "[ \t]${feature}[ \n]")
      set(STICKSLIP_WITHOUT_AVX512 TRUE)
      add_compile_definitions(STICKSLIP_WITHOUT_AVX512)  # core/has_avx512.hpp
      break()
    endif()
  endforeach()
endif()
