/// The words of an SVG; see svg_text.hpp.
#include "report/svg_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "core/text.hpp"
#include "core/xml_characters.hpp"

namespace stickslip::inline reports {
namespace {

struct Colours {
  const char *paper, *ink, *soft_ink, *grid, *frame;
  std::array<const char*, palette_size> series;
};

// After Okabe and Ito's palette, which stays distinct for the colour-blind; darkened for white and lightened for dark
// paper until each colour has a contrast of at least 3:1. Then grey and ink, then six from little to much.
constexpr Colours light{"#ffffff",
                        "#1b2430",
                        "#55606e",
                        "#e6e9ee",
                        "#9aa4b1",
                        {"#0b6cb0", "#d1520a", "#0b8a66", "#a8418f", "#a87400", "#2c8fd0", "#8b5e3c", "#6d7784",
                         "#1b2430", "#d3e5f4", "#9fc8e7", "#64a5d5", "#307fbd", "#155b98", "#0a3a66"}};
constexpr Colours dark{"#12161c",
                       "#e8ecf1",
                       "#a3adba",
                       "#262d37",
                       "#5d6876",
                       {"#58b0f0", "#ff9152", "#35cfa0", "#e58fc8", "#efbb45", "#9bd3ff", "#d2a57e", "#98a3b1",
                        "#e8ecf1", "#2a4c6b", "#326692", "#3d82b8", "#5a9fd6", "#8fc3ec", "#d0e8fc"}};

// The colours of the page around it, whatever they are at the moment.
constexpr Colours of_page{
    "var(--paper)",
    "var(--ink)",
    "var(--soft)",
    "var(--grid)",
    "var(--frame)",
    {"var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)",
     "var(--s8)", "var(--s9)", "var(--s10)", "var(--s11)", "var(--s12)", "var(--s13)", "var(--s14)"}};

std::string rules(const std::string& root, const Colours& c) {
  const auto rule = [&](const std::string& selector, const std::string& body) {
    return "." + root + " " + selector + "{" + body + "}";
  };
  std::string css;
  css += rule(".paper", std::string("fill:") + c.paper);
  css += rule("text", std::string("fill:") + c.ink);
  css += rule(".soft", std::string("fill:") + c.soft_ink);
  css += rule(".paper-stroke", std::string("stroke:") + c.paper);
  css += rule(".halo", std::string("stroke:") + c.paper);
  css += rule(".grid", std::string("stroke:") + c.grid);
  css += rule(".frame", std::string("stroke:") + c.frame);
  css += rule(".ref", std::string("stroke:") + c.soft_ink);
  for (std::size_t i = 0; i < c.series.size(); ++i) {
    css += rule(".s" + std::to_string(i), std::string("stroke:") + c.series[i]);
    css += rule(".f" + std::to_string(i), std::string("fill:") + c.series[i]);
  }
  return css;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : xml_characters(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

double text_width(std::string_view text, double font_size) {
  double ems = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // inside a character
    const bool is_thin = std::string_view("iljtf.,:;'|![]() ").find(c) != std::string_view::npos;
    const bool is_wide = std::string_view("mwMW%@").find(c) != std::string_view::npos || (c >= 'A' && c <= 'Z');
    ems += is_thin ? 0.37 : is_wide ? 0.8 : 0.62;
  }
  return ems * font_size;
}

std::vector<std::string> wrapped(const std::string& text, double font_size, double width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && text_width(line + " " + word, font_size) > width)
      lines.push_back(std::move(line)), line.clear();
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string shortened(const std::string& text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return text;
  std::string kept;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(1, character_length(rest));
    if (text_width(kept + std::string(rest.substr(0, length)) + "…", font_size) > width) break;
    kept += rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return kept + "…";
}

std::string px(double value) {
  const long tenths = std::lround(value * 10);
  std::string text = std::to_string(tenths / 10);
  if (tenths < 0 && tenths > -10) text = "-0";
  if (tenths % 10 != 0) text += "." + std::to_string(std::labs(tenths % 10));
  return text == "-0" ? "0" : text;
}

std::string theme_class(Theme theme) {
  switch (theme) {
    case Theme::light:
      return "sf-light";
    case Theme::dark:
      return "sf-dark";
    case Theme::page:
      return "sf-page";
    case Theme::automatic:
      break;
  }
  return "sf-auto";
}

std::string style_sheet(Theme theme) {
  const std::string root = theme_class(theme);
  std::string css = "." + root +
                    " text{font-family:'Inter','Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;"
                    "font-variant-numeric:tabular-nums}";
  css += "." + root + " .halo{stroke-width:4;stroke-linejoin:round;paint-order:stroke}";
  css += "." + root + " path{fill:none;stroke-linejoin:round;stroke-linecap:round}";
  css += rules(root, theme == Theme::page ? of_page : theme == Theme::dark ? dark : light);
  if (theme == Theme::automatic) css += "@media(prefers-color-scheme:dark){" + rules(root, dark) + "}";
  return css;
}

std::string palette_properties(Theme theme) {
  const Colours& c = theme == Theme::dark ? dark : light;
  std::string css = std::string("--paper:") + c.paper + ";--ink:" + c.ink + ";--soft:" + c.soft_ink +
                    ";--grid:" + c.grid + ";--frame:" + c.frame;
  for (std::size_t i = 0; i < c.series.size(); ++i) css += ";--s" + std::to_string(i) + ":" + c.series[i];
  return css;
}

}  // namespace stickslip::inline reports
