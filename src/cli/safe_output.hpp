/// Standard output and standard error that control characters from outside cannot affect: titles, names of files and columns may hold control
/// characters, which a terminal would obey, or marks that make a name look like another one. They are shown as \x1b, \r, \u009b, \u202e; line ends and tabs stay, and so do the colours of
/// report/terminal.hpp where somebody looks at a terminal.
#pragma once
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace stickslip::inline cli {

/// The text as it may be printed; `colour`: the colours stay. A character may be cut by the end of a text: `part` of it is kept.
class SafeText {
 public:
  explicit SafeText(bool colour) : colour_(colour) {}
  std::string of(std::string_view text);

 private:
  bool colour_;
  std::string character_;  // what has begun and is not whole
};

/// Both streams are safe while it lives.
class SafeOutput {
 public:
  SafeOutput();
  ~SafeOutput();
  SafeOutput(const SafeOutput&) = delete;
  SafeOutput& operator=(const SafeOutput&) = delete;

 private:
  class Filter;
  std::unique_ptr<Filter> output_, error_;
};

}  // namespace stickslip::inline cli
