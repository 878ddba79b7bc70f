/// Arrays as NumPy keeps them; see npz.hpp.
#include "files/npz.hpp"

#include <bit>
#include <cstdint>

#include "files/csv.hpp"
#include "files/zip.hpp"

namespace stickslip::inline files {
namespace {

constexpr std::string_view npy_magic("\x93NUMPY\x01\x00", 8);
template <class Integer>
void append(std::string& bytes, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) bytes += char((value >> (8 * i)) & 0xff);
}
void append_u16(std::string& bytes, std::size_t value) { append(bytes, std::uint16_t(value)); }

}  // namespace

std::string to_npy(const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
  const std::size_t before_data = npy_magic.size() + 2 + header.size() + 1;
  header.append((64 - before_data % 64) % 64, ' ');  // the format aligns the data to 64 bytes
  header += '\n';
  std::string bytes(npy_magic);
  append_u16(bytes, header.size());
  bytes += header;
  bytes.reserve(bytes.size() + 8 * values.size());
  for (const double value : values) append(bytes, std::bit_cast<std::uint64_t>(value));
  return bytes;
}

std::string to_npz(const Table& table) {
  check_writable(table);
  ZipWriter zip;
  for (const auto& column : table.columns) zip.add(header(column) + ".npy", to_npy(column.values));
  return zip.take("results exceed the 4 GB of an .npz; write fewer samples");
}

}  // namespace stickslip::inline files
