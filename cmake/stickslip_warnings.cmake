# stickslip_warnings: the compiler flags of our own sources (linked PRIVATE, never installed).
add_library(stickslip_warnings INTERFACE)
target_compile_options(stickslip_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
# GCC 12 reports an overlap inside its own std::string for `"text" + string` (its bug 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(stickslip_warnings INTERFACE -Wno-restrict)
endif()
if(STICKSLIP_WERROR)
  target_compile_options(stickslip_warnings INTERFACE -Werror)
endif()

if(STICKSLIP_SANITIZE OR STICKSLIP_SANITIZE_THREADS)
  add_compile_definitions(STICKSLIP_SANITIZED)
endif()
# Sanitizers must reach every object and the link, so they are set for the whole tree.
if(STICKSLIP_ASSERTIONS)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(STICKSLIP_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(STICKSLIP_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
  if(STICKSLIP_FUZZ)  # counts which branches a fuzzer's input takes
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
endif()
