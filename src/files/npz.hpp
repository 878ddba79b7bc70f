/// Arrays as NumPy keeps them: a .npy holds one column of little-endian doubles (format 1.0), a .npz is a zip archive
/// of them, stored without compression, one per column, named like the CSV header. In Python:
///   results = numpy.load("run.npz"); results["time_s"]
/// The reader takes what the writer makes: stored entries, one-dimensional "<f8". Compressed archives, other number
/// types and archives beyond 4 GB (zip64) are refused by name.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.hpp"

namespace stickslip {

/// CRC-32 as zip uses it (reflected polynomial EDB88320).
std::uint32_t crc32(std::string_view bytes);

std::string to_npy(const std::vector<double>& values);
std::string to_npz(const Table& table);

/// `where` is the file's name for messages. Throws Error for anything that is not such a file.
std::vector<double> from_npy(std::string_view bytes, std::string_view where);
/// The columns by their headers; units stay part of the name.
Table from_npz(std::string_view bytes, std::string_view where);

}  // namespace stickslip
