# Debian packages by CPack, one per component of `cmake --install`: stickslip (the program), libstickslip0.1 (the shared library),
# libstickslip-dev (headers, CMake and pkg-config) and python3-stickslip. scripts/package builds them and asks lintian.
set(soname "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(library_package libstickslip${soname})
set(release "${PROJECT_VERSION}-1")

# --- what every Debian package has ---------------------------------------------------------------------
find_program(GZIP gzip REQUIRED)
set(papers "${PROJECT_BINARY_DIR}/packaging")
file(READ "${PROJECT_SOURCE_DIR}/LICENSE" license)
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n" "\n " license "${license}")
file(WRITE "${papers}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: stickslip

Files: *
Copyright: 2026, the stickslip developers
License: BSD-3-clause
 ${license}")
string(STRIP "${license}" license)
file(READ "${papers}/copyright" copyright)
string(REGEX REPLACE "\n +$" "\n" copyright "${copyright}")
file(WRITE "${papers}/copyright" "${copyright}")
file(WRITE "${papers}/changelog.Debian" "stickslip (${release}) unstable; urgency=medium

  * CHANGELOG.md of the sources tells what is new.

 -- the stickslip developers <stickslip@packages.debian.org>  Mon, 16 Nov 2026 12:00:00 +0000
")
execute_process(COMMAND "${GZIP}" -9nf "${papers}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
foreach(pair "program=stickslip" "library=${library_package}" "development=libstickslip-dev" "python=python3-stickslip")
  string(REPLACE "=" ";" pair "${pair}")
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES "${papers}/copyright" "${papers}/changelog.Debian.gz" DESTINATION "share/doc/${package}" COMPONENT ${component})
  string(TOUPPER "${component}" upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${package}")
  set(CPACK_DEBIAN_${upper}_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ON)
endforeach()

# --- the manual page -----------------------------------------------------------------------------------
add_custom_command(
  OUTPUT "${papers}/stickslip.1.gz"
  COMMAND sh -c "/usr/bin/python3 '${PROJECT_SOURCE_DIR}/packaging/manual.py' '$<TARGET_FILE:stickslip>' > '${papers}/stickslip.1'"
  COMMAND "${GZIP}" -9nf "${papers}/stickslip.1"
  DEPENDS stickslip "${PROJECT_SOURCE_DIR}/packaging/manual.py"
  VERBATIM)
add_custom_target(stickslip_manual ALL DEPENDS "${papers}/stickslip.1.gz")
install(FILES "${papers}/stickslip.1.gz" DESTINATION share/man/man1 COMPONENT program)

# --- CPack ---------------------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stickslip)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PACKAGE_CONTACT "the stickslip developers <stickslip@packages.debian.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library development python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SOURCE stickslip)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${release})")
execute_process(COMMAND "${Python3_EXECUTABLE}" -c
                        "import sys; a, b = sys.version_info[:2]; print(f'python3 (>= {a}.{b}), python3 (<< {a}.{b + 1}~), python3-numpy')"
                OUTPUT_VARIABLE CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS stickslip)  # the binary inside FMUs
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib")
set(what "Friction models that truly stick, event-driven simulation of machines with
every stick and slip located, and identification of friction models from
recordings with what is known and not known of their parameters.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "friction in machines: models, simulation, identification\n${what}")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "friction in machines (shared library)\n${what}\n\nThis package has the shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "friction in machines (development files)\n${what}\n\nThis package has the headers, a CMake package and a pkg-config file.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "friction in machines (Python module)\n${what}\n\nThis package has the Python module stickslip.")
file(WRITE "${papers}/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${papers}/triggers")
include(CPack)
