/// Arrays as NumPy keeps them: a .npy holds one column of little-endian doubles (format 1.0), a .npz is a zip archive
/// of them, stored without compression, one per column, named like the CSV header. In Python:
///   results = numpy.load("run.npz"); results["time_s"]
/// They are read by recording/tables/npz_arrays.hpp. Not written: archives beyond 4 GB (zip64).
#pragma once
#include <string>
#include <vector>

#include "core/table.hpp"

namespace stickslip::inline files {

std::string to_npy(const std::vector<double>& values);
std::string to_npz(const Table& table);

}  // namespace stickslip::inline files
