# stickslip_lanes(stem...)
#
# Each stem is one kernel compiled once per instruction set: stem_baseline.cpp, stem_avx2.cpp and stem_avx512.cpp in the
# calling folder include the same header (core/lanes.hpp names the sets). Only these files get wide instructions; the
# right one is picked at run time (core/instruction_set.hpp), so the program runs on every x86-64.
#
# Always optimised: lanes that are not inlined are slower than plain numbers. Not with sanitizers, whose checks in every inlined
# function take the compiler half an hour per file. Infinities and NaN do not occur inside a
# kernel (its inputs are checked, Lanes' is_finite looks at the bits), which lets derivatives by zero vanish.
function(stickslip_lanes)
  set(level -O3)
  if(STICKSLIP_SANITIZE)
    set(level -O1)
  endif()
  set(flags ${level} -fno-math-errno -fno-trapping-math -fno-signed-zeros -ffinite-math-only)
  set(baseline "")
  set(avx2 -mavx2 -mfma)
  set(avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw)
  foreach(stem IN LISTS ARGN)
    foreach(set_name baseline avx2 avx512)
      set(of_set ${${set_name}})
      if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        set(of_set "")
      endif()
      set_property(SOURCE ${stem}_${set_name}.cpp PROPERTY COMPILE_OPTIONS ${flags} ${of_set})
    endforeach()
  endforeach()
endfunction()
