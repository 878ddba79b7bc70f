/// Spreadsheets: cells of every kind, sheets, dates, what is refused, and damage inside the archive.
#include <gtest/gtest.h>

#include <random>

#include "recording/tables/xlsx_writer.hpp"
#include "recording/tables/xml_scan.hpp"
#include "support/cases.hpp"
#include "support/damage.hpp"

namespace stickslip::xlsx_test {
namespace {

using namespace made;

TEST(Spreadsheet, ATableIsReadWithUnitsAndRowNumbers) {
  const Recording r = read_bytes(Book{{{"Run", sheet_rows(4)}}}.bytes(), ".xlsx");
  ASSERT_EQ(r.size(), 12u);
  EXPECT_DOUBLE_EQ(r.time[3], 1.5);
  EXPECT_DOUBLE_EQ(r.position[3], 2e-3);  // 9 mod 7 millimetres
  EXPECT_DOUBLE_EQ(r.force[3], 0.4);      // 15 mod 11 tenths
  EXPECT_EQ(r.first_line, 5u);            // the row of the sheet
  EXPECT_EQ(source_of(r, Role::position)->unit, "mm");
}

TEST(Spreadsheet, SharedAndRichTextsAreHeadingsAndPhoneticTextIsNot) {
  ReadOptions options;
  options.missing = Missing::drop;
  const Recording r = read_bytes(xlsx_seeds()[2], ".xlsx", options);  // its third row has an error value
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(source_of(r, Role::force)->heading, "force [N]");
  EXPECT_DOUBLE_EQ(r.force[1], 3);
  EXPECT_NE(refusal_of(xlsx_seeds()[2], ".xlsx").find("'N/A' is not a number"), std::string::npos);
}

// A day has 86400 s: half a second is 0.5/86400 of it. A column formatted in other ways is a plain number.
TEST(Spreadsheet, DatesAndTimesOfDayBecomeSeconds) {
  for (const int style : {1, 2}) {
    Book book{{{"Run", sheet_rows(1, 12, style, 0.25)}}};  // quarters of a day
    const Recording r = read_bytes(book.bytes(), ".xlsx");
    EXPECT_DOUBLE_EQ(r.time[3] - r.time[2], 21600);
    EXPECT_NE(note_of(r, "clock_time"), "");
  }
  const Recording plain = read_bytes(Book{{{"Run", sheet_rows(1, 12, 3, 0.25)}}}.bytes(), ".xlsx");
  EXPECT_DOUBLE_EQ(plain.time[3] - plain.time[2], 0.25);
  // a unit that contradicts them is not overruled
  std::string rows = sheet_rows(1, 12, 1, 0.25);
  rows.replace(rows.find(">time<"), 6, ">time [ms]<");
  EXPECT_NE(refusal_of(Book{{{"Run", rows}}}.bytes(), ".xlsx").find("holds dates or times of day"), std::string::npos);
}

TEST(Spreadsheet, TheFirstVisibleSheetWithNumbersIsReadAndAnotherCanBeNamed) {
  Book book;
  book.sheets = {{"Cover", row_of(1, word_cell("A1", "Report"))},
                 {"Old", sheet_rows(1, 5)},
                 {"Run &amp; more", sheet_rows(1, 7)},
                 {"Third", sheet_rows(1, 9)}};
  book.hidden = "Old";
  const Recording first = read_bytes(book.bytes(), ".xlsx");
  EXPECT_EQ(first.size(), 7u);
  EXPECT_NE(note_of(first, "sheet").find("'Run & more' is read; --where sheet=... chooses another: 'Cover', 'Old', "),
            std::string::npos);
  ReadOptions options;
  options.where = {{"sheet", "Old"}};
  const Recording old = read_bytes(book.bytes(), ".xlsx", options);
  EXPECT_EQ(old.size(), 5u);
  EXPECT_EQ(note_of(old, "sheet"), "");
  options.where = {{"sheet", "Thrid"}};
  EXPECT_EQ(refusal_of(book.bytes(), ".xlsx", options), "no sheet 'Thrid'; did you mean 'Third'");
  options.where = {{"sheet", "Cover"}};
  EXPECT_EQ(refusal_of(book.bytes(), ".xlsx", options), "sheet 'Cover' has no column of numbers");
}

TEST(Spreadsheet, RemarksBesideTheTableAreLeftOutAndNamed) {
  std::string rows = sheet_rows();
  const auto end = rows.find("</row>", rows.find("r=\"3\""));
  rows.insert(end, word_cell("AB3", "bearing \"hot\"\there"));
  const Recording r = read_bytes(Book{{{"Run", rows}}}.bytes(), ".xlsx");
  EXPECT_EQ(r.size(), 12u);
  EXPECT_EQ(note_of(r, "left_out"), "columns less than half filled are left out: AB");
}

TEST(Spreadsheet, WhatIsNoReadableSpreadsheetIsRefusedInOneLine) {
  const auto refused = [](const std::string& bytes) { return refusal_of(bytes, ".xlsx"); };
  EXPECT_NE(refused("\xd0\xcf\x11\xe0 old").find("save it as .xlsx without a password"), std::string::npos);
  EXPECT_EQ(refused("time,force\n0,1\n"), "is not an .xlsx spreadsheet, or is truncated: its directory is missing");
  EXPECT_EQ(refused(zip({zip_part("a.txt", "x")})), "is not an .xlsx spreadsheet: xl/workbook.xml is missing");
  EXPECT_NE(refused(zip({zip_part("xl/workbook.bin", "x")})).find("binary workbook"), std::string::npos);
  EXPECT_EQ(refused(Book{{{"Run", "<row r=\"1\"><c r=\"B7\"><v>1</v></c></row>"}}}.bytes()),
            "sheet 'Run': damaged: cell 'B7'");
  EXPECT_EQ(refused(Book{{{"Run", row_of(2, number_cell("A2", "1")) + row_of(2, number_cell("A2", "1"))}}}.bytes()),
            "sheet 'Run': damaged: row '2'");
  EXPECT_EQ(refused(Book{{{"Run", "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>5</v></c></row>"}}}.bytes()),
            "sheet 'Run': A1 names a text that is not in the file; it is damaged");
  EXPECT_EQ(refused(Book{{{"Run", "<!DOCTYPE x [<!ENTITY a \"b\">]>"}}}.bytes()), "sheet 'Run': damaged XML");
  EXPECT_NE(refused(Book{{{"Run", word_cell("A1", "x")}}}.bytes()).find("damaged: cell 'A1'"), std::string::npos);
  std::string encrypted = Book{{{"Run", sheet_rows()}}}.bytes();
  for (std::size_t at = 0; (at = encrypted.find("PK\x01\x02", at)) != std::string::npos; ++at) encrypted[at + 8] = 1;
  EXPECT_NE(refused(encrypted).find("is encrypted"), std::string::npos);
}

// Cells that hardly ever share a row would make a text of a thousand cells for each of them.
TEST(Spreadsheet, HardlyFilledRowsDoNotTakeTheMemory) {
  constexpr std::size_t columns = 900, cells = 8;
  std::string rows;
  for (std::size_t i = 0; i < columns * cells; ++i) {
    std::string column;
    for (std::size_t c = i / cells + 1; c > 0; c = (c - 1) / 26)
      column.insert(column.begin(), char('A' + (c - 1) % 26));
    rows += row_of(i + 1, number_cell(column + std::to_string(i + 1), "1"));
  }
  EXPECT_EQ(refusal_of(Book{{{"Run", rows}}}.bytes(), ".xlsx"),
            "sheet 'Run' is no table: hardly a cell of its rows is filled");
}

TEST(XmlScan, TagsTextsAndEntities) {
  XmlScan scan("<?xml?><!-- > --><x:a r:id='1 &lt; 2' id2=\"&#x20AC;\">u &amp; v<b/></x:a>");
  EXPECT_EQ(scan.next(), XmlScan::Token::open);
  EXPECT_EQ(scan.name(), "a");
  EXPECT_EQ(scan.attribute("id"), "1 < 2");
  EXPECT_EQ(scan.attribute("id2"), "\xe2\x82\xac");
  EXPECT_EQ(scan.attribute("none"), std::nullopt);
  EXPECT_EQ(scan.next(), XmlScan::Token::text);
  EXPECT_EQ(scan.text(), "u & v");
  EXPECT_EQ(scan.next(), XmlScan::Token::open);
  EXPECT_EQ(scan.next(), XmlScan::Token::close);
  EXPECT_EQ(scan.name(), "b");
  EXPECT_EQ(scan.next(), XmlScan::Token::close);
  EXPECT_EQ(scan.next(), XmlScan::Token::end);
  for (const std::string bad : {"<a", "<a b=\"", "<!DOCTYPE a>", "<![CDATA[x]]>", "<>", "<a <b>", "<!-- "})
    EXPECT_EQ(XmlScan(bad).next(), XmlScan::Token::damaged) << bad;
  XmlScan unknown("&bomb;");
  unknown.next();
  EXPECT_EQ(unknown.text(), std::nullopt);
}

/// Damage behind a valid checksum: the parts are damaged before they are packed.
TEST(DamagedFileProperty, XlsxInside) {
  std::mt19937_64 random(21);
  const std::size_t count = test::cases(3000);
  std::size_t refused = 0;
  Book book{{{"Run", sheet_rows()}}};
  book.texts = "<si><t>time</t></si>";
  const std::string sheet = "<worksheet><sheetData>" + sheet_rows() + "</sheetData></worksheet>";
  for (std::size_t i = 0; i < count; ++i) {
    const auto maybe = [&](std::size_t which, const std::string& xml) {
      return i % 4 == which ? test::damaged(xml, random) : xml;
    };
    const std::string bytes = zip({zip_part("xl/workbook.xml", maybe(0, book.workbook()), false),
                                   zip_part("xl/_rels/workbook.xml.rels", maybe(1, book.links()), false),
                                   zip_part("xl/styles.xml", maybe(2, Book::styles()), false),
                                   zip_part("xl/worksheets/sheet1.xml", maybe(3, sheet), false)});
    try {
      read_recording(bytes, "log.xlsx", {.needed = {}, .missing = i % 2 ? Missing::drop : Missing::refuse});
    } catch (const Error& error) {
      ++refused;
      const std::string text = error.what();
      ASSERT_LE(text.size(), 200u) << text;
      ASSERT_EQ(text.find('\n'), std::string::npos) << text;
    }
  }
  EXPECT_GT(refused, count / 20);
  EXPECT_LT(refused, count);
}

}  // namespace
}  // namespace stickslip::xlsx_test
