# The serial HDF5 library, where there is one: STICKSLIP_HDF5_FOUND, _INCLUDE, _LIBRARY. CMake's own FindHDF5 asks the
# compiler wrapper h5cc, which may be that of an MPI build; Debian keeps the serial one in folders of its own.
option(STICKSLIP_HDF5 "Read MATLAB files of version 7.3 if HDF5 is there" ON)
set(STICKSLIP_HDF5_FOUND FALSE)
if(STICKSLIP_HDF5)
  find_path(STICKSLIP_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(STICKSLIP_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  mark_as_advanced(STICKSLIP_HDF5_INCLUDE STICKSLIP_HDF5_LIBRARY)
  if(STICKSLIP_HDF5_INCLUDE AND STICKSLIP_HDF5_LIBRARY)
    set(STICKSLIP_HDF5_FOUND TRUE)
  endif()
endif()
