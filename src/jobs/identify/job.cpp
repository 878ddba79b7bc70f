/// An identification as the command sees it; see job.hpp.
#include "jobs/identify/job.hpp"

#include <algorithm>
#include <functional>

#include "core/text.hpp"
#include "core/units.hpp"
#include "files/mat.hpp"
#include "identification/laws/model_space.hpp"
#include "jobs/identify/own_numbers.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline jobs {
namespace {

const Estimate* estimate_of(const Confidence& confidence, const std::string& key) {
  for (const Estimate& e : confidence.estimates)
    if (plain_key(e.key) == key) return &e;
  return nullptr;
}

void add_rows(const ParameterValues& values, const std::string& before, const ModelDescription& model,
              const IdentifiedModel& found, MotionKind motion, std::vector<ParameterRow>& rows) {
  for (const auto& [key, value] : values) {
    const auto p = std::find_if(model.parameters.begin(), model.parameters.end(),
                                [&wanted = key](const auto& q) { return q.key == wanted; });
    if (p == model.parameters.end()) continue;
    const std::string unit = p->unit.empty() ? "" : unit_for(motion, p->unit);
    const auto row = [&](const std::string& name, double number) {
      const std::size_t before_it = rows.size();
      for (std::size_t k = 1; k <= found.own.size(); ++k)  // private: what every recording has
        if (const Estimate* e = estimate_of(found.confidence, name + "@" + std::to_string(k)))
          rows.push_back({plain_key(e->key), p->symbol, unit, p->meaning, e->value, e});
      if (rows.size() == before_it)
        rows.push_back({name, p->symbol, unit, p->meaning, number, estimate_of(found.confidence, name)});
    };
    if (const auto* number = std::get_if<double>(&value)) row(before + key, *number);
    if (const auto* list = std::get_if<std::vector<double>>(&value))
      for (std::size_t i = 0; i < list->size(); ++i) row(before + key + "[" + std::to_string(i + 1) + "]", (*list)[i]);
  }
}

/// Which set a sample of a piece serves.
double set_of(const Piece& piece, std::size_t i) {
  return piece.estimation.contains(i) ? 1 : piece.validation.contains(i) ? 2 : piece.test.contains(i) ? 3 : 0;
}

}  // namespace

JudgedSet judged_set(const IdentifiedModel& model) {
  if (model.test.samples > 0) return {"test", model.test, model.test_rms};
  if (model.validation.samples > 0) return {"validation", model.validation, model.validation_rms};
  return {"estimation", model.estimation, model.estimation_rms};
}

bool is_open_above(const IdentifiedModel& model, const Estimate& estimate) {
  const bool is_alone = estimate.verdict == Determination::well_determined || estimate.verdict == Determination::weak;
  return !is_alone && std::any_of(model.profiles.begin(), model.profiles.end(),
                                  [&](const Profile& p) { return p.key == estimate.key && !p.ends_above; });
}

SetCounts counts_of(const Sets& sets) {
  SetCounts counts;
  for (const Piece& piece : sets.pieces) {
    counts.estimation += piece.estimation.count();
    counts.validation += piece.validation.count();
    counts.test += piece.test.count();
  }
  return counts;
}

std::string prior_words(const Estimate& e, const std::string& unit) {
  if (!(e.prior_error > 0)) return "";
  return "; prior " + with_unit(e.prior, unit, 4) + " ± " + with_unit(e.prior_error, unit, 2);
}

std::vector<ParameterRow> parameter_rows(const IdentifiedModel& found, MotionKind motion) {
  const ModelDescription& model = find_model(found.model).description();
  std::vector<ParameterRow> rows;
  add_rows(found.settings.values, "", model, found, motion, rows);
  add_rows(found.settings.backward, "backward.", model, found, motion, rows);
  const auto chain = [&](const char* key, double value, const char* meaning) {
    const std::size_t before_it = rows.size();
    for (std::size_t k = 1; k <= found.own.size(); ++k)
      if (const Estimate* e = estimate_of(found.confidence, key + ("@" + std::to_string(k)));
          e && e->key.starts_with("chain."))
        rows.push_back({plain_key(e->key), "", unit_of_key(model, key, motion), meaning, e->value, e});
    if (rows.size() > before_it) return;
    const bool has_own =
        std::any_of(rows.begin(), rows.end(), [&](const ParameterRow& r) { return shared_key(r.key) == key; });
    const Estimate* estimate = has_own ? nullptr : estimate_of(found.confidence, key);
    if (estimate || value != 0) rows.push_back({key, "", unit_of_key(model, key, motion), meaning, value, estimate});
  };
  chain("offset", found.chain.offset, "of the measured force");
  chain("lag", found.chain.lag, "of the force behind the motion");
  chain("backlash", found.chain.backlash, "backlash before the contact");
  for (const Estimate& e : found.confidence.estimates) {  // factors of load, position, ... and what else was estimated
    const bool is_there =
        std::any_of(rows.begin(), rows.end(), [&](const ParameterRow& r) { return r.key == plain_key(e.key); });
    const bool is_mass = e.key == "mass" || e.key == "inertia";
    if (!is_there)
      rows.push_back({e.key, "", unit_of_key(model, e.key, motion), is_mass ? "its inertial force is subtracted" : "",
                      e.value, &e});
  }
  return rows;
}

ModelFile model_file_of(const IdentifyJob& job, const Identification& identification) {
  const IdentifiedModel& found = identification.models.at(identification.recommended);
  ModelFile file;
  file.title = find_model(found.model).description().title + ", identified from " + job.recording;
  file.label = found.label;
  file.motion = job.motion;
  file.model = found.model;
  file.settings = found.settings;
  file.measurement = {found.chain.offset, found.chain.lag, found.chain.backlash};
  for (const Estimate& e : found.confidence.estimates)
    if (!unit_in(e.key))
      file.uncertainty.push_back({plain_key(e.key), e.standard_error, e.low, e.high, std::string(name_of(e.verdict)),
                                  shared_key(plain_key(e.partner)), e.prior, e.prior_error});
  const OwnNumbers own = own_numbers(job.sets, found, job.motion);
  for (Uncertainty& row : own_uncertainty(own)) file.uncertainty.push_back(std::move(row));
  const SetCounts counts = counts_of(job.sets);
  const auto quality = [&](const char* set, std::size_t count, const FitQuality& q, double rms) {
    if (count > 0) file.quality.push_back({set, q.noe, q.largest_error, rms});
  };
  quality("estimation", counts.estimation, found.estimation, found.estimation_rms);
  quality("validation", counts.validation, found.validation, found.validation_rms);
  quality("test", counts.test, found.test, found.test_rms);
  file.recording = job.recording;
  file.fingerprint = job.fingerprint;
  file.reading = job.reading;
  file.preparation = job.preparation;
  file.program = "stickslip " + std::string(version());
  file.command = job.command;
  file.split = job.sets.how;
  file.seed = job.options.seed;
  if (!job.sets.pieces.empty()) file.steps = job.sets.pieces.front().data.steps;
  file.remarks = found.remarks;
  if (const std::string& headline = identification.explanation.headline; !headline.empty())
    file.remarks.insert(file.remarks.begin(), headline);
  for (std::string& remark : own_remarks(own, job.motion)) file.remarks.push_back(std::move(remark));
  if (!found.complete) file.remarks.push_back("interrupted: the best so far");
  return file;
}

namespace {

Table residual_columns(const Sets& sets, MotionKind motion,
                       const std::function<std::vector<double>(const Piece&)>& prediction) {
  const std::string force = unit_for(motion, "N");
  Table table{{{"time", "s", {}},
               {"position", unit_for(motion, "m"), {}},
               {"velocity", unit_for(motion, "m/s"), {}},
               {"measured", force, {}},
               {"predicted", force, {}},
               {"residual", force, {}},
               {"set", "", {}},
               {"piece", "", {}}}};
  for (std::size_t k = 0; k < sets.pieces.size(); ++k) {
    const Piece& piece = sets.pieces[k];
    const std::vector<double> predicted = prediction(piece);
    for (std::size_t i = 0; i < piece.data.size(); ++i) {
      const std::array<double, 8> row{piece.data.time[i],     piece.data.position[i],
                                      piece.data.velocity[i], piece.data.force[i],
                                      predicted[i],           piece.data.force[i] - predicted[i],
                                      set_of(piece, i),       static_cast<double>(k + 1)};
      for (std::size_t j = 0; j < row.size(); ++j) table.columns[j].values.push_back(row[j]);
    }
  }
  return table;
}

}  // namespace

Table residual_table(const Sets& sets, const Friction& friction, const Chain& chain, MotionKind motion) {
  return residual_columns(sets, motion,
                          [&](const Piece& piece) { return predicted_force(friction, chain, piece.data); });
}

Table residual_table(const Sets& sets, const IdentifiedModel& model, MotionKind motion) {
  return residual_columns(sets, motion, [&](const Piece& piece) { return predicted_force(model, piece); });
}

std::string identification_mat(const IdentifyJob& job, const Identification& found) {
  const IdentifiedModel& best = found.models.at(found.recommended);
  MatFields parameters, forces;
  for (const ParameterRow& row : parameter_rows(best, job.motion)) {
    MatFields one{{"value", MatValue(row.value)}, {"unit", MatValue(row.unit)}, {"meaning", MatValue(row.meaning)}};
    if (const Estimate* e = row.estimate) {
      one.emplace_back("standard_error", MatValue(e->standard_error));
      one.emplace_back("low", MatValue(e->low));
      one.emplace_back("high", MatValue(e->high));
      one.emplace_back("verdict", MatValue(std::string(name_of(e->verdict))));
    }
    parameters.emplace_back(row.key, MatValue(std::move(one)));
  }
  for (Column& column : residual_table(job.sets, best, job.motion).columns)
    forces.emplace_back(column.name, MatValue(std::move(column.values)));
  const auto quality = [](const FitQuality& q, double rms) {
    return MatValue(MatFields{
        {"noe_percent", MatValue(q.noe)}, {"largest_error", MatValue(q.largest_error)}, {"rms", MatValue(rms)}});
  };
  return to_mat({{"model", MatValue(best.model)},
                 {"label", MatValue(best.label)},
                 {"verdict", MatValue(std::string(name_of(found.explanation.verdict)))},
                 {"why", MatValue(found.why)},
                 {"judged_on", MatValue(judged_set(best).name)},
                 {"unexplained_percent", MatValue(judged_set(best).quality.noe)},
                 {"unexplained_in_motion_percent", MatValue(found.explanation.unexplained)},
                 {"parameters", MatValue(std::move(parameters))},
                 {"estimation", quality(best.estimation, best.estimation_rms)},
                 {"validation", quality(best.validation, best.validation_rms)},
                 {"test", quality(best.test, best.test_rms)},
                 {"forces", MatValue(std::move(forces))}});
}

}  // namespace stickslip::inline jobs
