/// A recording from bytes or from arrays in memory is the one from the file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "files/npz.hpp"
#include "recording/recording.hpp"
#include "recording/tables/binary_writers.hpp"
#include "recording/tables/mat_v73_writer.hpp"

namespace stickslip::in_memory_test {
namespace {

using namespace made;

std::vector<double> ramp(std::size_t count, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(step * double(i));
  return values;
}

constexpr std::size_t samples = 50;
const std::vector<double> times = ramp(samples, 0.5), positions = ramp(samples, -0.25), forces = ramp(samples, 3);

void expect_same(const Recording& a, const Recording& b) {
  for (const Role role : all_roles) EXPECT_EQ(signal(a, role), signal(b, role)) << role_name(role);
  EXPECT_EQ(a.rotary, b.rotary);
  ASSERT_EQ(a.others.size(), b.others.size());
  for (std::size_t i = 0; i < a.others.size(); ++i) {
    EXPECT_EQ(a.others[i].name, b.others[i].name);
    EXPECT_EQ(a.others[i].values, b.others[i].values);
  }
  EXPECT_EQ(a.constants, b.constants);
  ASSERT_EQ(a.notes.size(), b.notes.size());
  for (std::size_t i = 0; i < a.notes.size(); ++i) EXPECT_EQ(to_text(a.notes[i], ""), to_text(b.notes[i], ""));
  EXPECT_EQ(a.time_offset, b.time_offset);
  EXPECT_EQ(a.first_line, b.first_line);
}

void expect_same_as_from_file(const std::string& bytes, const std::string& ending) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("stickslip_memory" + std::to_string(getpid()) + ending)).string();
  std::ofstream(path, std::ios::binary) << bytes;
  const Recording from_file = read_recording(path), from_bytes = read_recording(bytes, path, {});
  std::filesystem::remove(path);
  EXPECT_EQ(from_file.force, forces) << ending;
  expect_same(from_bytes, from_file);
  EXPECT_EQ(from_bytes.fingerprint, from_file.fingerprint);
  EXPECT_EQ(from_bytes.file, path);
}

std::string csv() {
  std::string text = "time_s,position_m,force_N,spare\r\n";
  for (std::size_t i = 0; i < samples; ++i)
    text +=
        std::to_string(times[i] + 7) + "," + std::to_string(positions[i]) + "," + std::to_string(forces[i]) + ",x\r\n";
  return text;
}

TEST(InMemory, BytesOfTextTablesGiveTheRecordingOfTheFile) {
  expect_same_as_from_file(csv(), ".csv");
  expect_same_as_from_file(csv().substr(0, csv().size() - 2), ".txt");  // no line end
  expect_same_as_from_file("\xef\xbb\xbf" + csv(), ".csv");             // byte order mark
}

TEST(InMemory, BytesOfMatFilesGiveTheRecordingOfTheFile) {
  expect_same_as_from_file(mat_header() + matrix("time_s", samples, 1, 9, bytes_of_values(times)) +
                               compressed(matrix("force_N", 1, samples, 9, bytes_of_values(forces))) +
                               matrix("gain", 1, 1, 9, bytes_of_values<double>({2.5})),
                           ".mat");
  MatV73Writer file;
  file.add("time_s", times);
  file.add("force_N", forces);
  file.add("gain", {2.5});
  expect_same_as_from_file(file.bytes(), ".mat");
}

TEST(InMemory, BytesOfNpzFilesGiveTheRecordingOfTheFile) {
  expect_same_as_from_file(to_npz({{{"time", "s", times}, {"position", "m", positions}, {"force", "N", forces}}}),
                           ".npz");
  expect_same_as_from_file(zip({npy_vector("time_s", times), npy_vector("force_N", forces)}), ".npz");
}

TEST(InMemory, LongTextGoesThroughInBlocks) {
  std::string text = "time_s,force_N\n";
  std::vector<double> long_forces;
  for (int i = 0; i < 200000; ++i) {
    text += std::to_string(i) + ".5," + std::to_string(i % 977) + "\n";
    long_forces.push_back(i % 977);
  }
  EXPECT_GT(text.size(), std::size_t(2) << 20);
  EXPECT_EQ(read_recording(text, "long.csv", {}).force, long_forces);
}

TEST(InMemory, BytesAreRefusedAsTheFileIs) {
  const auto refused = [](const std::string& bytes, const std::string& name) -> std::string {
    try {
      read_recording(bytes, name, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(refused("", "log.csv"), "log.csv:1:1: the file is empty");
  EXPECT_EQ(refused("time_s,force_N\n0,1\n1,x\n2,3\n", "log.csv").substr(0, 13), "log.csv:3:2: ");
  EXPECT_EQ(refused("PK", "log.npz"), "log.npz: is not an .npz archive, or is truncated: its directory is missing");
  EXPECT_EQ(refused("none", "log.mat"),
            "log.mat: is not a MATLAB file of version 5 or 7.3; text tables must be named .csv or .txt");
}

TEST(InMemory, ArraysGiveTheRecordingOfTheirNpz) {
  const std::vector<Column> columns{{"time", "s", times}, {"position", "mm", positions}, {"force", "N", forces}};
  const Recording made = make_recording(columns);
  EXPECT_EQ(made.time, times);
  EXPECT_EQ(made.position[4], -1e-3);
  EXPECT_EQ(made.force, forces);
  const std::string archive =
      zip({npy_vector("time [s]", times), npy_vector("position [mm]", positions), npy_vector("force [N]", forces)});
  expect_same(made, read_recording(archive, "log.npz", {}));
}

TEST(InMemory, ArraysTakeTheOptionsOfFiles) {
  const std::vector<Column> columns{{"t", "", times}, {"u", "V", forces}};
  const Recording made = make_recording(columns, {.columns = {.time = "t", .force = "u"}, .gains = {.force = "2 N/V"}});
  EXPECT_EQ(made.force[3], 18);
  const Recording other = make_recording({{"t", "", times}, {"u", "V", positions}},
                                         {.columns = {.time = "t", .force = "u"}, .gains = {.force = "2 N/V"}});
  EXPECT_NE(made.fingerprint, other.fingerprint);
}

TEST(InMemory, ArraysOfUnequalLengthAreRefused) {
  try {
    make_recording({{"time", "s", times}, {"force", "N", {1, 2}}}, {}, "log");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "log: column 'force' has 2 values, 'time' has 50; all need the same number");
  }
}

}  // namespace
}  // namespace stickslip::in_memory_test
