/// Unpacking of deflated bytes; see inflate.hpp.
#include "recording/tables/inflate.hpp"

#include <algorithm>
#include <cstring>

namespace stickslip::inline recordings {
namespace {

struct Range {
  std::uint16_t first;
  std::uint8_t extra;  // bits that follow and are added
};
// RFC 1951, 3.2.5. Symbols 286, 287 and distances 30, 31 exist in the fixed code and mean nothing.
constexpr std::array<Range, 29> lengths{{{3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
                                         {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
                                         {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
                                         {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Range, 30> distances{{{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
                                           {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
                                           {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
                                           {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
                                           {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};
constexpr std::array<std::uint8_t, 19> order_of_lengths{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
constexpr int end_of_block = 256;
constexpr std::size_t window = 32768;

std::uint32_t reversed(std::uint32_t code, int length) {
  std::uint32_t out = 0;
  for (int i = 0; i < length; ++i) out |= (code >> i & 1u) << (length - 1 - i);
  return out;
}

/// Adler's sum of zlib's streams; sums are reduced before they can overflow.
std::uint32_t adler32(std::string_view bytes) {
  constexpr std::uint32_t modulus = 65521;
  constexpr std::size_t at_once = 5552;
  std::uint32_t a = 1, b = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t end = std::min(bytes.size(), i + at_once);
    for (; i < end; ++i) a += static_cast<unsigned char>(bytes[i]), b += a;
    a %= modulus, b %= modulus;
  }
  return b << 16 | a;
}

}  // namespace

/// The stream's bits, first bit lowest. Past the end it gives zeros and notes that it was asked.
struct Inflater::Bits {
  const unsigned char *next, *end;
  std::uint64_t held = 0;
  int count = 0;    // bits in `held`
  int missing = 0;  // of these, zeros that the stream does not have

  explicit Bits(std::string_view bytes)
      : next(reinterpret_cast<const unsigned char*>(bytes.data())), end(next + bytes.size()) {}

  /// At least 48 bits are held afterwards.
  void refill() {
    while (count <= 56) {
      if (next < end)
        held |= std::uint64_t(*next++) << count;
      else
        missing += 8;
      count += 8;
    }
  }
  void drop(int bits) { held >>= bits, count -= bits; }
  std::uint32_t take(int bits) {
    const auto value = std::uint32_t(held & ((std::uint64_t(1) << bits) - 1));
    drop(bits);
    return value;
  }
  /// Whether bits were used that the stream does not have.
  bool is_overdrawn() const { return count < missing; }
  void to_next_byte() { drop(count & 7); }
  /// Bytes that are held and belong to the stream go back to it.
  void put_back() {
    next -= (count - missing) / 8;
    held = 0, count = 0, missing = 0;
  }
};

bool PrefixCode::build(const std::uint8_t* code_lengths, std::size_t count) {
  counts_.fill(0);
  for (std::size_t i = 0; i < count; ++i) ++counts_[code_lengths[i]];
  counts_[0] = 0;
  int left = 1, most = 0;
  for (int length = 1; length <= longest; ++length) {
    left = 2 * left - counts_[std::size_t(length)];
    if (left < 0) return false;
    if (counts_[std::size_t(length)]) most = length;
  }
  if (left > 0 && most > 1) return false;
  std::array<std::uint16_t, longest + 2> place{}, code{};
  for (std::size_t length = 1; length <= longest; ++length) {
    place[length + 1] = std::uint16_t(place[length] + counts_[length]);
    code[length + 1] = std::uint16_t((code[length] + counts_[length]) << 1);
  }
  table_.fill({});
  for (std::size_t symbol = 0; symbol < count; ++symbol) {
    const int length = code_lengths[symbol];
    if (length == 0) continue;
    symbols_[place[std::size_t(length)]++] = std::uint16_t(symbol);
    const std::uint32_t own = code[std::size_t(length)]++;
    if (length > looked_up) continue;
    for (std::size_t at = reversed(own, length); at < table_.size(); at += std::size_t(1) << length)
      table_[at] = {std::int16_t(symbol), std::uint8_t(length)};
  }
  return true;
}

int PrefixCode::find(std::uint32_t bits, int& length) const {
  const Entry& entry = table_[bits & (table_.size() - 1)];
  length = entry.length;
  if (length > 0) return entry.symbol;
  int code = 0, first = 0, index = 0;  // for codes of this length: the first one, and the index of its symbol
  for (length = 1; length <= longest; ++length) {
    code |= int(bits >> (length - 1) & 1u);
    const int here = counts_[std::size_t(length)];
    if (code - first < here) return symbols_[std::size_t(index + code - first)];
    index += here;
    first = (first + here) << 1;
    code <<= 1;
  }
  return no_symbol;
}

bool Inflater::set_fixed_codes() {
  std::array<std::uint8_t, 288> of_literals{};
  for (std::size_t i = 0; i < of_literals.size(); ++i) of_literals[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  std::array<std::uint8_t, 32> of_distances{};
  of_distances.fill(5);
  return literals_.build(of_literals.data(), of_literals.size()) &&
         distances_.build(of_distances.data(), of_distances.size());
}

/// RFC 1951, 3.2.7: the lengths of both codes, themselves coded.
bool Inflater::read_codes(Bits& bits) {
  bits.refill();
  const std::size_t of_literals = bits.take(5) + 257, of_distances = bits.take(5) + 1, of_lengths = bits.take(4) + 4;
  if (of_literals > 286 || of_distances > 30) return false;
  std::array<std::uint8_t, 320> read{};
  for (std::size_t i = 0; i < of_lengths; ++i) {
    bits.refill();
    read[order_of_lengths[i]] = std::uint8_t(bits.take(3));
  }
  PrefixCode& code = literals_;
  if (!code.build(read.data(), order_of_lengths.size())) return false;
  if (std::count(read.begin(), read.begin() + 19, 0) >= 18) return false;  // one code is no complete one here
  read.fill(0);
  for (std::size_t i = 0; i < of_literals + of_distances;) {
    bits.refill();
    int length = 0;
    const int symbol = code.find(std::uint32_t(bits.held), length);
    if (symbol == PrefixCode::no_symbol) return false;
    bits.drop(length);
    if (bits.is_overdrawn()) return false;
    if (symbol < 16) {
      read[i++] = std::uint8_t(symbol);
      continue;
    }
    if (symbol == 16 && i == 0) return false;
    const std::uint8_t repeated = symbol == 16 ? read[i - 1] : std::uint8_t(0);
    const std::size_t times = symbol == 16 ? 3 + bits.take(2) : symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (i + times > of_literals + of_distances) return false;
    std::fill_n(read.begin() + std::ptrdiff_t(i), times, repeated);
    i += times;
  }
  if (read[end_of_block] == 0) return false;
  return distances_.build(read.data() + of_literals, of_distances) && literals_.build(read.data(), of_literals);
}

Inflater::End Inflater::stored_block(Bits& bits, std::string& out, std::size_t limit) const {
  bits.to_next_byte();
  bits.refill();
  const std::uint32_t size = bits.take(16), inverted = bits.take(16);
  if (bits.is_overdrawn() || size != (~inverted & 0xffffu)) return End::damaged;
  bits.put_back();
  const std::size_t there = std::min<std::size_t>(size, std::size_t(bits.end - bits.next));
  const std::size_t room = limit - out.size(), taken = std::min(there, room);
  out.append(reinterpret_cast<const char*>(bits.next), taken);
  bits.next += taken;
  if (taken < there) return End::full;
  return there < size ? End::damaged : End::finished;
}

Inflater::End Inflater::coded_block(Bits& bits, std::string& out, std::size_t limit, std::size_t farthest) const {
  for (;;) {
    bits.refill();
    int length = 0;
    const int symbol = literals_.find(std::uint32_t(bits.held), length);
    if (symbol == PrefixCode::no_symbol) return End::damaged;
    bits.drop(length);
    if (symbol == end_of_block) return bits.is_overdrawn() ? End::damaged : End::finished;
    if (symbol < end_of_block) {
      if (bits.is_overdrawn()) return End::damaged;
      if (out.size() == limit) return End::full;
      out.push_back(static_cast<char>(symbol));
      continue;
    }
    const auto kind = std::size_t(symbol - end_of_block - 1);
    if (kind >= lengths.size()) return End::damaged;
    std::size_t copied = lengths[kind].first + bits.take(lengths[kind].extra);
    const int step = distances_.find(std::uint32_t(bits.held), length);
    if (step == PrefixCode::no_symbol || std::size_t(step) >= distances.size()) return End::damaged;
    bits.drop(length);
    const std::size_t back = distances[std::size_t(step)].first + bits.take(distances[std::size_t(step)].extra);
    if (bits.is_overdrawn() || back > out.size() || back > farthest) return End::damaged;
    const std::size_t room = limit - out.size();
    const bool is_cut = copied > room;
    copied = std::min(copied, room);
    const std::size_t at = out.size();
    out.resize(at + copied);
    char* const to = out.data() + at;
    const char* const from = to - back;
    if (back >= copied)
      std::memcpy(to, from, copied);
    else
      for (std::size_t i = 0; i < copied; ++i) to[i] = from[i];  // overlaps: what was just written is copied again
    if (is_cut) return End::full;
  }
}

Inflater::End Inflater::unpack_blocks(Bits& bits, std::string& out, std::size_t limit, std::size_t farthest) {
  for (bool is_last = false; !is_last;) {
    bits.refill();
    is_last = bits.take(1) == 1;
    const std::uint32_t kind = bits.take(2);
    if (bits.is_overdrawn() || kind == 3) return End::damaged;
    if (kind == 1 && !set_fixed_codes()) return End::damaged;
    if (kind == 2 && !read_codes(bits)) return End::damaged;
    const End end = kind == 0 ? stored_block(bits, out, limit) : coded_block(bits, out, limit, farthest);
    if (end != End::finished) return end;
  }
  return End::finished;
}

Inflater::End Inflater::unpack(std::string_view packed, Packing packing, std::string& out, std::size_t limit) {
  Bits bits(packed);
  std::size_t farthest = window;
  if (packing == Packing::zlib) {
    bits.refill();
    const std::uint32_t method = bits.take(8), flags = bits.take(8);
    if (bits.is_overdrawn() || (256 * method + flags) % 31 != 0 || (method & 15u) != 8 || method >> 4 > 7 ||
        (flags & 32u))
      return End::damaged;
    farthest = std::size_t(256) << (method >> 4);
  }
  const End end = unpack_blocks(bits, out, limit, farthest);
  if (packing == Packing::deflate || end != End::finished) return end;
  bits.to_next_byte();
  bits.refill();
  std::uint32_t stated = 0;
  for (int i = 0; i < 4; ++i) stated = stated << 8 | bits.take(8);
  return !bits.is_overdrawn() && stated == adler32(out) ? End::finished : End::damaged;
}

bool Inflater::fill(std::string_view packed, Packing packing, std::string& out) {
  const std::size_t size = out.size();
  out.clear();
  const bool is_whole = unpack(packed, packing, out, size) == End::finished && out.size() == size;
  out.resize(size);
  return is_whole;
}

std::optional<std::string> Inflater::all(std::string_view packed, Packing packing, std::size_t limit) {
  std::string out;
  out.reserve(std::min(limit, 4 * packed.size()));
  if (unpack(packed, packing, out, limit) != End::finished) return std::nullopt;
  return out;
}

std::string Inflater::start(std::string_view packed, Packing packing, std::size_t size) {
  std::string out;
  unpack(packed, packing, out, size);
  return out;
}

}  // namespace stickslip::inline recordings
