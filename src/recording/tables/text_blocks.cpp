/// A text file as blocks of whole lines; see text_blocks.hpp.
#include "recording/tables/text_blocks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/checksum.hpp"
#include "core/text.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip {
namespace {

constexpr std::size_t block_size = std::size_t(1) << 20;
constexpr std::size_t longest_line = std::size_t(1) << 24;  // 16 MB; a cell is limited further, see text_table.cpp

}  // namespace

TextBlocks::TextBlocks(const std::string& path) : path_(path), file_(open_to_read(path)) {
  const int problem = errno;
  const FileFacts about = facts_of(path);
  if (about.kind == FileKind::directory) refuse_file(path, "is a directory; a recording is a file");
  if (!file_) refuse_file(path, std::strerror(problem));
  size_ = std::size_t(about.size);
  buffer_.resize(block_size + 1);
}

TextBlocks::TextBlocks(std::string_view bytes, const std::string& name)
    : path_(name), bytes_(bytes), buffer_(block_size + 1, '\0'), size_(bytes.size()) {}

std::size_t TextBlocks::take(char* to, std::size_t room) {
  if (!file_) {
    const std::size_t got = bytes_.copy(to, room);
    bytes_.remove_prefix(got);
    at_end_ = bytes_.empty();
    return got;
  }
  std::size_t got = std::fread(to, 1, room, file_.get());
  while (std::ferror(file_.get()) && errno == EINTR) {  // a signal came in between
    std::clearerr(file_.get());
    got += std::fread(to + got, 1, room - got, file_.get());
  }
  if (std::ferror(file_.get())) refuse_file(path_, std::strerror(errno));
  at_end_ = std::feof(file_.get()) != 0;
  return got;
}

void TextBlocks::check_encoding(std::string_view start) const {
  using namespace std::string_view_literals;
  const auto refuse = [&](const std::string& what) { refuse_at(path_, 1, 1, what); };
  if (start.starts_with("\x1f\x8b"sv)) refuse("gzip data; decompress it first (gunzip)");
  if (start.starts_with("PK\x03\x04"sv)) refuse("a zip archive; unpack it, or call it .npz if it holds NumPy arrays");
  if (start.starts_with("MATLAB 5.0"sv) || start.starts_with("MATLAB 7.3"sv))
    refuse("this is a MATLAB file; rename it to .mat");
  if (start.starts_with("\x89HDF"sv)) refuse("this is an HDF5 file; text is expected here");
  constexpr const char* convert = "; convert it to UTF-8";
  if (start.starts_with("\xff\xfe\0\0"sv) || start.starts_with("\0\0\xfe\xff"sv))
    refuse(std::string("UTF-32 text") + convert);
  if (start.starts_with("\xff\xfe"sv)) refuse(std::string("UTF-16LE text (it begins with FF FE)") + convert);
  if (start.starts_with("\xfe\xff"sv)) refuse(std::string("UTF-16BE text (it begins with FE FF)") + convert);
  const auto nul = start.substr(0, 4096).find('\0');
  if (nul == std::string_view::npos) return;
  if (nul < 2) refuse("a NUL byte at offset " + std::to_string(nul) + ": UTF-16 without byte order mark?" + convert);
  const auto line = 1 + std::count(start.begin(), start.begin() + std::ptrdiff_t(nul), '\n');
  refuse_at(path_, std::size_t(line), 1, "a NUL byte at offset " + std::to_string(nul) + ": this is no text file");
}

bool TextBlocks::next() {
  // What follows the last whole line moves to the front.
  std::copy(buffer_.begin() + std::ptrdiff_t(whole_), buffer_.begin() + std::ptrdiff_t(filled_), buffer_.begin());
  filled_ -= whole_;
  whole_ = 0;
  while (whole_ == 0) {
    if (at_end_) {
      if (filled_ == 0) return false;
      buffer_[filled_++] = '\n';
      whole_ = filled_;
      cut_ = true;
      return true;
    }
    if (buffer_.size() - 1 - filled_ < block_size / 2) {
      if (filled_ > longest_line) refuse_file(path_, "a line is longer than 16 MB; this is no table");
      buffer_.resize(2 * buffer_.size());
    }
    char* const from = buffer_.data() + filled_;
    std::size_t got = take(from, buffer_.size() - 1 - filled_);
    crc_ = crc32({from, got}, crc_);
    read_ += got;
    if (first_) {
      first_ = false;
      check_encoding({from, got});
      if (std::string_view(from, got).starts_with("\xef\xbb\xbf")) {
        std::copy(from + 3, from + got, from);
        got -= 3;
      }
      const std::string_view text(from, got);
      cr_only_ = text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos;
    }
    if (cr_only_) std::replace(from, from + got, '\r', '\n');
    filled_ += got;
    const auto last = std::string_view(buffer_.data(), filled_).rfind('\n');
    if (last != std::string_view::npos) whole_ = last + 1;
  }
  return true;
}

std::string TextBlocks::fingerprint() const { return fingerprint_of(crc_, read_); }

}  // namespace stickslip
