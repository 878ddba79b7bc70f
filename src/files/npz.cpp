/// Arrays as NumPy keeps them; see npz.hpp. Zip layout after PKWARE's APPNOTE 6.3.
#include "files/npz.hpp"

#include <bit>
#include <limits>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "files/csv.hpp"

namespace stickslip {
namespace {

constexpr std::string_view npy_magic("\x93NUMPY\x01\x00", 8);
constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint16_t zip_version = 20, names_are_utf8 = 0x0800;
constexpr std::uint16_t first_of_january_1980 = 0x21;  // zip has no "no date"; a fixed one keeps runs identical

template <class Integer>
void append(std::string& bytes, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) bytes += char((value >> (8 * i)) & 0xff);
}
void append_u16(std::string& bytes, std::size_t value) { append(bytes, std::uint16_t(value)); }
void append_u32(std::string& bytes, std::size_t value) { append(bytes, std::uint32_t(value)); }

/// The fields that a local header and the central directory have in common.
void append_description(std::string& bytes, std::string_view name, std::string_view content, std::uint32_t check) {
  append_u16(bytes, zip_version);
  append_u16(bytes, names_are_utf8);
  append_u16(bytes, 0);  // stored
  append_u16(bytes, 0);  // midnight
  append_u16(bytes, first_of_january_1980);
  append(bytes, check);
  append_u32(bytes, content.size());
  append_u32(bytes, content.size());
  append_u16(bytes, name.size());
  append_u16(bytes, 0);  // no extra field
}

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
  std::string archive, directory;
  for (const auto& column : table.columns) {
    const std::string name = header(column) + ".npy";
    const std::string content = to_npy(column.values);
    const std::uint32_t check = crc32(content);
    const std::size_t start = archive.size();
    append(archive, local_mark);
    append_description(archive, name, content, check);
    archive += name;
    archive += content;

    append(directory, central_mark);
    append_u16(directory, zip_version);
    append_description(directory, name, content, check);
    append_u16(directory, 0);  // no comment
    append_u16(directory, 0);  // first disk
    append_u16(directory, 0);  // internal attributes
    append_u32(directory, 0);  // external attributes
    append_u32(directory, start);
    directory += name;
  }
  if (archive.size() + directory.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error("results exceed the 4 GB of an .npz; write fewer samples");
  const std::size_t directory_start = archive.size();
  archive += directory;
  append(archive, end_mark);
  append_u16(archive, 0);  // this disk
  append_u16(archive, 0);  // the directory's disk
  append_u16(archive, table.columns.size());
  append_u16(archive, table.columns.size());
  append_u32(archive, directory.size());
  append_u32(archive, directory_start);
  append_u16(archive, 0);  // no comment
  return archive;
}

}  // namespace stickslip
