/// The friction model that fits a recording, chosen from all registered ones, with the uncertainty of its parameters.
///   const Identification found = identify(split_by_time(prepare(read_recording("axis.csv"))), {.seed = 7});
///   const IdentifiedModel& best = found.models[found.recommended];
/// Each candidate (a model, an order, its parameters over direction, load, pressure, temperature, position) is fitted to the
/// estimation samples and judged on the validation samples. The simplest within the noise of the best is recommended;
/// the test samples are not used for the choice. Same seed, same bytes, whatever the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/variation.hpp"
#include "identification/judging/estimates.hpp"
#include "identification/judging/explanation.hpp"
#include "identification/motion_force.hpp"
#include "identification/search/loss.hpp"
#include "machines/friction/friction.hpp"
#include "platform/workers.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline identification {

/// standard: from many starts that follow from the data, then exact slopes. published: Rizos and Fassois' genetic algorithm, then
/// Nelder-Mead.
enum class SearchMethod { standard, published };

/// Effects between the contact and the recorded signals.
struct Chain {
  double offset = 0;    // added to the friction force [N]
  double lag = 0;       // of the force behind the motion [s]
  double backlash = 0;  // backlash between the measured motion and the contact [m]
};

/// A parameter that may follow a quantity: as a polynomial, or as a table with this many knots.
struct VariationRequest {
  std::string key{};  // "" for every level of force at once
  Quantity over = Quantity::position;
  std::size_t degree = 1;
  std::size_t knots = 0;      // 0: a polynomial
  bool proportional = false;  // the parameter is a constant times the quantity: nothing else is free
};

/// Progress of an identification; set `cancel` to end it with the best result so far.
struct IdentifyWatch {
  std::atomic<bool> cancel{false};
  std::function<void(const std::string& what, double share)> progress;  // called from one thread at a time
  std::atomic<double> running{0};  // share of the candidates that are being fitted, set before `progress` is called
};

struct ProfilePoint {
  double value = 0, cost = 0;  // the parameter held there, J of the others fitted again [N²]
};
struct Profile {
  std::string key;
  std::vector<ProfilePoint> points;
  double low = 0, high = 0;                   // 95 %; a bound of the search on an open side
  bool ends_below = true, ends_above = true;  // the cost rises beyond 95 % on that side
};
/// Its shape beside the value that was found, in words: "a parabola", "open upwards: ...", "flat: ...".
std::string shape_of(const Profile& profile, double value);

/// The law of one of several recordings, with its private numbers.
struct OwnLaw {
  FrictionSettings settings;
  Chain chain;
};

/// One candidate, fitted.
struct IdentifiedModel {
  std::string model;          // registered name
  std::string label;          // "lugre", "NLR(4)", "DNLRX(4,3,2)", "stribeck per direction"
  FrictionSettings settings;  // with private numbers: the mean of each
  Chain chain;
  std::vector<OwnLaw> own = {};                                 // of each recording, where some numbers are private
  std::size_t parameters = 0;                                   // free ones, offset included
  FitQuality estimation, validation, test;                      // samples: without the run-in; 0 where a set is empty
  double estimation_rms = 0, validation_rms = 0, test_rms = 0;  // [N]
  double unexplained = 0;                                       // [%], while moving, held-out samples: explanation.hpp
  double ranked_rms =
      0;  // [N], what ranks: errors in motion on the validation samples, on those of estimation without any
  Confidence confidence;  // keys as in files: "coulomb_force", "thresholds[2]", "backward.viscosity"
  Confidence bootstrap;   // empty unless asked for
  std::vector<Profile> profiles;
  double mass_shift = 0;     // shift of the subtracted mass that would fit this model better [kg]
  double lag_shift = 0;      // the same of the force's lag behind the motion [s]
  double lag_error = 0;      // and its standard deviation; 0: not asked for [s]
  std::size_t left_out = 0;  // samples of estimation near rest or reversal that a law that sticks is not fitted to
  double whiteness = 0;      // Ljung-Box p-value of the residuals: below 0.05 they are not white
  std::vector<std::string> remarks;  // "stiffness 3 is negative", "the validation error is 70 times ..."
  std::vector<std::string> advice;   // test that would determine a weak parameter
  std::string group;                 // label of the first law with the same force on this recording (ranking.hpp)
  bool complete = true;              // false: interrupted, the best so far
};

struct IdentifyOptions {
  /// "lugre", "maxwell-slip(4)", "extended-maxwell-slip(4,3,2)" as NLR and DNLRX; without an order it is chosen on the
  /// validation samples. Empty: every registered model that the columns allow.
  std::vector<std::string> models{};
  SearchMethod search = SearchMethod::standard;
  std::uint64_t seed = 1;
  unsigned threads = 0;        // 0: all cores
  bool per_direction = false;  // separate levels (of Maxwell-slip models: thresholds) for sliding backward
  std::vector<VariationRequest> variations{};
  bool find_backlash = false, find_lag = false, find_offset = true;
  std::size_t most_operators = 10;                      // of Maxwell-slip models
  std::vector<std::pair<std::string, double>> fixed{};  // parameters that are known: {"stribeck_exponent", 2}
  /// Numbers known from elsewhere, by key ("coulomb_force", "thresholds[2]", "backward.viscosity"): one more start of every law that has some
  /// of them; springs only where the law has as many.
  std::vector<std::pair<std::string, double>> start{};
  /// What is known of parameters, "offset", "lag" and "backlash" beforehand (prior_rounds.hpp); laws without one of them ignore it.
  std::vector<KnownBefore> priors{};
  Loss loss = Loss::squares;  // robust: outliers of the force count by their size (robust_fit.hpp)
  /// Numbers that every recording (Piece::unit) has for itself, the others are shared: "coulomb_force", "thresholds[2]", "offset". Their keys
  /// are "coulomb_force@1", "coulomb_force@2", ... Laws that have none of them are left out.
  std::vector<std::string> own{};
  /// Standard deviation of the mass that was subtracted from the force; its share of every interval is in there, and the mass is
  /// among the estimates. 0: exact; infinity: known from this recording alone [kg]
  double mass_error = 0;
  /// Standard deviation of the force's lag behind the motion, beside what the preparation moved; its share is in every interval where
  /// an inertia was subtracted. 0: exact [s]
  double lag_error = 0;
  std::string force_unit = "N";        // in sentences
  std::size_t bootstrap = 0;           // repetitions (blocks of residuals); 0: none
  std::vector<std::string> profile{};  // parameters whose profile likelihood is needed, of every model
  bool all_profiles = true;  // those of all parameters of the recommended law, where that is a matter of seconds
  /// Repetitions of the measurement by a twin of the machine (judging/twin.hpp) for the intervals of the recommended law; 0: none.
  std::size_t twins = 12;
  /// Where the errors of the recommended law follow direction, position, load, pressure or temperature, it is fitted with that as well.
  bool explore = false;
  std::vector<IdentifiedModel> known{};                // candidates done before (resume): taken as they are
  std::function<void(const IdentifiedModel&)> done{};  // called for every finished candidate, for resuming
  IdentifyWatch* watch = nullptr;
  /// Programs that work together; nullptr: threads here. Candidates go from one to the other as text.
  Workers* workers = nullptr;
  std::function<std::string(const IdentifiedModel&)> to_text{};
  std::function<IdentifiedModel(const std::string&)> from_text{};
};

struct OrderPoint {
  std::string label;  // "NLR(3)"
  std::size_t operators = 0, parameters = 0;
  FitQuality estimation, validation, test;
};

struct Identification {
  std::vector<IdentifiedModel> models;  // best on the validation samples first
  std::size_t recommended = 0;          // the simplest within the noise of the best; see `explanation` before using it
  std::string why;                      // one sentence
  std::vector<std::string> equivalent;  // laws with the same force as the recommended one on this recording
  std::vector<std::string> not_separable;  // models with another force, not separable on these samples
  std::vector<std::string> explored;       // dependences of the errors that were tried, with the result
  Explanation explanation;                 // whether it explains the recording at all
  std::vector<OrderPoint> orders;          // curves over the order, as Fig 2 of Rizos 2005
  std::vector<std::string> skipped;        // "hybrid-dwell: no rest in the recording"
  std::vector<std::string> warnings;
  std::uint64_t seed = 1;
};

/// Throws Error for a wrong model name or data that no model can be fitted to. Cancelled before the first fit it has no models.
Identification identify(const Sets& sets, const IdentifyOptions& options = {});

/// A known law on another recording: the numbers that are named are fitted to its estimation samples, all others are held. `options` name
/// the law.
IdentifiedModel fit_own(const Sets& one, const IdentifiedModel& known, const std::vector<std::string>& names,
                        const IdentifyOptions& options);

/// The force of a model along a recording [N], chain included; a law that truly sticks takes at rest the measured force up
/// to its breakaway level.
std::vector<double> predicted_force(const Friction& friction, const Chain& chain, const Prepared& data);
/// The same of an identified law along a piece of its recordings: with the numbers of that recording.
std::vector<double> predicted_force(const IdentifiedModel& model, const Piece& piece);

}  // namespace stickslip::inline identification
