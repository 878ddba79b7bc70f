/// CRC-32 against its published check value, in one go and in pieces of every length.
#include "core/checksum.hpp"

#include <gtest/gtest.h>

namespace stickslip::checksum_test {
namespace {

// The check value of CRC-32/ISO-HDLC is the published CRC of the nine digits.
TEST(Checksum, IsZips) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32(""), 0u);
}

TEST(Checksum, DoesNotDependOnHowTheBytesAreCut) {
  std::string bytes;
  for (unsigned i = 0; i < 100; ++i) bytes += char(i * 37 + 200);
  std::uint32_t one_by_one = 0;
  for (const char byte : bytes) one_by_one = crc32({&byte, 1}, one_by_one);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    EXPECT_EQ(crc32(std::string_view(bytes).substr(cut), crc32(std::string_view(bytes).substr(0, cut))), one_by_one);
}

TEST(Checksum, FingerprintTellsChecksumAndLength) { EXPECT_EQ(fingerprint_of("123456789"), "crc32 cbf43926, 9 bytes"); }

}  // namespace
}  // namespace stickslip::checksum_test
