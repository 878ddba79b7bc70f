/// Spreadsheets, part by part, as Excel and LibreOffice write them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "recording/tables/binary_writers.hpp"

namespace stickslip::made {

inline ZipPart zip_part(const std::string& name, const std::string& plain, bool deflates = true) {
  return {name, deflates ? deflated(plain, -MAX_WBITS) : plain, plain.size(), deflates ? 8 : 0,
          std::uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(plain.data()), plain.size()))};
}

/// Sheets by name, with their rows as XML. Styles: 1 is a date and time, 2 a duration in a format of its own, 3 two decimals.
struct Book {
  std::vector<std::pair<std::string, std::string>> sheets = {};
  std::string texts = {};  // of sharedStrings.xml: <si><t>time</t></si>
  std::string hidden = {};
  std::string workbook() const {
    std::string xml = "<?xml version=\"1.0\"?><workbook xmlns:r=\"r\"><sheets>";
    for (std::size_t i = 0; i < sheets.size(); ++i)
      xml += "<sheet name=\"" + sheets[i].first + "\" sheetId=\"" + std::to_string(i + 1) + "\"" +
             (sheets[i].first == hidden ? " state=\"hidden\"" : "") + " r:id=\"rId" + std::to_string(i + 1) + "\"/>";
    return xml + "</sheets></workbook>";
  }
  std::string links() const {
    std::string xml = "<Relationships>";
    for (std::size_t i = 0; i < sheets.size(); ++i)
      xml += "<Relationship Id=\"rId" + std::to_string(i + 1) + "\" Target=\"worksheets/sheet" + std::to_string(i + 1) +
             ".xml\"/>";
    return xml + "</Relationships>";
  }
  static std::string styles() {
    return "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"[mm]:ss.000\"/>"
           "<numFmt numFmtId=\"165\" formatCode=\"0.00&quot; days&quot;\"/></numFmts><cellStyleXfs><xf "
           "numFmtId=\"14\"/>"
           "</cellStyleXfs><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"22\"/><xf numFmtId=\"164\"/><xf "
           "numFmtId=\"165\"/></cellXfs></styleSheet>";
  }
  std::string bytes(bool deflates = true) const {
    std::vector<ZipPart> parts{
        zip_part("[Content_Types].xml", "<Types/>", deflates), zip_part("xl/workbook.xml", workbook(), deflates),
        zip_part("xl/_rels/workbook.xml.rels", links(), deflates), zip_part("xl/styles.xml", styles(), deflates)};
    if (!texts.empty()) parts.push_back(zip_part("xl/sharedStrings.xml", "<sst>" + texts + "</sst>", deflates));
    for (std::size_t i = 0; i < sheets.size(); ++i)
      parts.push_back(zip_part("xl/worksheets/sheet" + std::to_string(i + 1) + ".xml",
                               "<worksheet><sheetData>" + sheets[i].second + "</sheetData></worksheet>", deflates));
    return zip(parts);
  }
};

/// A cell with a number; `style` 0: none.
inline std::string number_cell(const std::string& place, const std::string& value, int style = 0) {
  return "<c r=\"" + place + "\"" + (style ? " s=\"" + std::to_string(style) + "\"" : std::string()) + "><v>" + value +
         "</v></c>";
}
inline std::string word_cell(const std::string& place, const std::string& text) {
  return "<c r=\"" + place + "\" t=\"inlineStr\"><is><t>" + text + "</t></is></c>";
}
inline std::string row_of(std::size_t row, const std::string& cells) {
  return "<row r=\"" + std::to_string(row) + "\">" + cells + "</row>";
}

/// Rows from `first` on with time, position [mm] and force in columns A to C, headings above.
inline std::string sheet_rows(std::size_t first = 1, std::size_t count = 12, int time_style = 0,
                              double time_step = 0.5) {
  const auto at = [](char column, std::size_t row) { return column + std::to_string(row); };
  std::string xml = row_of(first, word_cell(at('A', first), "time") + word_cell(at('B', first), "x [mm]") +
                                      word_cell(at('C', first), "force &#78;ewton (N)"));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = first + 1 + i;
    xml += row_of(row, number_cell(at('A', row), std::to_string(time_step * double(i)), time_style) +
                           number_cell(at('B', row), std::to_string(double(i * i % 7)), 3) +
                           number_cell(at('C', row), std::to_string(double(i * 5 % 11)) + "e-1"));
  }
  return xml;
}

inline std::vector<std::string> xlsx_seeds() {
  Book plain{{{"Run", sheet_rows()}}}, shared;
  shared.sheets = {{"Notes", row_of(1, word_cell("A1", "tested on Monday"))},
                   {"Run 1", row_of(2, "<c r=\"A2\" t=\"s\"><v>0</v></c><c r=\"B2\" t=\"s\"><v>1</v></c>") +
                                 row_of(3, number_cell("A3", "1", 2) + number_cell("B3", "2")) +
                                 row_of(4, number_cell("A4", "2", 2) + "<c r=\"B4\" t=\"e\"><v>#N/A</v></c>") +
                                 row_of(5, number_cell("A5", "3", 2) + number_cell("B5", "3"))}};
  shared.texts = "<si><t>time</t></si><si><r><t>force</t></r><r><t> [N]</t></r><rPh><t>x</t></rPh></si>";
  return {plain.bytes(), plain.bytes(false), shared.bytes()};
}

}  // namespace stickslip::made
