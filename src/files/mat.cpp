/// Results as MATLAB and Octave load them; see mat.hpp. Layout after "MAT-File Format", level 5.
#include "files/mat.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"

namespace stickslip::inline files {
namespace {

enum DataType : std::uint32_t {
  int8_data = 1,
  uint16_data = 4,
  int32_data = 5,
  uint32_data = 6,
  double_data = 9,
  matrix_data = 14
};
enum ArrayClass : std::uint32_t { struct_class = 2, char_class = 4, double_class = 6 };
constexpr std::size_t field_name_length = 64;  // with its zero

void put(std::string& bytes, std::uint64_t value, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

/// A data element, filled up to eight bytes.
void put_element(std::string& bytes, DataType type, std::string_view data) {
  if (data.size() > std::numeric_limits<std::int32_t>::max())
    throw Error("a variable exceeds the 2 GB of a .mat; write fewer samples");
  put(bytes, type, 4);
  put(bytes, data.size(), 4);
  bytes += data;
  bytes.append((8 - data.size() % 8) % 8, '\0');
}

/// Text in UTF-16, as characters are kept; what is no UTF-8 becomes a question mark.
std::string utf16_of(const std::string& text, std::size_t& count) {
  std::string units;
  count = 0;
  const auto unit = [&](std::uint32_t value) { put(units, value, 2), ++count; };
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80         ? 1
                               : (lead >> 5) == 6  ? 2
                               : (lead >> 4) == 14 ? 3
                               : (lead >> 3) == 30 ? 4
                                                   : 0;
    if (length == 0 || i + length > text.size()) {
      unit('?'), ++i;
      continue;
    }
    std::uint32_t code = length == 1 ? lead : lead & (0xffu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fu);
    if (code > 0xffff)
      unit(0xd800 + ((code - 0x10000) >> 10)), unit(0xdc00 + ((code - 0x10000) & 0x3ff));
    else
      unit(code);
    i += length;
  }
  return units;
}

std::string matrix_of(const std::string& name, const MatValue& value) {
  std::string inside, flags, size, words;
  std::size_t rows = 1, columns = 1;
  ArrayClass kind = struct_class;
  if (value.kind == MatValue::Kind::numbers) kind = double_class, rows = value.numbers.size();
  if (value.kind == MatValue::Kind::text) kind = char_class, words = utf16_of(value.text, columns), rows = columns > 0;
  put(flags, kind, 4), put(flags, 0, 4);
  put(size, rows, 4), put(size, columns, 4);
  put_element(inside, uint32_data, flags);
  put_element(inside, int32_data, size);
  put_element(inside, int8_data, name);
  if (kind == double_class) {
    std::string data;
    data.reserve(8 * value.numbers.size());
    for (const double number : value.numbers) put(data, std::bit_cast<std::uint64_t>(number), 8);
    put_element(inside, double_data, data);
  } else if (kind == char_class) {
    put_element(inside, uint16_data, words);
  } else {
    put(inside, int32_data | (4u << 16), 4);  // a short element: its length is stored beside its type
    put(inside, field_name_length, 4);
    std::string names;
    for (const auto& [key, member] : value.fields) {
      const std::string field = mat_name(key);
      names += field;
      names.append(field_name_length - field.size(), '\0');
    }
    put_element(inside, int8_data, names);
    for (const auto& [key, member] : value.fields) inside += matrix_of("", member);
  }
  std::string bytes;
  put_element(bytes, matrix_data, inside);
  return bytes;
}

}  // namespace

std::string mat_name(const std::string& name) {
  std::string word;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_plain)
      word += c;
    else if (!word.empty() && word.back() != '_')
      word += '_';
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  if (word.empty() || (word.front() >= '0' && word.front() <= '9')) word = "x" + word;
  return word.substr(0, field_name_length - 1);
}

std::string to_mat(const MatFields& variables) {
  std::string bytes = "MATLAB 5.0 MAT-file, written by stickslip";
  bytes.append(124 - bytes.size(), ' ');
  bytes.replace(116, 8, 8, '\0');  // no subsystem
  put(bytes, 0x0100, 2);
  bytes += "IM";  // little-endian
  for (const auto& [name, value] : variables) bytes += matrix_of(mat_name(name), value);
  return bytes;
}

std::string to_mat(const Table& table) {
  check_writable(table);
  MatFields variables;
  for (const Column& column : table.columns) variables.emplace_back(header(column), MatValue(column.values));
  return to_mat(variables);
}

}  // namespace stickslip::inline files
