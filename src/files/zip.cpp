/// A zip archive in memory; see zip.hpp.
#include "files/zip.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "core/checksum.hpp"
#include "core/error.hpp"

namespace stickslip::inline files {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint16_t zip_version = 20, names_are_utf8 = 0x0800, method_deflate = 8;
constexpr std::uint16_t first_of_january_1980 = 0x21;  // zip has no "no date"; a fixed one keeps runs identical

void append_u16(std::string& bytes, std::size_t value) {
  for (std::size_t i = 0; i < 2; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}
void append_u32(std::string& bytes, std::size_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

/// Bits into bytes, the lowest first.
class BitWriter {
 public:
  void put(std::uint32_t bits, int count) {
    held_ |= static_cast<std::uint64_t>(bits) << count_;
    for (count_ += count; count_ >= 8; count_ -= 8, held_ >>= 8) out_ += static_cast<char>(held_ & 0xff);
  }
  /// A Huffman code, which goes highest bit first.
  void put_code(std::uint32_t code, int count) {
    std::uint32_t turned = 0;
    for (int i = 0; i < count; ++i) turned |= ((code >> i) & 1u) << (count - 1 - i);
    put(turned, count);
  }
  std::string take() {
    if (count_ > 0) put(0, 8 - count_);
    return std::move(out_);
  }

 private:
  std::string out_;
  std::uint64_t held_ = 0;
  int count_ = 0;
};

/// RFC 1951 with the fixed codes: what came within the last 32 kB is named by distance and length.
std::string deflated(std::string_view content) {
  constexpr std::size_t window = 32768, longest = 258, shortest_match = 3, tries = 24, hash_size = 1u << 15;
  constexpr std::uint32_t nowhere = 0xffffffff;
  const auto* bytes = reinterpret_cast<const unsigned char*>(content.data());
  const std::size_t size = content.size();
  std::vector<std::uint32_t> newest(hash_size, nowhere), older(window, nowhere);
  const auto hash = [&](std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
    const std::uint32_t three = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16;
    return static_cast<std::size_t>((three * 2654435761u) >> 17);
  };
  const auto remember = [&](std::size_t at) {
    if (at + shortest_match > size) return;
    const std::size_t h = hash(at);
    older[at % window] = newest[h];
    newest[h] = static_cast<std::uint32_t>(at);
  };
  BitWriter out;
  const auto put_symbol = [&](std::uint32_t symbol) {
    if (symbol < 144)
      out.put_code(0x30 + symbol, 8);
    else if (symbol < 256)
      out.put_code(0x190 + symbol - 144, 9);
    else if (symbol < 280)
      out.put_code(symbol - 256, 7);
    else
      out.put_code(0xc0 + symbol - 280, 8);
  };
  out.put(1, 1);  // one block, the last
  out.put(1, 2);  // with the fixed codes
  for (std::size_t at = 0; at < size;) {
    std::size_t length = 0, distance = 0;
    if (at + shortest_match <= size) {
      std::uint32_t before = newest[hash(at)];
      for (std::size_t i = 0; i < tries && before != nowhere && at - before <= window - 1;
           ++i, before = older[before % window]) {
        std::size_t same = 0;
        while (same < longest && at + same < size && bytes[before + same] == bytes[at + same]) ++same;
        if (same > length) length = same, distance = at - before;
        if (same == longest) break;
        if (older[before % window] >= before) break;  // the place was used again
      }
    }
    if (length < shortest_match) {
      put_symbol(bytes[at]);
      remember(at++);
      continue;
    }
    // Lengths and distances come in groups that double in width every four, or every two.
    const auto put_length = [&](std::uint32_t n) {
      if (n == longest) return put_symbol(285);
      std::uint32_t group = n - 3, extra = 0;
      for (; (group >> extra) >= 8; ++extra) {
      }
      put_symbol(257 + 4 * extra + (group >> extra));
      out.put(group & ((1u << extra) - 1), static_cast<int>(extra));
    };
    const auto put_distance = [&](std::uint32_t d) {
      std::uint32_t group = d - 1, extra = 0;
      for (; (group >> extra) >= 4; ++extra) {
      }
      out.put_code(2 * extra + (group >> extra), 5);
      out.put(group & ((1u << extra) - 1), static_cast<int>(extra));
    };
    put_length(static_cast<std::uint32_t>(length));
    put_distance(static_cast<std::uint32_t>(distance));
    for (std::size_t i = 0; i < length; ++i) remember(at + i);
    at += length;
  }
  put_symbol(256);  // the end
  return out.take();
}

/// The fields that a local header and the central directory have in common.
void append_description(std::string& bytes, std::string_view name, std::size_t whole, std::size_t packed,
                        bool is_deflated, std::uint32_t check) {
  append_u16(bytes, zip_version);
  append_u16(bytes, names_are_utf8);
  append_u16(bytes, is_deflated ? method_deflate : 0);
  append_u16(bytes, 0);  // midnight
  append_u16(bytes, first_of_january_1980);
  append_u32(bytes, check);
  append_u32(bytes, packed);
  append_u32(bytes, whole);
  append_u16(bytes, name.size());
  append_u16(bytes, 0);  // no extra field
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view content, Packing packing) {
  const std::uint32_t check = stickslip::crc32(content);
  const std::size_t start = archive_.size();
  std::string smaller;
  if (packing == Packing::deflated) smaller = deflated(content);
  const bool is_deflated = packing == Packing::deflated && smaller.size() < content.size();
  const std::string_view packed = is_deflated ? std::string_view(smaller) : content;
  append_u32(archive_, local_mark);
  append_description(archive_, name, content.size(), packed.size(), is_deflated, check);
  archive_ += name;
  archive_ += packed;

  append_u32(directory_, central_mark);
  append_u16(directory_, zip_version);
  append_description(directory_, name, content.size(), packed.size(), is_deflated, check);
  append_u16(directory_, 0);  // no comment
  append_u16(directory_, 0);  // first disk
  append_u16(directory_, 0);  // internal attributes
  append_u32(directory_, 0);  // external attributes
  append_u32(directory_, start);
  directory_ += name;
  ++count_;
}

std::string ZipWriter::take(std::string_view too_large) {
  if (archive_.size() + directory_.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(std::string(too_large));
  const std::size_t directory_start = archive_.size();
  archive_ += directory_;
  append_u32(archive_, end_mark);
  append_u16(archive_, 0);  // this disk
  append_u16(archive_, 0);  // the directory's disk
  append_u16(archive_, count_);
  append_u16(archive_, count_);
  append_u32(archive_, directory_.size());
  append_u32(archive_, directory_start);
  append_u16(archive_, 0);  // no comment
  return std::move(archive_);
}

std::string zlib_stream(std::string_view content) {
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char c : content) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  std::string out = "\x78\x01" + deflated(content);
  for (const std::uint32_t half : {b, a}) out += static_cast<char>(half >> 8), out += static_cast<char>(half & 0xff);
  return out;
}

}  // namespace stickslip::inline files
