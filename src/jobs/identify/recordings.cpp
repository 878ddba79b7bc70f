/// From files to sets of samples; see recordings.hpp.
#include "jobs/identify/recordings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"

namespace stickslip::inline jobs {
namespace {

/// `turns_force`: the sign that may have been noticed is already dealt with.
Recording read_noticed(const RecordingSource& source, const ReadOptions& reading, bool turns_force, const Warn& warn) {
  Recording recording = source.read(reading);
  if (!source.recording) mark_read(source.file);
  if (turns_force) drop_sign_note(recording.notes);
  for (const Note& note : recording.notes) warn(to_text(note, recording.file));
  if (recording.position.empty() && recording.velocity.empty())
    throw Error(one_line(source.file) + ": no position and no velocity; choose a column with --position or --velocity");
  return recording;
}

Sets sets_by_column(const RecordingsRequest& request, const Recording& recording, const Preparation& asked) {
  const SplitRequest& split = request.split;
  if (request.files.size() > 1)
    throw Error("--split-by takes one recording; " + std::to_string(request.files.size()) + " were given");
  check_split(split);
  return split_by_column(recording, asked,
                         {split.column, split.estimation_values, split.validation_values, split.test_values});
}

/// The recordings of a request, read.
struct Recordings {
  std::vector<Recording> estimation, validation, test;
};

bool are_same(const Recording& a, const Recording& b) {
  return a.time == b.time && a.position == b.position && a.velocity == b.velocity && a.force == b.force;
}

/// Samples that are there twice make intervals too narrow, and those that were fitted judge nothing. Throws Error.
void check_all_differ(const Recordings& read) {
  struct Read {
    const Recording* recording;
    const char* use;
  };
  std::vector<Read> all;
  for (const Recording& r : read.estimation) all.push_back({&r, "fit the law"});
  for (const Recording& r : read.validation) all.push_back({&r, "rank the laws"});
  for (const Recording& r : read.test) all.push_back({&r, "test the best one"});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const Recording &one = *all[k].recording, &other = *all[i].recording;
      if (!are_same(one, other)) continue;
      const std::string names = one.file == other.file
                                    ? one_line(one.file) + " is given twice"
                                    : one_line(one.file) + " and " + one_line(other.file) + " hold the same samples";
      if (std::string_view(all[k].use) == all[i].use)
        throw Error(names + ": counted double they would make the intervals too narrow; leave out one");
      throw Error(names + ", to " + all[k].use + " and to " + all[i].use +
                  ": samples that were used before judge nothing; give another recording");
    }
}

/// Divided by time, or by file where there are several.
Sets sets_by_file(const RecordingsRequest& request, const Recordings& recordings, const Preparation& preparation,
                  const Warn& warn) {
  const SplitRequest& split = request.split;
  const auto all = [&](const std::vector<Recording>& read) {
    std::vector<Prepared> ready;
    for (const Recording& recording : read) ready.push_back(prepare_noticed(recording, preparation, warn));
    return ready;
  };
  std::vector<Prepared> estimation = all(recordings.estimation), validation = all(recordings.validation),
                        test = all(recordings.test);
  const bool by_time = estimation.size() == 1 && validation.empty() && test.empty();
  if (!by_time && split.shares && estimation.size() > 1)
    throw Error("--split divides one recording; several are divided by file, with --validation and --test");
  if (!by_time) return split_by_file(std::move(estimation), std::move(validation), std::move(test));
  // shares that were asked for are taken as they are
  return split.shares ? split_by_time(std::move(estimation.front()), *split.shares)
                      : split_in_rounds(std::move(estimation.front()), {0.5, 0.25, 0.25});
}

constexpr double unstated_lag = 1;  // samples: standard deviation of a lag that is not stated
constexpr double known_lag = 0.2;   // samples: of one that was found, at least
constexpr double as_a_spring =
    0.98;  // share of the acceleration that position explains: a mass is then a spring's negative

/// The law settles the mass again, but near where inverse dynamics put it: a law that does not fit would take any mass that hides its
/// errors. Three standard errors count the recording twice by no more than a tenth. Inverse dynamics take the instants of the force as they
/// are logged: `by_lag` is what the mass has from that, as far as the lag is not known.
double mass_prior(const SettledLoad& found, double by_lag) {
  return std::hypot(std::max(3 * found.mass_error, 0.01 * found.mass), by_lag);
}

/// How much the mass changes if the force is read one sample later: a viscous force is F_v T heavier then, and one that dies away
/// with the motion is larger altogether.
double mass_by_sample(const Sets& sets, const LoadSearch& search, double mass) {
  Sets later = sets;
  for (Piece& piece : later.pieces) {
    std::vector<double>& force = piece.data.force;
    std::rotate(force.begin(), force.begin() + 1, force.end());
    force.back() = force[force.size() - 2];
  }
  const auto found = settle_load(later, search);
  return found ? std::fabs(found->mass - mass) : 0;
}

std::string mass_words(const SettledLoad& found, bool is_rotary) {
  const std::string unit = is_rotary ? "kg m^2" : "kg";
  return with_unit(found.mass, unit, 4) + " +- " + with_unit(1.96 * found.mass_error, unit, 2) + " (95 %)";
}

/// Noise of the acceleration makes a mass that is fitted by it look smaller than it is, and a force look early. So inverse dynamics
/// see the motion through the low-pass that is chosen where such an inertia is subtracted (prepare.hpp), until they are done;
/// nothing where none shows. A mass that noise hides is small and uncertain: that it explains something is enough then, and where the
/// acceleration is noise to a quarter, the largest mass that is possible chooses the low-pass, and what is seen through this one once more.
/// Not lower than that: a low-pass takes the samples near reversals from inverse dynamics.
template <class MakeSets>
void quieten_for_inertia(const PreparationRequest& request, IdentifyJob& job, LoadSearch search,
                         const MakeSets& make_sets) {
  constexpr int rounds = 2;
  constexpr double plain = 5, possible = 2;  // standard errors
  constexpr double explains = 1.25;          // what is left without the mass, over what is left with it
  constexpr double noisy = 0.25;             // share of the acceleration
  if (request.mass == MassFrom::stated) return;
  search.mass = true;
  for (int round = 0; round < rounds; ++round) {
    std::optional<SettledLoad> first;
    try {
      first = settle_load(job.sets, search);
    } catch (const Error&) {  // if nothing moves, the fit of friction gives the better message
    }
    if (!first || !(first->mass > 0)) return;
    const bool is_noisy = first->noise_share > noisy,
               is_seen = first->mass > plain * first->mass_error || first->left_without > explains * first->left;
    if (round == 0 ? !is_noisy && !is_seen : !is_noisy) return;
    const Preparation asked = job.preparation;
    const double before = job.sets.pieces.front().data.used.cutoff_hz;
    job.preparation.mass = first->mass + (is_noisy ? possible * first->mass_error : 0);
    job.preparation.cutoff_hz = 0;
    make_sets();
    const double quiet = job.sets.pieces.front().data.used.cutoff_hz;
    job.preparation = asked;
    const bool is_lower = std::isfinite(quiet) && quiet < before;
    if (is_lower) job.preparation.cutoff_hz = quiet;
    make_sets();
    if (!is_lower) return;
  }
}

/// Without options: loads over position and a lag of the force that held-out samples clearly support. True if the lag
/// changed the preparation.
bool look_for_load(const PreparationRequest& request, IdentifyJob& job, LoadSearch& search, const Warn& warn) {
  const Preparation& asked = job.preparation;
  if (request.mass == MassFrom::stated || search.is_asked() || asked.load.is_given()) return false;
  std::optional<VisibleLoad> seen;
  try {
    seen = visible_load(job.sets);
  } catch (const Error&) {  // if nothing moves, the fit of friction gives the better message
  }
  if (!seen) return false;
  const std::string file = one_line(job.recording);
  const bool is_rotary = job.sets.pieces.front().data.rotary;
  const auto share = [](double part) { return significant(100 * part, 3) + " %"; };
  if (seen->search.gravity || seen->search.knots > 0 || seen->search.cogging_period > 0) {
    std::vector<std::string> options;
    if (seen->search.gravity) options.push_back("--gravity");
    if (seen->search.cogging_period > 0)
      options.push_back("--cogging '" + with_unit(seen->search.cogging_period, is_rotary ? "rad" : "m", 4) + "'");
    if (seen->search.knots > 0) options.push_back("--load-knots " + std::to_string(seen->search.knots));
    const std::string option = joined(options, " ");
    warn(file + ": no load was given and the force follows the position in both directions (inverse dynamics leave " +
         share(seen->left_without) + " of the held-out force unexplained, with such a load " + share(seen->left) +
         "): it is subtracted, as with " + option + "; --mass 0 or a stated mass prevents this");
    search = seen->search, search.mass = false;
  }
  const bool is_late = seen->lag != 0 && asked.lag == 0 && !asked.find_lag && !request.fits_lag;
  if (!is_late) return false;
  warn(file + ": the force is " + with_unit(std::abs(seen->lag), "s", 3) + (seen->lag > 0 ? " late" : " early") +
       " (inverse dynamics leave " + share(seen->left_at_once) + " of the held-out force, shifted " +
       share(seen->left_late) + "): it is shifted; --lag states it, --lag '0 s' shifts nothing");
  job.preparation.lag = seen->lag;
  if (seen->lag_error > 0) {
    job.preparation.lag_error = std::hypot(seen->lag_error, known_lag * job.sets.pieces.front().data.sampling_time);
    job.preparation.lag_is_found = true;
  }
  return true;
}

/// Finds the mass and the loads that were asked for, by inverse dynamics; true if the preparation changed.
bool settle(const PreparationRequest& request, IdentifyJob& job, LoadSearch search, const Warn& warn) {
  search.mass = request.mass != MassFrom::stated;
  if (!search.is_asked()) return false;
  const bool is_rotary = job.sets.pieces.front().data.rotary;
  const std::string file = one_line(job.recording);
  check_loads(request, is_rotary, job.recording);
  const bool must =
      request.mass == MassFrom::recording || search.gravity || search.cogging_period > 0 || search.knots > 0;
  std::optional<SettledLoad> found;
  try {
    found = settle_load(job.sets, search);
  } catch (const Error&) {  // if nothing moves, the fit of friction gives the better message
    if (must) throw;
  }
  if (!found) {
    if (must)
      throw Error(file +
                  ": too few sliding samples to estimate a mass or a load; give --mass, or record longer strokes");
    return false;
  }
  const std::string as_spring =
      "acceleration is proportional to position within " + significant(100 * found->like_a_spring, 3) +
      " %, so a mass cannot be separated from a spring: record strokes of different frequencies";
  if (request.mass == MassFrom::recording) {
    if (!(found->mass > 2 * found->mass_error))
      throw Error(file + ": the mass is not identifiable from this recording, " + mass_words(*found, is_rotary) +
                  "; give it as --mass '20 kg', or record faster changes of speed");
    if (found->like_a_spring > as_a_spring) warn(file + ": " + as_spring);
  } else if (request.mass == MassFrom::recording_where_visible) {
    if (found->shows_inertia()) {
      warn(file + ": no mass was given and the force shows inertia: " + mass_words(*found, is_rotary) +
           " is subtracted with its acceleration, estimated together with the friction; --mass states it, --mass 0 "
           "subtracts none" +
           (found->like_a_spring > as_a_spring ? ". It may as well be a spring: " + as_spring : ""));
    } else if (!must) {
      return false;
    } else {
      search.mass = false;
    }
  }
  job.settled = search.mass == (request.mass != MassFrom::stated) ? found : settle_load(job.sets, search);
  if (search.mass) {
    job.preparation.mass = job.settled->mass;
    const double by_lag = request.fits_lag ? 0 : unstated_lag * mass_by_sample(job.sets, search, job.settled->mass);
    job.preparation.mass_error = mass_prior(*job.settled, by_lag);
  }
  job.preparation.load = job.settled->load;
  return true;
}

/// How many samples a preparation leaves, near enough for a budget: those inside its window, at its rate.
double samples_left(const Recording& r, const Preparation& p) {
  double inside = 0;
  for (const double t : r.time) inside += t >= p.from && t <= p.to ? 1 : 0;
  if (!(p.rate_hz > 0) || inside < 2) return inside;
  std::vector<double> steps;
  const std::size_t stride = std::max<std::size_t>(1, r.size() / 1000);
  for (std::size_t i = 1; i < r.size(); i += stride) steps.push_back(r.time[i] - r.time[i - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return inside * std::abs(*middle) * p.rate_hz;
}

}  // namespace

void check_split(const SplitRequest& split) {
  if (!split.column.empty() && split.estimation_values.empty())
    throw Error("--split-by needs --estimation-values, the values of " + in_quotes(split.column) +
                " whose rows estimate");
}

void check_loads(const PreparationRequest& request, bool is_rotary, const std::string& recording) {
  if (request.loads.gravity && !is_rotary)
    throw Error(
        one_line(recording) +
        ": --gravity finds the sine and cosine of an angle; for linear motion gravity is an offset of the force, "
        "which is estimated anyway");
}

void check_samples(const std::string& recording, double samples, double most) {
  if (!(samples > most)) return;
  throw Error(one_line(recording) + ": " + significant(samples, 3) + " samples; at most " + significant(most, 3) +
              " are fitted" + (most < most_long_fitted ? " without --long" : "") +
              ": take a lower --resample rate, or --from and --until");
}

PreparationRequest prepared_as(const Preparation& preparation) {
  return {[preparation](bool) { return preparation; }, preparation.force_drives};
}

Prepared prepare_noticed(const Recording& recording, const Preparation& preparation, const Warn& warn) {
  Prepared data = prepare(recording, preparation);
  // beyond the notes of reading, which come first
  for (std::size_t i = recording.notes.size(); i < data.notes.size(); ++i) warn(to_text(data.notes[i], data.file));
  return data;
}

Prepared read_prepared(const RecordingSource& source, const ReadOptions& reading, const PreparationRequest& preparation,
                       const Warn& warn, Preparation* asked) {
  const Recording recording = read_noticed(source, reading, preparation.turns_force, warn);
  const Preparation wanted = preparation.of(recording.rotary);
  if (asked) *asked = wanted;
  return prepare_noticed(recording, wanted, warn);
}

std::vector<SourceFile> read_recordings(const RecordingsRequest& request, IdentifyJob& job, const Warn& warn) {
  std::vector<SourceFile> sources;
  job.reading = request.reading;
  job.recording = request.files.front().file;
  Recordings read;
  const auto read_all = [&](const std::vector<RecordingSource>& files, std::vector<Recording>& into) {
    for (const RecordingSource& source : files) {
      into.push_back(read_noticed(source, request.reading, request.preparation.turns_force, warn));
      sources.push_back({into.back().file, into.back().fingerprint});
    }
  };
  const bool by_column = !request.split.column.empty();
  read_all(request.files, read.estimation);
  if (!by_column) read_all(request.split.validation, read.validation), read_all(request.split.test, read.test);
  check_all_differ(read);
  const Recording& first = read.estimation.front();
  for (const auto* list : {&read.estimation, &read.validation, &read.test})
    for (const Recording& recording : *list)
      if (recording.rotary != first.rotary)
        throw Error(one_line(recording.file) + ": rotary and linear recordings cannot be identified together");
  job.motion = first.rotary ? MotionKind::rotary : MotionKind::linear;
  job.preparation = request.preparation.of(first.rotary);
  if (std::isfinite(request.most_samples) && !by_column) {
    double samples = 0;
    for (const auto* list : {&read.estimation, &read.validation, &read.test})
      for (const Recording& recording : *list) samples += samples_left(recording, job.preparation);
    if (samples > 1.01 * request.most_samples)  // gaps may leave a few less
      check_samples(job.recording, samples, request.most_samples);
  }
  const auto make_sets = [&](const Warn& tell) {
    job.sets = by_column ? sets_by_column(request, first, job.preparation)
                         : sets_by_file(request, read, job.preparation, tell);
    if (job.sets.pieces.empty()) throw Error(one_line(job.recording) + ": no samples to work on");
    if (const std::size_t clipped = leave_out_clipped(job.sets); clipped > 0)
      tell(one_line(job.recording) + ": " + std::to_string(clipped) +
           " samples whose force reads the end of its range are left out: it may have been more there");
  };
  make_sets(warn);
  const auto quietly = [](const std::string&) {};
  const double cutoff = job.preparation.cutoff_hz;
  const auto quieten = [&](const LoadSearch& loads) {
    if (cutoff == 0) quieten_for_inertia(request.preparation, job, loads, [&] { make_sets(quietly); });
  };
  LoadSearch search = request.preparation.loads;
  quieten(search);
  if (look_for_load(request.preparation, job, search, warn)) make_sets(quietly);
  // Beside a load that is not known yet no inertia shows.
  if (search.is_of_a_load() && !request.preparation.loads.is_of_a_load()) quieten(search);
  const bool is_settled = settle(request.preparation, job, search, warn),
             is_quiet = job.preparation.cutoff_hz != cutoff;
  job.preparation.cutoff_hz = cutoff;
  if (is_settled || is_quiet) make_sets(quietly);
  // A drive that holds its force acts half a sample later than its log says; users rarely state that.
  if (!request.preparation.fits_lag && job.preparation.mass > 0 && !(job.preparation.lag_error > 0))
    job.preparation.lag_error = unstated_lag * job.sets.pieces.front().data.sampling_time;
  std::vector<std::string> prints;
  for (const SourceFile& source : sources) prints.push_back(source.fingerprint);
  job.fingerprint = joined(prints, "; ");
  return sources;
}

}  // namespace stickslip::inline jobs
