# tomlplusplus_headers: toml++ in header-only mode, so that nothing needs its shared library at run time.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
if(NOT TOMLPLUSPLUS_INCLUDE_DIR)
  message(FATAL_ERROR "toml++/toml.h not found; Debian's package is libtomlplusplus-dev")
endif()
add_library(tomlplusplus_headers INTERFACE)
target_include_directories(tomlplusplus_headers SYSTEM INTERFACE "${TOMLPLUSPLUS_INCLUDE_DIR}")
