# The worked example of CONTRIBUTING.md: one file, one word, and it is a model like the others in these tests.
stickslip_models(TARGET stickslip_example_model DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/models/example_model"
                 WORDS coulomb_drag)
target_link_libraries(${target} PRIVATE stickslip_example_model)
