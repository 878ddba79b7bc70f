/// Words and numbers for people; see text.hpp.
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <set>

namespace stickslip {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

constexpr std::size_t most_listed = 40;   // a longer list hides the message it belongs to
constexpr std::size_t longest_word = 64;  // longer words are no typing errors; keeps edits_between cheap

/// The one candidate that begins with the word: "coulomb" is short for "coulomb_force". nullptr if there are several.
const std::string* only_longer_form(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t shortest_short_form = 4;
  if (word.size() < shortest_short_form) return nullptr;
  const std::string* found = nullptr;
  for (const auto& candidate : candidates) {
    if (!candidate.starts_with(word)) continue;
    if (found && *found != candidate) return nullptr;
    found = &candidate;
  }
  return found;
}

/// Each once, in the order given; long ones, which may come from outside, are cut.
std::vector<std::string> without_repeats(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  std::set<std::string_view> seen;
  for (const auto& word : words)
    if (seen.insert(word).second) out.push_back(one_line(word, longest_word));
  return out;
}

}  // namespace

std::size_t edits_between(std::string_view a, std::string_view b) {
  // Three rows of the usual table; the oldest one serves the swap of two neighbours.
  std::vector<std::size_t> older(b.size() + 1), old(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) old[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({old[j] + 1, now[j - 1] + 1, old[j - 1] + (same ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], older[j - 2] + 1);
    }
    older.swap(old);
    old.swap(now);
  }
  return old[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > longest_word) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t fewest = 0;
  for (const auto& candidate : candidates) {
    if (candidate.size() > longest_word) continue;
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t allowed = longer < 2 ? 0 : std::max<std::size_t>(1, longer / 3);
    const std::size_t edits = edits_between(word, candidate);
    if (edits > allowed || edits >= longer) continue;
    const bool is_longer_form = edits == fewest && candidate.starts_with(word) && best && !best->starts_with(word);
    if (!best || edits < fewest || is_longer_form) best = &candidate, fewest = edits;
  }
  if (!best) best = only_longer_form(word, candidates);
  return best ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& all) {
  const std::vector<std::string> candidates = without_repeats(all);
  if (const auto near = nearest(word, candidates)) return "did you mean " + in_quotes(*near);
  if (candidates.empty()) return "there is none";
  if (candidates.size() <= most_listed) return "there is " + joined(candidates);
  const std::vector<std::string> first(candidates.begin(), candidates.begin() + most_listed);
  return "there is " + joined(first) + " and " + std::to_string(candidates.size() - most_listed) + " more";
}

std::string no_such(std::string_view kind, std::string_view word, const std::vector<std::string>& candidates) {
  return "no " + std::string(kind) + " " + in_quotes(word) + "; " + did_you_mean(word, candidates);
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string significant(double value, int digits) {
  assert(digits >= 1 && digits <= 17);
  if (!std::isfinite(value)) return shortest(value);
  if (value == 0) return "0";
  // Scientific form does the rounding ("-1.230e-07"); its digits are then laid out by hand.
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::scientific, digits - 1)
                       .ptr;
  const std::string_view scientific(buffer.data(), std::size_t(end - buffer.data()));
  const auto e = scientific.find('e');
  int exponent = 0;
  const bool negative_exponent = scientific[e + 1] == '-';
  std::from_chars(scientific.data() + e + 2, end, exponent);
  if (negative_exponent) exponent = -exponent;
  std::string figures;
  for (const char c : scientific.substr(0, e))
    if (c != '.') figures += c;
  while (figures.size() > 1 && figures.back() == '0') figures.pop_back();

  const std::string sign = value < 0 ? "-" : "";
  if (exponent < -4 || exponent > 6) {
    if (figures.size() > 1) figures.insert(1, ".");
    return sign + figures + "e" + std::to_string(exponent);
  }
  if (exponent < 0) return sign + "0." + std::string(std::size_t(-exponent - 1), '0') + figures;
  const auto before_point = std::size_t(exponent) + 1;
  if (figures.size() <= before_point) return sign + figures + std::string(before_point - figures.size(), '0');
  figures.insert(before_point, ".");
  return sign + figures;
}

std::string one_line(std::string_view text, std::size_t longest) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string line;
  std::size_t room_for_dots = 0;  // length of the longest part that "..." can still follow
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::string shown;
    if (c == '\n')
      shown = "\\n";
    else if (c == '\t')
      shown = "\\t";
    else if (c == '\r')
      shown = "\\r";
    else if (c < 0x20 || c == 0x7f)
      shown = std::string("\\x") + hex[c >> 4] + hex[c & 15];
    else if (const std::size_t length = character_length(text.substr(i)); length > 0)
      shown = text.substr(i, length), i += length - 1;
    else
      shown = std::string("\\x") + hex[c >> 4] + hex[c & 15];
    if (line.size() + shown.size() > longest) return line.substr(0, room_for_dots) + "...";
    line += shown;
    if (line.size() + 3 <= longest) room_for_dots = line.size();
  }
  return line;
}

std::string in_quotes(std::string_view text) { return "'" + one_line(text) + "'"; }

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string all;
  for (const auto& word : words) {
    if (&word != &words.front()) all += separator;
    all += word;
  }
  return all;
}

std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90, too_large = first == 0xF4 && second > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace stickslip
