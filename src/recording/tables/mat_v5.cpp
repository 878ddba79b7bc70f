/// MATLAB .mat files, version 5 (also what `save -v6` and `-v7` write), after MathWorks' "MAT-File Format".
/// A file is a header of 128 bytes and a row of elements, each a type, a size and bytes; one of type 15 is compressed.
/// Numeric arrays become columns: a vector by its name, a matrix as name_1, name_2 ...; a scalar is a constant, the
/// fields of a struct are struct.field, of several struct(2).field; a channel with `Name` and `Unit` (dSPACE) is called by these. Every size is checked against the bytes that are there, so that a cut file
/// is an error and never yields what happened to lie in memory.
/// Not read: sparse, complex, character, cell and object arrays, tables, strings, dates and function handles (left out
/// with a note), version 4. Version 7.3 is HDF5: mat_v73.hpp.
#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "core/checksum.hpp"
#include "core/text.hpp"
#include "recording/tables/expansion.hpp"
#include "recording/tables/inflate.hpp"
#include "recording/tables/mat_v73.hpp"
#include "recording/tables/raw_table.hpp"
#include "recording/tables/unit_algebra.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t header_size = 128, largest_element = std::size_t(4) << 30;
constexpr int deepest = 8;  // structs within structs
constexpr std::size_t most_structs = 1000, most_variables = 100'000, longest_name = 256;
constexpr std::uint32_t utf16 = 17;

enum Type : std::uint32_t {
  int8 = 1,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  single = 7,
  real = 9,
  int64 = 12,
  uint64,
  matrix,
  compressed
};
enum Class : std::uint32_t {
  cell_class = 1,
  struct_class = 2,
  object_class = 3,
  char_class = 4,
  sparse_class = 5,
  first_numeric = 6,
  last_numeric = 15,
  function_class = 16,
  opaque_class = 17
};

/// Why an array is left out.
std::string class_words(std::uint32_t kind) {
  switch (kind) {
    case cell_class:
      return "cell";
    case struct_class:
      return "struct array";
    case object_class:
      return "object";
    case char_class:
      return "char";
    case sparse_class:
      return "sparse";
    case function_class:
      return "function handle";
    default:
      return "class " + std::to_string(kind);
  }
}

std::size_t width_of(std::uint32_t type) {
  switch (type) {
    case int8:
    case uint8:
      return 1;
    case int16:
    case uint16:
      return 2;
    case int32:
    case uint32:
    case single:
      return 4;
    case real:
    case int64:
    case uint64:
      return 8;
    default:
      return 0;
  }
}

struct Element {
  std::uint32_t type = 0;
  std::string_view bytes;
};

class MatReader {
 public:
  MatReader(const std::string& file, std::string_view bytes) : file_(file), expansion_(bytes.size()) {
    const std::string_view mark = bytes.substr(126, 2);
    if (mark != "IM" && mark != "MI")
      refuse_file(file_, "is not a MATLAB file of version 5: its byte order mark is missing");
    swapped_ = (mark == "MI") == (std::endian::native == std::endian::little);
    std::string_view rest = bytes.substr(header_size);
    while (!rest.empty()) {
      const Element element = take(rest, true);
      if (element.type == compressed) {
        const std::string plain = unpacked_element(element.bytes);
        std::string_view inside = plain;
        const Element unpacked = take(inside, true);
        if (unpacked.type == matrix) array(unpacked.bytes, "", 0);
      } else if (element.type == matrix) {
        array(element.bytes, "", 0);
      }
    }
  }
  std::vector<NamedArray> arrays;
  std::vector<std::string> left_out;

 private:
  template <class Number>
  Number number_at(std::string_view bytes, std::size_t place) const {
    std::array<char, sizeof(Number)> raw;
    std::memcpy(raw.data(), bytes.data() + place, sizeof(Number));
    if (swapped_) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<Number>(raw);
  }

  /// A compressed element begins with its own size, so that it is known before it is unpacked.
  std::string unpacked_element(std::string_view packed) {
    const std::string head = inflater_.start(packed, Packing::zlib, 8);
    const std::string where = "a compressed variable after " + last_;
    if (head.size() < 8) refuse_file(file_, where + " is damaged or truncated");
    const bool is_small = number_at<std::uint32_t>(head, 0) >> 16 != 0;
    const std::uint64_t stated = is_small ? 0 : number_at<std::uint32_t>(head, 4);
    const std::uint64_t whole = 8 + (stated + 7) / 8 * 8;  // padded or not
    if (stated > most_inflated(packed.size()))
      refuse_file(file_, where + " is damaged: it declares more data than it contains");
    if (!expansion_.take(whole)) refuse_file(file_, where + " " + Expansion::refusal());
    auto plain = inflater_.all(packed, Packing::zlib, std::size_t(whole));
    if (!plain) refuse_file(file_, where + " is damaged or truncated");
    return std::move(*plain);
  }

  [[noreturn]] void cut(const std::string& what) const {
    refuse_file(file_, what + " after " + last_ + " is truncated: the file ends before its data");
  }

  /// The element at the start of `rest`, which moves on. Small elements hold size and data in 8 bytes.
  Element take(std::string_view& rest, bool top_level = false) const {
    if (rest.size() < 8) cut("a variable");
    const auto first = number_at<std::uint32_t>(rest, 0);
    if (first >> 16) {
      const std::size_t size = first >> 16;
      if (size > 4) refuse_file(file_, "a small element after " + last_ + " is damaged");
      const Element element{first & 0xffff, rest.substr(4, size)};
      rest.remove_prefix(8);
      return element;
    }
    const std::size_t size = number_at<std::uint32_t>(rest, 4);
    if (size > rest.size() - 8) cut("a variable of " + std::to_string(size) + " bytes");
    const Element element{first, rest.substr(8, size)};
    const std::size_t padded = top_level && first == compressed ? size : (size + 7) / 8 * 8;
    rest.remove_prefix(std::min(rest.size(), 8 + padded));
    return element;
  }

  void numbers(const Element& element, std::size_t count, const std::string& name, std::vector<double>& values) {
    const std::size_t width = width_of(element.type);
    if (width == 0) refuse_file(file_, in_quotes(name) + " has numbers of an unknown type");
    if (element.bytes.size() / width != count || element.bytes.size() % width != 0)
      refuse_file(file_, in_quotes(name) + " has " + std::to_string(element.bytes.size()) + " bytes where " +
                             std::to_string(count) + " numbers belong");
    if (!expansion_.take(count * sizeof(double))) refuse_file(file_, in_quotes(name) + " " + Expansion::refusal());
    values.resize(count);
    const auto fill = [&]<class Number>(Number) {
      for (std::size_t i = 0; i < count; ++i) values[i] = double(number_at<Number>(element.bytes, i * width));
    };
    switch (element.type) {
      case int8:
        return fill(std::int8_t{});
      case uint8:
        return fill(std::uint8_t{});
      case int16:
        return fill(std::int16_t{});
      case uint16:
        return fill(std::uint16_t{});
      case int32:
        return fill(std::int32_t{});
      case uint32:
        return fill(std::uint32_t{});
      case single:
        return fill(float{});
      case int64:
        return fill(std::int64_t{});
      case uint64:
        return fill(std::uint64_t{});
      default:
        return fill(double{});
    }
  }

  void array(std::string_view rest, const std::string& owner, int depth) {
    if (rest.empty()) return;  // an empty field
    if (++variables_ > most_variables) refuse_file(file_, "has more than 100000 variables, which is not read");
    const Element flags = take(rest);
    if (flags.bytes.size() < 8) refuse_file(file_, "a variable after " + last_ + " is damaged");
    const std::uint32_t flag = number_at<std::uint32_t>(flags.bytes, 0), kind = flag & 0xff;
    if (kind == opaque_class) return opaque(rest, owner);
    const Element dimensions = take(rest), name_element = take(rest);
    if (dimensions.bytes.size() < 8 || dimensions.bytes.size() % 4 != 0)
      refuse_file(file_, "a variable after " + last_ + " is damaged");
    const std::string name = owner + std::string(name_element.bytes);
    if (!owner.empty() || !name.empty()) last_ = in_quotes(one_line(name, 40));
    std::size_t count = 1, row_count = 0;
    for (std::size_t i = 0; i < dimensions.bytes.size() / 4; ++i) {
      const std::size_t n = number_at<std::uint32_t>(dimensions.bytes, 4 * i);
      if (i == 0) row_count = n;
      if (n != 0 && count > largest_element / n) refuse_file(file_, last_ + " has impossible dimensions");
      count *= n;
    }
    const bool is_complex = (flag & 0x0800) != 0;
    if (name.empty()) return;  // what MATLAB keeps for itself, the contents of objects
    if (kind == struct_class && count > 0 && count <= most_structs)
      return depth < deepest ? fields(rest, name, depth, count) : leave_out(name, "nested too deeply");
    if (kind < first_numeric || kind > last_numeric) return leave_out(name, class_words(kind));
    if (is_complex) return leave_out(name, "complex");
    if (count == 0) return leave_out(name, "empty");
    std::vector<double> values;
    numbers(take(rest), count, name, values);
    names_.insert(name);
    arrays.push_back({name, std::move(values), count / row_count});
  }

  /// An object of a class that MATLAB keeps elsewhere in the file (table, string, datetime): name, system of classes, class.
  void opaque(std::string_view rest, const std::string& owner) {
    const Element name = take(rest);
    take(rest);
    const Element class_name = take(rest);
    leave_out(owner + std::string(name.bytes), class_name.bytes.empty() ? "object" : std::string(class_name.bytes));
  }

  void leave_out(const std::string& name, const std::string& why) {
    left_out.push_back(one_line(name, 40) + " (" + one_line(why, 40) + ")");
  }

  /// The fields of `count` structs, one after the other: name.field, or name(2).field where there are several. A channel of a
  /// measuring program, a struct with `Data` beside `Name` or `Unit` as texts, is called by these.
  void fields(std::string_view rest, const std::string& name, int depth, std::size_t count) {
    const Element length_element = take(rest), names = take(rest);
    if (length_element.bytes.size() < 4) refuse_file(file_, in_quotes(name) + " is damaged");
    const std::size_t length = number_at<std::uint32_t>(length_element.bytes, 0);
    if (length == 0 || names.bytes.size() % length != 0) refuse_file(file_, in_quotes(name) + " is damaged");
    const std::size_t field_count = names.bytes.size() / length;
    if (field_count == 0) return;
    for (std::size_t k = 0; k < count; ++k) {
      const std::string owner = count == 1 ? name : name + "(" + std::to_string(k + 1) + ")";
      std::vector<std::pair<std::string, std::string_view>> found;
      std::string called, unit;
      for (std::size_t i = 0; i < field_count; ++i) {
        const std::string_view text = names.bytes.substr(i * length, length);
        const std::string field(text.substr(0, text.find('\0')));
        const Element element = take(rest);
        if (element.type != matrix) continue;
        if (field == "Name") called = words_in(element.bytes);
        if (field == "Unit") unit = words_in(element.bytes);
        found.emplace_back(field, element.bytes);
      }
      const bool has_data = std::any_of(found.begin(), found.end(), [](const auto& f) { return f.first == "Data"; });
      for (const auto& [field, bytes] : found) {
        const bool is_text_of_data = (field == "Name" && !called.empty()) || (field == "Unit" && !unit.empty());
        if (is_text_of_data && has_data) continue;  // used below
        std::string path = owner + "." + field;
        if (field == "Data" && !called.empty()) path = called;
        if (field == "Data" && unit_or_nothing(unit)) path += " [" + unit + "]";
        if (names_.contains(path)) path = owner + "." + field;
        array(bytes, path, depth + 1);
      }
    }
  }

  /// A row of characters as UTF-8, without the quotes some programs put around names; "" if it is none, or has odd ones.
  std::string words_in(std::string_view rest) const {
    const Element flags = take(rest);
    if (flags.bytes.size() < 8 || (number_at<std::uint32_t>(flags.bytes, 0) & 0xff) != char_class) return "";
    take(rest), take(rest);
    const Element text = take(rest);
    const std::size_t width = text.type == uint16 || text.type == utf16 ? 2 : 1;
    std::string words;
    for (std::size_t i = 0; i + width <= text.bytes.size() && words.size() < longest_name; i += width) {
      const unsigned code =
          width == 2 ? number_at<std::uint16_t>(text.bytes, i) : static_cast<unsigned char>(text.bytes[i]);
      if (code < 0x20 || code >= 0x800) return "";
      if (code >= 0x80 && width == 2) words += static_cast<char>(0xc0 | (code >> 6));
      words += static_cast<char>(code < 0x80 || width == 1 ? code : 0x80 | (code & 0x3f));
    }
    words = std::string(trimmed(words));
    if (words.size() > 1 && words.front() == '"' && words.back() == '"') words = words.substr(1, words.size() - 2);
    return words;
  }

  std::string file_, last_ = "the header";
  Expansion expansion_;
  Inflater inflater_;
  std::set<std::string> names_;  // of `arrays`
  std::size_t variables_ = 0;    // looked at
  bool swapped_ = false;
};

RawTable table_of(MatArrays found, const ReadOptions& options, const std::string& name, std::string_view bytes) {
  RawTable table = table_of_arrays(std::move(found.arrays), std::move(found.left_out), options, name);
  table.notes.insert(table.notes.end(), found.notes.begin(), found.notes.end());
  table.fingerprint = fingerprint_of(bytes);
  return table;
}

}  // namespace

RawTable read_mat(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  constexpr std::string_view hdf5_mark("\x89HDF\r\n\x1a\n", 8);
  for (const std::size_t place : {std::size_t(0), std::size_t(512)})
    if (bytes.size() > place && bytes.substr(place).starts_with(hdf5_mark))
      return table_of(mat_v73_arrays(bytes.substr(place), name), options, name, bytes);
  if (bytes.starts_with("MATLAB 7.3"))
    refuse_file(name, "is a MATLAB file of version 7.3 that is truncated or damaged");
  if (bytes.size() < header_size || !bytes.starts_with("MATLAB 5.0"))
    refuse_file(name, "is not a MATLAB file of version 5 or 7.3; text tables must be named .csv or .txt");
  MatReader reader(name, bytes);
  return table_of({std::move(reader.arrays), std::move(reader.left_out)}, options, name, bytes);
}

}  // namespace stickslip::inline recordings
