#include "identification/judging/ranking.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/text.hpp"

namespace stickslip::inline identification {

namespace {

std::string counted(std::size_t parameters) {
  return std::to_string(parameters) + (parameters == 1 ? " parameter" : " parameters");
}

/// (5).
bool is_same_force(const Contender& a, const Contender& b, double error, double floor) {
  double square = 0;
  for (std::size_t i = 0; i < a.errors.size(); ++i) square += std::pow(a.errors[i] - b.errors[i], 2);
  const double difference = std::sqrt(square / static_cast<double>(std::max<std::size_t>(a.errors.size(), 1)));
  return difference <= std::max(0.1 * error, floor);
}

std::vector<std::size_t> groups_of(const std::vector<Contender>& contenders, const std::vector<double>& error,
                                   const std::vector<std::size_t>& order, std::size_t recommended, double floor) {
  std::vector<std::size_t> group(contenders.size()), firsts{recommended};
  group[recommended] = recommended;
  for (const std::size_t i : order) {
    if (i == recommended) continue;
    const auto first = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t k) {
      return is_same_force(contenders[i], contenders[k], error[k], floor);
    });
    group[i] = first != firsts.end() ? *first : i;
    if (first == firsts.end()) firsts.push_back(i);
  }
  return group;
}

double clear_square(const Contender& c) { return std::pow(rms_error(c.clear_errors), 2); }

/// Mean square of the errors that are not clear.
double blurred_square(const Contender& c) {
  const double blurred = static_cast<double>(c.errors.size()) - static_cast<double>(c.clear_errors.size());
  if (blurred <= 0) return 0;
  const double all = std::pow(rms_error(c.errors), 2) * static_cast<double>(c.errors.size());
  return (all - clear_square(c) * static_cast<double>(c.clear_errors.size())) / blurred;
}

/// (6): near rest and reversal it errs no more than on a machine whose law it is.
bool is_own(const Contender& c) {
  constexpr double of_its_own = 1.25;
  return c.own_error > 0 && blurred_square(c) <= std::pow(of_its_own * c.own_error, 2);
}

std::string own_words(const Contender& c) {
  return is_own(c) ? ", where a simulated machine with " + c.label + " shows the same errors" : "";
}

constexpr double plainly_less = 0.8, hardly_more = 1.05, little_more = 1.25;  // mean squares, (6) and (9)
constexpr std::size_t fewest_clear = 30;

/// (9): the contender that replaces `now`, or `now` itself. Of several the one with the least error where nothing is blurred; if
/// equal, the simplest.
std::size_t where_clear(const std::vector<Contender>& contenders, std::size_t now) {
  std::vector<std::size_t> clearer;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    if (is_clearer(contenders[i], contenders[now]) &&
        (is_own(contenders[i]) || blurred_square(contenders[i]) <= little_more * blurred_square(contenders[now])))
      clearer.push_back(i);
  if (clearer.empty()) return now;
  const auto square = [&](std::size_t i) { return clear_square(contenders[i]); };
  const double least = square(*std::min_element(clearer.begin(), clearer.end(),
                                                [&](std::size_t a, std::size_t b) { return square(a) < square(b); }));
  std::erase_if(clearer, [&](std::size_t i) { return square(i) > hardly_more * least; });
  return *std::min_element(clearer.begin(), clearer.end(), [&](std::size_t a, std::size_t b) {
    return contenders[a].parameters < contenders[b].parameters;
  });
}

/// (6): the contender that replaces `now`, or `now` itself. Of several the one with the least error where nothing is blurred; if
/// equal, the one that leaves least of the whole force; a simpler one if that is hardly more. Differences by rounding
/// do not change the order of the list.
std::size_t without_blur(const std::vector<Contender>& contenders, std::size_t now) {
  constexpr double much_less = 2.0 / 3, rounding = 1e-6;
  std::size_t taken = now;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender &c = contenders[i], &n = contenders[now];
    if (!may_replace(c, n)) continue;
    const bool is_better_elsewhere = clear_square(c) < plainly_less * clear_square(n);
    if (!is_own(c) && !is_better_elsewhere && !(c.unexplained < much_less * n.unexplained)) continue;
    const Contender& t = contenders[taken];
    const double here = clear_square(c), there = clear_square(t);
    const double more = c.parameters < t.parameters ? hardly_more : c.parameters > t.parameters ? 1 / hardly_more : 1;
    const bool is_less = here > hardly_more * there   ? false
                         : there > hardly_more * here ? true
                                                      : c.unexplained < (1 - rounding) * more * t.unexplained;
    if (taken == now || is_less) taken = i;
  }
  return taken;
}

/// (7), (8): the contender that replaces `now`, or `now` itself. Of several determined ones the one with the least error; if
/// equal, the simplest.
std::size_t with_known_parameters(const std::vector<Contender>& contenders, const std::vector<double>& error,
                                  std::size_t now) {
  constexpr double half = 0.5, more_square = 1.5, hardly_more_square = 1.1, more_unexplained = 1, alike = 1.05;
  const Contender& rich = contenders[now];
  if (rich.is_black_box || rich.determined >= half) return now;
  const auto square = [&](std::size_t i) { return error[i] * error[i]; };
  std::vector<std::size_t> known;
  std::size_t simplest = now;  // (8)
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    if (c.is_black_box || c.parameters >= rich.parameters || square(i) > more_square * square(now) ||
        c.unexplained - rich.unexplained >= more_unexplained)
      continue;
    if (c.determined >= half && c.undetermined == 0) known.push_back(i);
    if (square(i) <= hardly_more_square * square(now) && c.parameters < contenders[simplest].parameters) simplest = i;
  }
  if (known.empty()) return simplest;
  const double least = square(
      *std::min_element(known.begin(), known.end(), [&](std::size_t a, std::size_t b) { return error[a] < error[b]; }));
  std::erase_if(known, [&](std::size_t i) { return square(i) > alike * least; });
  return *std::min_element(known.begin(), known.end(), [&](std::size_t a, std::size_t b) {
    return contenders[a].parameters < contenders[b].parameters;
  });
}

/// (12): the contender that replaces `now`, or `now` itself.
std::size_t without_unseen_drop(const std::vector<Contender>& contenders, const std::vector<double>& error,
                                std::size_t now) {
  constexpr double hardly_more_square = 1.1;
  if (!contenders[now].has_unseen_drop) return now;
  std::size_t taken = now;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    if (!c.is_black_box && !c.has_unseen_drop && c.undetermined == 0 && c.parameters < contenders[taken].parameters &&
        error[i] * error[i] <= hardly_more_square * error[now] * error[now])
      taken = i;
  }
  return taken;
}

/// (10), (11): the contender that replaces `now`, or `now` itself, and those that cannot be told from it.
constexpr double hardly_anything = 0.1;  // of the force's variance [%]
std::size_t without_springs(const std::vector<Contender>& contenders, std::size_t now, std::size_t best) {
  std::size_t taken = now;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    if ((c.is_viscous || c.is_one_way) && c.unexplained - contenders[best].unexplained <= hardly_anything &&
        c.parameters < contenders[taken].parameters)
      taken = i;
  }
  return taken;
}

}  // namespace

double rms_error(const std::vector<double>& errors) {
  double sum = 0;
  for (const double e : errors) sum += e * e;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(errors.size(), 1)));
}

bool may_replace(const Contender& simple, const Contender& rich) {
  constexpr double no_more = 1.1;
  if (simple.is_black_box || simple.parameters >= rich.parameters || simple.clear_errors.size() < fewest_clear ||
      !(simple.unexplained > 0))
    return false;
  return clear_square(simple) <= no_more * clear_square(rich);
}

namespace {

/// Whether `other` has a smaller error by this many standard errors where nothing is blurred, and something is.
bool errs_less_where_clear(const Contender& other, const Contender& now, double standard_errors) {
  if (other.is_black_box || other.clear_errors.size() < fewest_clear ||
      other.clear_errors.size() != now.clear_errors.size() || other.clear_errors.size() == other.errors.size())
    return false;
  const PairedDifference d = paired_difference(now.clear_errors, other.clear_errors);
  return d.mean > standard_errors * d.standard_error;
}

}  // namespace

bool is_clearer(const Contender& other, const Contender& now) {
  return other.undetermined <= now.undetermined && clear_square(other) < plainly_less * clear_square(now) &&
         errs_less_where_clear(other, now, 2);
}

PairedDifference paired_difference(const std::vector<double>& errors, const std::vector<double>& best,
                                   std::size_t blocks) {
  assert(errors.size() == best.size());
  const std::size_t n = errors.size();
  blocks = std::min(blocks, n);
  if (blocks < 2) return {};
  std::vector<double> means;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t from = b * n / blocks, to = (b + 1) * n / blocks;
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += errors[i] * errors[i] - best[i] * best[i];
    means.push_back(sum / static_cast<double>(to - from));
  }
  PairedDifference d;
  const double count = static_cast<double>(blocks);
  for (const double m : means) d.mean += m / count;
  double square = 0;
  for (const double m : means) square += (m - d.mean) * (m - d.mean);
  d.standard_error = std::sqrt(square / (count - 1) / count);
  return d;
}

Ranking rank(const std::vector<Contender>& contenders, double floor, const std::string& samples,
             const std::string& unit) {
  Ranking r;
  if (contenders.empty()) return r;
  std::vector<double> error;
  for (const Contender& c : contenders) error.push_back(rms_error(c.errors));
  r.order.resize(contenders.size());
  std::iota(r.order.begin(), r.order.end(), std::size_t{0});
  // Numbers that differ by rounding only keep the order of the list.
  const auto rounded = [&](std::size_t i) { return std::max(error[i], floor); };
  std::stable_sort(r.order.begin(), r.order.end(), [&](std::size_t a, std::size_t b) {
    if (rounded(a) <= floor && rounded(b) <= floor) return contenders[a].parameters < contenders[b].parameters;
    return rounded(a) < rounded(b);
  });
  std::size_t best = r.order.front();
  std::string passed_over;  // (4)
  const auto physical =
      std::find_if(r.order.begin(), r.order.end(), [&](std::size_t i) { return !contenders[i].is_black_box; });
  if (contenders[best].is_black_box && physical != r.order.end()) {
    const PairedDifference d = paired_difference(contenders[*physical].errors, contenders[best].errors);
    const double nothing = std::max(0.1 * error[best] * error[best], floor * floor);
    if (d.mean <= std::max(2 * d.standard_error, nothing)) passed_over = contenders[best].label, best = *physical;
  }
  r.recommended = best;
  for (const std::size_t i : r.order) {
    if (contenders[i].is_black_box && !contenders[best].is_black_box) continue;
    const PairedDifference d = paired_difference(contenders[i].errors, contenders[best].errors);
    const double nothing = std::max(0.01 * error[best] * error[best], floor * floor);
    const bool as_good = d.mean <= std::max(d.standard_error, nothing) ||
                         is_same_force(contenders[i], contenders[best], error[best], floor);
    if (!as_good) continue;
    r.alike.push_back(i);
    const Contender &now = contenders[r.recommended], &other = contenders[i];
    const bool same_error = std::fabs(error[i] - error[r.recommended]) <= 1e-6 * error[i] + floor;
    const bool now_known = now.undetermined == 0, other_known = other.undetermined == 0;
    const bool simpler =
        other.parameters < now.parameters || (other.parameters == now.parameters && same_error && i < r.recommended);
    if (other_known != now_known ? other_known : simpler) r.recommended = i;
  }
  const std::size_t in_motion = r.recommended, clear = where_clear(contenders, in_motion);
  const std::size_t unblurred = without_blur(contenders, clear);
  const std::size_t told = with_known_parameters(contenders, error, unblurred);
  const std::size_t known = without_unseen_drop(contenders, error, told);
  r.recommended = without_springs(contenders, known, best);
  if (r.recommended != known) {
    r.alike.clear();
    for (const std::size_t i : r.order)
      if (contenders[i].unexplained <= contenders[r.recommended].unexplained + hardly_anything) r.alike.push_back(i);
  } else if (r.recommended != in_motion)
    r.alike = {r.recommended};  // the others are distinguished from it by the whole force
  if (r.recommended == known && known != told) r.alike = {known, told};  // faster motion would tell
  for (const std::size_t i : r.order)
    if (i != r.recommended && errs_less_where_clear(contenders[i], contenders[r.recommended], 1))
      r.clearer.push_back(i);
  r.group = groups_of(contenders, error, r.order, r.recommended, floor);
  const Contender &first = contenders[best], &taken = contenders[r.recommended];
  const auto text = [&](std::size_t i) {
    return significant(error[i], 3) + " " + unit + " rms in motion on the " + samples + " samples";
  };
  if (r.recommended != known) {
    const Contender& other = contenders[known];
    r.why = taken.label + ", " + counted(taken.parameters) + ": " + text(r.recommended) +
            (taken.is_viscous ? "; friction is viscous here, its Coulomb level cannot be told from zero. " : ". ") +
            other.label + ", " + counted(other.parameters) + ", leaves " + significant(error[known], 3) + " " + unit +
            ", less by no more than " + significant(hardly_anything, 2) + " % of the force's variance: " +
            (taken.is_viscous ? "without a level there is nothing to stick or slip"
                              : "in one direction springs and bristles are deflected once, at the start");
  } else if (r.recommended != unblurred) {
    const Contender& other = contenders[r.recommended != told ? told : unblurred];
    r.why = taken.label + ", " + counted(taken.parameters) + ": " + text(r.recommended) + "; " + other.label + ", " +
            counted(other.parameters) + ", leaves " + significant(rms_error(other.errors), 3) + " " + unit +
            (r.recommended != told ? ", but its Stribeck velocity is beyond the fastest speed: no drop is seen"
                                   : ", but this recording does not determine most of its parameters");
  } else if (r.recommended != in_motion && r.recommended == clear) {
    const Contender& other = contenders[in_motion];
    r.why = taken.label + ", " + counted(taken.parameters) + ": " + significant(rms_error(taken.clear_errors), 3) +
            " " + unit + " rms on the " + samples + " samples clear of rest and reversal; " + other.label + ", " +
            counted(other.parameters) + ", leaves " + significant(rms_error(other.clear_errors), 3) + " " + unit +
            " there and is more accurate only where the low-pass filter mixes sticking and sliding" + own_words(taken);
  } else if (r.recommended != in_motion) {
    const Contender& other = contenders[in_motion];
    const auto share = [](double part) { return significant(part, 3) + " %"; };
    r.why = taken.label + ", " + counted(taken.parameters) + ": " + share(taken.unexplained) +
            " of the force's variance unexplained on the " + samples + " samples, rest included; " + other.label +
            ", " + counted(other.parameters) + ", leaves " + share(other.unexplained) +
            " and is more accurate only where the low-pass filter mixes sticking and sliding" + own_words(taken);
  } else if (r.recommended == best) {
    r.why = taken.label + ", " + counted(taken.parameters) + ": the smallest error, " + text(best) +
            (r.alike.size() > 1 ? ", and no simpler model is equally good within the noise" : "");
    if (!passed_over.empty())
      r.why = taken.label + ", " + counted(taken.parameters) + ": " + text(best) + "; " + passed_over +
              ", a black-box model, is better by less than the noise";
  } else {
    r.why = taken.label + ", " + counted(taken.parameters) + ": " + text(r.recommended) + "; " + first.label + ", " +
            counted(first.parameters) + ", is best with " + significant(error[best], 3) + " " + unit +
            ", but the difference is within the noise";
    if (first.undetermined > 0 && taken.undetermined == 0)
      r.why += ", and " + std::to_string(first.undetermined) + " of its parameters " +
               (first.undetermined == 1 ? "is" : "are") + " not determined";
  }
  return r;
}

}  // namespace stickslip::inline identification
