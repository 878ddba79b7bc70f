/// How well a stored model follows another recording; see validation.hpp.
#include "jobs/validate/validation.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "jobs/validate/level_range.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline jobs {
namespace {

/// Twice the error of its own test samples is still the same machine; more is a relevant change. The share unexplained
/// is of squares: four times. Below 1 % it depends on how wide the motion is, not on the model; above the half that
/// identify calls "no model explains this recording" nothing holds.
constexpr double same_machine = 2, same_share = same_machine * same_machine, share_of_nothing = 1;  // [%]

/// The quality that says most about new samples.
const SetQuality* stored_quality(const ModelFile& model) {
  const SetQuality* best = nullptr;
  for (const char* set : {"estimation", "validation", "test"})
    for (const SetQuality& q : model.quality)
      if (q.set == set) best = &q;
  return best;
}

std::string verdict_of(const ModelFile& model, const ValidationResult& r, MotionKind motion) {
  const std::string force = unit_for(motion, "N");
  const Validation& v = r.validation;
  if (!r.beyond_range.empty())
    return "The model does not hold: this recording goes beyond what its levels are good for: " + r.beyond_range +
           ". The force computed there means nothing.";
  if (!std::isfinite(v.rms)) return "The model fails on this recording: its force is not finite.";
  if (v.quality.noe >= 100)
    return "The model explains nothing of this recording (" + significant(v.quality.noe, 3) +
           " % of the force's variance unexplained): different machine, sign or preparation?";
  if (!r.stored && !r.share_holds)
    return "The model does not hold: it leaves " + significant(v.quality.noe, 3) +
           " % of the force's variance; above " + significant(unexplained_above, 3) + " % it explains nothing.";
  if (!r.stored)
    return "The model leaves " + significant(v.quality.noe, 3) +
           " % of the force's variance; the model file states no quality to "
           "compare with.";
  const double ratio = v.rms / r.stored->rms;
  const std::string numbers = with_unit(v.rms, force, 3) + " rms here, " + with_unit(r.stored->rms, force, 3) +
                              " on the " + r.stored->set + " samples of " +
                              (model.recording.empty() ? "its recording" : model.recording);
  const std::string shares = significant(v.quality.noe, 3) + " % of the force's variance unexplained, against " +
                             significant(r.stored->noe, 3) + " % in the model file";
  if (r.holds) return "The model holds: " + numbers + "; " + shares + ".";
  if (r.rms_holds)
    return "The model does not hold: the rms error is as stated, the unexplained share is not: " + shares + "; " +
           numbers +
           ". It explains too little of this force: the force is smaller here, or has a cause that the model lacks.";
  return "The model does not hold: " +
         std::string(r.share_holds ? "the unexplained share is as stated, the rms error is not: "
                                   : "neither rms error nor unexplained share is as stated: ") +
         "its error on this recording is " + significant(ratio, 2) + " times that on its own recording, " + numbers +
         "; " + shares + ". The machine has changed, or moves in a way it did not before.";
}

}  // namespace

ReadOptions reading_as(const ModelFile& model, ReadOptions options) {
  const ReadOptions& own = model.reading;
  for (const Role role : all_roles) {
    if (!of(options.columns, role).empty()) continue;
    of(options.columns, role) = of(own.columns, role);
    if (of(options.gains, role).empty()) of(options.gains, role) = of(own.gains, role);
  }
  if (!options.drive.is_given()) options.drive = own.drive;
  if (options.numbers.empty()) options.numbers = own.numbers;
  if (options.rate == 0) options.rate = own.rate;
  if (options.names.empty()) options.names = own.names;
  if (options.where.empty()) options.where = own.where;
  if (options.missing == Missing::refuse) options.missing = own.missing;
  if (options.delimiter == 0) options.delimiter = own.delimiter;
  if (options.decimal == 0) options.decimal = own.decimal;
  if (options.skip_lines == 0) options.skip_lines = own.skip_lines;
  return options;
}

ValidationResult validate_model(const ModelFile& model, const Prepared& data) {
  for (const VariationSetting& law : model.settings.variations) {
    const bool is_missing = (law.over == Quantity::load && data.load.empty()) ||
                            (law.over == Quantity::pressure && data.pressure.empty()) ||
                            (law.over == Quantity::temperature && data.temperature.empty());
    if (is_missing)
      throw Error(one_line(data.file) + ": the model follows the " + std::string(quantity_name(law.over)) +
                  ", which this recording does not have; choose a column with --" +
                  std::string(quantity_name(law.over)));
  }
  ValidationResult r;
  Validation& v = r.validation;
  v.title = (model.file.empty() ? model.model : model.file) + " on " + data.file;
  v.model = model.model;
  v.settings = model.settings;
  v.chain = {model.measurement.offset, model.measurement.lag, model.measurement.backlash};
  const auto friction = make_friction(model.model, model.settings);
  const std::vector<double> predicted = predicted_force(*friction, v.chain, data);
  v.quality = fit_quality(data.force, predicted);
  v.rms = std::sqrt(v.quality.cost / static_cast<double>(data.size()));
  r.stored = stored_quality(model);
  r.rms_holds = std::isfinite(v.rms) && (!r.stored || v.rms <= same_machine * r.stored->rms);
  r.share_holds = v.quality.noe <= unexplained_above &&
                  (!r.stored || v.quality.noe <= std::max(same_share * r.stored->noe, share_of_nothing));
  r.beyond_range = beyond_range(*friction, data);
  r.holds = r.rms_holds && r.share_holds && r.beyond_range.empty();
  v.holds = r.holds;
  v.verdict = verdict_of(model, r, model.motion);
  return r;
}

Json validation_json(const std::string& model_file, const ValidationResult& r, const Prepared& data) {
  const Validation& v = r.validation;
  Json steps = Json::array();
  for (const auto& step : data.steps) steps.push_back(step);
  Json stored;
  if (r.stored)
    stored = Json::object({{"set", r.stored->set},
                           {"noe_percent", r.stored->noe},
                           {"largest_error", r.stored->largest_error},
                           {"rms", r.stored->rms}});
  return Json::object({{"model_file", model_file},
                       {"model", v.model},
                       {"recording", data.file},
                       {"fingerprint", data.fingerprint},
                       {"samples", data.size()},
                       {"noe_percent", v.quality.noe},
                       {"largest_error", v.quality.largest_error},
                       {"rms", v.rms},
                       {"stored", stored},
                       {"holds", r.holds},
                       {"rms_holds", r.rms_holds},
                       {"share_holds", r.share_holds},
                       {"beyond_range", r.beyond_range.empty() ? Json() : Json(r.beyond_range)},
                       {"verdict", v.verdict},
                       {"preparation", steps},
                       {"warnings", Json(v.warnings)}});
}

std::string validation_text(const ModelFile& model, const ValidationResult& r, const Prepared& data,
                            const ValidationTextOptions& options) {
  std::string text = coloured(r.validation.title, Ink::bold, options.colour) + "\n" +
                     wrapped(r.validation.verdict, options.width, "  ") + "\n";
  TextTable table{.columns = {"", "NOE", "rms", "MAX"}, .rows = {}};
  const auto row = [&](const std::string& name, double noe, double rms, double largest) {
    const std::string force = unit_for(model.motion, "N");
    table.rows.push_back({name, significant(noe, 3) + " %", with_unit(rms, force, 3), with_unit(largest, force, 3)});
  };
  row("this recording", r.validation.quality.noe, r.validation.rms, r.validation.quality.largest_error);
  for (const SetQuality& q : model.quality) row(q.set + ", in the model file", q.noe, q.rms, q.largest_error);
  text += to_text(table, {.colour = options.colour}) + "\nPrepared like the model's own recording" +
          (options.is_changed ? ", changed by the options" : "") + ":\n";
  for (const auto& step : data.steps) text += wrapped(step, options.width, "  ");
  return text;
}

}  // namespace stickslip::inline jobs
