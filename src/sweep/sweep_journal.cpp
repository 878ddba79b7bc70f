/// The journal of a sweep; see sweep_journal.hpp.
#include "sweep/sweep_journal.hpp"

#include <chrono>
#include <cstring>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"

namespace stickslip {
namespace {

constexpr std::string_view magic = "stickslip sweep journal 2\n";
constexpr std::size_t block_head = 3 * sizeof(std::uint64_t);

void check_written(const std::string& problem, const std::string& path) {
  if (!problem.empty()) throw Error("cannot write the journal " + in_quotes(path) + ": " + problem);
}

void put(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string header_of(std::uint64_t fingerprint, std::size_t width, std::uint64_t machine) {
  std::string bytes(magic);
  put(bytes, fingerprint);
  put(bytes, width);
  put(bytes, machine);
  return bytes;
}

/// "run\tremark\n" for each of the runs that has one.
std::string remarks_text(const SweepRows& rows, std::size_t first, std::size_t count) {
  std::string text;
  for (auto it = rows.remarks.lower_bound(first); it != rows.remarks.end() && it->first < first + count; ++it)
    text += std::to_string(it->first) + "\t" + one_line(it->second, 1000) + "\n";
  return text;
}
void take_remarks(std::string_view text, SweepRows& rows) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1), tab = text.find('\t');
    if (tab < end) rows.remarks[std::stoull(std::string(text.substr(0, tab)))] = text.substr(tab + 1, end - tab - 1);
    text.remove_prefix(end + 1);
  }
}

/// Takes the block that begins the bytes; returns its length, 0 if it is not whole.
std::size_t take_block(std::string_view bytes, SweepRows& rows) {
  if (bytes.size() < block_head) return 0;
  const std::uint64_t first = number_at(bytes, 0), count = number_at(bytes, 8), remarks = number_at(bytes, 16);
  if (first > rows.size() || count > rows.size() - first || remarks > bytes.size()) return 0;
  const std::size_t numbers = count * rows.width * sizeof(double), length = block_head + numbers + remarks;
  if (bytes.size() < length + sizeof(std::uint64_t)) return 0;
  if (number_at(bytes, length) != crc32(bytes.substr(0, length))) return 0;
  if (count > 0) std::memcpy(rows.row(first), bytes.data() + block_head, numbers);
  for (std::size_t i = first; i < first + count; ++i) rows.is_done[i] = true;
  take_remarks(bytes.substr(block_head + numbers, remarks), rows);
  return length + sizeof(std::uint64_t);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::uint64_t journal_fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

SweepJournal::SweepJournal(std::string path, std::uint64_t fingerprint, SweepRows& rows, std::uint64_t machine)
    : path_(std::move(path)) {
  check_written(file_.open(path_), path_);
  if (!file_.lock())
    throw Error(one_line(path_) + ": another sweep is writing to it; wait for it, or name another --output");
  const std::string bytes = read_whole(path_), header = header_of(fingerprint, rows.width, machine);
  const bool is_begun = bytes.size() >= header.size();
  const std::size_t same_sweep = header.size() - sizeof machine;
  if (is_begun && bytes.substr(0, same_sweep) == header.substr(0, same_sweep) &&
      number_at(bytes, same_sweep) != machine)
    throw Error(one_line(path_) +
                ": was begun with other vector instructions or another C library, whose numbers differ in their last "
                "digits; go on there, name its set with STICKSLIP_INSTRUCTIONS, or begin anew with --restart");
  if (is_begun && bytes.substr(0, header.size()) != header)
    throw Error(one_line(path_) +
                ": is the journal of another sweep, or the sweep or its scenario has changed since; --restart begins "
                "anew, another --output keeps both");
  std::size_t end = is_begun ? header.size() : 0;
  if (is_begun)
    while (const std::size_t length = take_block(std::string_view(bytes).substr(end), rows)) end += length;
  check_written(file_.cut(end), path_);
  if (!is_begun) check_written(file_.append(header), path_);
  synced_ = seconds_now();
}

SweepJournal::~SweepJournal() {
  if (file_.is_open()) file_.sync();
}

void SweepJournal::add(const SweepRows& rows, std::size_t first, std::size_t count) {
  const std::string remarks = remarks_text(rows, first, count);
  std::string bytes;
  put(bytes, first);
  put(bytes, count);
  put(bytes, remarks.size());
  bytes.append(reinterpret_cast<const char*>(rows.row(first)), count * rows.width * sizeof(double));
  bytes += remarks;
  put(bytes, crc32(bytes));
  check_written(file_.append(bytes), path_);
  if (seconds_now() - synced_ > 2) {  // a killed program loses nothing anyway; this is for power cuts
    file_.sync();
    synced_ = seconds_now();
  }
}

void SweepJournal::remove() { file_.remove(); }

}  // namespace stickslip
