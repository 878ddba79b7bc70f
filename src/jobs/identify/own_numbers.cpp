/// Private numbers of several recordings; see own_numbers.hpp.
#include "jobs/identify/own_numbers.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/laws/model_space.hpp"
#include "platform/path.hpp"

namespace stickslip::inline jobs {
namespace {

/// All of one private number, and its errors.
OwnNumber number_of(const IdentifiedModel& model, const std::string& key, MotionKind motion) {
  OwnNumber number;
  const Confidence& c = model.confidence;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < c.estimates.size(); ++i)
    if (shared_key(c.estimates[i].key) == key && unit_in(c.estimates[i].key)) places.push_back(i);
  Covariance errors(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    number.values.push_back(c.estimates[places[i]]);
    for (std::size_t j = 0; j < places.size() && c.covariance.size() == c.estimates.size(); ++j)
      errors(i, j) = c.covariance(places[i], places[j]);
  }
  const std::string plain = plain_key(key);
  number.spread =
      spread_of(plain, unit_of_key(find_model(model.model).description(), plain, motion), number.values, errors);
  return number;
}

std::string value_words(const Estimate& e, const std::string& unit) {
  const double half = 0.5 * (e.high - e.low);
  const bool is_told = e.verdict == Determination::well_determined || e.verdict == Determination::weak;
  return with_unit(e.value, unit, 4) +
         (is_told && std::isfinite(half) ? " ± " + with_unit(half, unit, 2) : ", " + std::string(name_of(e.verdict)));
}

std::string verdict_words(const Spread& s) {
  if (!std::isfinite(s.chance)) return "not known: not every recording determines it";
  const std::string chance = "chance " + (s.chance < 1e-6 ? "below 1e-6" : significant(s.chance, 2));
  return s.exceeds_errors() ? "yes, " + chance : "not seen, " + chance;
}

}  // namespace

OwnQuality quality_along(const Piece& piece, const std::vector<double>& predicted) {
  OwnQuality q{.name = file_name_of(piece.data.file)};
  q.is_held_out = !piece.validation.empty() || !piece.test.empty();
  std::vector<double> measured, errors;
  for (std::size_t i = 0; i < piece.data.size(); ++i) {
    if (q.is_held_out && !piece.validation.contains(i) && !piece.test.contains(i)) continue;
    measured.push_back(piece.data.force[i]);
    errors.push_back(piece.data.force[i] - predicted[i]);
  }
  const auto n = static_cast<double>(measured.size());
  double mean = 0, square = 0, size = 0;
  for (const double f : measured) mean += f / n;
  for (std::size_t i = 0; i < measured.size(); ++i)
    square += errors[i] * errors[i], size += (measured[i] - mean) * (measured[i] - mean);
  q.rms = std::sqrt(square / n);
  q.unexplained = size > 0 ? 100 * square / size : 0;
  return q;
}

OwnNumbers own_numbers(const Sets& sets, const IdentifiedModel& model, MotionKind motion) {
  OwnNumbers own;
  if (model.own.empty()) return own;
  for (const Piece& piece : sets.pieces) own.recordings.push_back(quality_along(piece, predicted_force(model, piece)));
  for (const Estimate& e : model.confidence.estimates)
    if (unit_in(e.key) == std::size_t{0}) own.numbers.push_back(number_of(model, shared_key(e.key), motion));
  return own;
}

TextTable own_table(const OwnNumbers& own, MotionKind motion) {
  TextTable table{.columns = {"recording", "rms", "unexplained"}, .rows = {}};
  for (const OwnNumber& number : own.numbers) table.columns.push_back(number.spread.key + " ± (95 %)");
  for (std::size_t k = 0; k < own.recordings.size(); ++k) {
    const OwnQuality& r = own.recordings[k];
    std::vector<std::string> row{std::to_string(k + 1) + ": " + r.name, with_unit(r.rms, unit_for(motion, "N"), 3),
                                 significant(r.unexplained, 3) + " %"};
    for (const OwnNumber& number : own.numbers)
      row.push_back(k < number.values.size() ? value_words(number.values[k], number.spread.unit) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable own_spread_table(const OwnNumbers& own) {
  TextTable table{
      .columns = {"parameter", "mean", "spread", "95 %", "from errors", "of the units", "95 %", "beyond errors"},
      .rows = {}};
  for (const OwnNumber& number : own.numbers) {
    const Spread& s = number.spread;
    const auto size = [&](double v) { return std::isfinite(v) ? with_unit(v, s.unit, 2) : std::string("not known"); };
    table.rows.push_back({s.key, with_unit(s.mean, s.unit, 4), size(s.deviation), size(s.low) + " to " + size(s.high),
                          size(s.expected), size(s.own),
                          std::isfinite(s.own) ? size(s.own_low) + " to " + size(s.own_high) : "not known",
                          verdict_words(s)});
  }
  return table;
}

std::string own_note(const OwnNumbers& own) {
  const bool is_held_out =
      std::all_of(own.recordings.begin(), own.recordings.end(), [](const OwnQuality& r) { return r.is_held_out; });
  return std::string(is_held_out ? "errors over the samples that were not used for the fit"
                                 : "errors over all samples: some recordings have none that were held out") +
         "; spread: standard deviation from recording to recording; from errors: what the errors of the fit alone "
         "would "
         "show; chance: of this spread if all units were equal";
}

Json own_json(const OwnNumbers& own) {
  const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
  Json recordings = Json::array(), numbers = Json::array();
  for (std::size_t k = 0; k < own.recordings.size(); ++k) {
    const OwnQuality& r = own.recordings[k];
    Json values = Json::array();
    for (const OwnNumber& n : own.numbers) {
      const Estimate& e = n.values.at(k);
      values.push_back(Json::object({{"key", n.spread.key},
                                     {"value", e.value},
                                     {"standard_error", number(e.standard_error)},
                                     {"low", number(e.low)},
                                     {"high", number(e.high)},
                                     {"verdict", name_of(e.verdict)}}));
    }
    recordings.push_back(Json::object({{"recording", r.name},
                                       {"held_out", r.is_held_out},
                                       {"rms", r.rms},
                                       {"unexplained_percent", r.unexplained},
                                       {"parameters", values}}));
  }
  for (const OwnNumber& n : own.numbers) {
    const Spread& s = n.spread;
    numbers.push_back(Json::object({{"key", s.key},
                                    {"unit", s.unit},
                                    {"mean", s.mean},
                                    {"standard_deviation", s.deviation},
                                    {"low", number(s.low)},
                                    {"high", number(s.high)},
                                    {"expected_from_errors", number(s.expected)},
                                    {"of_units", number(s.own)},
                                    {"of_units_low", number(s.own_low)},
                                    {"of_units_high", number(s.own_high)},
                                    {"chance_if_equal", number(s.chance)},
                                    {"beyond_errors", std::isfinite(s.chance) ? Json(s.exceeds_errors()) : Json()}}));
  }
  return Json::object({{"recordings", recordings}, {"spreads", numbers}});
}

std::vector<std::string> own_remarks(const OwnNumbers& own, MotionKind motion) {
  std::vector<std::string> remarks;
  for (std::size_t k = 0; k < own.recordings.size(); ++k) {
    const OwnQuality& r = own.recordings[k];
    std::string text = one_line(r.name) + ": ";
    for (const OwnNumber& n : own.numbers) text += n.spread.key + " " + value_words(n.values[k], n.spread.unit) + ", ";
    remarks.push_back(text + with_unit(r.rms, unit_for(motion, "N"), 3) + " rms" +
                      (r.is_held_out ? " on its held-out samples" : ""));
  }
  for (const OwnNumber& n : own.numbers) {
    const Spread& s = n.spread;
    remarks.push_back(s.key + " is private to each recording; the model has the mean of " + std::to_string(s.count) +
                      ", their standard deviation is " + with_unit(s.deviation, s.unit, 2) +
                      (std::isfinite(s.expected) ? ", " + with_unit(s.expected, s.unit, 2) + " of it by errors" : "") +
                      "; its interval is that of a further unit");
  }
  return remarks;
}

std::vector<Uncertainty> own_uncertainty(const OwnNumbers& own) {
  std::vector<Uncertainty> rows;
  for (const OwnNumber& n : own.numbers) {
    const Spread& s = n.spread;
    const auto count = static_cast<double>(s.count);
    // The units' own errors, which may be common to all, are not in the spread of their values.
    double low = s.mean - s.further(), high = s.mean + s.further(), square = 0;
    bool is_sure = true;
    for (const Estimate& e : n.values) {
      low = std::min(low, s.mean - (e.value - e.low)), high = std::max(high, s.mean + (e.high - e.value));
      square += e.standard_error * e.standard_error / count;
      is_sure = is_sure && e.verdict == Determination::well_determined;
    }
    const double error = std::max(s.deviation * std::sqrt(1 + 1 / count), std::sqrt(square));
    const auto verdict = is_sure && error <= ConfidenceOptions{}.weak_share * std::fabs(s.mean)
                             ? Determination::well_determined
                             : Determination::weak;
    rows.push_back({s.key, error, low, high, std::string(name_of(verdict)), "", n.values.front().prior,
                    n.values.front().prior_error});
  }
  return rows;
}

}  // namespace stickslip::inline jobs
