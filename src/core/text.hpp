/// Words and numbers for people: did-you-mean, shortest and rounded numbers, and user text made safe to
/// be part of a one-line message.
/// Not here: units (core/units.hpp), colour and column widths (report/terminal.hpp).
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// Fewest insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`; upper and
/// lower case count as the same. Works on bytes (optimal string alignment).
std::size_t edits_between(std::string_view a, std::string_view b);

/// The candidate closest to `word`, or nothing when none is close enough to be a slip of the finger:
/// at most one edit per three characters (but one for any word of two or more). The first of equals wins.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'lugre'" when a candidate is near, otherwise "there is dahl, lugre" (the first 40 of them);
/// "there is none" without candidates.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// "no friction model 'lugr'; did you mean 'lugre'": a whole message; `kind` is "friction model".
std::string no_such(std::string_view kind, std::string_view word, const std::vector<std::string>& candidates);

/// Fewest digits that read back as exactly this number: "0.1", "1e-05", "nan", "inf".
std::string shortest(double value);

/// Rounded to so many significant digits, without trailing zeros; plain notation from 1e-4 to 1e6,
/// otherwise "1.23e-7".
std::string significant(double value, int digits);

/// User text for a message: control characters become \n, \t or \x1b, and text beyond `longest` bytes is
/// replaced by "..." without cutting a UTF-8 character.
std::string one_line(std::string_view text, std::size_t longest = 200);

/// `one_line` in single quotes.
std::string in_quotes(std::string_view text);

/// "a, b, c"
std::string joined(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Length in bytes of the UTF-8 character `text` begins with, 0 if it begins with none (RFC 3629: no overlong forms,
/// no surrogates, nothing above U+10FFFF).
std::size_t character_length(std::string_view text);

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace stickslip
