/// Figures as data for the script of a page; see page_figure.hpp.
#include "report/page_figure.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/axis_scale.hpp"
#include "report/svg_text.hpp"

namespace stickslip::inline reports {
namespace {

constexpr std::size_t exact_up_to = 4'000;  // values that are stored as they are
constexpr double grid_tolerance = 0x1p-40;  // of the range

static_assert(std::endian::native == std::endian::little, "columns are written in the byte order browsers read");

std::string number(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

std::uint64_t hash_of(const std::vector<double>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ values.size();
  for (const double value : values) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3u;
  return hash;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// Step of eq. (1), if that returns the column.
std::optional<double> grid_step(const std::vector<double>& values) {
  if (values.size() < 3) return std::nullopt;
  const double range = values.back() - values.front(), step = range / double(values.size() - 1);
  if (!std::isfinite(range) || range == 0) return std::nullopt;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(values.front() + double(i) * step - values[i]) <= grid_tolerance * std::abs(range)))
      return std::nullopt;
  return step;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

/// The element of one column: its kind and numbers as attributes, its bytes as text.
std::string element(std::size_t id, const std::vector<double>& values, bool may_round) {
  const auto open = [&](const std::string& attributes) {
    return "<script type=\"text/plain\" id=\"c" + std::to_string(id) + "\" data-n=\"" + std::to_string(values.size()) +
           "\" " + attributes + ">";
  };
  if (const auto step = grid_step(values))
    return open("data-kind=\"grid\" data-from=\"" + number(values.front()) + "\" data-step=\"" + number(*step) + "\"") +
           "</script>\n";
  Extent extent;
  for (const double value : values) extent.include(value, false);
  const double range = extent.high - extent.low;
  if (!may_round || values.size() <= exact_up_to || !std::isfinite(range))
    return open("data-kind=\"f64\"") + bytes_of(values) + "</script>\n";
  constexpr std::int32_t gap = std::numeric_limits<std::int32_t>::min();
  const double step = range > 0 ? range / 4294967294.0 : 1, from = extent.low - step;  // eq. (2): q from −2³¹ + 1 on
  std::vector<std::int32_t> steps;
  for (const double value : values)
    steps.push_back(
        std::isfinite(value) ? static_cast<std::int32_t>(std::llround((value - extent.low) / step) - 2147483647) : gap);
  return open("data-kind=\"i32\" data-from=\"" + number(from) + "\" data-step=\"" + number(step) + "\"") +
         bytes_of(steps) + "</script>\n";
}

/// What a unit is called at every size: [[smallest magnitude, factor, "mm"], ...], smallest first.
std::string prefixes(const std::string& unit) {
  std::string out;
  Readable last{0, ""};
  for (int exponent = -18; exponent <= 15; ++exponent) {
    const double magnitude = std::pow(10.0, exponent);
    const Readable shown = readable(magnitude, unit);
    if (shown.factor == last.factor) continue;
    const double from = out.empty() ? 0 : magnitude;
    out += (out.empty() ? "[" : ",[") + number(from) + "," + number(shown.factor) + "," +
           json_text(readable_unit(shown.unit)) + "]";
    last = shown;
  }
  return "[" + out + "]";
}

std::string axis_json(const Axis& axis) {
  std::string out = "{\"label\":" + json_text(axis.label) + ",\"units\":" + prefixes(axis.unit);
  if (axis.logarithmic) out += ",\"log\":true";
  if (axis.from) out += ",\"from\":" + number(*axis.from);
  if (axis.to) out += ",\"to\":" + number(*axis.to);
  if (!axis.link.empty()) out += ",\"link\":" + json_text(axis.link);
  return out + "}";
}

int colour_number(int wanted, int order) {
  return wanted == by_order ? order % ordered_colours : wanted % palette_size;
}

const char* style_name(Style style) {
  switch (style) {
    case Style::points:
      return "points";
    case Style::steps:
      return "steps";
    case Style::area:
      return "area";
    case Style::cells:
      return "cells";
    case Style::line:
      break;
  }
  return "line";
}

/// "[a,b,c]" of what `write` makes of each item.
template <class Items, class Write>
std::string list(const Items& items, Write write) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? "," : "") + write(item);
  return out + "]";
}

std::string numbers(const std::vector<double>& values) { return list(values, number); }

std::string panel_json(const Panel& panel, ColumnPool& pool) {
  using Scale = ColumnPool::Scale;
  const Scale x = panel.x.logarithmic ? Scale::logarithmic : Scale::linear,
              y = panel.y.logarithmic ? Scale::logarithmic : Scale::linear;
  int order = 0;
  const auto series = [&](const DataSeries& s) {
    assert(s.x.size() == s.y.size());
    std::string out = "{\"name\":" + json_text(s.name) + ",\"x\":" + std::to_string(pool.add(s.x, x)) +
                      ",\"y\":" + std::to_string(pool.add(s.y, y)) +
                      ",\"colour\":" + std::to_string(colour_number(s.colour, order++)) + ",\"style\":\"" +
                      style_name(s.style) + "\",\"width\":" + number(s.width);
    if (s.dashed) out += ",\"dashed\":true";
    if (s.style == Style::cells)
      out += ",\"edges\":[" + std::to_string(pool.add(s.edges.left, x)) + "," +
             std::to_string(pool.add(s.edges.right, x)) + "," + std::to_string(pool.add(s.edges.bottom, y)) + "," +
             std::to_string(pool.add(s.edges.top, y)) + "]";
    if (!s.tint.empty()) out += ",\"tint\":" + std::to_string(pool.add(s.tint, Scale::linear));
    return out + "}";
  };
  const auto shade = [&](const Shade& s) {
    std::vector<double> ends;
    for (const auto& [from, to] : s.intervals) ends.push_back(from), ends.push_back(to);
    return "{\"label\":" + json_text(s.label) + ",\"colour\":" + std::to_string(colour_number(s.colour, grey)) +
           ",\"ends\":" + numbers(ends) + "}";
  };
  const auto region = [&](const Region& r) {
    return "{\"label\":" + json_text(r.label) + ",\"colour\":" + std::to_string(colour_number(r.colour, grey)) +
           ",\"x\":" + numbers(r.x) + ",\"y\":" + numbers(r.y) + "}";
  };
  const auto mark = [&](const Mark& m) {
    return "{\"label\":" + json_text(m.label) + ",\"colour\":" + std::to_string(colour_number(m.colour, grey)) +
           ",\"x\":" + number(m.x) + ",\"y\":" + number(m.y) + "}";
  };
  const auto reference = [&](const Reference& r) {
    return "{\"label\":" + json_text(r.label) + ",\"at\":" + number(r.at) +
           ",\"vertical\":" + (r.across == Across::vertical ? "true" : "false") + "}";
  };
  std::string out = "{\"title\":" + json_text(panel.title) + ",\"x\":" + axis_json(panel.x) +
                    ",\"y\":" + axis_json(panel.y) + ",\"legend\":" + (panel.legend ? "true" : "false");
  out += ",\"series\":" + list(panel.series, series);
  out += ",\"shades\":" + list(panel.shades, shade);
  out += ",\"regions\":" + list(panel.regions, region);
  out += ",\"marks\":" + list(panel.marks, mark);
  out += ",\"references\":" + list(panel.references, reference);
  const bool is_tinted =
      std::any_of(panel.series.begin(), panel.series.end(), [](const DataSeries& s) { return !s.tint.empty(); });
  if (is_tinted) out += ",\"tint\":" + axis_json(panel.tint);
  return out + "}";
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += j <= count ? letters[group >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (; !text.empty();) {
    const std::size_t length = character_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0 || c < 0x20 || c == 0x7f)
      out += c == '\n' ? "\\n" : "\uFFFD";
    else if (c == '"' || c == '\\')
      out += '\\', out += static_cast<char>(c);
    else if (c == '<')
      out += "\\u003c";
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

std::size_t ColumnPool::add(const std::vector<double>& values, Scale scale) {
  const std::uint64_t hash = hash_of(values);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (same_bits(*it->second.first, values)) return it->second.second;
  const std::size_t id = columns_.size();
  columns_.push_back({&values, scale});
  known_.emplace(hash, std::pair{&values, id});
  return id;
}

std::string ColumnPool::html() const {
  std::string out;
  for (std::size_t id = 0; id < columns_.size(); ++id)
    out += element(id, *columns_[id].values, columns_[id].scale == Scale::linear);
  return out;
}

std::string figure_json(const Figure& figure, const std::string& name, ColumnPool& pool) {
  return "{\"name\":" + json_text(name) + ",\"title\":" + json_text(figure.title) +
         ",\"subtitle\":" + json_text(figure.subtitle) + ",\"columns\":" + std::to_string(std::max(1, figure.columns)) +
         ",\"panels\":" + list(figure.panels, [&](const Panel& panel) { return panel_json(panel, pool); }) + "}";
}

}  // namespace stickslip::inline reports
