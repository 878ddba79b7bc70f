/// Parameters of any machine file from one log or several, by simulation (output error):
///   min Σ_logs Σ_outputs Σ_i ρ(w (y(t_i − d; θ, θ_log) + b − ŷ_i))                                    (1)
/// y is what the machine does when simulated with the numbers θ in its file, ŷ the log, w a weight, d a delay of the
/// sensors and b offsets that may be unknown too. θ is shared by all logs, θ_log belongs to each alone. ρ is a square, or robust;
/// priors enter as prior_fit.hpp says. The first part of each log estimates, the next validates; of several logs, each in turn
/// can be left out and predicted by a fit to the others (its private numbers are then the means of theirs). Of several
/// candidate machines the simplest is recommended whose validation error is within the noise of the best.
/// The machine runs freely from its own start (closed or open loop, as its file says): errors may add up, and do.
/// Not here: reading job files (fit_job.hpp); a search among far starts.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fitting/machine_text.hpp"
#include "fitting/prior_fit.hpp"
#include "fitting/spread.hpp"

namespace stickslip::inline fitting {

/// A free number of the machine file; it may occur in several places.
struct FreePlace {
  std::string key;  // its path
  std::vector<Place> places;
  double start = 0, low = 0, high = 0;      // in the unit of the file
  bool is_private = false;                  // each log has its own
  std::optional<ValueAndError> prior = {};  // in the unit of the file
};

enum class SensorOffset { none, shared, per_log };

/// One quantity that is compared.
struct ComparedOutput {
  std::string column;  // of the machine's samples: "position", "command_force", "wheel_speed"
  std::string unit;    // SI
  double weight = 0;   // 0: one over the root mean square of what is measured
  SensorOffset offset = SensorOffset::none;
};

/// What was measured in one go.
struct MachineLog {
  std::string name;                           // as tables call it
  std::vector<double> time;                   // [s]
  std::vector<std::vector<double>> measured;  // SI, one per output
  std::string group = {};                     // logs of a group are left out together; "": this one alone
};

struct FitCandidate {
  std::string name;
  std::vector<MachineText> machines;  // one per log: they differ in the inputs that are recorded, not in their numbers
  std::vector<FreePlace> free;        // places in the first
  /// The file as it was, where `machines` have other inputs: what is written keeps them.
  std::optional<MachineText> original = {};
};

struct MachineJob {
  std::string title;
  std::vector<MachineLog> logs;
  std::vector<ComparedOutput> outputs;
  std::vector<FitCandidate> candidates;
  std::optional<FreeNumber> delay;  // of what is measured [s]
  double skip = 0;                  // left out at the start of each log [s]
  double estimation_share = 0.5;    // of each log's time; the rest validates
  bool leaves_out = false;          // each log, or group of logs, in turn
  Loss loss = Loss::squares;
  double corner = 0;  // δ of the robust loss, in weights; 0: from the errors
};

struct FitWatch {
  std::atomic<bool> cancel{false};                                                    // ends it with the best so far
  std::function<void(const std::string& candidate, int step, double cost)> progress;  // from the calling thread
};

struct MachineFitOptions {
  unsigned threads = 0;  // 0: all cores. The result does not depend on it
  int most_steps = 40;
  FitWatch* watch = nullptr;
};

/// How well one output is met.
struct OutputQuality {
  std::string column, unit;
  double estimation_rms = 0, validation_rms = 0, rms = 0;                 // [unit]
  double estimation_relative = 0, validation_relative = 0, relative = 0;  // ‖error‖/‖measured‖
  double mean_size = 0;                                                   // mean |error| of all rows [unit]
  bool is_validated = false;                                              // some rows validate
};

/// The same of one log.
struct LogQuality {
  std::string name;
  std::vector<OutputQuality> outputs;
  std::vector<double> left_out_rms = {}, left_out_relative = {},
                      left_out_mean = {};           // per output, predicted without the log; or empty
  std::vector<std::vector<double>> predicted = {};  // per output; nan where the run has none
  std::string note = {};                            // what tells it from the others: "gain 100"
};

struct FittedMachine {
  std::string name;
  std::vector<FreePlace> free;         // `start` as given
  std::vector<std::string> units;      // of the estimates
  Confidence confidence;               // the free places (private ones log by log), then delay, then offsets
  std::vector<OutputQuality> outputs;  // over all logs
  std::vector<LogQuality> logs;
  std::vector<Spread> spreads;                      // of private numbers
  double left_out_cost = 0;                         // mean of (1) over logs predicted by the others; 0: not asked for
  double left_out_mean = 0;                         // mean |error| of the first output there, the mean over logs
  double corner = 0;                                // δ of the robust loss
  double estimation_cost = 0, validation_cost = 0;  // mean of (1) over a set's rows
  FitEnd end = FitEnd::converged;
  int steps = 0;
  std::size_t simulations = 0, given_up = 0;  // the latter took too many steps, eq. (2) of output_error.hpp
  std::string text;                           // the machine file with the numbers found; of private ones their means
};

struct MachineFit {
  std::vector<FittedMachine> candidates;  // best on the validation rows first
  std::size_t recommended = 0;
  std::string why;
  bool complete = true;
};

/// Throws Error if a machine cannot be simulated at its start, or nothing can be compared.
MachineFit fit_machine(const MachineJob& job, const MachineFitOptions& options = {});

}  // namespace stickslip::inline fitting
