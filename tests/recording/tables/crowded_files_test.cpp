/// Files with as many parts as their bytes allow: fields, sheets, formats, words, arrays. The time they take grows with their
/// size, not with its square, and what cannot be a recording is refused by its count.
#include <gtest/gtest.h>

#include <ctime>

#include "recording/tables/xlsx_writer.hpp"

namespace stickslip::crowded_files_test {
namespace {

using namespace made;

constexpr double longest = 10;  // seconds of CPU, with sanitizers; each of these took minutes

/// What reading says, and that it ends soon.
std::string soon(const std::string& bytes, const std::string& ending) {
  const std::clock_t start = std::clock();
  const std::string said = refusal_of(bytes, ending);
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, longest);
  return said;
}

const std::vector<double> time{0, 0.1, 0.2, 0.3}, force{1, 2, 1, 3}, position{0, 0.1, 0.4, 0.2};

std::string mat_recording() {
  const auto column = [](const std::string& name, const std::vector<double>& values) {
    return matrix(name, values.size(), 1, 9, bytes_of_values(values));
  };
  return mat_header() + column("time_s", time) + column("position_m", position) + column("force_N", force);
}
/// A struct of so many fields, each with the same array.
std::string mat_struct(std::size_t fields, const std::string& value) {
  constexpr std::size_t length = 16;
  std::string names, values;
  for (std::size_t i = 0; i < fields; ++i) {
    std::string name = "f" + std::to_string(i);
    name.resize(length);
    names += name;
    values += value;
  }
  return element(14, array_head(2, 1, 1, "s") + element(5, u32(length)) + element(1, names) + values);
}

TEST(CrowdedFile, MatStructsTakeTimeByTheirSize) {
  const std::string number = matrix("", 1, 1, 9, bytes_of_values<double>({1}));
  EXPECT_EQ(soon(mat_recording() + compressed(mat_struct(90'000, number)), ".mat"), "accepted");
  EXPECT_EQ(soon(mat_recording() + compressed(mat_struct(120'000, number)), ".mat"),
            "has more than 100000 variables, which is not read");
  const std::string cell = element(14, array_head(1, 0, 0, ""));
  EXPECT_EQ(soon(mat_recording() + compressed(mat_struct(90'000, cell)), ".mat"), "accepted");
}

TEST(CrowdedFile, ManyColumnsOfABinaryFileAreRefusedAsThoseOfATextAre) {
  std::vector<ZipPart> parts{npy_vector("time_s", time), npy_vector("position_m", position),
                             npy_vector("force_N", force)};
  for (int i = 0; i < 997; ++i) parts.push_back(npy_vector("x" + std::to_string(i), force));
  EXPECT_EQ(soon(zip(parts), ".npz"), "accepted");
  parts.push_back(npy_vector("y", force));
  EXPECT_EQ(soon(zip(parts), ".npz"), "1001 columns; at most 1000 are read");
}

// One warning for each of 60 000 arrays hid all others.
TEST(CrowdedFile, ManyArraysOfOtherLengthsAreOneNoteMore) {
  std::vector<ZipPart> parts{npy_vector("time_s", time), npy_vector("position_m", position),
                             npy_vector("force_N", force)};
  for (int i = 0; i < 500; ++i) parts.push_back(npy_vector("x" + std::to_string(i), {1, 2}));
  const Recording r = read_bytes(zip(parts), ".npz");
  std::vector<std::string> notes;
  for (const Note& note : r.notes)
    if (note.code == "length") notes.push_back(note.text);
  ASSERT_EQ(notes.size(), 11u);
  EXPECT_EQ(notes.front(), "'x0' has 2 values where others have 4; left out");
  EXPECT_EQ(notes.back(), "490 more have other numbers of values; left out");
}

// The first of two arrays of one name was taken in silence.
TEST(CrowdedFile, TwoArraysOfOneNameAreRefused) {
  const ZipPart t = npy_vector("time_s", time), x = npy_vector("position_m", position), f = npy_vector("force", force);
  EXPECT_EQ(soon(zip({t, x, f, npy_vector("force", position)}), ".npz"),
            "two arrays are called 'force'; give each its own name");
  EXPECT_EQ(soon(mat_recording() + matrix("time_s", 4, 1, 9, bytes_of_values(force)), ".mat"),
            "two arrays are called 'time_s'; give each its own name");
}

TEST(CrowdedFile, SpreadsheetsTakeTimeByTheirSize) {
  constexpr int many = 100'000;
  const Book book{{{"Run", sheet_rows()}}};
  std::string links = "<Relationships>", sheets = "<workbook><sheets>", same = sheets, formats = "<s><numFmts>", styles;
  for (int i = 0; i < many; ++i) {
    const std::string n = std::to_string(i);
    links += "<Relationship Id=\"q" + n + "\" Target=\"none.xml\"/>";
    sheets += "<sheet name=\"A\" r:id=\"z" + n + "\"/>";
    same += "<sheet name=\"A" + n + "\" r:id=\"rId1\"/>";
    formats += "<numFmt numFmtId=\"" + std::to_string(i + 200) + "\" formatCode=\"y\"/>";
    styles += "<xf numFmtId=\"7\"/>";
  }
  const std::string own_link = "<Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\"/></Relationships>";
  const auto bytes = [&](const std::string& workbook, const std::string& relations, const std::string& style) {
    return zip({zip_part("xl/workbook.xml", workbook), zip_part("xl/_rels/workbook.xml.rels", relations),
                zip_part("xl/styles.xml", style),
                zip_part("xl/worksheets/sheet1.xml",
                         "<worksheet><sheetData>" + book.sheets[0].second + "</sheetData></worksheet>")});
  };
  EXPECT_EQ(
      soon(bytes(sheets + "<sheet name=\"Run\" r:id=\"rId1\"/></sheets></workbook>", links + own_link, Book::styles()),
           ".xlsx"),
      "accepted");
  EXPECT_EQ(
      soon(bytes(book.workbook(), book.links(), formats + "</numFmts><cellXfs>" + styles + "</cellXfs></s>"), ".xlsx"),
      "accepted");
  EXPECT_EQ(soon(bytes(same + "</sheets></workbook>", book.links(), Book::styles()), ".xlsx"),
            "'xl/workbook.xml' has two sheets of one content; the spreadsheet is damaged");
  // A name that is not there is compared with all others, each once.
  std::vector<ZipPart> parts{zip_part("xl/styles.xml", Book::styles())};
  std::string named = "<workbook><sheets>", linked = "<Relationships>";
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    named += "<sheet name=\"A" + n + "\" r:id=\"r" + n + "\"/>";
    linked += "<Relationship Id=\"r" + n + "\" Target=\"worksheets/" + n + ".xml\"/>";
  }
  parts.push_back(zip_part("xl/workbook.xml", named + "</sheets></workbook>"));
  parts.push_back(zip_part("xl/_rels/workbook.xml.rels", linked + "</Relationships>"));
  const TemporaryFile file(zip(parts), ".xlsx");
  const std::clock_t start = std::clock();
  EXPECT_THROW(read_recording(file.path(), {.where = {{"sheet", "Messung"}}}), Error);
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, longest);
}

TEST(CrowdedFile, ManyDifferentWordsTakeTimeByTheirNumber) {
  const auto word_of = [](std::size_t row) {
    return "w" + std::to_string(row < 270'000 ? row / 3 : row * 7919 % 90'000);
  };
  std::string text = "time_s,position_m,force_N,state\n";
  for (std::size_t i = 0; i < 300'000; ++i)
    text += std::to_string(i) + "," + std::to_string(i % 7) + "," + std::to_string(i % 11) + "," + word_of(i) + "\n";
  const TemporaryFile file(text, ".csv");
  const std::clock_t start = std::clock();
  const Recording r = read_recording(file.path(), {});
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, longest);
  ASSERT_EQ(r.labels.size(), 1u);
  EXPECT_EQ(r.labels[0].words.size(), 90'000u);
  for (const std::size_t row : {0u, 269'999u, 270'000u, 299'999u})
    EXPECT_EQ(r.labels[0].words[r.labels[0].index[row]], word_of(row));
}

// Half a million numbers too small for a double were half a million warnings.
TEST(CrowdedFile, NumbersTooSmallAreOneNoteForEachColumn) {
  std::string text = "time_s,position_m,force_N\n0,1,1e-400\n";
  for (int i = 1; i < 50; ++i) text += std::to_string(i) + ",1e-500," + std::to_string(i) + "\n";
  const Recording r = read_bytes(text, ".csv");
  std::vector<std::string> notes;
  for (const Note& note : r.notes)
    if (note.code == "underflow") notes.push_back(std::to_string(note.line) + ": " + note.text);
  EXPECT_EQ(notes, (std::vector<std::string>{"3: '1e-500' and 48 more of this column are read as 0",
                                             "2: '1e-400' is read as 0"}));
}

// A gain, or an expression, made numbers whose squares overflow: "negative for nan % of the work".
TEST(CrowdedFile, NumbersWhoseSquaresOverflowAreRefusedHoweverTheyArise) {
  const std::string text = "time_s,position_m,force_N\n0,0,1\n1,1,2\n2,0,1\n";
  ReadOptions options;
  options.columns.force = "force_N*1e200";
  EXPECT_EQ(
      refusal_of(text, ".csv", options).find("force is 1e+200; beyond 1e150 its square overflows") != std::string::npos,
      true)
      << refusal_of(text, ".csv", options);
  const std::vector<double> huge{0, 1e200, 0, 1};
  const std::string bytes =
      zip({npy_vector("time_s", time), npy_vector("position_m", huge), npy_vector("force", force)});
  EXPECT_NE(refusal_of(bytes, ".npz").find("position is 1e+200; beyond 1e150 its square overflows"), std::string::npos)
      << refusal_of(bytes, ".npz");
}

// A link with the ending of an archive to a device without an end took all memory.
TEST(CrowdedFile, ADeviceWithoutAnEndIsRefused) {
  const TemporaryFile file("", ".npz");
  std::filesystem::remove(file.path());
  std::filesystem::create_symlink("/dev/zero", file.path());
  try {
    read_recording(file.path(), {});
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is a device or a pipe with more than 1 GiB"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace stickslip::crowded_files_test
