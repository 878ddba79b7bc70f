/// The journal of a sweep; see sweep_journal.hpp.
#include "sweep/sweep_journal.hpp"

#include <chrono>
#include <cstring>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "platform/path.hpp"

namespace stickslip::inline sweeps {
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

/// How far the whole blocks reach from `at` on.
std::size_t take_blocks(std::string_view bytes, std::size_t at, SweepRows& rows) {
  while (const std::size_t length = take_sweep_block(bytes.substr(at), rows)) at += length;
  return at;
}

std::string header_of(std::uint64_t fingerprint, std::size_t width, std::uint64_t machine) {
  std::string bytes(magic);
  put(bytes, fingerprint);
  put(bytes, width);
  put(bytes, machine);
  return bytes;
}

/// "run\tremark\n" for each of the runs that has one.
std::string remarks_text(const std::map<std::size_t, std::string>& remarks, std::size_t first, std::size_t count) {
  std::string text;
  for (auto it = remarks.lower_bound(first); it != remarks.end() && it->first < first + count; ++it)
    text += std::to_string(it->first) + "\t" + one_line(it->second, 1000) + "\n";
  return text;
}
/// False if the text is none of these, or tells of other runs.
bool read_remarks(std::string_view text, std::size_t first, std::size_t count,
                  std::map<std::size_t, std::string>& remarks) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n'), tab = text.find('\t');
    if (end == std::string_view::npos || tab >= end || tab == 0 || tab > 18) return false;
    std::size_t run = 0;
    for (const char c : text.substr(0, tab)) {
      if (c < '0' || c > '9') return false;
      run = 10 * run + std::size_t(c - '0');
    }
    if (run < first || run - first >= count) return false;
    remarks[run] = one_line(text.substr(tab + 1, end - tab - 1), 1000);
    text.remove_prefix(end + 1);
  }
  return true;
}

/// Where the blocks begin: 0 in a file that ends within its header. Throws Error for a journal of something else.
std::size_t begin_of_blocks(const std::string& path, std::string_view bytes, const std::string& header,
                            const std::string& advice) {
  if (bytes.size() < header.size() && header.starts_with(bytes)) return 0;
  if (!bytes.starts_with(magic)) throw Error(one_line(path) + ": is not a journal of this version's sweeps; " + advice);
  const std::size_t same_sweep = header.size() - sizeof(std::uint64_t);
  if (bytes.substr(0, same_sweep) != std::string_view(header).substr(0, same_sweep))
    throw Error(one_line(path) + ": is the journal of another sweep, or the sweep or its scenario has changed since; " +
                advice);
  if (bytes.substr(0, header.size()) != header)
    throw Error(one_line(path) +
                ": was started with other vector instructions or another C library, whose results differ in their last "
                "digits; continue there, select its set with STICKSLIP_INSTRUCTIONS, or start over with --restart");
  return header.size();
}

/// Locks an open journal. Throws Error while another program writes to it.
void take_alone(LockedFile& file, const std::string& path) {
  if (!file.lock())
    throw Error(one_line(path) + ": another sweep is writing to it; wait for it, or name another --output");
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string sweep_block(std::size_t first, std::size_t count, std::size_t width, const double* values,
                        const std::map<std::size_t, std::string>& remarks) {
  const std::string texts = remarks_text(remarks, first, count);
  std::string bytes;
  put(bytes, first);
  put(bytes, count);
  put(bytes, texts.size());
  bytes.append(reinterpret_cast<const char*>(values), count * width * sizeof(double));
  bytes += texts;
  put(bytes, crc32(bytes));
  return bytes;
}

std::size_t take_sweep_block(std::string_view bytes, SweepRows& rows) {
  if (bytes.size() < block_head) return 0;
  const std::uint64_t first = number_at(bytes, 0), count = number_at(bytes, 8), remarks = number_at(bytes, 16);
  if (first > rows.size() || count > rows.size() - first || remarks > bytes.size()) return 0;
  const std::size_t numbers = count * rows.width * sizeof(double), length = block_head + numbers + remarks;
  if (bytes.size() < length + sizeof(std::uint64_t)) return 0;
  if (number_at(bytes, length) != crc32(bytes.substr(0, length))) return 0;
  std::map<std::size_t, std::string> texts;
  if (!read_remarks(bytes.substr(block_head + numbers, remarks), first, count, texts)) return 0;
  if (count > 0) std::memcpy(rows.row(first), bytes.data() + block_head, numbers);
  for (std::size_t i = first; i < first + count; ++i) rows.is_done[i] = true;
  for (auto& [run, text] : texts) rows.remarks[run] = std::move(text);
  return length + sizeof(std::uint64_t);
}

void take_sweep_journal(const std::string& path, std::uint64_t fingerprint, std::uint64_t machine, SweepRows& rows) {
  const std::string bytes = read_whole(path), header = header_of(fingerprint, rows.width, machine);
  const std::string advice = "merge needs the same sweep file, and --no-lanes if the shards were run with it";
  if (const std::size_t begin = begin_of_blocks(path, bytes, header, advice)) take_blocks(bytes, begin, rows);
}

void discard_sweep_journal(const std::string& path) {
  LockedFile file;
  if (facts_of(path).kind == FileKind::file && file.open(path).empty()) take_alone(file, path);
  file.close();
  const std::string problem = remove_file(path);
  if (!problem.empty()) throw Error("cannot remove the journal " + in_quotes(path) + ": " + problem);
}

std::uint64_t journal_fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

SweepJournal::SweepJournal(std::string path, std::uint64_t fingerprint, SweepRows& rows, std::uint64_t machine)
    : path_(std::move(path)) {
  if (facts_of(path_).kind == FileKind::device)  // a pipe would wait for what only this program can write
    check_written("it is a pipe or a device; name another --output", path_);
  check_written(file_.open(path_), path_);
  take_alone(file_, path_);
  const std::string bytes = read_whole(path_), header = header_of(fingerprint, rows.width, machine);
  const std::size_t begin = begin_of_blocks(path_, bytes, header, "--restart starts over, another --output keeps both");
  const std::size_t end = begin > 0 ? take_blocks(bytes, begin, rows) : 0;
  check_written(file_.cut(end), path_);
  if (begin == 0) check_written(file_.append(header), path_);
  synced_ = seconds_now();
}

SweepJournal::~SweepJournal() {
  if (file_.is_open()) file_.sync();
}

void SweepJournal::add(const SweepRows& rows, std::size_t first, std::size_t count) {
  add(sweep_block(first, count, rows.width, rows.row(first), rows.remarks));
}

void SweepJournal::add(std::string_view block) {
  check_written(file_.append(block), path_);
  if (seconds_now() - synced_ > 2) {  // a killed program loses nothing anyway; this is for power cuts
    file_.sync();
    synced_ = seconds_now();
  }
}

void SweepJournal::remove() { file_.remove(); }

}  // namespace stickslip::inline sweeps
