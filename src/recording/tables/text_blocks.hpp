/// A text file, or its bytes in memory, as blocks of whole lines, so that memory stays bounded however long the file is. Line ends become \n
/// (\r\n keeps its \r in front; a file with \r alone is converted), a missing last one is added and remembered.
/// Bytes that are no UTF-8 are taken for Windows-1252 (of which Latin-1's letters and signs are a part) and become UTF-8.
/// What is no such text (UTF-16, UTF-32, compressed, binary) is refused by name.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/file.hpp"

namespace stickslip::inline recordings {

class TextBlocks {
 public:
  explicit TextBlocks(const std::string& path);
  /// `bytes` must outlive this; `name` is for messages.
  TextBlocks(std::string_view bytes, const std::string& name);
  /// The next block is in text(); false at the end of the file.
  bool next();
  /// Ends with \n.
  std::string_view text() const { return {buffer_.data(), whole_}; }
  bool has_cr_only() const { return cr_only_; }
  bool lacks_final_line_end() const { return cut_; }
  /// Whether the text was Windows-1252, and the line that shows it.
  bool is_windows_1252() const { return odd_line_ > 0; }
  std::size_t odd_line() const { return odd_line_; }
  /// Bytes of the file; 0 for a pipe.
  std::size_t file_size() const { return size_; }
  std::string fingerprint() const;

 private:
  void check_encoding(std::string_view start) const;
  /// Bytes from `filled_` on, read as Windows-1252, as UTF-8 in place; how many they become.
  std::size_t convert(std::size_t count);
  /// Up to `room` further bytes; sets at_end_.
  std::size_t take(char* to, std::size_t room);
  std::string path_;
  StreamFile file_;         // none: the bytes in memory
  std::string_view bytes_;  // those not yet taken
  std::string buffer_;
  std::size_t filled_ = 0, whole_ = 0, size_ = 0, read_ = 0, odd_line_ = 0;
  std::uint32_t crc_ = 0;
  bool first_ = true, at_end_ = false, cr_only_ = false, cut_ = false;
};

}  // namespace stickslip::inline recordings
