/// A report: one HTML file that needs nothing else. Words, tables and figures in, a page out that opens from disk, makes
/// no request, follows the reader's light or dark setting, prints, and whose figures can be zoomed, panned and read off.
///   Page page{.title = "Servo axis", .subtitle = "lugre, 2.1 % of the force unexplained"};
///   page.blocks.push_back(PageHeading{"Measured and predicted"});
///   page.blocks.push_back(FigureBlock{figure, "residuals"});
///   write_whole("axis.html", to_html(page));
/// Series of more than 4 000 values are stored to 2⁻³² of their range, all others exactly. The scripts are in web/.
/// Not here: what a report says. The commands put their pages together (cli/*_page.cpp).
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/figure.hpp"
#include "report/table.hpp"

namespace stickslip::inline reports {

struct PageHeading {
  std::string text = {};
  int level = 2;  // 2 or 3; those of level 2 make the table of contents
};

/// Plain text; parts between `backticks` are set as code.
struct Paragraph {
  std::string text = {};
};

/// A list of short remarks.
struct Remarks {
  std::vector<std::string> texts = {};
};

/// by_word: "ok" and "yes" are good, "no" and "failed" are bad, anything else is plain.
enum class Tone { by_word, plain, good, doubtful, bad, soft };

struct PageCell {
  PageCell(std::string words = "", Tone mood = Tone::by_word, std::string address = "")
      : text(std::move(words)), tone(mood), link(std::move(address)) {}
  PageCell(const char* words) : PageCell(std::string(words)) {}
  std::string text;
  Tone tone;
  std::string link;  // a file beside the page, or #part
};

/// Columns of numbers are right-aligned, as on a terminal.
struct PageTable {
  std::string caption = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<PageCell>> rows = {};
};
/// The table of a terminal, for a page.
PageTable page_table(const TextTable& table, std::string caption = "");

/// Names and what they are, such as the settings of a run.
struct KeyValues {
  std::vector<std::pair<std::string, PageCell>> rows = {};
};

struct FigureBlock {
  Figure figure = {};
  std::string name = "figure";  // of the file when the reader saves it
};

/// What the reader must know before using the results.
struct Warnings {
  std::vector<std::string> texts = {};
};

/// A command or a file, to be copied.
struct Code {
  std::string text = {};
};

/// One large number or verdict with a word on it, several side by side.
struct Highlight {
  std::string value = {}, label = {};
  Tone tone = Tone::plain;
};
struct Highlights {
  std::vector<Highlight> items = {};
};

/// A small picture with a link.
struct Thumbnail {
  Figure figure = {};
  std::string title = {}, text = {}, link = {};
};
struct Thumbnails {
  std::vector<Thumbnail> items = {};
};

struct Block;
/// Collapsed until the reader opens it.
struct Details {
  std::string summary = {};
  std::vector<Block> blocks;  // fill it afterwards: details.blocks.push_back(...)
  bool open = false;
};

using AnyBlock = std::variant<PageHeading, Paragraph, Remarks, PageTable, KeyValues, FigureBlock, Warnings, Code,
                              Highlights, Thumbnails, Details>;
struct Block : AnyBlock {
  using AnyBlock::AnyBlock;
};

struct Page {
  std::string title = {}, subtitle = {};
  std::vector<Block> blocks = {};
  std::string home = {};    // address of the page this one belongs to, "index.html"; "" for none
  std::string footer = {};  // one line, such as the program's version
};

/// The address of a heading in its page, without "#".
std::string anchor_of(const std::string& heading);

/// The whole page. Throws Error only for an axis unit that cannot be read.
std::string to_html(const Page& page);

}  // namespace stickslip::inline reports
