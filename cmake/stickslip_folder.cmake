# stickslip_folder(NAME [COLD] [FIRST pattern...] [USES folder...] [LINKS target...])
#
# Makes the folder that calls it the target stickslip_NAME: a static library of its *.cpp, or an
# INTERFACE library when it has only headers (or nothing yet). USES names the folders whose headers it
# may include, directly or through others; an include of any other folder stops the build
# (cmake/check_arrows.cmake). LINKS names libraries from outside. COLD: no time is spent in this folder
# when the program runs, so little is spent on optimising it. FIRST: files of the first program
# (cmake/stickslip_first.cmake), which are compiled apart from the others, as stickslip_NAME_first.
function(stickslip_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 folder "COLD" "" "FIRST;USES;LINKS")
  set(target stickslip_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.hpp)

  if(sources)
    stickslip_first_files(first rest "${sources}" ${folder_FIRST})
    add_library(${target} STATIC ${rest})
    set(parts ${target})
    if(first)
      stickslip_first_part(${target} ${first})
      list(APPEND parts ${target}_first)
    endif()
    foreach(part IN LISTS parts)
      target_link_libraries(${part} PRIVATE stickslip_warnings)
      stickslip_for_shared_objects(${part})
      stickslip_build_together(${part} 8)
      if(folder_COLD)
        stickslip_cold(${part})
      endif()
    endforeach()
    set(visibility PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(${target} ${visibility} "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${target} ${visibility} ${folder_LINKS})

  set(reachable ${name})
  foreach(used IN LISTS folder_USES)
    if(TARGET stickslip_${used})  # a folder that does not exist yet is no obstacle
      target_link_libraries(${target} ${visibility} stickslip_${used})
      get_property(further GLOBAL PROPERTY STICKSLIP_REACHABLE_FROM_${used})
      list(APPEND reachable ${further})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES reachable)
  set_property(GLOBAL PROPERTY STICKSLIP_REACHABLE_FROM_${name} "${reachable}")
  set_property(GLOBAL APPEND PROPERTY STICKSLIP_FOLDERS ${name})

  stickslip_check_arrows(${target} "${reachable}" "${sources};${headers}")
endfunction()

# The includes of FILES, in this folder, lead only to the folders in REACHABLE. Checked when a file changed.
function(stickslip_check_arrows target reachable files)
  list(REMOVE_ITEM files "")
  if(NOT files)
    return()
  endif()
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/arrows.checked")
  string(REPLACE ";" "," reachable "${reachable}")
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR} -DREACHABLE=${reachable}
            -P "${PROJECT_SOURCE_DIR}/cmake/check_arrows.cmake"
    COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/check_arrows.cmake"
    COMMENT "arrows of ${target}"
    VERBATIM)
  add_custom_target(${target}_arrows ALL DEPENDS "${stamp}")
  add_dependencies(${target} ${target}_arrows)
endfunction()

# stickslip_for_shared_objects(TARGET): it may end up in one; on WebAssembly there are none.
function(stickslip_for_shared_objects target)
  if(NOT STICKSLIP_WASM)
    set_property(TARGET ${target} PROPERTY POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# stickslip_cold(TARGET): optimised lightly. The numbers are the same: no flag here changes floating point.
function(stickslip_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)
endfunction()
