/// Unpacking of deflated bytes (RFC 1951), as .npz archives hold them, and of zlib's streams around them (RFC 1950), as MATLAB
/// files do. Every length, distance and code is checked: damaged bytes are an answer, never a read or a write outside.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stickslip::inline recordings {

enum class Packing { deflate, zlib };

/// A canonical prefix code (RFC 1951, 3.2.2): codes of up to 10 bits are looked up, longer ones are walked.
class PrefixCode {
 public:
  static constexpr int longest = 15, looked_up = 10, no_symbol = -1;

  /// From the length of each symbol's code, 0 for none. False if the lengths make no code: too many of them, or too few (but a
  /// single code of one bit, and none at all, which can only be refused when it is used).
  [[nodiscard]] bool build(const std::uint8_t* lengths, std::size_t count);

  /// The symbol whose code begins `bits` (first bit lowest), and in `length` how long it is; no_symbol if there is none.
  int find(std::uint32_t bits, int& length) const;

 private:
  struct Entry {
    std::int16_t symbol = no_symbol;
    std::uint8_t length = 0;
  };
  std::array<Entry, std::size_t(1) << looked_up> table_{};
  std::array<std::uint16_t, 320> symbols_{};         // in the order of their codes
  std::array<std::uint16_t, longest + 1> counts_{};  // codes of each length
};

/// Unpacks one stream at a time; its tables are used again for the next.
class Inflater {
 public:
  /// Exactly out.size() bytes into `out`. False if the stream is damaged, cut off, or holds more or fewer.
  [[nodiscard]] bool fill(std::string_view packed, Packing packing, std::string& out);
  /// All of it; nothing if it is damaged, cut off or larger than `limit`.
  std::optional<std::string> all(std::string_view packed, Packing packing, std::size_t limit);
  /// The first `size` bytes; fewer if it is damaged or has fewer.
  std::string start(std::string_view packed, Packing packing, std::size_t size);

 private:
  enum class End { finished, full, damaged };
  struct Bits;

  End unpack(std::string_view packed, Packing packing, std::string& out, std::size_t limit);
  End unpack_blocks(Bits& bits, std::string& out, std::size_t limit, std::size_t farthest);
  End stored_block(Bits& bits, std::string& out, std::size_t limit) const;
  End coded_block(Bits& bits, std::string& out, std::size_t limit, std::size_t farthest) const;
  [[nodiscard]] bool read_codes(Bits& bits);
  [[nodiscard]] bool set_fixed_codes();

  PrefixCode literals_, distances_;
};

}  // namespace stickslip::inline recordings
