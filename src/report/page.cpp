/// A report as one HTML file; see page.hpp.
#include "report/page.hpp"

#include <algorithm>
#include <array>

#include "report/page_figure.hpp"
#include "report/svg.hpp"
#include "report/svg_text.hpp"
#include "report/web_files.hpp"

namespace stickslip::inline reports {
namespace {

constexpr std::array scripts{"numbers.js", "columns.js", "scale.js", "paint.js",
                             "labels.js",  "plot.js",    "hands.js", "page.js"};

std::string element(const std::string& name, const std::string& content, const std::string& css_class = "") {
  return "<" + name + (css_class.empty() ? "" : " class=\"" + css_class + "\"") + ">" + content + "</" + name + ">";
}

/// Text with `code` between backticks.
std::string marked_up(const std::string& text) {
  std::string out;
  bool is_code = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('`', begin), text.size());
    const std::string part = xml_text(text.substr(begin, end - begin));
    const bool is_closed = end < text.size();
    out += is_code && is_closed ? element("code", part) : is_code ? "`" + part : part;
    is_code = !is_code;
    begin = end + 1;
  }
  return out;
}

std::string tone_class(Tone tone, const std::string& text) {
  switch (tone) {
    case Tone::by_word:
      if (text == "ok" || text == "yes") return "good";
      return text == "no" || text == "failed" || text == "NOT OK" ? "bad" : "";
    case Tone::good:
      return "good";
    case Tone::doubtful:
      return "doubtful";
    case Tone::bad:
      return "bad";
    case Tone::soft:
      return "soft";
    case Tone::plain:
      break;
  }
  return "";
}

std::string cell_text(const PageCell& cell) {
  const std::string words = marked_up(cell.text);
  return cell.link.empty() ? words : "<a href=\"" + xml_text(cell.link) + "\">" + words + "</a>";
}

/// The representative panel of a figure: the first that compares something.
const Panel& telling_panel(const Figure& figure) {
  for (const Panel& panel : figure.panels)
    if (panel.series.size() > 1) return panel;
  return figure.panels.front();
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string items;
  for (const auto& text : texts) items += element("li", marked_up(text));
  return element("ul", items);
}

/// Writes the blocks of one page; figures leave their numbers in the pool.
class Writer {
 public:
  std::string blocks(const std::vector<Block>& all) {
    std::string out;
    for (const Block& block : all)
      out += std::visit([this](const auto& b) { return written(b); }, static_cast<const AnyBlock&>(block)) + "\n";
    return out;
  }
  std::string columns() const { return pool_.html(); }

 private:
  std::string written(const PageHeading& b) {
    const std::string name = b.level <= 2 ? "h2" : "h3";
    return "<" + name + " id=\"" + xml_text(anchor_of(b.text)) + "\">" + marked_up(b.text) + "</" + name + ">";
  }
  std::string written(const Paragraph& b) { return element("p", marked_up(b.text)); }
  std::string written(const Remarks& b) { return b.texts.empty() ? "" : list_of(b.texts); }
  std::string written(const Code& b) { return element("pre", element("code", xml_text(b.text))); }

  std::string written(const Warnings& b) {
    if (b.texts.empty()) return "";
    const std::string head = b.texts.size() == 1 ? "Warning" : "Warnings";
    return "<div class=\"warnings\" role=\"note\">" + element("strong", head) + list_of(b.texts) + "</div>";
  }

  std::string written(const PageTable& b) {
    TextTable words{.columns = b.columns, .rows = {}};
    for (const auto& row : b.rows) {
      words.rows.emplace_back();
      for (const PageCell& cell : row) words.rows.back().push_back(cell.text);
    }
    const auto is_numeric = numeric_columns(words);
    const auto classes = [&](std::size_t column, const std::string& more) {
      const std::string both = std::string(is_numeric[column] ? "number" : "") + (more.empty() ? "" : " " + more);
      return both.empty() ? "" : " class=\"" + both + "\"";
    };
    std::string head, body;
    for (std::size_t j = 0; j < b.columns.size(); ++j)
      head += "<th scope=\"col\"" + classes(j, "") + ">" + marked_up(b.columns[j]) + "</th>";
    for (const auto& row : b.rows) {
      std::string cells;
      for (std::size_t j = 0; j < row.size(); ++j)
        cells += "<td" + classes(j, tone_class(row[j].tone, row[j].text)) + ">" + cell_text(row[j]) + "</td>";
      body += row.empty() ? "<tr class=\"line\"></tr>" : element("tr", cells);
    }
    return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" +
           xml_text(b.caption.empty() ? "table" : b.caption) + "\"><table>" +
           (b.caption.empty() ? "" : element("caption", marked_up(b.caption))) +
           (head.empty() ? "" : element("thead", element("tr", head))) + element("tbody", body) + "</table></div>";
  }

  std::string written(const KeyValues& b) {
    std::string rows;
    for (const auto& [key, value] : b.rows)
      rows += element("dt", marked_up(key)) + element("dd", cell_text(value), tone_class(value.tone, value.text));
    return element("dl", rows);
  }

  std::string written(const FigureBlock& b) {
    // Without scripts the static drawing is shown; with them it is what "SVG" saves.
    return "<figure class=\"plot\" data-figure=\"" + std::to_string(figures_++) +
           "\"><script type=\"application/json\">" + figure_json(b.figure, b.name, pool_) + "</script><noscript>" +
           to_svg(b.figure) + "</noscript></figure>";
  }

  std::string written(const Highlights& b) {
    std::string items;
    for (const auto& item : b.items)
      items += element("div", element("b", marked_up(item.value), tone_class(item.tone, item.value)) +
                                  element("span", marked_up(item.label)));
    return element("div", items, "highlights");
  }

  std::string written(const Thumbnails& b) {
    std::string items;
    for (const auto& item : b.items) {
      Figure small{.title = {}, .subtitle = {}, .panels = {}, .columns = 1};
      if (!item.figure.panels.empty()) small.panels = {telling_panel(item.figure)};
      for (Panel& panel : small.panels) panel.legend = false, panel.title.clear();
      items += "<a class=\"thumbnail\" href=\"" + xml_text(item.link) + "\">" +
               to_svg(small, {.width = 300, .panel_height = 120, .theme = Theme::page}) +
               element("b", marked_up(item.title)) + element("span", marked_up(item.text)) + "</a>";
    }
    return element("div", items, "thumbnails");
  }

  std::string written(const Details& b) {
    return std::string("<details") + (b.open ? " open" : "") + ">" + element("summary", marked_up(b.summary)) +
           blocks(b.blocks) + "</details>";
  }

  ColumnPool pool_;
  std::size_t figures_ = 0;
};

std::string contents_of(const Page& page) {
  std::string links;
  int count = 0;
  for (const Block& block : page.blocks)
    if (const auto* heading = std::get_if<PageHeading>(static_cast<const AnyBlock*>(&block));
        heading && heading->level <= 2) {
      links += "<a href=\"#" + xml_text(anchor_of(heading->text)) + "\">" + marked_up(heading->text) + "</a>";
      ++count;
    }
  return count < 3 ? "" : "<nav aria-label=\"contents\">" + links + "</nav>\n";
}

std::string style() {
  const std::string light = palette_properties(Theme::light), dark = palette_properties(Theme::dark);
  return "<style>:root{" + light + "}@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){" +
         dark + "}}:root[data-theme=dark]{" + dark + "}@media print{:root,:root[data-theme]{" + light + "}}\n" +
         std::string(web_file("page.css")) + "</style>\n";
}

}  // namespace

std::string anchor_of(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  return "part-" + out;
}

PageTable page_table(const TextTable& table, std::string caption) {
  PageTable page{.caption = std::move(caption), .columns = table.columns, .rows = {}};
  for (const auto& row : table.rows) page.rows.emplace_back(row.begin(), row.end());
  return page;
}

std::string to_html(const Page& page) {
  Writer writer;
  const std::string body = writer.blocks(page.blocks);
  std::string script;
  for (const char* name : scripts) script += web_file(name);
  // The policy makes sure that no request leaves, whatever a script or a name in the data says.
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "script-src 'unsafe-inline'; img-src data: blob:\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
         xml_text(page.title.empty() ? "report" : page.title) + "</title>\n" + style() + "</head>\n<body>\n<header>\n" +
         (page.home.empty() ? "" : "<a class=\"home\" href=\"" + xml_text(page.home) + "\">← overview</a>\n") +
         element("h1", marked_up(page.title)) + "\n" +
         (page.subtitle.empty() ? "" : element("p", marked_up(page.subtitle), "subtitle") + "\n") + "</header>\n" +
         contents_of(page) + "<main>\n" + body + "</main>\n" +
         (page.footer.empty() ? "" : element("footer", marked_up(page.footer)) + "\n") + writer.columns() +
         "<script>\n\"use strict\";(() => {\n" + script + "})();\n</script>\n</body>\n</html>\n";
}

}  // namespace stickslip::inline reports
