/// How a text table is laid out, sniffed from its first lines: delimiter, decimal mark, headings, units row, and
/// the preamble above them that is passed over.
#pragma once
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {

inline constexpr std::size_t most_columns = 1000, longest_cell = 10000, longest_heading = 256;

struct TextLayout {
  char delimiter = ',';  // ' ': any run of blanks and tabs
  char decimal = '.';
  std::vector<Heading> headings;
  std::size_t heading_line = 1;
  std::size_t data_start = 0, data_line = 1;  // byte in the first block and line number of the first row
  bool trailing_delimiter = false;            // headings and rows both end with one
  bool is_paired = false;                     // every second column is the time of the next one
  std::vector<Note> notes;
};

TextLayout find_layout(std::string_view first_block, const ReadOptions& options, const std::string& file);

/// Comments begin with #, % or //; blank lines hold nothing.
bool is_passed_over(std::string_view line);

/// Cuts a line into cells; quotes are kept. Stops after `most` cells.
std::vector<std::string_view> cells_of(std::string_view line, char delimiter, std::size_t most);

/// A cell without blanks and quotes; nothing if its quotes are astray.
std::optional<std::string> unquoted(std::string_view cell);

}  // namespace stickslip::inline recordings
