/// CRC-32, eight bytes at a time; see checksum.hpp.
/// The remainder of eight bytes is the sum of the remainders that each byte has with zeros behind it; table k holds those
/// of a byte with k zero bytes behind it (M. E. Kounavis, F. L. Berry, ISCC 2005).
#include "core/checksum.hpp"

#include <array>
#include <cstddef>

namespace stickslip {
namespace {

constexpr std::uint32_t polynomial = 0xedb88320u;
using Remainders = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Remainders remainders = [] {
  Remainders t{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t c = byte;
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? polynomial ^ (c >> 1) : c >> 1;
    t[0][byte] = c;
  }
  for (std::size_t zeros = 1; zeros < 8; ++zeros)
    for (std::size_t byte = 0; byte < 256; ++byte)
      t[zeros][byte] = t[0][t[zeros - 1][byte] & 0xff] ^ (t[zeros - 1][byte] >> 8);
  return t;
}();

/// Four bytes, the lowest first, whatever the machine's order.
std::uint32_t four_bytes(const char* p) {
  const auto byte = [p](int i) { return std::uint32_t(static_cast<unsigned char>(p[i])); };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    const std::uint32_t low = four_bytes(p) ^ crc, high = four_bytes(p + 4);
    crc = remainders[7][low & 0xff] ^ remainders[6][low >> 8 & 0xff] ^ remainders[5][low >> 16 & 0xff] ^
          remainders[4][low >> 24] ^ remainders[3][high & 0xff] ^ remainders[2][high >> 8 & 0xff] ^
          remainders[1][high >> 16 & 0xff] ^ remainders[0][high >> 24];
  }
  for (; left > 0; --left, ++p) crc = remainders[0][(crc ^ static_cast<unsigned char>(*p)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

std::string fingerprint_of(std::uint32_t crc, std::size_t bytes) {
  std::string hex;
  for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(crc >> shift) & 15];
  return "crc32 " + hex + ", " + std::to_string(bytes) + " bytes";
}
std::string fingerprint_of(std::string_view bytes) { return fingerprint_of(crc32(bytes), bytes.size()); }

}  // namespace stickslip
