# mat_v73_test.cpp writes the files it reads, through HDF5.
if(STICKSLIP_HDF5_FOUND)
  target_compile_definitions(${target} PRIVATE STICKSLIP_HDF5)
  target_include_directories(${target} SYSTEM PRIVATE "${STICKSLIP_HDF5_INCLUDE}")
endif()
