/// Figures as data for the script of a page: their numbers in a pool where equal columns are stored once, their form as
/// JSON. A column is stored as
///   a uniform grid     x_i = from + i step                                                             (1)
///   32-bit steps       x_i = from + (q_i + 2³¹) step,  q_i = −2³¹ a gap: long columns, linear axis    (2)
///   64-bit numbers     as they are, NaN a gap
/// (1) only if it returns every value to 2⁻⁴⁰ of the range; (2) is off by at most 2⁻³² of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/figure.hpp"

namespace stickslip::inline reports {

std::string base64(std::string_view bytes);

/// Text as a JSON string that is valid inside a <script> element.
std::string json_text(std::string_view text);

class ColumnPool {
 public:
  enum class Scale { linear, logarithmic };
  /// The number of this column in the page; equal ones share it.
  std::size_t add(const std::vector<double>& values, Scale scale);
  /// One script element per column.
  std::string html() const;
  /// The columns themselves, by their numbers.
  std::size_t size() const { return columns_.size(); }
  const std::vector<double>& operator[](std::size_t id) const { return *columns_[id].values; }

 private:
  struct Column {
    const std::vector<double>* values;
    Scale scale;
  };
  std::vector<Column> columns_;
  std::unordered_multimap<std::uint64_t, std::pair<const std::vector<double>*, std::size_t>> known_;
};

/// The figure as the script of the page reads it. The figure must live as long as the pool. Throws Error for an axis
/// unit that cannot be read.
std::string figure_json(const Figure& figure, const std::string& name, ColumnPool& pool);

}  // namespace stickslip::inline reports
