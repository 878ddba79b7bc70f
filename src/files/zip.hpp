/// A zip archive in memory, after PKWARE's APPNOTE 6.3: entries stored as they are, or deflated where that makes them smaller. The same
/// entries make the same bytes: the date is always 1 January 1980.
///   ZipWriter zip;
///   zip.add("resources/content.txt", text, ZipWriter::Packing::deflated);
///   write_whole("axis.fmu", zip.take());
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace stickslip::inline files {

class ZipWriter {
 public:
  enum class Packing { stored, deflated };
  /// Names have forward slashes and are unique.
  void add(std::string_view name, std::string_view content, Packing packing = Packing::stored);
  /// Throws Error with this message for more than 4 GB.
  std::string take(std::string_view too_large = "an archive of more than 4 GB cannot be written");

 private:
  std::string archive_, directory_;
  std::size_t count_ = 0;
};

/// The bytes of a zlib stream, as PNG has them.
std::string zlib_stream(std::string_view content);

}  // namespace stickslip::inline files
