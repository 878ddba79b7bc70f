/// MATLAB and NumPy files, written here byte by byte after their formats, whole and cut at every byte.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "core/error.hpp"
#include "files/npz.hpp"
#include "recording/recording.hpp"
#include "recording/tables/binary_writers.hpp"
#include "support/places.hpp"
#include "support/shared_data.hpp"

namespace stickslip::binary_files_test {
namespace {

using namespace made;

std::string written(const std::string& bytes, const std::string& ending) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto path = std::filesystem::temp_directory_path() /
                    ("stickslip_" + std::string(test->name()) + std::to_string(getpid()) + ending);
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

const std::vector<double> times{0, 0.5, 1, 1.5}, forces{1, -2, 3, -4};

std::string sample_mat() {
  const std::vector<std::int16_t> counts{10, -20, 30, -40};
  return mat_header() + matrix("time_s", 4, 1, 9, bytes_of_values(times)) +
         compressed(matrix("force_N", 1, 4, 9, bytes_of_values(forces))) +
         matrix("counts", 4, 1, 3, bytes_of_values(counts)) + matrix("gain", 1, 1, 9, bytes_of_values<double>({2.5}));
}

TEST(Mat, ReadsPlainCompressedAndNarrowNumbers) {
  const std::string path = written(sample_mat(), ".mat");
  const Recording r = read_recording(path);
  std::filesystem::remove(path);
  EXPECT_EQ(r.time, times);
  EXPECT_EQ(r.force, forces);
  EXPECT_EQ(r.others.at(0).values, (std::vector<double>{10, -20, 30, -40}));
  EXPECT_EQ(r.constants.at(0).first, "gain");
  EXPECT_EQ(r.constants.at(0).second, 2.5);
}

// The packaged library returns stale memory for cut files. Here a cut file is an error, or lacks whole variables.
TEST(Mat, AFileCutAnywhereYieldsNoWrongNumber) {
  const std::string whole = sample_mat();
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string path = written(whole.substr(0, size), ".mat");
    try {
      const Recording r = read_recording(path);
      EXPECT_EQ(r.time, times) << size;
      EXPECT_EQ(r.force, forces) << size;
      for (const Column& column : r.others) EXPECT_EQ(column.values.at(3), -40) << size;
    } catch (const Error& error) {
      ++refused;
      EXPECT_TRUE(std::string(error.what()).starts_with(path)) << error.what();
    }
    std::filesystem::remove(path);
  }
  EXPECT_GE(refused, whole.size() - 8);  // accepted only at the ends of variables and inside their padding
}

TEST(Mat, SizesThatLieAreRefused) {
  std::string bytes = mat_header() + matrix("time_s", 400, 1, 9, bytes_of_values(times));
  const std::string path = written(bytes, ".mat");
  try {
    read_recording(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'time_s' has 32 bytes where 400 numbers belong"), std::string::npos)
        << error.what();
  }
  std::filesystem::remove(path);
}

TEST(Mat, Version73IsNamed) {
  std::string bytes(512, ' ');
  bytes.replace(0, 10, "MATLAB 7.3");
  bytes += std::string("\x89HDF\r\n\x1a\n", 8) + std::string(100, '\0');
  const std::string path = written(bytes, ".mat");
  try {
    read_recording(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 7.3"), std::string::npos) << error.what();
  }
  std::filesystem::remove(path);
}

// The text beside the .mat holds the same recording with fewer digits.
TEST(Mat, EmpsFileAgreesWithItsText) {
  const std::string folder = shared_dir() + "/data/emps/";
  if (!std::filesystem::exists(folder + "DATA_EMPS.mat")) GTEST_SKIP() << "no shared recordings";
  const Recording mat =
      read_recording(folder + "DATA_EMPS.mat",
                     {.columns = {.time = "t", .position = "qm", .force = "vir"}, .gains = {.force = "35.15065 N/V"}});
  const Recording text = read_recording(folder + "emps_train.csv");
  ASSERT_EQ(mat.size(), 24841u);
  ASSERT_EQ(text.size(), mat.size());
  for (std::size_t i = 0; i < mat.size(); ++i) {
    ASSERT_NEAR(mat.time[i], text.time[i], 5.1e-4);  // the text has milliseconds
    ASSERT_NEAR(mat.position[i], text.position[i], 1e-9);
    ASSERT_NEAR(mat.force[i], text.force[i], 2e-6 * 152) << i;
  }
}

TEST(Npz, ReadsWhatOurOwnWriterMakesAndRefusesItCut) {
  const std::string whole = to_npz({{{"time", "s", times}, {"force", "N", forces}}});
  std::string path = written(whole, ".npz");
  const Recording r = read_recording(path);
  EXPECT_EQ(r.time, times);
  EXPECT_EQ(r.force, forces);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    path = written(whole.substr(0, size), ".npz");
    EXPECT_THROW(read_recording(path), Error) << size;
  }
  // A flipped bit in the numbers is found by the checksum.
  std::string damaged = whole;
  damaged[200] = char(damaged[200] ^ 4);
  path = written(damaged, ".npz");
  EXPECT_THROW(read_recording(path), Error);
  std::filesystem::remove(path);
}

// Such files were called damaged: an object has no dimensions where other arrays have them.
TEST(Mat, WhatIsNotNumericIsLeftOutByName) {
  const std::string objects =
      opaque("log_table", "table") + opaque("name", "string") + compressed(opaque("when", "datetime"));
  const std::string others = element(14, array_head(16, 1, 1, "call") + element(14, array_head(2, 1, 1, ""))) +
                             element(14, array_head(1, 1, 2, "parts") + element(14, "") + element(14, "")) +
                             element(14, array_head(3, 1, 1, "axis")) +
                             element(14, array_head(4, 1, 2, "title") + element(16, "ab")) +
                             element(14, array_head(5, 2, 2, "thin")) + element(14, array_head(2, 1, 2000, "runs")) +
                             element(14, array_head(6 + 0x0800, 4, 1, "z")) + matrix("nothing", 0, 0, 9, "");
  const std::string hidden = matrix("", 1, 16, 2, std::string(16, 'x'));  // where MATLAB keeps the contents of objects
  const Recording r = read_bytes(sample_mat() + objects + others + hidden, ".mat");
  EXPECT_EQ(r.force, forces);
  EXPECT_EQ(r.others.size(), 1u);
  EXPECT_EQ(
      note_of(r, "left_out"),
      "left out because they are not real numeric arrays: log_table (table), name (string), when (datetime), call "
      "(function handle), parts (cell), axis (object), title (char), thin (sparse), runs (struct array), z (complex), "
      "nothing (empty)");
}

// As dSPACE's ControlDesk exports: a struct per channel, with the numbers in Data.
TEST(Mat, ChannelsOfAMeasuringProgramAreCalledByTheirNameAndUnit) {
  std::string names;
  for (const char* field : {"Name", "Data", "Unit"}) names += field, names.resize(8 * (names.size() / 8 + 1));
  const auto text = [](const std::string& words) {
    std::string wide;
    for (const char c : words) wide += u16(static_cast<unsigned char>(c));
    return element(14, array_head(4, 1, words.size(), "") + element(4, wide));
  };
  const auto channel = [&](const std::string& name, const std::vector<double>& values, const std::string& unit) {
    return text(name) + matrix("", values.size(), 1, 9, bytes_of_values(values)) + text(unit);
  };
  const std::vector<double> places{1, 2, 4, 3};
  const std::string x =
      element(14, array_head(2, 1, 1, "X") + element(5, u32(8)) + element(1, names) + channel("time", times, "s"));
  const std::string y =
      element(14, array_head(2, 1, 2, "Y") + element(5, u32(8)) + element(1, names) +
                      channel("\"Model Root/Position\"", places, "mm") + channel("Model Root/Force", forces, "N"));
  const Recording r = read_bytes(mat_header() + x + y, ".mat");
  EXPECT_EQ(r.time, times);
  EXPECT_EQ(r.force, forces);
  EXPECT_DOUBLE_EQ(r.position[2], 4e-3);
  EXPECT_EQ(note_of(r, "left_out"), "");
  for (std::size_t size = 130; size < (mat_header() + x + y).size(); size += 5)
    EXPECT_NE(refusal_of((mat_header() + x + y).substr(0, size), ".mat"), "accepted") << size;
}

TEST(Mat, AnObjectInsideAStructIsLeftOutByName) {
  std::string names = "when";
  names.resize(8), names += "torque", names.resize(16);
  const std::string log = element(14, array_head(2, 1, 1, "log") + element(5, u32(8)) + element(1, names) +
                                          opaque("", "datetime") + matrix("", 4, 1, 9, bytes_of_values(forces)));
  const Recording r = read_bytes(mat_header() + matrix("time_s", 4, 1, 9, bytes_of_values(times)) + log, ".mat",
                                 {.columns = {.force = "log.torque"}});
  EXPECT_EQ(r.force, forces);
  EXPECT_EQ(note_of(r, "left_out"), "left out because they are not real numeric arrays: log.when (datetime)");
}

std::vector<double> signals(std::size_t count, std::size_t samples, bool row_by_row) {
  std::vector<double> values(count * samples);  // column after column; signal k at sample i is 1000 k + i
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < samples; ++i)
      values[row_by_row ? i * count + k : k * samples + i] = double(1000 * k + i);
  return values;
}

TEST(Mat, AMatrixWithARowPerSignalIsOffered) {
  const auto log = bytes_of_values(signals(4, 30, true));
  const Recording r =
      read_bytes(mat_header() + matrix("log", 4, 30, 9, log), ".mat", {.columns = {.time = "log_1", .force = "log_4"}});
  ASSERT_EQ(r.size(), 30u);
  EXPECT_EQ(r.time[29], 29);
  EXPECT_EQ(r.force[5], 3005);
  EXPECT_EQ(note_of(r, "row_by_row"), "'log' is 4 x 30, a row per signal; its rows are read as columns log_1 to log_4");
}

// The vectors of the file decide, not the longer side.
TEST(Mat, AWideMatrixWithARowPerSampleStaysAsItIs) {
  const std::vector<double> wide = signals(6, 4, false);
  const Recording r = read_bytes(sample_mat() + matrix("wide", 4, 6, 9, bytes_of_values(wide)), ".mat");
  ASSERT_EQ(r.others.size(), 7u);
  EXPECT_EQ(r.others[1].name, "wide_1");
  EXPECT_EQ(r.others[6].values[3], 5003);
  EXPECT_EQ(note_of(r, "row_by_row"), "");
  const std::vector<double> tall = signals(6, 4, true);  // 6 signals of 4 samples, 6 x 4
  const Recording turned = read_bytes(sample_mat() + matrix("tall", 6, 4, 9, bytes_of_values(tall)), ".mat");
  EXPECT_EQ(turned.others[6].values[3], 5003);
  EXPECT_NE(note_of(turned, "row_by_row"), "");
}

/// What deflate cannot shorten.
std::string noise(std::size_t size) {
  std::mt19937_64 random(4);
  std::string bytes;
  while (bytes.size() < size) bytes += char(random());
  return bytes;
}

// A file states what it will expand to; whether that is true is not tried.
TEST(Mat, ACompressedVariableIsRefusedByItsSizeBeforeItIsUnpacked) {
  EXPECT_EQ(refusal_of(mat_header() + compressed(u32(14) + u32(300'000'000) + noise(400'000)), ".mat"),
            "a compressed variable after the header expands to more than 128 times the file's size; save it "
            "uncompressed or as CSV");
  EXPECT_EQ(refusal_of(mat_header() + compressed(u32(14) + u32(4'000'000'000) + "abc"), ".mat"),
            "a compressed variable after the header is damaged: it declares more data than it contains");
  // More bytes than the head states.
  EXPECT_EQ(refusal_of(mat_header() + compressed(u32(14) + u32(64) + std::string(1'000'000, 'x')), ".mat"),
            "a compressed variable after the header is damaged or truncated");
}

TEST(Npz, PartsThatOverlapAreRefused) {
  const ZipPart part = npy_vector("a", times);
  ZipPart again = part;
  again.name = "b.npy";
  EXPECT_EQ(refusal_of(zip({part, again}, true), ".npz"), "'b.npy' overlaps 'a.npy'; the archive is damaged");
}

TEST(Npz, AnArchiveThatExpandsIsRefusedByItsSize) {
  std::vector<ZipPart> parts;
  for (const char* name : {"a.npy", "b.npy", "c.npy", "d.npy"}) parts.push_back({name, noise(70'000), 70'000'000});
  EXPECT_EQ(refusal_of(zip(parts), ".npz"),
            "'d.npy' expands to more than 128 times the file's size; save it uncompressed or as CSV");
}

TEST(Npz, SizesThatLieAreRefusedBeforeReading) {
  ZipPart part = npy_vector("force_N", forces);
  const std::string packed = std::to_string(part.packed.size());
  part.size = 4'000'000'000;
  EXPECT_EQ(refusal_of(zip({part}), ".npz"),
            "'force_N.npy' states 4000000000 bytes, more than its " + packed + " can hold");
  ZipPart stored = npy_vector("force_N", forces, false);
  const std::string bytes = std::to_string(stored.packed.size());
  stored.size += 1;
  EXPECT_EQ(refusal_of(zip({stored}), ".npz"),
            "'force_N.npy' states " + std::to_string(stored.size) + " bytes, more than its " + bytes + " can hold");
  EXPECT_EQ(refusal_of(zip({npy_part("x", "{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000,), }",
                                     bytes_of_values(forces))}),
                       ".npz"),
            "'x' has fewer numbers than its shape says");
}

TEST(Npz, AMatrixWithARowPerSignalIsOffered) {
  const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 20), }";
  const Recording r = read_bytes(zip({npy_part("log", head, bytes_of_values(signals(3, 20, false)))}), ".npz",
                                 {.columns = {.time = "log_1", .force = "log_3"}});
  EXPECT_EQ(r.force.at(7), 2007);
  EXPECT_EQ(note_of(r, "row_by_row"), "'log' is 3 x 20, a row per signal; its rows are read as columns log_1 to log_3");
}

TEST(Npz, TheArchiveThatTookFourGigabytesIsRefused) {
  SKIP_WITHOUT_SHARED("defects/overlapping_parts.npz");
  EXPECT_THROW(read_recording(shared_path("defects/overlapping_parts.npz").string()), Error);
}

}  // namespace
}  // namespace stickslip::binary_files_test
