# What `cmake --install` puts into a prefix: one library made of all folders (shared with STICKSLIP_SHARED), the headers, the
# program, the CMake package (find_package(stickslip), stickslip::stickslip) and stickslip.pc.
include(CMakePackageConfigHelpers)

# --- one library -------------------------------------------------------------------------------------
get_property(folders GLOBAL PROPERTY STICKSLIP_FOLDERS)
set(libraries "")
foreach(target IN LISTS folders ITEMS models_registered)
  get_target_property(type stickslip_${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND libraries stickslip_${target})
  endif()
endforeach()
stickslip_all_objects(objects ${libraries})
if(STICKSLIP_SHARED)
  add_library(stickslip_library SHARED ${objects})
  # Before 1.0 a minor version may change what the library offers, so it is part of the name that programs ask for.
  set_target_properties(stickslip_library PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                                     LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/stickslip.map")
  target_link_options(stickslip_library PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/stickslip.map" LINKER:--no-undefined)
  target_link_libraries(stickslip_library PRIVATE Threads::Threads)
else()
  add_library(stickslip_library STATIC ${objects})
  target_link_libraries(stickslip_library INTERFACE Threads::Threads)
endif()
set_target_properties(stickslip_library PROPERTIES OUTPUT_NAME stickslip EXPORT_NAME stickslip LINKER_LANGUAGE CXX)
target_compile_features(stickslip_library INTERFACE cxx_std_20)
target_include_directories(stickslip_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# --- headers -----------------------------------------------------------------------------------------
# The public ones, and in stickslip/detail what they need: inside the tree "core/run.hpp", installed
# <stickslip/detail/core/run.hpp>. Anything else is not installed.
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stickslip/*.hpp")
set(headers ${public_headers})
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE folder_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.hpp")
  list(APPEND headers ${folder_headers})
endforeach()
set(staged "${PROJECT_BINARY_DIR}/headers")
add_custom_command(
  OUTPUT "${staged}/complete"
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DSTAGED=${staged} -P "${PROJECT_SOURCE_DIR}/cmake/stage_headers.cmake"
  DEPENDS ${headers} "${PROJECT_SOURCE_DIR}/cmake/stage_headers.cmake"
  COMMENT "headers to install"
  VERBATIM)
add_custom_target(stickslip_headers ALL DEPENDS "${staged}/complete")

# --- package files -----------------------------------------------------------------------------------
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/stickslip")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/stickslipConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/stickslipConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/stickslipConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG "/prefix/${pkgconfig_dir}" "/prefix")  # so that the prefix may move
string(REGEX REPLACE "/$" "" PREFIX_FROM_PKGCONFIG "${PREFIX_FROM_PKGCONFIG}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/stickslip.pc.in" "${PROJECT_BINARY_DIR}/stickslip.pc" @ONLY)

# Components are the Debian packages (stickslip_packages.cmake); without naming one everything is installed.
install(TARGETS stickslip_library EXPORT stickslip ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development)
if(TARGET stickslip)
  install(TARGETS stickslip RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()
install(DIRECTORY "${staged}/stickslip" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/include/stickslip/c_interface.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/stickslip"
        COMPONENT development)
install(EXPORT stickslip FILE stickslipTargets.cmake NAMESPACE stickslip:: DESTINATION "${package_dir}"
        COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/stickslipConfig.cmake" "${PROJECT_BINARY_DIR}/stickslipConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/stickslip.pc" DESTINATION "${pkgconfig_dir}" COMPONENT development)
# Where scripts/page has made it.
install(FILES "${PROJECT_SOURCE_DIR}/build/page/stickslip.html" DESTINATION "${CMAKE_INSTALL_DATADIR}/stickslip" COMPONENT program OPTIONAL)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT license)
