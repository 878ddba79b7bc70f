/// What a sweep has done so far, in a file that is only ever added to: Ctrl-C, kill -9 or a power cut lose the runs that
/// were under way, nothing else.
///   header  "stickslip sweep journal 2\n", fingerprint, numbers per run, machine
///   block   first run, runs, bytes of remarks; the numbers, run by run; the remarks; CRC-32 of all that
/// Blocks come in any order and any size. The fingerprint belongs to one sweep of one scenario; another one is refused.
/// Data after the last whole block was being written when the program ended, and is cut off.
/// A block is also how a rank of a cluster tells its runs, and a shard's journal is one like any other: blocks of the same
/// fingerprint and machine can be put together.
/// Integers and numbers are 8 bytes in the machine's own order. The machine is that of core/number_signature.hpp: a journal
/// begun with other instructions or another C library is refused, since the last digits of its runs are others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/file.hpp"

namespace stickslip::inline sweeps {

/// What is known of a sweep's runs.
struct SweepRows {
  std::size_t width = 0;                       // numbers per run
  std::vector<double> values;                  // run by run
  std::vector<bool> is_done;                   // per run
  std::map<std::size_t, std::string> remarks;  // why a run could not be made

  SweepRows() = default;
  SweepRows(std::size_t runs, std::size_t numbers) : width(numbers), values(runs * numbers), is_done(runs, false) {}
  std::size_t size() const { return is_done.size(); }
  double* row(std::size_t run) { return values.data() + run * width; }
  const double* row(std::size_t run) const { return values.data() + run * width; }
};

/// 64 bits that change with every byte of the text (FNV-1a).
std::uint64_t journal_fingerprint(std::string_view text);

/// Some runs as a block: `values` and `remarks` of runs `first` ... `first + count − 1`, remarks by the run's number.
std::string sweep_block(std::size_t first, std::size_t count, std::size_t width, const double* values,
                        const std::map<std::size_t, std::string>& remarks);
/// Takes the block that begins the bytes; returns its length, 0 if it is not whole or does not fit the rows.
std::size_t take_sweep_block(std::string_view bytes, SweepRows& rows);

/// Takes the blocks of a journal that somebody else keeps or has kept, such as a shard, as far as they are whole. Throws
/// Error for a journal of another sweep or of a machine with other numbers.
void take_sweep_journal(const std::string& path, std::uint64_t fingerprint, std::uint64_t machine, SweepRows& rows);

/// Removes a journal, so that the sweep starts over. Throws Error while another program writes to it, or if it stays.
void discard_sweep_journal(const std::string& path);

class SweepJournal {
 public:
  /// Opens or begins it, and takes what is there into `rows`. Throws Error for a journal of another sweep, and for a place
  /// that cannot be written to.
  SweepJournal(std::string path, std::uint64_t fingerprint, SweepRows& rows, std::uint64_t machine = 0);
  ~SweepJournal();
  SweepJournal(const SweepJournal&) = delete;
  SweepJournal& operator=(const SweepJournal&) = delete;

  /// Adds runs `first` ... `first + count − 1` of `rows`. Not for two threads at once. Throws Error on a full disk.
  void add(const SweepRows& rows, std::size_t first, std::size_t count);
  /// The same of runs that are a block already.
  void add(std::string_view block);
  /// The sweep is finished and its results are written: the journal goes.
  void remove();

 private:
  std::string path_;
  LockedFile file_;
  double synced_ = 0;  // when it last reached the disk [s]
};

}  // namespace stickslip::inline sweeps
