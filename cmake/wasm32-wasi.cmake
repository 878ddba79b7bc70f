# WebAssembly for the page (preset page, scripts/page): clang 14, wasi-libc and libc++ of Debian. No threads, no shared objects.
# 128-bit lanes (no -mbulk-memory: with it clang takes thread_local for real threads), and exceptions as the engine has them; their runtime, which Debian's libc++abi lacks, is src/page/exceptions.cpp.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(STICKSLIP_WASM TRUE)
set(CMAKE_CXX_COMPILER clang++-14)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR /usr/bin/llvm-ar-14)
set(CMAKE_RANLIB /usr/bin/llvm-ranlib-14)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128 -mnontrapping-fptoint")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# There are none, and nothing asks for one (src/platform).
set(CMAKE_HAVE_PTHREAD_H TRUE CACHE INTERNAL "")
set(CMAKE_HAVE_LIBC_PTHREAD TRUE CACHE INTERNAL "")
# Headers of other projects without the C library of this machine, which a cross compiler must not see.
set(STICKSLIP_WASM_HEADERS "${CMAKE_BINARY_DIR}/headers_alone")
file(MAKE_DIRECTORY "${STICKSLIP_WASM_HEADERS}")
foreach(header CLI eigen3/Eigen)
  get_filename_component(name ${header} NAME)
  file(CREATE_LINK "/usr/include/${header}" "${STICKSLIP_WASM_HEADERS}/${name}" SYMBOLIC)
endforeach()
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)  # an archive does not wait for those it will be linked with, and these are not built unless asked for
