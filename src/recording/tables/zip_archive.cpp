/// The parts of a zip archive; see zip_archive.hpp.
#include "recording/tables/zip_archive.hpp"

#include <algorithm>

#include "core/checksum.hpp"
#include "core/text.hpp"
#include "recording/tables/inflate.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;
constexpr std::size_t longest_comment = 65535;

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes, const std::string& file, std::string kind, std::string remedy)
    : file_(file), kind_(std::move(kind)), remedy_(std::move(remedy)), bytes_(bytes), expansion_(bytes.size()) {
  read_directory();
  check_sizes();
}

void ZipArchive::refuse(const std::string& name, const std::string& what) const {
  refuse_file(file_, in_quotes(one_line(name, 40)) + " " + what);
}

const ZipPart* ZipArchive::find(std::string_view name) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const ZipPart& p) { return p.name == name; });
  return found == parts_.end() ? nullptr : &*found;
}

std::size_t ZipArchive::find_end() const {
  if (bytes_.size() >= end_size) {
    std::size_t at = bytes_.size() - end_size;
    const std::size_t lowest = at > longest_comment ? at - longest_comment : 0;
    for (;; --at) {
      if (number_at<std::uint32_t>(bytes_, at) == end_mark) return at;
      if (at == lowest) break;
    }
  }
  refuse_file(file_, "is not " + kind_ + ", or is truncated: its directory is missing");
}

void ZipArchive::read_directory() {
  const std::size_t end = find_end();
  const std::size_t entries = number_at<std::uint16_t>(bytes_, end + 10);
  std::size_t at = number_at<std::uint32_t>(bytes_, end + 16);
  for (std::size_t i = 0; i < entries; ++i) {
    if (at > end || end - at < central_size || number_at<std::uint32_t>(bytes_, at) != central_mark)
      refuse_file(file_, "the archive's directory is damaged");
    const std::size_t name_size = number_at<std::uint16_t>(bytes_, at + 28);
    const std::size_t extra =
        std::size_t(number_at<std::uint16_t>(bytes_, at + 30)) + number_at<std::uint16_t>(bytes_, at + 32);
    if (end - at - central_size < name_size + extra) refuse_file(file_, "the archive's directory is damaged");
    parts_.push_back(part_at(at, std::string(bytes_.substr(at + central_size, name_size))));
    at += central_size + name_size + extra;
  }
}

ZipPart ZipArchive::part_at(std::size_t entry, std::string name) const {
  ZipPart part;
  part.name = std::move(name);
  part.flags = number_at<std::uint16_t>(bytes_, entry + 8);
  part.method = number_at<std::uint16_t>(bytes_, entry + 10);
  part.check = number_at<std::uint32_t>(bytes_, entry + 16);
  part.packed = number_at<std::uint32_t>(bytes_, entry + 20);
  part.size = number_at<std::uint32_t>(bytes_, entry + 24);
  part.local = number_at<std::uint32_t>(bytes_, entry + 42);
  if (part.size == 0xffffffff || part.packed == 0xffffffff || part.local == 0xffffffff)
    refuse(part.name, "lies beyond 4 GB (zip64)");
  if (part.local > bytes_.size() || bytes_.size() - part.local < local_size ||
      number_at<std::uint32_t>(bytes_, part.local) != local_mark)
    refuse(part.name, "is damaged");
  part.start = part.local + local_size + number_at<std::uint16_t>(bytes_, part.local + 26) +
               number_at<std::uint16_t>(bytes_, part.local + 28);
  if (part.start > bytes_.size() || bytes_.size() - part.start < part.packed) refuse(part.name, "is cut off");
  return part;
}

/// Before anything is unpacked: parts that share bytes, or state more than their bytes can hold or than is sensible.
void ZipArchive::check_sizes() {
  std::vector<ZipPart> parts = parts_;
  std::sort(parts.begin(), parts.end(), [](const ZipPart& a, const ZipPart& b) { return a.local < b.local; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i - 1].start + parts[i - 1].packed > parts[i].local)
      refuse(parts[i].name, "overlaps " + in_quotes(one_line(parts[i - 1].name, 40)) + "; the archive is damaged");
    const std::uint64_t most = parts[i].method == 0 ? parts[i].packed : most_inflated(parts[i].packed);
    if (parts[i].size > most)
      refuse(parts[i].name, "states " + std::to_string(parts[i].size) + " bytes, more than its " +
                                std::to_string(parts[i].packed) + " can hold");
    if (!expansion_.take(parts[i].size)) refuse(parts[i].name, Expansion::refusal());
  }
}

std::string ZipArchive::content(const ZipPart& part) const {
  const std::string_view packed = bytes_.substr(part.start, part.packed);
  std::string plain;
  if (part.flags & 1) refuse(part.name, "is encrypted; save it without a password");
  if (part.method == 0) {
    plain = packed;
  } else if (part.method == 8) {
    auto unpacked = Inflater().all(packed, Packing::deflate, part.size);
    if (!unpacked) refuse(part.name, "cannot be decompressed");
    plain = std::move(*unpacked);
  } else {
    refuse(part.name, "is compressed in an unknown way; " + remedy_);
  }
  if (plain.size() != part.size || crc32(plain) != part.check) refuse(part.name, "is damaged (checksum)");
  return plain;
}

}  // namespace stickslip::inline recordings
