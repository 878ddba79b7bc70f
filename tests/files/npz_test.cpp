/// Archives are read back by our own reader and, where Debian's Python has NumPy, by NumPy itself.
#include "files/npz.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "core/error.hpp"
#include "files/whole_file.hpp"
#include "support/npz_table.hpp"

namespace stickslip::npz_test {
namespace {

const Table sample{{{"time", "s", {0, 0.1, 1e-300}},
                    {"velocity", "m/s", {-0.0, std::nan(""), std::numeric_limits<double>::infinity()}}}};

std::string message_of(const std::string& bytes) {
  try {
    from_npz(bytes, "run.npz");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Npz, EveryBitComesBack) {
  const Table back = from_npz(to_npz(sample), "run.npz");
  ASSERT_EQ(back.columns.size(), 2u);
  EXPECT_EQ(back.columns[0].name, "time_s");
  EXPECT_EQ(back.columns[1].name, "velocity_m_s");
  for (std::size_t j = 0; j < 2; ++j)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(back.columns[j].values[i]),
                std::bit_cast<std::uint64_t>(sample.columns[j].values[i]));
  EXPECT_TRUE(from_npz(to_npz({}), "run.npz").columns.empty());
}

TEST(Npz, ArrayDataIsAlignedTo64Bytes) {
  for (const std::size_t n : {0u, 1u, 12345u}) {
    const std::string bytes = to_npy(std::vector<double>(n));
    EXPECT_EQ((bytes.size() - 8 * n) % 64, 0u);
  }
}

TEST(Npz, DamageIsNamedAndNeverCrashes) {
  const std::string good = to_npz(sample);
  EXPECT_EQ(message_of(""), "run.npz: is not an .npz archive, or is truncated: its directory is missing");
  std::string flipped = good;
  flipped[30 + 10 + 128] ^= 1;  // inside the first array's numbers
  EXPECT_EQ(message_of(flipped), "run.npz: 'time_s.npy' is damaged (checksum)");
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const char change : {char(0x01), char(0x80), char(0xff)}) {
      std::string damaged = good;
      damaged[i] = char(damaged[i] ^ change);
      message_of(damaged);  // the sanitizers watch
      message_of(good.substr(i));
      message_of(good.substr(0, i));
    }
}

TEST(Npz, NumpyReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no NumPy here";
  const auto path = std::filesystem::temp_directory_path() / "stickslip_npz_test.npz";
  write_whole(path.string(), to_npz(sample));
  const std::string program =
      "import numpy as n; a = n.load('" + path.string() +
      "'); assert list(a) == ['time_s', 'velocity_m_s'], list(a); assert list(a['time_s']) == [0, 0.1, 1e-300]; "
      "v = a['velocity_m_s']; assert n.isnan(v[1]) and n.isinf(v[2]) and n.signbit(v[0]) and v.dtype == 'f8'";
  EXPECT_EQ(std::system(("/usr/bin/python3 -c \"" + program + "\"").c_str()), 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stickslip::npz_test
