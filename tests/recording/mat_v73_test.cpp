/// MATLAB files of version 7.3, written here through HDF5 the way MATLAB does: a block of 512 bytes before the HDF5 part,
/// columns first, MATLAB_class on every variable.
#include "recording/mat_v73.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/error.hpp"
#include "core/text.hpp"
#include "recording/recording.hpp"

#ifdef STICKSLIP_HDF5
#include <hdf5.h>

namespace stickslip {
namespace {

class MatFile {
 public:
  explicit MatFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("stickslip_" + name + std::to_string(getpid()) + ".mat"))
                  .string()) {
    H5dont_atexit();  // before anything else, as the reader does
    const hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(how, 512);
    file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, how, H5P_DEFAULT);
    H5Pclose(how);
  }
  ~MatFile() {
    close();
    std::filesystem::remove(path_);
  }
  MatFile(const MatFile&) = delete;
  MatFile& operator=(const MatFile&) = delete;

  enum class Layout { contiguous, deflated };
  /// A matrix of `columns` columns, one after the other in `values`.
  void add(const std::string& name, const std::vector<double>& values, std::size_t columns = 1,
           const char* matlab_class = "double", hid_t stored = H5T_IEEE_F64LE, Layout layout = Layout::contiguous) {
    const hsize_t size[2] = {columns, values.size() / columns};
    const hid_t space = H5Screate_simple(2, size, nullptr), how = H5Pcreate(H5P_DATASET_CREATE);
    if (layout == Layout::deflated) {
      const hsize_t chunk[2] = {1, std::min<hsize_t>(size[1], 100)};
      H5Pset_chunk(how, 2, chunk);
      H5Pset_deflate(how, 6);
    }
    const hid_t data = H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    mark(data, matlab_class);
    H5Dclose(data), H5Pclose(how), H5Sclose(space);
  }
  void add_struct(const std::string& name) {
    const hid_t group = H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    mark(group, "struct");
    H5Gclose(group);
  }
  const std::string& close() {
    if (file_ < 0) return path_;
    H5Fclose(file_), file_ = -1;
    std::fstream out(path_, std::ios::binary | std::ios::in | std::ios::out);
    out << "MATLAB 7.3 MAT-file, Platform: GLNXA64";
    return path_;
  }

 private:
  static void mark(hid_t object, const std::string& word) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, word.size());
    const hid_t attribute = H5Acreate2(object, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, word.data());
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
  }
  std::string path_;
  hid_t file_ = -1;
};

std::vector<double> ramp(std::size_t count, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(step * double(i));
  return values;
}
std::vector<double> wave(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::sin(0.01 * double(i)));
  return values;
}

std::string message_of(const std::string& path) {
  try {
    read_recording(path);
  } catch (const Error& error) {
    const std::string text = error.what();
    const auto at = text.find(".mat");
    return at == std::string::npos ? text : text.substr(at);
  }
  return "accepted";
}

TEST(MatV73, ReadsVectorsMatricesStructsAndConstants) {
  MatFile file("vectors");
  file.add("time_s", ramp(1000, 1e-3));
  file.add("position_m", wave(1000), 1, "double", H5T_IEEE_F64LE, MatFile::Layout::deflated);
  file.add("row", ramp(1000, 1), 1000);  // 1 x n in MATLAB
  std::vector<double> both = ramp(1000, 2);
  const std::vector<double> second = ramp(1000, 3);
  both.insert(both.end(), second.begin(), second.end());
  file.add("pair", both, 2);
  file.add("counts", ramp(1000, 1), 1, "int32", H5T_STD_I32LE);
  file.add("gain", {35.15065});
  file.add("name", {77, 120}, 1, "char", H5T_STD_U16LE);
  file.add_struct("log");
  file.add("log/force_N", wave(1000), 1, "single", H5T_IEEE_F32LE);
  const Recording r = read_recording(file.close(), {.columns = {.force = "log.force_N"}});
  ASSERT_EQ(r.size(), 1000u);
  EXPECT_EQ(r.time, ramp(1000, 1e-3));
  EXPECT_EQ(r.position, wave(1000));
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_NEAR(r.force[i], wave(1000)[i], 1e-7);
  ASSERT_EQ(r.constants.size(), 1u);
  EXPECT_EQ(r.constants[0].second, 35.15065);
  std::vector<std::string> names;
  for (const Column& column : r.others) names.push_back(column.name);
  EXPECT_EQ(joined(names), "counts, pair_1, pair_2, row");
  EXPECT_EQ(r.others[2].values, second);
  bool told = false;
  for (const Note& note : r.notes) told |= note.text.find("name (char)") != std::string::npos;
  EXPECT_TRUE(told);
}

TEST(MatV73, ACutFileIsRefusedWhereverItIsCut) {
  MatFile file("cut");
  file.add("time_s", ramp(2000, 1e-3));
  file.add("force_N", wave(2000), 1, "double", H5T_IEEE_F64LE, MatFile::Layout::deflated);
  const std::string path = file.close();
  EXPECT_EQ(message_of(path), "accepted");
  const auto whole = std::filesystem::file_size(path);
  for (int part = 1; part < 40; ++part) {
    const auto cut = whole - 1 - (whole - 1) * std::uintmax_t(part - 1) / 39;
    std::filesystem::resize_file(path, cut);
    const std::string said = message_of(path);
    EXPECT_TRUE(said.find("cut off or damaged") != std::string::npos ||
                said.find("no MATLAB file") != std::string::npos)
        << cut << " " << said;
  }
}

// Bytes changed at random: refused with a line, or read as numbers; never a crash.
TEST(MatV73, DamagedBytesEndInAnErrorOrInNumbers) {
  MatFile file("damaged");
  file.add("time_s", ramp(200, 1e-3));
  file.add("force_N", wave(200), 1, "double", H5T_IEEE_F64LE, MatFile::Layout::deflated);
  const std::string path = file.close();
  std::ifstream in(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  std::mt19937_64 random(11);
  std::size_t refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k) bad[512 + random() % (bad.size() - 512)] = char(random());
    std::ofstream(path, std::ios::binary) << bad;
    refused += message_of(path) != "accepted";
  }
  EXPECT_GT(refused, 10u);
}

TEST(MatV73, ValuesThatWereNeverStoredAreRefused) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("stickslip_empty" + std::to_string(getpid()) + ".mat")).string();
  const hid_t out = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t size[2] = {1, 100};
  const hid_t space = H5Screate_simple(2, size, nullptr);
  H5Dclose(H5Dcreate2(out, "force_N", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space), H5Fclose(out);
  EXPECT_NE(message_of(path).find("'force_N' has values that are not stored"), std::string::npos) << message_of(path);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stickslip
#endif
