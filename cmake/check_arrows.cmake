# cmake -DFOLDER=.../src/core -DREACHABLE=core,... -P check_arrows.cmake
#
# Dependencies point one way. Fails when a file of FOLDER includes "other/..." and other is not REACHABLE.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" REACHABLE "${REACHABLE}")
get_filename_component(folder_name "${FOLDER}" NAME)
get_filename_component(source_root "${FOLDER}" DIRECTORY)
file(GLOB_RECURSE files "${FOLDER}/*.hpp" "${FOLDER}/*.cpp")
foreach(file IN LISTS files)
  file(STRINGS "${file}" includes ENCODING UTF-8 REGEX "^[ \t]*#[ \t]*include[ \t]+\"[^\"/]+/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^[^\"]*\"([^\"/]+)/.*" "\\1" included "${line}")
    if(IS_DIRECTORY "${source_root}/${included}" AND NOT included IN_LIST REACHABLE)
      file(RELATIVE_PATH shown "${source_root}/.." "${file}")
      string(REPLACE ";" ", " allowed "${REACHABLE}")
      message(FATAL_ERROR "${shown}: includes ${included}/, but ${folder_name} may include only ${allowed} "
                          "(src/${folder_name}/CMakeLists.txt)")
    endif()
  endforeach()
endforeach()
