/// Unpacking against zlib: what it packs comes back, and what it refuses is refused.
#include "recording/tables/inflate.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "core/random.hpp"
#include "support/cases.hpp"

namespace stickslip::inflate_test {
namespace {

std::string packed_by_zlib(std::string_view plain, Packing packing, int level, int strategy, int window_bits) {
  z_stream stream{};
  const int bits = packing == Packing::deflate ? -window_bits : window_bits;
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, bits, 8, strategy), Z_OK);
  std::string out(deflateBound(&stream, uLong(plain.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = uInt(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// What zlib makes of it; nothing if it does not come to the stream's end within `limit` bytes.
std::optional<std::string> unpacked_by_zlib(std::string_view packed, Packing packing, std::size_t limit) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, packing == Packing::deflate ? -15 : 15), Z_OK);
  std::string out(limit + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = uInt(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  const int end = inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  if (end != Z_STREAM_END || out.size() > limit) return std::nullopt;
  return out;
}

/// Bytes of some kind: noise, few letters, runs, doubles of a smooth signal.
std::string random_bytes(Random& random) {
  const std::size_t size = random.below(4) == 0 ? random.below(40) : random.below(20000);
  const std::size_t kind = random.below(5);
  const std::size_t letters = 1 + random.below(kind == 0 ? 256 : 6);
  std::string out;
  double value = 0;
  while (out.size() < size) {
    if (kind == 4) {
      value += random.normal();
      const double rounded = std::floor(value * 16) / 16;
      out.append(reinterpret_cast<const char*>(&rounded), sizeof rounded);
    } else if (kind == 3 && out.size() > 10) {
      const std::size_t back = 1 + random.below(out.size()), run = 1 + random.below(400);
      for (std::size_t i = 0; i < run; ++i) out.push_back(out[out.size() - back]);
    } else {
      const std::size_t run = kind == 2 ? 1 + random.below(60) : 1;
      out.append(run, static_cast<char>(random.below(letters)));
    }
  }
  out.resize(size);
  return out;
}

struct PackedCase {
  std::string plain, packed;
  Packing packing;
};
PackedCase random_case(Random& random) {
  PackedCase c;
  c.plain = random_bytes(random);
  c.packing = random.below(2) == 0 ? Packing::deflate : Packing::zlib;
  constexpr int strategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
  c.packed =
      packed_by_zlib(c.plain, c.packing, int(random.below(10)), strategies[random.below(5)], 9 + int(random.below(7)));
  return c;
}

TEST(InflateProperty, GivesBackWhatZlibPacked) {
  Inflater inflater;
  for (std::size_t seed = 0; seed < test::cases(400); ++seed) {
    Random random(seed);
    const PackedCase c = random_case(random);
    const auto all = inflater.all(c.packed, c.packing, c.plain.size());
    ASSERT_TRUE(all.has_value()) << seed;
    ASSERT_EQ(*all, c.plain) << seed;
    std::string filled(c.plain.size(), '?');
    ASSERT_TRUE(inflater.fill(c.packed, c.packing, filled)) << seed;
    ASSERT_EQ(filled, c.plain) << seed;
    const std::size_t some = random.below(c.plain.size() + 1);
    ASSERT_EQ(inflater.start(c.packed, c.packing, some), c.plain.substr(0, some)) << seed;
    if (!c.plain.empty()) {
      ASSERT_FALSE(inflater.all(c.packed, c.packing, c.plain.size() - 1).has_value()) << seed << ": one byte too many";
    }
    filled.resize(c.plain.size() + 1);
    ASSERT_FALSE(inflater.fill(c.packed, c.packing, filled)) << seed << ": one byte too few";
  }
}

// Cut off, a byte changed, bytes put in, or nothing but noise: the same verdict and the same bytes as zlib's.
TEST(InflateProperty, JudgesDamagedBytesAsZlibDoes) {
  Inflater inflater;
  std::size_t refused = 0, accepted = 0;
  for (std::size_t seed = 0; seed < test::cases(1000); ++seed) {
    Random random(seed + 1000000);
    PackedCase c = random_case(random);
    switch (random.below(4)) {
      case 0:
        c.packed.resize(random.below(c.packed.size() + 1));
        break;
      case 1:
        for (std::size_t n = 1 + random.below(3); n > 0 && !c.packed.empty(); --n)
          c.packed[random.below(std::min<std::size_t>(c.packed.size(), random.below(2) ? 100 : c.packed.size()))] ^=
              static_cast<char>(1U << random.below(8));
        break;
      case 2:
        c.packed.insert(random.below(c.packed.size() + 1), 1, static_cast<char>(random.below(256)));
        break;
      default:
        c.packed.resize(random.below(300));
        for (char& byte : c.packed) byte = static_cast<char>(random.below(256));
        c.packing = Packing::deflate;
        if (!c.packed.empty())
          c.packed[0] = static_cast<char>((c.packed[0] & ~7) | 4 | int(random.below(2)));  // codes of its own
    }
    const std::size_t limit = 40000;
    const auto expected = unpacked_by_zlib(c.packed, c.packing, limit),
               found = inflater.all(c.packed, c.packing, limit);
    ASSERT_EQ(found.has_value(), expected.has_value()) << seed;
    if (expected) {
      ASSERT_EQ(*found, *expected) << seed;
    }
    ++(expected ? accepted : refused);
  }
  EXPECT_GT(refused, accepted) << "most damage is seen";
  EXPECT_GT(accepted, 0U);
}

}  // namespace
}  // namespace stickslip::inflate_test
