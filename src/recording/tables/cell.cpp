/// Numbers that are not written the usual way, and what to say about cells that hold none; see cell.hpp.
#include "recording/tables/cell.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/text.hpp"
#include "platform/number.hpp"

namespace stickslip::inline recordings {
namespace {

std::string lower(std::string_view text) {
  std::string word(text);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return word;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Of a number outside the range of double: is it too large (true) or too small?
bool is_huge(std::string_view number) {
  std::int64_t exponent = 0, before_point = 0, zeros = 0;
  bool point = false, begun = false;
  std::size_t i = number.starts_with('-') ? 1 : 0;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      point = true;
    } else {
      begun = begun || number[i] != '0';
      if (!point && begun) ++before_point;
      if (point && !begun) ++zeros;
    }
  }
  if (i < number.size()) {
    const std::size_t from = i + 1 + (i + 1 < number.size() && number[i + 1] == '+' ? 1 : 0);
    const auto [_, problem] = std::from_chars(number.data() + from, number.data() + number.size(), exponent);
    if (problem == std::errc::result_out_of_range) return number[from] != '-';
  }
  return exponent + before_point - zeros > 0;
}

}  // namespace

Cell read_cell(std::string_view text, char decimal) {
  text = trimmed(text);
  if (text.empty()) return {CellKind::empty};
  std::string with_point;
  if (decimal != '.') {
    if (text.find('.') != std::string_view::npos) return {CellKind::not_a_number};
    with_point = text;
    std::replace(with_point.begin(), with_point.end(), decimal, '.');
    text = with_point;
  }
  std::string_view number = text;
  if (number.size() > 1 && number.front() == '+' && number[1] != '-' && number[1] != '+') number.remove_prefix(1);
  const char first = number.size() > 1 && number.front() == '-' ? number[1] : number.front();
  if ((first >= '0' && first <= '9') || first == '.') {
    double value = 0;
    const auto [end, problem] = read_number(number.data(), number.data() + number.size(), value);
    if (end == number.data() + number.size()) {
      if (problem == std::errc()) return {CellKind::number, value};
      if (problem == std::errc::result_out_of_range) {
        if (is_huge(number)) return {CellKind::overflow};
        return {CellKind::underflow, 0};
      }
    }
    return {CellKind::not_a_number};
  }
  std::string word = lower(text);
  if (is_one_of(word, {"na", "n/a", "#n/a", "null", "none", "nil", "missing", "-", "--", "?"}))
    return {CellKind::missing};
  if (word.starts_with('+') || word.starts_with('-')) word.erase(0, 1);
  if (is_one_of(word, {"inf", "infinity", "1.#inf", "∞"}) || word.starts_with("nan")) return {CellKind::not_finite};
  return {CellKind::not_a_number};
}

std::string cell_problem(std::string_view text, CellKind kind, char decimal) {
  const std::string found = in_quotes(one_line(trimmed(text), 40));
  const std::string word = lower(trimmed(text));
  switch (kind) {
    case CellKind::empty:
      return "an empty cell; --missing drop or --missing interpolate accepts it";
    case CellKind::missing:
      return found + " is not a number; --missing drop or --missing interpolate accepts it";
    case CellKind::not_finite:
      return found + " is not finite; --missing drop or --missing interpolate accepts it";
    case CellKind::overflow:
      return found + " is beyond the range of a double";
    default:
      break;
  }
  std::string hint = "; a plain decimal number is needed";
  if (word.starts_with("####"))
    hint = ": a spreadsheet column was too narrow; widen it and export again";
  else if (word.starts_with("#"))
    hint = ": an error value of a spreadsheet";
  else if (word.find("\xe2\x88\x92") != std::string::npos)
    hint = ": it has the minus sign U+2212; write '-'";
  else if (std::count(word.begin(), word.end(), ':') > 0)
    hint = ": clock time; seconds are needed";
  else if (word.find_first_of("0123456789") != std::string::npos && word.find('d') != std::string::npos &&
           word.find_first_not_of("0123456789.+-d") == std::string::npos)
    hint = ": Fortran's exponent; write 'e' instead of 'D'";
  else if (decimal == '.' && std::count(word.begin(), word.end(), ',') == 1 &&
           word.find_first_not_of("0123456789+-,e") == std::string::npos)
    hint = "; if it is a decimal comma, give --decimal ,";
  else if (word.find(',') != std::string::npos)
    hint = "; numbers have no thousands separator";
  return found + " is not a number" + hint;
}

}  // namespace stickslip::inline recordings
