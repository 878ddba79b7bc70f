/// CRC-32 as zip, PNG and gzip use it: tells a damaged file from a whole one, and one recording from another.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stickslip {

/// Reflected polynomial EDB88320. `before` is the checksum of the bytes in front: crc32(b, crc32(a)) is that of a and b.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// "crc32 0f3a99c1, 8892 bytes": the same bytes say the same.
std::string fingerprint_of(std::string_view bytes);
/// The same where the bytes went by in pieces.
std::string fingerprint_of(std::uint32_t crc, std::size_t bytes);

}  // namespace stickslip
