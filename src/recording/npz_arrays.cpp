/// NumPy's .npz: a zip archive of .npy arrays, stored or deflated (numpy.savez and savez_compressed), little-endian
/// floats and integers of any width, versions 1 to 3 of the header. A vector is a column, a matrix is name_1, name_2 ...,
/// a single number a constant. Sizes come from the archive's directory and are checked against the bytes that are there.
/// Zip layout after PKWARE's APPNOTE 6.3. Not read: text, complex, structured and pickled arrays (left out with a note);
/// archives beyond 4 GB.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/text.hpp"
#include "recording/raw_table.hpp"

namespace stickslip {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;
constexpr std::size_t longest_comment = 65535;

template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  static_assert(std::endian::native == std::endian::little, "NumPy's little-endian numbers are copied as they are");
  Number value;
  std::memcpy(&value, bytes.data() + place, sizeof(Number));
  return value;
}

struct NpyHeader {
  std::string type;  // "<f8"
  bool by_column = false;
  std::vector<std::size_t> shape;
  std::size_t data = 0;
};

class NpzReader {
 public:
  NpzReader(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes) {
    const std::size_t end = find_end();
    const std::size_t entries = number_at<std::uint16_t>(bytes, end + 10);
    std::size_t at = number_at<std::uint32_t>(bytes, end + 16);
    for (std::size_t i = 0; i < entries; ++i) {
      if (at > end || end - at < central_size || number_at<std::uint32_t>(bytes, at) != central_mark)
        refuse_file(file_, "the archive's directory is damaged");
      const std::size_t name_size = number_at<std::uint16_t>(bytes, at + 28);
      const std::size_t extra =
          std::size_t(number_at<std::uint16_t>(bytes, at + 30)) + number_at<std::uint16_t>(bytes, at + 32);
      if (end - at - central_size < name_size + extra) refuse_file(file_, "the archive's directory is damaged");
      std::string name(bytes.substr(at + central_size, name_size));
      if (name.ends_with(".npy")) {
        name.resize(name.size() - 4);
        array(name, content(at, name));
      } else {
        left_out.push_back(one_line(name, 40));
      }
      at += central_size + name_size + extra;
    }
  }
  std::vector<NamedArray> arrays;
  std::vector<std::string> left_out;

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const {
    refuse_file(file_, in_quotes(one_line(name, 40)) + " " + what);
  }

  std::size_t find_end() const {
    if (bytes_.size() >= end_size) {
      std::size_t at = bytes_.size() - end_size;
      const std::size_t lowest = at > longest_comment ? at - longest_comment : 0;
      for (;; --at) {
        if (number_at<std::uint32_t>(bytes_, at) == end_mark) return at;
        if (at == lowest) break;
      }
    }
    refuse_file(file_, "is no .npz archive, or it is cut off: its directory is missing");
  }

  std::string content(std::size_t entry, const std::string& name) const {
    const auto method = number_at<std::uint16_t>(bytes_, entry + 10);
    const auto check = number_at<std::uint32_t>(bytes_, entry + 16);
    const std::size_t packed = number_at<std::uint32_t>(bytes_, entry + 20);
    const std::size_t size = number_at<std::uint32_t>(bytes_, entry + 24);
    const std::size_t local = number_at<std::uint32_t>(bytes_, entry + 42);
    if (size == 0xffffffff || packed == 0xffffffff || local == 0xffffffff) refuse(name, "lies beyond 4 GB (zip64)");
    if (local > bytes_.size() || bytes_.size() - local < local_size ||
        number_at<std::uint32_t>(bytes_, local) != local_mark)
      refuse(name, "is damaged");
    const std::size_t start = local + local_size + number_at<std::uint16_t>(bytes_, local + 26) +
                              number_at<std::uint16_t>(bytes_, local + 28);
    if (start > bytes_.size() || bytes_.size() - start < packed) refuse(name, "is cut off");
    std::string plain;
    if (method == 0) {
      plain = bytes_.substr(start, packed);
    } else if (method == 8) {
      auto unpacked = inflated(bytes_.substr(start, packed), true, size);
      if (!unpacked) refuse(name, "cannot be decompressed");
      plain = std::move(*unpacked);
    } else {
      refuse(name, "is compressed in an unknown way; use numpy.savez");
    }
    if (plain.size() != size || crc_of(0, plain) != check) refuse(name, "is damaged (checksum)");
    return plain;
  }

  NpyHeader header_of(std::string_view bytes, const std::string& name) const {
    if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) refuse(name, "is no .npy array");
    const bool version_1 = bytes[6] == 1;
    const std::size_t start = version_1 ? 10 : 12;
    const std::size_t length = version_1 ? number_at<std::uint16_t>(bytes, 8) : number_at<std::uint32_t>(bytes, 8);
    if (bytes.size() - start < length) refuse(name, "ends inside its header");
    const std::string_view text = bytes.substr(start, length);
    NpyHeader header;
    header.data = start + length;
    const auto after = [&](std::string_view key) {
      const auto at = text.find(key);
      return at == std::string_view::npos ? std::string_view() : trimmed(text.substr(at + key.size()));
    };
    const std::string_view type = after("'descr':");
    if (type.starts_with('\'')) header.type = type.substr(1, type.substr(1).find('\''));
    header.by_column = after("'fortran_order':").starts_with("True");
    std::string_view shape = after("'shape':");
    if (!shape.starts_with('(')) refuse(name, "has no shape");
    shape.remove_prefix(1);
    while (!shape.empty() && shape.front() != ')') {
      std::size_t n = 0;
      const auto [stop, problem] = std::from_chars(shape.data(), shape.data() + shape.size(), n);
      if (problem != std::errc()) refuse(name, "has a damaged shape");
      header.shape.push_back(n);
      shape.remove_prefix(std::size_t(stop - shape.data()));
      while (!shape.empty() && (shape.front() == ',' || shape.front() == ' ')) shape.remove_prefix(1);
    }
    return header;
  }

  void array(const std::string& name, const std::string& bytes) {
    const NpyHeader header = header_of(bytes, name);
    std::size_t count = 1;
    for (const std::size_t n : header.shape) {
      if (n != 0 && count > bytes.size() / n) refuse(name, "has fewer numbers than its shape says");
      count *= n;
    }
    std::vector<double> values;
    const std::string_view data = std::string_view(bytes).substr(header.data);
    const auto fill = [&]<class Number>(Number) {
      if (data.size() != count * sizeof(Number))
        refuse(name,
               "has " + std::to_string(data.size()) + " bytes where " + std::to_string(count) + " numbers belong");
      values.resize(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = double(number_at<Number>(data, i * sizeof(Number)));
      return true;
    };
    const std::string& type = header.type;
    const bool known = type == "<f8"                    ? fill(double{})
                       : type == "<f4"                  ? fill(float{})
                       : type == "<i8"                  ? fill(std::int64_t{})
                       : type == "<i4"                  ? fill(std::int32_t{})
                       : type == "<i2"                  ? fill(std::int16_t{})
                       : type == "|i1"                  ? fill(std::int8_t{})
                       : type == "<u8"                  ? fill(std::uint64_t{})
                       : type == "<u4"                  ? fill(std::uint32_t{})
                       : type == "<u2"                  ? fill(std::uint16_t{})
                       : type == "|u1" || type == "|b1" ? fill(std::uint8_t{})
                                                        : false;
    if (!known || header.shape.size() > 2) return left_out.push_back(one_line(name, 40));
    if (header.shape.size() < 2 || header.shape[0] == 1 || header.shape[1] == 1) {
      arrays.push_back({name, std::move(values)});
      return;
    }
    const std::size_t rows = header.shape[0], columns = header.shape[1];
    if (columns > 1000) return left_out.push_back(one_line(name, 40));
    for (std::size_t j = 0; j < columns; ++j) {
      NamedArray column{name + "_" + std::to_string(j + 1), std::vector<double>(rows)};
      for (std::size_t i = 0; i < rows; ++i)
        column.values[i] = values[header.by_column ? j * rows + i : i * columns + j];
      arrays.push_back(std::move(column));
    }
  }

  std::string file_;
  std::string_view bytes_;
};

}  // namespace

RawTable read_npz(const std::string& path, const ReadOptions& options) {
  const std::string bytes = bytes_of(path);
  NpzReader reader(path, bytes);
  RawTable table = table_of_arrays(std::move(reader.arrays), options, path);
  if (!reader.left_out.empty())
    table.notes.push_back(
        {"left_out", 0, 0, "left out, since they are no real numeric arrays: " + joined(reader.left_out)});
  table.fingerprint = fingerprint_of(crc_of(0, bytes), bytes.size());
  return table;
}

}  // namespace stickslip
