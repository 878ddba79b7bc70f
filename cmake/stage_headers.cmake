# cmake -DSOURCE=tree -DSTAGED=folder -DFOLDERS=core,models,... -P stage_headers.cmake
#
# Copies the headers to STAGED/stickslip as they are installed: include/stickslip/*.hpp beside the folders
# of src/, and every #include "core/..." turned into #include <stickslip/core/...>.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" FOLDERS "${FOLDERS}")
string(REPLACE ";" "|" any_folder "${FOLDERS}")
file(REMOVE_RECURSE "${STAGED}")

function(stage header where)
  file(READ "${header}" text)
  string(REGEX REPLACE "(#[ \t]*include[ \t]+)\"((${any_folder})/[^\"]+)\"" "\\1<stickslip/\\2>" text "${text}")
  string(REGEX REPLACE "(#[ \t]*include[ \t]+)\"(stickslip/[^\"]+)\"" "\\1<\\2>" text "${text}")
  get_filename_component(name "${header}" NAME)
  file(WRITE "${STAGED}/stickslip/${where}${name}" "${text}")
endfunction()

file(GLOB headers "${SOURCE}/include/stickslip/*.hpp")
foreach(header IN LISTS headers)
  stage("${header}" "")
endforeach()
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE headers "${SOURCE}/src/${folder}/*.hpp")
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${SOURCE}/src" OUTPUT_VARIABLE where)
    cmake_path(GET where PARENT_PATH where)
    stage("${header}" "${where}/")
  endforeach()
endforeach()
file(TOUCH "${STAGED}/complete")
