/// What the readers of the several formats have in common: columns as found, roles given to headings, and places in
/// messages. A reader fills a RawTable; recording.cpp makes a Recording of it.
#pragma once
#include <memory>
#include <optional>

#include "core/units.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline recordings {

/// "file:line:column: text" with at most 200 bytes and no control characters.
std::string placed(const std::string& file, std::size_t line, std::size_t column, const std::string& text);
[[noreturn]] void refuse_at(const std::string& file, std::size_t line, std::size_t column, const std::string& text);
[[noreturn]] void refuse_file(const std::string& file, const std::string& text);

/// "force [N]", "force_N", "F (kN)", "velocity_m_per_s": name and unit. No unit: unit is empty.
struct Heading {
  std::string text = {}, name = {}, unit = {};
};
Heading split_heading(std::string_view text);
/// "ms", "mm", "N": a unit that headings have.
bool is_unit_heading(std::string_view text);

class Expression;

/// A heading with its role, and factor and offset to SI.
struct Assigned {
  Heading heading;
  std::optional<Role> role = {};
  double factor = 1, offset = 0;
  bool is_used = false;  // by an expression
};

/// A role whose values are calculated from columns.
struct Computed {
  Role role = Role::force;
  std::shared_ptr<const Expression> expression;
  double factor = 1;
};

struct Assignment {
  std::vector<Assigned> columns;
  std::vector<Computed> computed = {};
  std::size_t offered_temperature = 0;  // from 1: a column that is the temperature if its numbers are; 0: none
  bool rotary = false;
  double back_emf = 0;  // see Recording
  std::vector<Note> notes;
};

/// Gives roles to headings, by the options or by name. `line` is the line of the headings; `constants` are single numbers of
/// the file, for expressions. Throws Error for a role that is needed and missing or found twice, and for units that do not
/// fit.
Assignment assign_roles(const std::vector<Heading>& headings, const ReadOptions& options, const std::string& file,
                        std::size_t line, const std::vector<std::pair<std::string, double>>& constants = {});

/// Line of each row without a number per row: blank lines and comments only shift the count.
class LineNumbers {
 public:
  void add(std::size_t row, std::size_t line) {
    if (shifts_.empty() || line - row != shifts_.back().second) shifts_.push_back({row, line - row});
  }
  std::size_t of(std::size_t row) const {
    std::size_t low = 0, high = shifts_.size();
    while (high - low > 1) (shifts_[(low + high) / 2].first <= row ? low : high) = (low + high) / 2;
    return shifts_.empty() ? row + 1 : row + shifts_[low].second;
  }
  void clear() { shifts_.clear(); }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> shifts_;  // first row, line minus row
};

struct RawColumn {
  std::vector<double> values = {};
  bool is_text = false;
  Labels labels = {};
};

struct RawTable {
  Assignment assignment;
  std::vector<RawColumn> columns;
  LineNumbers lines;
  std::vector<Note> notes;
  std::vector<std::pair<std::string, double>> constants;
  std::string fingerprint;
  std::size_t rows = 0;
  std::size_t last_line = 1;
};

/// A text file is read in blocks, so that its length does not matter; binary files are read whole. `name` is for messages.
RawTable read_text_table(const std::string& path, const ReadOptions& options);
RawTable read_text_table(std::string_view bytes, const std::string& name, const ReadOptions& options);
RawTable read_mat(std::string_view bytes, const std::string& name, const ReadOptions& options);
RawTable read_npz(std::string_view bytes, const std::string& name, const ReadOptions& options);
RawTable read_xlsx(std::string_view bytes, const std::string& name, const ReadOptions& options);

/// A vector or matrix of a binary file, column after column.
struct NamedArray {
  std::string name;
  std::vector<double> values;
  std::size_t columns = 1;
};
/// Makes columns of samples out of a binary file's arrays: gives roles, keeps the columns of the common length, says what
/// was left out. A matrix becomes name_1, name_2 ...; its longer side is that of the samples, unless only the other one is
/// as long as the longest vector. `left_out` names what the reader did not take: "log (table)".
RawTable table_of_arrays(std::vector<NamedArray> arrays, std::vector<std::string> left_out, const ReadOptions& options,
                         const std::string& file);

std::string bytes_of(const std::string& path);

/// Times must rise: offsets, gaps, jitter, duplicates. May remove identical duplicates. Throws Error.
void check_time(Recording& recording, LineNumbers& lines);
/// A position that begins again at the end of a turn, or of a counter, becomes continuous, with a note.
void unwrap_position(Recording& recording, const LineNumbers& lines);
/// Constant, frozen, quantised or saturated signals; signs, units and lags that contradict each other.
void check_signals(Recording& recording, const LineNumbers& lines);

}  // namespace stickslip::inline recordings
