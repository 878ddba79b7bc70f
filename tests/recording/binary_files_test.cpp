/// MATLAB and NumPy files, written here byte by byte after their formats, whole and cut at every byte.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "files/npz.hpp"
#include "recording/recording.hpp"

namespace stickslip {
namespace {

std::string u32(std::uint32_t value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

std::string element(std::uint32_t type, std::string data) {
  const std::string head = u32(type) + u32(std::uint32_t(data.size()));
  data.resize((data.size() + 7) / 8 * 8);
  return head + data;
}

template <class Number>
std::string bytes_of_values(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A real matrix of class double, its numbers stored as `type`.
std::string matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns, std::uint32_t type,
                   const std::string& data) {
  return element(
      14, element(6, u32(6) + u32(0)) + element(5, u32(rows) + u32(columns)) + element(1, name) + element(type, data));
}

std::string compressed(const std::string& plain) {
  uLongf size = compressBound(plain.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  out.resize(size);
  return u32(15) + u32(std::uint32_t(size)) + out;  // not padded
}

std::string mat_header() {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + std::string("\x00\x01IM", 4);
}

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
  const std::string folder = STICKSLIP_SHARED_DIR "/data/emps/";
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

}  // namespace
}  // namespace stickslip
