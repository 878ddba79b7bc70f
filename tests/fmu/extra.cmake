# The importer of the tests loads what importers load.
add_dependencies(test_fmu stickslip_fmu_binary)
target_compile_definitions(test_fmu PRIVATE STICKSLIP_FMU_BINARY="$<TARGET_FILE:stickslip_fmu_binary>"
                                            STICKSLIP_FMU_FOLDER="${PROJECT_BINARY_DIR}/fmu")
target_link_libraries(test_fmu PRIVATE ${CMAKE_DL_LIBS})
