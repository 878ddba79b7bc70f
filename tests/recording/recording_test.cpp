/// Recordings from text: headings, units, roles, policies. Numbers are written by the test and known.
#include "recording/recording.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "core/error.hpp"
#include "recording/summary.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::recording_test {
namespace {

class File {
 public:
  explicit File(const std::string& text, const std::string& ending = ".csv") {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             ("stickslip_" + std::string(test->name()) + std::to_string(getpid()) + ending))
                .string();
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Recording read(const std::string& text, const ReadOptions& options = {}) {
  const File file(text);
  return read_recording(file.path(), options);
}

/// What follows the file's name.
std::string error_of(const std::string& text, const ReadOptions& options = {}) {
  const File file(text);
  try {
    read_recording(file.path(), options);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.starts_with(file.path()) ? message.substr(file.path().size()) : message;
  }
  return "accepted";
}

bool has(const Recording& r, const std::string& code) {
  for (const Note& note : r.notes)
    if (note.code == code) return true;
  return false;
}

void expect_heading(const std::string& text, const std::string& name, const std::string& unit) {
  const Heading heading = split_heading(text);
  EXPECT_EQ(heading.name, name) << text;
  EXPECT_EQ(heading.unit, unit) << text;
}

TEST(Headings, AreSplitIntoNameAndUnit) {
  expect_heading("force [N]", "force", "N");
  expect_heading("F (kN)", "F", "kN");
  expect_heading("force_N", "force", "N");
  expect_heading("torque_mNm", "torque", "mNm");
  expect_heading("speed_rad_per_s", "speed", "rad/s");
  expect_heading("velocity_m_s", "velocity", "m/s");
  expect_heading("acceleration_m_s2", "acceleration", "m/s^2");
  expect_heading("v/(mm/s)", "v", "mm/s");
  expect_heading("pressure in bar", "pressure", "bar");
  expect_heading("q_meas_m", "q_meas", "m");
  expect_heading("F_over_mg", "F_over_mg", "");
  expect_heading("t_min", "t_min", "");
  expect_heading("drive_no(1=leadscrew 2=worm)", "drive_no(1=leadscrew 2=worm)", "");
  expect_heading("ratio [-]", "ratio", "1");
}

TEST(Recording, ConvertsUnitsToSI) {
  const Recording r =
      read("t_ms,angle [deg],speed (rpm),torque_mNm,normal_kN,p [bar]\n0,180,60,5,2,3\n1,90,30,-5,1,1\n");
  EXPECT_TRUE(r.rotary);
  EXPECT_DOUBLE_EQ(r.time[1], 1e-3);
  EXPECT_DOUBLE_EQ(r.position[0], std::numbers::pi);
  EXPECT_DOUBLE_EQ(r.velocity[0], 2 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(r.force[0], 5e-3);
  EXPECT_DOUBLE_EQ(r.load[0], 2000);
  EXPECT_DOUBLE_EQ(r.pressure[0], 3e5);
  EXPECT_TRUE(r.notes.empty());
}

TEST(Recording, TakesColumnsAndUnitsByOption) {
  const std::string text = "stamp,a,b,c\n0,10,2,7\n1,20,4,8\n";
  const Recording r = read(
      text, {.columns = {.time = "stamp [s]", .position = "a [mm]", .force = "b [V]"}, .gains = {.force = "2.5 N/V"}});
  EXPECT_DOUBLE_EQ(r.position[1], 0.02);
  EXPECT_DOUBLE_EQ(r.force[1], 10);
  ASSERT_EQ(r.others.size(), 1u);
  EXPECT_EQ(other(r, "c", "V")[1], 8);
  EXPECT_THROW(other(r, "d", "V"), Error);
  // A column without unit is in the unit the gain divides by: 3 N/mV times 4 mV.
  const Recording g = read(text, {.columns = {.time = "stamp", .force = "b"}, .gains = {.force = "3 kN/mV"}});
  EXPECT_DOUBLE_EQ(g.force[1], 12000);
  // Stated in V, 4 V are 4000 mV.
  const Recording v = read(text, {.columns = {.time = "stamp", .force = "b [V]"}, .gains = {.force = "3 N/mV"}});
  EXPECT_DOUBLE_EQ(v.force[1], 12000);
}

TEST(Recording, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of("time [s],force [V]\n0,1\n1,2\n"),
            ":1:2: force is a voltage [V] where a force [N] is needed; --force-gain converts, as in '2.5 N/V'");
  EXPECT_NE(error_of("time [s],force [quux]\n0,1\n1,2\n").find(":1:2: force: unknown unit 'quux'"), std::string::npos);
  EXPECT_EQ(error_of("time [s],f [N],friction [N]\n0,1,1\n1,2,2\n"),
            ":1:3: columns 'f [N]' and 'friction [N]' may both be the force; choose with --force");
  EXPECT_EQ(error_of("time [s],force [N]\n0,1\n1,2\n", {.columns = {.position = "pos"}}).substr(0, 24),
            ":1:1: no column 'pos'; t");
}

TEST(Recording, NameOfTheRoleWinsOverOtherCandidates) {
  const Recording r = read("time [s],x [m],position [m],force [N]\n0,1,5,1\n1,2,6,1.5\n");
  EXPECT_EQ(r.position[0], 5);
  ASSERT_EQ(r.others.size(), 1u);
  EXPECT_EQ(r.others[0].name, "x");
}

TEST(Recording, ReadsTextDividedByBlanksUnderACommentOfHeadings) {
  const Recording r = read("# made by a script\n# time_s  force_N\n 0.0  1.5\n 0.5\t2.5  \n\n# pause\n 1.0 -3e1\n");
  ASSERT_EQ(r.size(), 3u);
  EXPECT_EQ(r.time[1], 0.5);
  EXPECT_EQ(r.force[2], -30);
  EXPECT_TRUE(has(r, "comment_headings"));
}

TEST(Recording, LinesAreCountedAcrossCommentsAndBlankLines) {
  EXPECT_EQ(error_of("# a\n\ntime [s],force [N]\n0,1\n# b\n\n1,2\n0.5,3\n").substr(0, 23), ":8:1: time goes back to");
}

TEST(Recording, TakesNamesRateDelimiterAndSkippedLinesFromOptions) {
  const Recording r = read("log of today\n1|2\n3|4\n5|6\n",
                           {.rate = 100, .names = {"position_mm", "force_N"}, .delimiter = '|', .skip_lines = 1});
  ASSERT_EQ(r.size(), 3u);
  EXPECT_DOUBLE_EQ(r.time[2], 0.02);
  EXPECT_DOUBLE_EQ(r.position[2], 5e-3);
}

TEST(Recording, MissingValuesAreRefusedDroppedOrInterpolated) {
  const std::string text = "time [s],force [N],note\n0,1,a\n1,nan,b\n3,7,c\n";
  EXPECT_EQ(error_of(text), ":3:2: force: 'nan' is not finite; --missing drop or --missing interpolate accepts it");
  const Recording dropped = read(text, {.missing = Missing::drop});
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped.force[1], 7);
  EXPECT_EQ(dropped.labels.at(0).words[dropped.labels[0].index[1]], "c");
  EXPECT_TRUE(has(dropped, "dropped"));
  const Recording drawn = read(text, {.missing = Missing::interpolate});
  EXPECT_DOUBLE_EQ(drawn.force[1], 3);  // a third of the way from 1 to 7
  EXPECT_TRUE(has(drawn, "interpolated"));
  EXPECT_EQ(error_of("time [s],force [N]\n0,nan\n1,2\n3,7\n", {.missing = Missing::interpolate}).substr(0, 22),
            ":2:2: force is missing");
}

TEST(Recording, KeepsTheRowsAsked) {
  const std::string text = "run,seal,time [s],force [N]\n1,A,0,1\n1,A,1,2\n2,B,0,3\n2,B,1,4\n";
  EXPECT_EQ(error_of(text).substr(0, 6), ":4:3: ");
  const Recording r = read(text, {.where = {{"run", "2.0"}, {"seal", "B"}}});
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r.force[0], 3);
  EXPECT_EQ(r.first_line, 4u);
  EXPECT_EQ(r.labels.at(0).words, std::vector<std::string>{"B"});
  EXPECT_EQ(error_of(text, {.where = {{"seal", "C"}}}), ":5:1: no row has seal=C");
}

TEST(Recording, GapsAreNotedWithTheirLine) {
  std::string text = "time [s],force [N]\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i + (i > 9 ? 10 : 0)) + "," + std::to_string(i * i % 7) + "\n";
  const Recording r = read(text);
  ASSERT_TRUE(has(r, "gap"));
  EXPECT_EQ(r.notes.at(0).line, 12u);  // row 10 below the heading
  EXPECT_EQ(sampling_of(r.time).gaps, 1u);
}

TEST(Recording, ASaturatedSensorIsNoted) {
  std::string text = "time [s],position [m],force [N]\n";
  for (int i = 0; i < 400; ++i) {
    const double phase = 0.05 * i;
    text += std::to_string(0.001 * i) + "," + std::to_string(-std::cos(phase)) + "," +
            std::to_string(std::clamp(3 * std::sin(phase), -2.0, 2.0)) + "\n";
  }
  const Recording r = read(text);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_EQ(r.notes[0].code, "saturated");
  EXPECT_EQ(r.notes[0].column, 3u);
}

TEST(Recording, RowsAcrossBlocksOfTheReaderAreWhole) {
  std::string text = "time [s],force [N]\n";  // 6 MB: several blocks
  const int rows = 300000;
  for (int i = 0; i < rows; ++i) text += std::to_string(i) + "," + std::to_string(i % 1000) + ".125000\n";
  const Recording r = read(text);
  ASSERT_EQ(r.size(), std::size_t(rows));
  for (int i = 0; i < rows; ++i) {
    ASSERT_EQ(r.time[std::size_t(i)], i);
    ASSERT_EQ(r.force[std::size_t(i)], i % 1000 + 0.125);
  }
}

TEST(Recording, FilesThatCannotBeOpenedAreNamed) {
  try {
    read_recording("no/such/file.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no/such/file.csv: No such file or directory");
  }
  EXPECT_EQ(error_of(""), ":1:1: the file is empty");
  EXPECT_EQ(error_of("\n\n# nothing\n"), ":3:1: no data: no line of headings and no rows");
}

TEST(Summary, FindsTheResolutionOfAnEncoder) {
  std::vector<double> quantised, smooth;
  for (int i = 0; i < 1000; ++i) {
    smooth.push_back(std::sin(0.01 * i));
    quantised.push_back(2.5e-4 * std::round(smooth.back() / 2.5e-4));
  }
  EXPECT_NEAR(summary_of(quantised).smallest_step, 2.5e-4, 1e-12);
  EXPECT_TRUE(summary_of(quantised).is_quantised);
  EXPECT_FALSE(summary_of(smooth).is_quantised);
  EXPECT_EQ(summary_of({3, 3, 3}).smallest_step, 0);
}

// In lower case nm is a newton metre where a torque is meant; it was refused as a length.
TEST(Recording, NmIsNewtonMetreForATorqueAndNanometreForAPosition) {
  const std::string rows = "0,0.1,5\n1,0.2,6\n2,0.4,5\n";
  for (const std::string torque : {"motor_torque_nm", "torque_nm", "tau_nm", "torque [nm]", "Torque (nm)"}) {
    const Recording r = read("time_s,angle_rad," + torque + "\n" + rows);
    EXPECT_TRUE(r.rotary) << torque;
    EXPECT_EQ(r.force, (std::vector<double>{5, 6, 5})) << torque;
    EXPECT_TRUE(has(r, "newton_metre")) << torque;
  }
  for (const std::string torque : {"torque_Nm", "torque_N_m", "tau [N m]"}) {
    const Recording r = read("time_s,angle_rad," + torque + "\n" + rows);
    EXPECT_EQ(r.force, (std::vector<double>{5, 6, 5})) << torque;
    EXPECT_FALSE(has(r, "newton_metre")) << torque;
  }
  for (const std::string other : {"load_torque_nm", "tau_load_nm", "load_torque_Nm"}) {
    const Recording r = read("time_s,angle_rad,torque_Nm," + other + "\n0,0.1,5,1\n1,0.2,6,2\n2,0.4,5,3\n");
    ASSERT_EQ(r.others.size(), 1u) << other;
    EXPECT_EQ(stickslip::other(r, r.others[0].name, "N m"), (std::vector<double>{1, 2, 3})) << other;
  }
  const Recording linear = read("time_s,position_nm,force_N\n" + rows);
  EXPECT_FALSE(linear.rotary);
  EXPECT_NEAR(linear.position.at(2), 0.4e-9, 1e-24);
  EXPECT_FALSE(has(linear, "newton_metre"));
  const Recording gap = read("time_s,position_mm,force_N,gap_nm\n0,0.1,5,1\n1,0.2,6,2\n2,0.4,5,3\n");
  EXPECT_DOUBLE_EQ(stickslip::other(gap, "gap", "m").at(2), 3e-9);
}

// The rows were counted by the time column: without one, a missing value was marked outside of the list of rows.
TEST(Recording, MissingValuesOfAFileWithoutTimeAreTreated) {
  const std::string text = "force_N,position_m\n1,0\n,1\n3,2\n4,3\n";
  EXPECT_EQ(read(text, {.needed = {}, .missing = Missing::drop}).force, (std::vector<double>{1, 3, 4}));
  EXPECT_EQ(read(text, {.needed = {}, .missing = Missing::interpolate}).force, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(error_of(text, {.needed = {}}),
            ":3:1: force: an empty cell; --missing drop or --missing interpolate accepts it");
}

}  // namespace
}  // namespace stickslip::recording_test
