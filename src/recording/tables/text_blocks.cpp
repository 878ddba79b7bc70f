/// A text file as blocks of whole lines; see text_blocks.hpp.
#include "recording/tables/text_blocks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/checksum.hpp"
#include "core/text.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t block_size = std::size_t(1) << 20;
constexpr std::size_t longest_line = std::size_t(1) << 24;  // 16 MB; a cell is limited further, see text_table.cpp

/// The line of the first byte that is no UTF-8; 0: all is. A character that is cut off at the end is none.
std::size_t line_without_utf8(std::string_view text) {
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\n') ++line;
    if (byte < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return text.size() - at < 4 && byte >= 0xc2 ? 0 : line;
    at += length;
  }
  return 0;
}

/// Bytes 80 to 9F of Windows-1252; the others are those of Latin-1, which are Unicode's.
constexpr std::array<char16_t, 32> windows_1252{0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
                                                0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

}  // namespace

std::size_t TextBlocks::convert(std::size_t count) {
  std::string converted;
  converted.reserve(count + count / 8);
  for (const char c : std::string_view(buffer_.data() + filled_, count)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      converted += c;
      continue;
    }
    const char16_t code = byte < 0xa0 ? windows_1252[byte - 0x80u] : static_cast<char16_t>(byte);
    if (code >= 0x800) {
      converted += static_cast<char>(0xe0 | (code >> 12));
      converted += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    } else {
      converted += static_cast<char>(0xc0 | (code >> 6));
    }
    converted += static_cast<char>(0x80 | (code & 0x3f));
  }
  if (filled_ + converted.size() + 1 > buffer_.size()) buffer_.resize(filled_ + converted.size() + 1 + block_size / 2);
  std::copy(converted.begin(), converted.end(), buffer_.begin() + std::ptrdiff_t(filled_));
  return converted.size();
}

TextBlocks::TextBlocks(const std::string& path) : path_(path), file_(open_to_read(path)) {
  const int problem = errno;
  const FileFacts about = facts_of(path);
  if (about.kind == FileKind::directory) refuse_file(path, "is a directory; a recording is a file");
  if (!file_) refuse_file(path, std::strerror(problem));
  size_ = std::size_t(about.size);
  buffer_.resize(block_size + 1);
}

TextBlocks::TextBlocks(std::string_view bytes, const std::string& name)
    : path_(name), bytes_(bytes), buffer_(std::min(block_size, bytes.size()) + 1, '\0'), size_(bytes.size()) {}

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
  if (start.starts_with("MDF     "sv) || start.starts_with("UnFinMF "sv))
    refuse(
        "an MDF measurement file; export it as CSV: asammdf's MDF('log.mf4').export('csv', 'log'), or the tool that "
        "wrote it");
  if (start.starts_with("PK\x03\x04"sv) && start.substr(0, 100).find("opendocument") != std::string_view::npos)
    refuse("an OpenDocument spreadsheet; save it as .xlsx or CSV");
  if (start.starts_with("PK\x03\x04"sv))
    refuse("a zip archive; unpack it, or call it .npz if it holds NumPy arrays, .xlsx if it is a spreadsheet");
  if (start.starts_with("\xd0\xcf\x11\xe0"sv)) refuse("an old spreadsheet (.xls); save it as .xlsx or CSV");
  if (start.starts_with("TDSm"sv))
    refuse("a LabVIEW TDMS file; export it as CSV: nptdms' TdmsFile.read('log.tdms').as_dataframe().to_csv('log.csv')");
  if (start.starts_with("#ROSBAG"sv))
    refuse("a ROS bag; export its topic as CSV: rostopic echo -b log.bag -p /joint_states > log.csv");
  if (start.starts_with("SQLite format 3"sv) || start.starts_with("\x89MCAP"sv))
    refuse("a database (a ROS 2 bag?); export its topic as CSV, for example with PlotJuggler");
  if (start.starts_with("PAR1"sv))
    refuse("a Parquet file; save it as CSV: pandas.read_parquet('log').to_csv('log.csv')");
  if (start.starts_with("LOGG"sv))
    refuse("a CAN log (.blf); export its signals as CSV with the tool that wrote it, or as .mf4 with asammdf");
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
  refuse_at(path_, std::size_t(line), 1, "a NUL byte at offset " + std::to_string(nul) + ": this is not a text file");
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
    if (buffer_.size() - 1 - filled_ < (file_ ? block_size / 2 : std::min(block_size / 2, bytes_.size()))) {
      if (filled_ > longest_line) refuse_file(path_, "a line is longer than 16 MB; this is not a table");
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
      odd_line_ = line_without_utf8(text);
      cr_only_ = text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos;
    }
    if (cr_only_) std::replace(from, from + got, '\r', '\n');
    filled_ += odd_line_ > 0 ? convert(got) : got;
    const auto last = std::string_view(buffer_.data(), filled_).rfind('\n');
    if (last != std::string_view::npos) whole_ = last + 1;
  }
  return true;
}

std::string TextBlocks::fingerprint() const { return fingerprint_of(crc_, read_); }

}  // namespace stickslip::inline recordings
