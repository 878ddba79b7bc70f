/// Unpacking deflated bytes, never beyond a stated size; see raw_table.hpp.
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "recording/tables/raw_table.hpp"

namespace stickslip {

std::optional<std::string> inflated(std::string_view bytes, bool raw, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, raw ? -MAX_WBITS : MAX_WBITS) != Z_OK) return std::nullopt;
  std::string out;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  std::size_t left = bytes.size();
  int state = Z_OK;
  while (state == Z_OK && out.size() <= limit) {
    const std::size_t had = out.size();
    out.resize(std::max<std::size_t>(65536, std::min(2 * had, limit + 1)));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + had);
    stream.avail_out = uInt(std::min<std::size_t>(out.size() - had, std::numeric_limits<uInt>::max()));
    const uInt room = stream.avail_out;
    if (stream.avail_in == 0) {
      stream.avail_in = uInt(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
      left -= stream.avail_in;
    }
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(had + (room - stream.avail_out));
    if (state == Z_BUF_ERROR && left > 0) state = Z_OK;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || out.size() > limit) return std::nullopt;
  return out;
}

std::string inflated_start(std::string_view bytes, std::size_t size) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  std::string out(size, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(size);
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(size - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace stickslip
