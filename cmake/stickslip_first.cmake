# The first program: stickslip_first, with the commands of src/cli/first_commands.txt and nothing else, so that ./stickslip answers soon
# after a clone. It is made of the same objects as the whole program: what is compiled for it is not compiled again.
#
# What it consists of is said by FIRST in the CMakeLists.txt of the folders. A file that is missing there is an undefined reference when
# stickslip_first is linked, which ./test does, too. The page (WebAssembly) is one program and has no such parts.

# What the sources of the first program include from outside.
add_library(stickslip_outside INTERFACE)

# stickslip_first_files(FIRST REST sources pattern...): those of the sources that a pattern names, and the others.
function(stickslip_first_files first_result rest_result sources)
  set(first "")
  if(STICKSLIP_WASM)
    set(ARGN "")
  endif()
  foreach(pattern IN LISTS ARGN)
    file(GLOB named CONFIGURE_DEPENDS ${pattern})
    if(NOT named)
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}: no file '${pattern}', which FIRST names")
    endif()
    list(APPEND first ${named})
  endforeach()
  if(first)
    list(REMOVE_DUPLICATES first)
    list(REMOVE_ITEM sources ${first})
  endif()
  set(${first_result} "${first}" PARENT_SCOPE)
  set(${rest_result} "${sources}" PARENT_SCOPE)
endfunction()

# stickslip_first_part(TARGET source...): compiles the sources as TARGET_first, for TARGET and for the first program. It is linked with no
# other target of the tree: to build it, none of them is built.
function(stickslip_first_part target)
  add_library(${target}_first OBJECT ${ARGN})
  target_include_directories(${target}_first PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${target}_first PRIVATE stickslip_outside)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_first>)
    set_property(TARGET ${target} PROPERTY LINKER_LANGUAGE CXX)  # where nothing else is in it
  else()  # objects do not travel through objects
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_first>)
  endif()
  set_property(GLOBAL APPEND PROPERTY STICKSLIP_FIRST_SOURCES $<TARGET_OBJECTS:${target}_first>)
endfunction()

# stickslip_first_source(file): a source of the first program alone.
function(stickslip_first_source file)
  set_property(GLOBAL APPEND PROPERTY STICKSLIP_FIRST_SOURCES "${file}")
endfunction()

# stickslip_all_objects(RESULT target...): the objects of libraries, those of their first parts included.
function(stickslip_all_objects result)
  set(objects "")
  foreach(target IN LISTS ARGN)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
    if(TARGET ${target}_first)
      list(APPEND objects $<TARGET_OBJECTS:${target}_first>)
    endif()
  endforeach()
  set(${result} "${objects}" PARENT_SCOPE)
endfunction()
