/// A zip archive in memory; see zip.hpp.
#include "files/zip.hpp"

#include <zlib.h>

#include <cstdint>
#include <limits>

#include "core/checksum.hpp"
#include "core/error.hpp"

namespace stickslip {
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

/// `window` as zlib has it: 15 with a zlib header, -15 bare.
std::string deflated(std::string_view content, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("zlib cannot compress: no memory");
  std::string out(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw Error("zlib cannot compress " + std::to_string(content.size()) + " bytes");
  return out;
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
  if (packing == Packing::deflated) smaller = deflated(content, -MAX_WBITS);
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

std::string zlib_stream(std::string_view content) { return deflated(content, MAX_WBITS); }

}  // namespace stickslip
