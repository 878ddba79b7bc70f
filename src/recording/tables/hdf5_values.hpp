/// The numbers of one HDF5 dataset, in whatever way they are stored; see hdf5_file.hpp for what is read at all.
/// Layouts: contiguous, compact (inside the object header), chunked with an index of version 1. Others are refused by name.
#pragma once
#include "recording/tables/hdf5_file.hpp"

namespace stickslip::inline recordings {

struct Hdf5Values {
  std::vector<double> values;    // in the file's order
  std::uint64_t not_stored = 0;  // values in chunks that were never written; they have the fill value
  double fill = 0;
};
/// `columns` × `rows` values of a plain number type. Throws Error.
Hdf5Values hdf5_values(Hdf5File& file, const Hdf5Object& dataset, const Hdf5Datatype& type, std::uint64_t columns,
                       std::uint64_t rows);

}  // namespace stickslip::inline recordings
