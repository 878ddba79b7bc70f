/// Prepares a recording for the fit of a friction model: a uniform time grid, the motion with its derivatives, and the
/// friction force. Every step is documented with its numbers, so that it can be repeated.
///   const Prepared clean = prepare(read_recording("axis.csv"), {.cutoff_hz = 50});
///   1. the stretch of time that is needed; 2. an even grid, where the recording is uneven or a higher rate is needed;
///   3. zero-phase Butterworth low-pass of the position (position_band.hpp chooses the cutoff), central differences;
///   4. the force moved by its lag (contact_fit.hpp estimates it);
///   5. friction = sign · force − offset − mass · acceleration − load(position); 6. a lower rate, after a low-pass at 0.4 of it
/// A recording with velocity and no position is integrated. Gaps are bridged by straight lines, with a note.
/// Not here: reading files; anything about a friction model.
#pragma once
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "recording/preparation/additive_load.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline recordings {

struct Preparation {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();  // [s]
  double rate_hz = 0;          // samples per second; 0: as recorded
  double cutoff_hz = 0;        // low-pass of the motion; 0: chosen from its noise; infinity: none
  double force_cutoff_hz = 0;  // low-pass of the measured force; 0: none
  int order = 4;               // of the low-passes, each way
  bool use_velocity = false;   // the velocity column, where a position would be differentiated
  double lag = 0;              // how late the force is behind the motion [s]
  bool find_lag = false;       // estimated, `lag` being ignored
  double lag_error = 0;        // standard deviation of the lag; 0: exact [s]
  bool lag_is_found = false;   // lag and its error are of this very recording, which cannot tell them a second time
  double mass = 0;             // whose inertia is in the measured force [kg]
  double mass_error = 0;       // standard deviation of that; infinity: nothing was known beforehand [kg]
  AdditiveLoad load = {};      // that is in the measured force
  double offset = 0;           // of the measured force, sign inverted or not [N]
  bool find_offset = false;    // estimated, `offset` being ignored
  bool force_drives = false;   // the force column is positive against friction's sign rule: its sign is inverted
  double resolution = -1;      // of the position [m]; negative: found
};

/// A prepared recording, or a section of one. All columns have the length of time; load, pressure and temperature may be empty.
struct Prepared {
  std::vector<double> time, position, velocity, acceleration;  // [s], [m] or [rad], ...
  std::vector<double> measured_position;                       // as read, not smoothed; on the same grid
  std::vector<double> force;                                   // friction, positive against positive velocity [N]
  std::vector<double> load, pressure, temperature;             // [N], [Pa], [K]
  std::vector<double> clipped = {};  // above 0: the force reads the end of its range, and may be more; empty: none
  double sampling_time = 0;          // [s]
  double resolution = 0;             // of the position: readings are ± half of it; 0: none seen
  double force_resolution = 0;
  double position_noise = 0;  // standard deviation of the readings [m]
  bool rotary = false;
  std::string file, fingerprint;
  Preparation used;                // the options with all that was chosen or found filled in: they repeat this
  std::vector<std::string> steps;  // what was done, in order, with numbers
  std::vector<Note> notes;         // remarks

  std::size_t size() const { return time.size(); }
};

/// Removes the note that friction would drive the machine: it refers to the force as read, and is settled where that is
/// sign inverted.
void drop_sign_note(std::vector<Note>& notes);

/// Throws Error where the recording has no position and no velocity, or too few samples.
Prepared prepare(const Recording& recording, const Preparation& options = {});

/// The same with another low-pass of the position; nothing where it had none, or the rate was changed.
std::optional<Prepared> with_cutoff(const Prepared& data, double cutoff_hz);

/// Neighbouring samples, by number.
struct Stretch {
  std::size_t first = 0, count = 0;
};

/// The samples of a piece that serve one purpose: one stretch, or several with others in between.
class SampleSet {
 public:
  SampleSet() = default;
  SampleSet(std::size_t first, std::size_t count) { add({first, count}); }
  /// Behind those that are there; an empty stretch adds nothing.
  void add(Stretch s) {
    if (s.count > 0) stretches_.push_back(s);
  }
  /// Consecutive samples, in order.
  const std::vector<Stretch>& stretches() const { return stretches_; }
  bool empty() const { return stretches_.empty(); }
  /// Number of samples in all stretches.
  std::size_t count() const;
  std::size_t first() const { return stretches_.empty() ? 0 : stretches_.front().first; }
  std::size_t end() const { return stretches_.empty() ? 0 : stretches_.back().first + stretches_.back().count; }
  /// Whether this sample is in the set.
  bool contains(std::size_t sample) const;
  /// Those from a sample on.
  SampleSet from(std::size_t first) const;

 private:
  std::vector<Stretch> stretches_;
};

/// Consecutive samples, and the set that each belongs to. A model runs through all of them in one go along the measured
/// motion, and its memory with it: nothing restarts where one set ends and the next begins.
struct Piece {
  Prepared data;
  SampleSet estimation, validation, test;  // empty: none
  std::size_t unit = 0;                    // which recording it is part of, where several are given
};
struct Sets {
  std::vector<Piece> pieces;
  std::string how;  // "first 50 %, next 25 %, last 25 % of the time"
};

/// By time: the first share estimates, the next validates, the rest tests.
Sets split_by_time(Prepared data, std::array<double, 3> shares = {0.5, 0.25, 0.25});
/// The same in rounds, each divided by the shares: as few rounds as it takes until every set moves both ways and rests as the
/// recording does (each direction with a quarter of its share, rest with a twentieth, where the recording itself has 2 % of the
/// direction, 5 % of rest), and estimation, after the first wide stroke, has a quarter of its share of the squares of speed and
/// acceleration and of each octave of speed. Where no number of rounds does, those nearest to it, directions before speeds;
/// blocks are at least 64 samples and three periods of the low-pass long.
Sets split_in_rounds(Prepared data, std::array<double, 3> shares = {0.5, 0.25, 0.25});
/// Takes out of all sets the samples whose force reads the end of its range; how many there were.
std::size_t leave_out_clipped(Sets& sets);
/// One sentence per set that hardly moves in one of the directions, although the recordings do.
std::vector<std::string> one_sided_sets(const Sets& sets);
/// By file: each list serves one set; a set without its own file takes its share of the estimation files.
Sets split_by_file(std::vector<Prepared> estimation, std::vector<Prepared> validation, std::vector<Prepared> test);
/// By the value of a column: neighbouring rows with the same value are one piece.
struct ColumnSplit {
  std::string column;
  std::vector<std::string> estimation, validation, test;  // values, as written in the file
};
/// Sets by the value of a column; consecutive rows with the same value form a piece. Throws Error.
Sets split_by_column(const Recording& recording, const Preparation& options, const ColumnSplit& split);

/// Samples first, first + 1, ... of a recording; remarks stay with the whole.
Recording part_of(const Recording& recording, Stretch samples);
Prepared part_of(const Prepared& data, Stretch samples);

/// State of the body over a section.
enum class PhaseKind { rest, presliding, sliding };
struct Phase {
  PhaseKind kind = PhaseKind::rest;
  Stretch samples;
};
struct Phases {
  std::vector<Phase> phases;              // one after the other, from the first sample to the last
  double presliding_distance = 0;         // travel after a reversal that counts as presliding [m]
  double rest_band = 0;                   // readings within this are rest [m]
  double share_of(PhaseKind kind) const;  // of the samples
};
/// Rest: the readings stay within their resolution (or four times their noise) for at least ten samples and a
/// hundredth of a second. Presliding: after a rest or a reversal, until friction has made 90 % of its change, over
/// 2.3 times the distance d of contact_fit.hpp's (2); the force says d. Sliding: the rest.
Phases phases_of(const Prepared& data);
/// Its rest alone, sample by sample.
std::vector<bool> resting(const Prepared& data);

}  // namespace stickslip::inline recordings
