/// Parameters of any machine file from a log, by simulation (output error):
///   min Σ_outputs Σ_i w² (y(t_i − d; θ) + b − ŷ_i)²                                                  (1)
/// y is what the machine does when simulated with the numbers θ in its file, ŷ the log, w a weight, d a delay of the
/// sensors and b offsets that may be unknown too. The log's first part estimates, the next validates. Of several
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
#include "identification/search/levenberg_marquardt.hpp"

namespace stickslip {

/// A number of the machine file that is free; it may stand in several places.
struct FreePlace {
  std::string key;  // its path
  std::vector<Place> places;
  double start = 0, low = 0, high = 0;  // in the unit of the file
};

/// One quantity that is compared. All logs share the times of the job.
struct ComparedOutput {
  std::string column;            // of the machine's samples: "position", "command_force", "wheel_speed"
  std::string unit;              // SI
  std::vector<double> measured;  // SI
  double weight = 0;             // 0: one over the root mean square of what is measured
  bool find_offset = false;
};

struct FitCandidate {
  std::string name;
  MachineText machine;
  std::vector<FreePlace> free;
  /// The file as it was, where `machine` has other inputs: what is written keeps them.
  std::optional<MachineText> original = {};
};

struct MachineJob {
  std::string title;
  std::vector<double> time;  // of the log [s]
  std::vector<ComparedOutput> outputs;
  std::vector<FitCandidate> candidates;
  std::optional<FreeNumber> delay;  // of what is measured [s]
  double skip = 0;                  // left out at the start [s]
  double estimation_share = 0.5;    // of the time; the rest validates
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
  std::vector<double> predicted = {};  // at the log's times; nan where the run has none
};

struct FittedMachine {
  std::string name;
  std::vector<FreePlace> free;     // `start` as given
  std::vector<std::string> units;  // of the estimates
  Confidence confidence;           // first the free places, then delay, then offsets
  std::vector<OutputQuality> outputs;
  double estimation_cost = 0, validation_cost = 0;  // mean of (1) over a set's rows
  FitEnd end = FitEnd::converged;
  int steps = 0;
  std::size_t simulations = 0;
  std::string text;  // the machine file with the numbers found
};

struct MachineFit {
  std::vector<FittedMachine> candidates;  // best on the validation rows first
  std::size_t recommended = 0;
  std::string why;
  bool complete = true;
};

/// Throws Error if a machine cannot be simulated at its start, or nothing can be compared.
MachineFit fit_machine(const MachineJob& job, const MachineFitOptions& options = {});

}  // namespace stickslip
