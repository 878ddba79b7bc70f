/// Reads a binary structure number by number. Whatever lies beyond the bytes that are there throws Error; nothing else in
/// the reader of MATLAB 7.3 files touches the file's bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace stickslip::inline recordings {

class ByteCursor {
 public:
  /// `what` is named in the message, as "its object header", and must outlive the cursor.
  ByteCursor(std::string_view bytes, std::string_view what) : bytes_(bytes), what_(what) {}

  std::size_t left() const { return bytes_.size() - at_; }
  /// How far it has come.
  std::size_t place() const { return at_; }

  /// A whole number of 1 to 8 bytes, least significant byte first.
  std::uint64_t number(std::size_t width) {
    const std::string_view raw = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
    return value;
  }
  std::string_view take(std::uint64_t size) {
    if (size > left()) throw Error("is damaged: " + std::string(what_) + " ends too early");
    const std::string_view taken = bytes_.substr(at_, std::size_t(size));
    at_ += std::size_t(size);
    return taken;
  }
  void skip(std::uint64_t size) { take(size); }
  /// The mark a structure begins with, "TREE".
  void expect(std::string_view mark) {
    if (left() < mark.size() || take(mark.size()) != mark)
      throw Error("is damaged: " + std::string(what_) + " is not where it should be");
  }
  bool next_is(std::string_view mark) const { return bytes_.substr(at_).starts_with(mark); }

 private:
  std::string_view bytes_, what_;
  std::size_t at_ = 0;
};

}  // namespace stickslip::inline recordings
