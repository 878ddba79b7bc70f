/// How much a packed file may expand to. Deflate makes at most 1032 bytes of one, so that a small file can state gigabytes;
/// recordings of real signals stay far below a hundred. What a file states is counted before memory is taken for it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

namespace stickslip::inline recordings {

/// The most bytes that deflate can make of so many.
inline std::uint64_t most_inflated(std::uint64_t packed) { return 1032 * packed + 64; }

class Expansion {
 public:
  static constexpr std::uint64_t always = std::uint64_t(256) << 20, times = 128;
  explicit Expansion(std::uint64_t file_size) : left_(std::max(always, times * file_size)) {}

  /// False if that is more than the file may still expand to.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  static std::string refusal() {
    return "expands to more than " + std::to_string(times) + " times the file's size; save it uncompressed or as CSV";
  }

 private:
  std::uint64_t left_;
};

}  // namespace stickslip::inline recordings
