# The tests of hostile values go through the options that the commands declare.
if(TARGET stickslip_commands)
  target_link_libraries(test_cli PRIVATE stickslip_commands)
endif()
