/// The parts of a zip archive, stored or deflated, as .npz and .xlsx files are. Sizes come from the archive's directory and are
/// checked, before anything is unpacked, against the bytes that are there: parts that overlap and archives that expand
/// without measure are refused. Layout after PKWARE's APPNOTE 6.3. Not read: archives beyond 4 GB, encrypted parts.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "recording/tables/expansion.hpp"

namespace stickslip::inline recordings {

/// A little-endian number inside `bytes`, which reach that far.
template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  static_assert(std::endian::native == std::endian::little, "little-endian numbers are copied as they are");
  Number value;
  std::memcpy(&value, bytes.data() + place, sizeof(Number));
  return value;
}

/// A part of the archive as its directory states it.
struct ZipPart {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t check = 0;
  std::size_t local = 0, start = 0, packed = 0, size = 0;  // header and data in the file; bytes there and unpacked
};

class ZipArchive {
 public:
  /// `kind` is what the file should be, "an .npz archive"; `remedy` what makes a readable one, "use numpy.savez". Both are for
  /// messages, as is `file`. Throws Error for an archive that is cut, damaged or expands without measure.
  ZipArchive(std::string_view bytes, const std::string& file, std::string kind, std::string remedy);

  /// In the order of the directory.
  const std::vector<ZipPart>& parts() const { return parts_; }
  const ZipPart* find(std::string_view name) const;
  /// Unpacked, with its checksum verified. Throws Error.
  std::string content(const ZipPart& part) const;
  /// What else the archive may expand to.
  Expansion& expansion() { return expansion_; }
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  std::size_t find_end() const;
  void read_directory();
  ZipPart part_at(std::size_t entry, std::string name) const;
  void check_sizes();

  std::string file_, kind_, remedy_;
  std::string_view bytes_;
  Expansion expansion_;
  std::vector<ZipPart> parts_;
};

}  // namespace stickslip::inline recordings
