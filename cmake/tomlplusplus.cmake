# tomlplusplus_headers: toml++ in header-only mode, so that nothing needs its shared library at run time.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
if(NOT TOMLPLUSPLUS_INCLUDE_DIR)
  message(FATAL_ERROR "toml++/toml.h not found; Debian's package is libtomlplusplus-dev")
endif()
add_library(tomlplusplus_headers INTERFACE)
# A folder that the compiler searches anyway (/usr/include) stays out of the command: named, it would come before a cross
# compiler's own C library.
if(NOT TOMLPLUSPLUS_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES
   AND NOT TOMLPLUSPLUS_INCLUDE_DIR STREQUAL "/usr/include")
  target_include_directories(tomlplusplus_headers SYSTEM INTERFACE "${TOMLPLUSPLUS_INCLUDE_DIR}")
endif()
