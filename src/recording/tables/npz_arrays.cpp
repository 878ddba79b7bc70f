/// NumPy's .npz: a zip archive of .npy arrays, stored or deflated (numpy.savez and savez_compressed), little-endian
/// floats and integers of any width, versions 1 to 3 of the header. A vector is a column, a matrix is name_1, name_2 ...,
/// a single number a constant. Sizes come from the archive's directory and are checked, before anything is unpacked,
/// against the bytes that are there: parts that overlap and archives that expand without measure are refused.
/// Zip layout after PKWARE's APPNOTE 6.3. Not read: text, complex, structured and pickled arrays (left out with a note);
/// archives beyond 4 GB.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/checksum.hpp"
#include "core/text.hpp"
#include "recording/tables/expansion.hpp"
#include "recording/tables/inflate.hpp"
#include "recording/tables/npz_arrays.hpp"

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

/// A part of the archive as its directory states it.
struct Part {
  std::string name;
  std::uint16_t method = 0;
  std::uint32_t check = 0;
  std::size_t local = 0, start = 0, packed = 0, size = 0;  // header and data in the file; bytes there and unpacked
};

class NpzReader {
 public:
  NpzReader(const std::string& file, std::string_view bytes) : file_(file), bytes_(bytes), expansion_(bytes.size()) {
    const std::vector<Part> parts = directory();
    check_sizes(parts);
    for (const Part& part : parts) {
      if (part.name.ends_with(".npy"))
        array(part.name.substr(0, part.name.size() - 4), content(part));
      else
        left_out.push_back(one_line(part.name, 40));
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
    refuse_file(file_, "is not an .npz archive, or is truncated: its directory is missing");
  }

  std::vector<Part> directory() const {
    const std::size_t end = find_end();
    const std::size_t entries = number_at<std::uint16_t>(bytes_, end + 10);
    std::size_t at = number_at<std::uint32_t>(bytes_, end + 16);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < entries; ++i) {
      if (at > end || end - at < central_size || number_at<std::uint32_t>(bytes_, at) != central_mark)
        refuse_file(file_, "the archive's directory is damaged");
      const std::size_t name_size = number_at<std::uint16_t>(bytes_, at + 28);
      const std::size_t extra =
          std::size_t(number_at<std::uint16_t>(bytes_, at + 30)) + number_at<std::uint16_t>(bytes_, at + 32);
      if (end - at - central_size < name_size + extra) refuse_file(file_, "the archive's directory is damaged");
      parts.push_back(part_at(at, std::string(bytes_.substr(at + central_size, name_size))));
      at += central_size + name_size + extra;
    }
    return parts;
  }

  Part part_at(std::size_t entry, std::string name) const {
    Part part;
    part.name = std::move(name);
    part.method = number_at<std::uint16_t>(bytes_, entry + 10);
    part.check = number_at<std::uint32_t>(bytes_, entry + 16);
    part.packed = number_at<std::uint32_t>(bytes_, entry + 20);
    part.size = number_at<std::uint32_t>(bytes_, entry + 24);
    part.local = number_at<std::uint32_t>(bytes_, entry + 42);
    if (part.size == 0xffffffff || part.packed == 0xffffffff || part.local == 0xffffffff)
      refuse(part.name, "lies beyond 4 GB (zip64)");
    if (part.local > bytes_.size() || bytes_.size() - part.local < local_size ||
        number_at<std::uint32_t>(bytes_, part.local) != local_mark)
      refuse(part.name, "is damaged");
    part.start = part.local + local_size + number_at<std::uint16_t>(bytes_, part.local + 26) +
                 number_at<std::uint16_t>(bytes_, part.local + 28);
    if (part.start > bytes_.size() || bytes_.size() - part.start < part.packed) refuse(part.name, "is cut off");
    return part;
  }

  /// Before anything is unpacked: parts that share bytes, or state more than their bytes can hold or than is sensible.
  void check_sizes(std::vector<Part> parts) {
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.local < b.local; });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0 && parts[i - 1].start + parts[i - 1].packed > parts[i].local)
        refuse(parts[i].name, "overlaps " + in_quotes(one_line(parts[i - 1].name, 40)) + "; the archive is damaged");
      const std::uint64_t most = parts[i].method == 0 ? parts[i].packed : most_inflated(parts[i].packed);
      if (parts[i].size > most)
        refuse(parts[i].name, "states " + std::to_string(parts[i].size) + " bytes, more than its " +
                                  std::to_string(parts[i].packed) + " can hold");
      if (!expansion_.take(parts[i].size)) refuse(parts[i].name, Expansion::refusal());
    }
  }

  std::string content(const Part& part) const {
    const std::string_view packed = bytes_.substr(part.start, part.packed);
    std::string plain;
    if (part.method == 0) {
      plain = packed;
    } else if (part.method == 8) {
      auto unpacked = Inflater().all(packed, Packing::deflate, part.size);
      if (!unpacked) refuse(part.name, "cannot be decompressed");
      plain = std::move(*unpacked);
    } else {
      refuse(part.name, "is compressed in an unknown way; use numpy.savez");
    }
    if (plain.size() != part.size || crc32(plain) != part.check) refuse(part.name, "is damaged (checksum)");
    return plain;
  }

  NpyHeader header_of(std::string_view bytes, const std::string& name) const {
    if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) refuse(name, "is not an .npy array");
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
      if (!expansion_.take(count * sizeof(double))) refuse(name, Expansion::refusal());
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
    if (count == 0) return left_out.push_back(one_line(name, 40) + " (empty)");
    const std::size_t columns = header.shape.size() < 2 ? 1 : header.shape[1], rows = count / columns;
    if (columns > 1 && rows > 1 && !header.by_column) {
      std::vector<double> by_column(count);
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < rows; ++i) by_column[j * rows + i] = values[i * columns + j];
      values = std::move(by_column);
    }
    arrays.push_back({name, std::move(values), columns});
  }

  std::string file_;
  std::string_view bytes_;
  Expansion expansion_;
};

}  // namespace

NpzArrays npz_arrays(std::string_view bytes, const std::string& name) {
  NpzReader reader(name, bytes);
  return {std::move(reader.arrays), std::move(reader.left_out)};
}

RawTable read_npz(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  NpzArrays found = npz_arrays(bytes, name);
  RawTable table = table_of_arrays(std::move(found.arrays), std::move(found.left_out), options, name);
  table.fingerprint = fingerprint_of(bytes);
  return table;
}

}  // namespace stickslip
