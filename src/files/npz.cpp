/// Arrays as NumPy keeps them; see npz.hpp. Zip layout after PKWARE's APPNOTE 6.3.
#include "files/npz.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"

namespace stickslip {
namespace {

constexpr std::string_view npy_magic("\x93NUMPY\x01\x00", 8);
constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;
constexpr std::uint16_t zip_version = 20, names_are_utf8 = 0x0800;
constexpr std::uint16_t first_of_january_1980 = 0x21;  // zip has no "no date"; a fixed one keeps runs identical

template <class Integer>
void append(std::string& bytes, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) bytes += char((value >> (8 * i)) & 0xff);
}
void append_u16(std::string& bytes, std::size_t value) { append(bytes, std::uint16_t(value)); }
void append_u32(std::string& bytes, std::size_t value) { append(bytes, std::uint32_t(value)); }

template <class Integer>
Integer number_at(std::string_view bytes, std::size_t place) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    value = Integer(value | Integer(Integer(static_cast<unsigned char>(bytes[place + i])) << (8 * i)));
  return value;
}

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

[[noreturn]] void refuse(std::string_view where, const std::string& reason) {
  throw Error(one_line(where) + ": " + reason);
}

/// The number of values in "{'descr': '<f8', 'fortran_order': False, 'shape': (42,), }".
std::size_t count_in(std::string_view header, std::string_view where) {
  if (header.find("'<f8'") == std::string_view::npos) refuse(where, "holds no doubles ('<f8'); save as float64");
  constexpr std::string_view key = "'shape': (";
  const auto shape = header.find(key);
  std::size_t count = 0;
  if (shape != std::string_view::npos) {
    const char* begin = header.data() + shape + key.size();
    const char* end = header.data() + header.size();
    const auto [after, problem] = std::from_chars(begin, end, count);
    if (problem == std::errc() && std::string_view(after, std::size_t(end - after)).starts_with(",)")) return count;
  }
  refuse(where, "is not a one-dimensional array");
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (const char byte : bytes) crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

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

std::vector<double> from_npy(std::string_view bytes, std::string_view where) {
  if (!bytes.starts_with(npy_magic) || bytes.size() < npy_magic.size() + 2)
    refuse(where, "is no .npy file (format 1.0)");
  const std::size_t header_start = npy_magic.size() + 2;
  const std::size_t header_size = number_at<std::uint16_t>(bytes, npy_magic.size());
  if (bytes.size() < header_start + header_size) refuse(where, "ends inside its header");
  const std::size_t count = count_in(bytes.substr(header_start, header_size), where);
  const std::string_view data = bytes.substr(header_start + header_size);
  if (data.size() % 8 != 0 || data.size() / 8 != count)
    refuse(where, "holds " + std::to_string(data.size()) + " bytes where " + std::to_string(count) + " doubles belong");
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::bit_cast<double>(number_at<std::uint64_t>(data, 8 * i));
  return values;
}

Table from_npz(std::string_view bytes, std::string_view where) {
  // Our archives have no comment, nor have NumPy's, so the end record is the last thing in the file.
  if (bytes.size() < end_size || number_at<std::uint32_t>(bytes, bytes.size() - end_size) != end_mark)
    refuse(where, "is no .npz file");
  const std::size_t end = bytes.size() - end_size;
  const std::size_t entries = number_at<std::uint16_t>(bytes, end + 10);
  std::size_t at = number_at<std::uint32_t>(bytes, end + 16);
  Table table;
  for (std::size_t i = 0; i < entries; ++i) {
    if (at > end || end - at < central_size || number_at<std::uint32_t>(bytes, at) != central_mark)
      refuse(where, "its directory is damaged");
    const auto method = number_at<std::uint16_t>(bytes, at + 10);
    const auto check = number_at<std::uint32_t>(bytes, at + 16);
    const std::size_t size = number_at<std::uint32_t>(bytes, at + 24);
    const std::size_t name_size = number_at<std::uint16_t>(bytes, at + 28);
    const std::size_t after_name =
        std::size_t(number_at<std::uint16_t>(bytes, at + 30)) + number_at<std::uint16_t>(bytes, at + 32);
    const std::size_t local = number_at<std::uint32_t>(bytes, at + 42);
    if (end - at < central_size + name_size + after_name) refuse(where, "its directory is damaged");
    std::string name(bytes.substr(at + central_size, name_size));
    if (method != 0) refuse(where, "entry " + in_quotes(name) + " is compressed; save with numpy.savez");
    if (local > end || end - local < local_size || number_at<std::uint32_t>(bytes, local) != local_mark)
      refuse(where, "entry " + in_quotes(name) + " is damaged");
    const std::size_t start =
        local + local_size + number_at<std::uint16_t>(bytes, local + 26) + number_at<std::uint16_t>(bytes, local + 28);
    if (start > end || end - start < size) refuse(where, "entry " + in_quotes(name) + " is cut off");
    const std::string_view content = bytes.substr(start, size);
    if (crc32(content) != check) refuse(where, "entry " + in_quotes(name) + " is damaged (checksum)");
    const std::string place = std::string(where) + ":" + name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    table.columns.push_back({name, "", from_npy(content, place)});
    at += central_size + name_size + after_name;
  }
  return table;
}

}  // namespace stickslip
