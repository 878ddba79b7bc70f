/// Which of several fitted models is recommended.
///   d_i = e_i² − e*_i²: squared errors of a model less those of the best, sample by sample of validation           (1)
///   the mean of d against its standard error from the means of 24 blocks of neighbouring samples: within one
///   standard error, or within 1 % of the best mean square, a model is as good as the best                          (2)
///   recommended: of those, one whose parameters are all determined (none at its bound, none known only together with
///   another); of those the fewest parameters; then the smaller error; errors alike to 1e-6 keep the order of the list (3)
///   a black box (DNLRX) that is best is preferred to the best physical law only if its error is smaller by more than
///   two standard errors and a tenth of its mean square; otherwise it is excluded, also where a physical law is best: few
///   numbers make a black box no simpler law                                                                       (4)
///   laws whose forces differ by less than a tenth of their error (rms, same samples) are one group: on this recording they
///   are the same law                                                                                              (5)
///   a law that errs least only where the low-pass mixes sticking and sliding gives way to a simpler one that errs no more
///   elsewhere (a tenth in mean square), if that one errs there no more than the low-pass makes of a machine with that law (its own
///   error on a twin, and a quarter of it), or errs plainly less elsewhere (a fifth), or leaves less than two thirds of its share
///   of the whole force, rest included                                                                               (6)
///   a law less than half of whose parameters are well determined gives way to a simpler one with at least half of them well
///   determined, none at a bound and none known only together with another, that leaves at most 1.5 times the mean
///   square, and at most 1 % of the force's variance more: the recording shows that there is something else, not what    (7)
///   if no simpler one is determined, either: to the simplest that leaves at most a tenth more in mean square            (8)
///   conversely: a law replaces one whose error is smaller only where it is blurred, if its own is clearly smaller
///   elsewhere (a fifth in mean square, and more than two standard errors of the paired difference), and where it is blurred no
///   more than the low-pass makes of a machine with that law, or a quarter in mean square more than the other. One that errs less
///   elsewhere by more than one standard error, but cannot replace it, may still be the true law: intervals cover
///   its values (law_remarks.hpp)                                                                                     (9)
///   friction that is viscous alone (a Coulomb level below a hundredth of the force, or below a tenth and not to be told from zero) has no level at which
///   springs or bristles could slip: what richer laws gain is the sensors'. The simplest such law is recommended if it leaves at most 0.1 % of the
///   force's variance more than the best; the laws within that are not separable from it                             (10)
///   motion in one direction deflects springs and bristles once, at the start, where their state is not known; after that what they gain is as
///   well an error of timing. The simplest law without them is recommended on the same condition                     (11)
///   a Stribeck velocity beyond the fastest speed shows no drop, only that friction is not quite straight over speed, which the low-pass or rounded
///   readings make as well: such a law gives way to the simplest one without it, all of whose parameters are told, that leaves at most a tenth more
///   in mean square                                                                                                  (12)
/// Blocks, because neighbouring errors are correlated; pairs, because the noise of the recording is common to all. Samples at
/// rest, where laws that truly stick are right by definition, do not count here for any model.
#pragma once

#include <string>
#include <vector>

#include "identification/identify.hpp"

namespace stickslip::inline identification {

/// One model to be ranked; `errors` holds the same samples for all.
struct Contender {
  std::string label;
  std::size_t parameters = 0;
  std::vector<double> errors;             // [N]
  std::size_t undetermined = 0;           // parameters at a bound or not separable
  double determined = 1;                  // (7): share of its parameters that are well determined, offset aside
  bool is_black_box = false;              // its numbers are not physical quantities of the contact
  std::vector<double> clear_errors = {};  // (6): of the errors, those outside of the reach of the low-pass
  double unexplained = 0;        // (6): share of the force's variance, all samples of the set [%]; 0: not known
  bool is_viscous = false;       // (10): a law of level and viscosity, whose level is nothing
  bool is_one_way = false;       // (11): a law without springs and bristles, of motion in one direction
  double own_error = 0;          // (6): on a twin, rms of the samples that are not clear [N]; 0: not known
  bool has_unseen_drop = false;  // (12)
};

struct Ranking {
  std::vector<std::size_t> order;    // best first
  std::size_t recommended = 0;       // index of the contender
  std::vector<std::size_t> alike;    // (2): not distinguishable from the best; with it and the recommended
  std::vector<std::size_t> clearer;  // (9): not recommended, but better than the recommended where nothing is blurred
  std::vector<std::size_t>
      group;  // (5), of each contender: the first of its group in the order; the recommended of its own
  std::string why;
};

/// √(mean e²), the ranking error.
double rms_error(const std::vector<double>& errors);

/// Errors below `floor` [N] are rounding and are ignored.
Ranking rank(const std::vector<Contender>& contenders, double floor, const std::string& samples,
             const std::string& unit = "N");

/// (6), without twin and whole force: whether `simple` can replace `rich` at all.
bool may_replace(const Contender& simple, const Contender& rich);
/// (9), without the twin: whether the samples that are not blurred favour `other`.
bool is_clearer(const Contender& other, const Contender& now);

/// (2): the mean of d and its standard error.
struct PairedDifference {
  double mean = 0, standard_error = 0;  // [N²]
};
PairedDifference paired_difference(const std::vector<double>& errors, const std::vector<double>& best,
                                   std::size_t blocks = 24);

}  // namespace stickslip::inline identification
