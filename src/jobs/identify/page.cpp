/// The HTML reports of `stickslip identify` and `stickslip validate`; see page.hpp.
#include "jobs/identify/page.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "jobs/identify/job.hpp"
#include "jobs/identify/own_numbers.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/friction/steady_curve.hpp"

namespace stickslip::inline jobs {
namespace {

constexpr std::size_t pieces_shown = 4;

MotionKind motion_of(const Prepared& data) { return data.rotary ? MotionKind::rotary : MotionKind::linear; }
std::string force_unit(const Prepared& data) { return unit_for(motion_of(data), "N"); }
std::string position_unit(const Prepared& data) { return unit_for(motion_of(data), "m"); }
std::string velocity_unit(const Prepared& data) { return unit_for(motion_of(data), "m/s"); }

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = a[i] - b[i];
  return d;
}

std::string percent(double noe) { return significant(noe, 3) + " %"; }

/// Stretches of time at rest, and where the sets begin.
void mark_phases(Panel& panel, const Piece& piece) {
  const Prepared& data = piece.data;
  Shade rest{.label = "rest", .intervals = {}};
  for (const Phase& phase : phases_of(data).phases)
    if (phase.kind == PhaseKind::rest && phase.samples.count > 1)
      rest.intervals.push_back(
          {data.time[phase.samples.first], data.time[phase.samples.first + phase.samples.count - 1]});
  if (!rest.intervals.empty()) panel.shades.push_back(std::move(rest));
  const auto begins = [&](const SampleSet& set, const char* name) {
    for (const Stretch& s : set.stretches())
      if (s.first > 0)
        panel.references.push_back({.across = Across::vertical,
                                    .at = data.time[s.first],
                                    .label = s.first == set.first() ? name : std::string()});
  };
  begins(piece.estimation, "estimation"), begins(piece.validation, "validation"), begins(piece.test, "test");
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Steady friction over the speeds of the recording, at its mean load, pressure and temperature.
DataSeries steady_series(const Prepared& data, const Friction& friction) {
  DataSeries curve{.name = "model, steady", .colour = ink, .dashed = true, .width = 2.2};
  double fastest = 0;
  for (const double v : data.velocity) fastest = std::max(fastest, std::fabs(v));
  if (!(fastest > 0)) return curve;
  const auto [low, high] = std::minmax_element(data.position.begin(), data.position.end());
  SteadySliding sliding{.travel = *high - *low, .end = 0.5 * (*low + *high)};
  if (!data.load.empty()) sliding.load = mean(data.load);
  if (!data.pressure.empty()) sliding.pressure = mean(data.pressure);
  if (!data.temperature.empty()) sliding.temperature = mean(data.temperature);
  constexpr double decades = 3;
  constexpr int speeds = 40;
  SteadyCurve found = steady_curve(friction, steady_speeds(fastest, decades, speeds), sliding);
  curve.x = std::move(found.speed);
  curve.y = std::move(found.force);
  return curve;
}

std::vector<Prediction> predictions_of(const Identification& found, const Piece& piece) {
  std::vector<Prediction> predictions;
  const auto add = [&](const IdentifiedModel& model) {
    predictions.push_back({model.label, predicted_force(model, piece)});
  };
  add(found.models[found.recommended]);
  for (std::size_t i = 0; i < found.models.size() && predictions.size() < 3; ++i)
    if (i != found.recommended) add(found.models[i]);
  return predictions;
}

/// "thresholds[2]", "backward.viscosity": the unit of the parameter it belongs to; of a factor none.
std::string unit_of(const ModelDescription& model, const std::string& key, MotionKind motion) {
  if (key == "chain.offset") return unit_for(motion, "N");
  if (key == "chain.lag") return "s";
  if (key == "chain.backlash") return unit_for(motion, "m");
  if (key.find('@') != std::string::npos) return unit_of(model, key.substr(0, key.find('@')), motion);
  std::string bare = key.starts_with("backward.") ? key.substr(9) : key;
  if (bare.find(" over ") != std::string::npos) return "";
  bare = bare.substr(0, bare.find('['));
  for (const auto& p : model.parameters)
    if (p.key == bare && !p.unit.empty()) return unit_for(motion, p.unit);
  return "";
}

Tone tone_of(Determination verdict) {
  switch (verdict) {
    case Determination::well_determined:
      return Tone::good;
    case Determination::weak:
    case Determination::at_bound:
      return Tone::doubtful;
    case Determination::not_separable:
      return Tone::bad;
  }
  return Tone::plain;
}

PageTable parameter_table(const IdentifiedModel& model, MotionKind motion) {
  const ModelDescription& described = find_model(model.model).description();
  PageTable table{.caption = "95 % intervals", .columns = {"parameter", "value", "from", "to", "verdict"}, .rows = {}};
  const bool has_bootstrap = !model.bootstrap.estimates.empty();
  if (has_bootstrap) table.columns.insert(table.columns.end() - 1, {"bootstrap from", "bootstrap to"});
  for (const Estimate& e : model.confidence.estimates) {
    const std::string unit = unit_of(described, e.key, motion);
    std::string verdict(name_of(e.verdict));
    if (!e.partner.empty())
      verdict += " from " + plain_key(e.partner);
    else if (!e.companion.empty())
      verdict += ", moves with " + plain_key(e.companion);
    verdict += prior_words(e, unit);
    const bool is_bound = e.verdict == Determination::at_bound && e.low == e.high;  // a bound is no interval
    std::vector<PageCell> row{plain_key(e.key), with_unit(e.value, unit, 5), is_bound ? "-" : with_unit(e.low, unit, 4),
                              is_open_above(model, e) ? "open"
                              : is_bound              ? "-"
                                                      : with_unit(e.high, unit, 4)};
    if (has_bootstrap) {
      const auto again = std::find_if(model.bootstrap.estimates.begin(), model.bootstrap.estimates.end(),
                                      [&](const Estimate& b) { return b.key == e.key; });
      const bool there = again != model.bootstrap.estimates.end();
      row.push_back(there ? with_unit(again->low, unit, 4) : "-");
      row.push_back(there ? with_unit(again->high, unit, 4) : "-");
    }
    row.push_back(PageCell(verdict, tone_of(e.verdict)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageCell recommended_cell(Explained verdict) {
  if (verdict == Explained::well) return PageCell("recommended", Tone::good);
  if (verdict == Explained::weakly) return PageCell("recommended, but weak", Tone::doubtful);
  return PageCell("best, not recommended", Tone::bad);
}

/// Rizos and Fassois' Table 1: NOE and MAX on the three sets, and the number of parameters.
PageTable ranking_table(const Identification& found, const std::string& unit) {
  PageTable table{
      .caption =
          "Ranked by the rms error in motion on the validation samples (of estimation where there are none). NOE: "
          "share of the force's variance left unexplained; MAX: largest error",
      .columns = {"model", "parameters", "ranked by rms", "NOE estimation", "NOE validation", "NOE test",
                  "MAX validation", "MAX test", ""},
      .rows = {}};
  for (std::size_t i = 0; i < found.models.size(); ++i) {
    const IdentifiedModel& m = found.models[i];
    const bool has_test = m.test.samples > 0, has_validation = m.validation.samples > 0;
    table.rows.push_back({m.label, std::to_string(m.parameters), with_unit(m.ranked_rms, unit, 3),
                          percent(m.estimation.noe), has_validation ? percent(m.validation.noe) : "-",
                          has_test ? percent(m.test.noe) : "-",
                          has_validation ? with_unit(m.validation.largest_error, unit, 3) : "-",
                          has_test ? with_unit(m.test.largest_error, unit, 3) : "-",
                          i == found.recommended                   ? recommended_cell(found.explanation.verdict)
                          : !m.group.empty() && m.group != m.label ? PageCell("same force as " + m.group)
                                                                   : PageCell("")});
  }
  return table;
}

/// Rizos and Fassois' Fig 2: NOE over the order, one panel per family.
Figure order_figure(const std::vector<OrderPoint>& orders) {
  Figure figure{.subtitle = "unexplained force over the number of operators", .columns = 2};
  for (const OrderPoint& point : orders) {
    const std::string family = point.label.substr(0, point.label.find('('));
    auto panel =
        std::find_if(figure.panels.begin(), figure.panels.end(), [&](const Panel& p) { return p.title == family; });
    if (panel == figure.panels.end()) {
      figure.panels.push_back({.title = family, .x = {"operators", ""}, .y = {"NOE in %", "", true}});
      panel = figure.panels.end() - 1;
      panel->series = {{.name = "estimation"}, {.name = "validation"}, {.name = "test"}};
    }
    const auto put = [&](std::size_t which, double noe) {
      if (!(noe > 0)) return;
      panel->series[which].x.push_back(static_cast<double>(point.operators));
      panel->series[which].y.push_back(noe);
    };
    put(0, point.estimation.noe), put(1, point.validation.noe), put(2, point.test.noe);
  }
  std::erase_if(figure.panels, [](const Panel& p) { return p.series[0].x.size() < 2; });  // one order is no curve
  return figure;
}

Figure profile_figure(const IdentifiedModel& model, MotionKind motion) {
  const ModelDescription& described = find_model(model.model).description();
  Figure figure{.subtitle = "cost with the parameter held fixed and all others refitted", .columns = 2};
  for (const Profile& p : model.profiles) {
    Panel panel{.title = plain_key(p.key),
                .x = {plain_key(p.key), unit_of(described, p.key, motion)},
                .y = {motion == MotionKind::rotary ? "cost J in (N m)²" : "cost J in N²", ""},
                .legend = false};
    DataSeries line{.name = plain_key(p.key)};
    for (const auto& point : p.points) line.x.push_back(point.value), line.y.push_back(point.cost);
    DataSeries fits = line;  // each a fit of its own; the lines between them only lead the eye
    fits.style = Style::points;
    line.name = "";
    panel.series = {std::move(line), std::move(fits)};
    if (std::isfinite(p.low)) panel.references.push_back({Across::vertical, p.low, "95 %"});
    if (std::isfinite(p.high)) panel.references.push_back({Across::vertical, p.high, ""});
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

void add_forces(Page& page, const Piece& piece, const std::vector<Prediction>& predictions, const Friction& friction) {
  page.blocks.push_back(FigureBlock{time_figure(piece, predictions), "forces"});
  page.blocks.push_back(PageHeading{"Loop and curve", 3});
  page.blocks.push_back(FigureBlock{loop_figure(piece.data, predictions[0], friction), "loop"});
  page.blocks.push_back(PageHeading{"Residuals in detail", 3});
  page.blocks.push_back(FigureBlock{residual_figure(piece.data, predictions[0]), "residual"});
}

void add_preparation(Page& page, const Prepared& data) {
  page.blocks.push_back(PageHeading{"How the recording was prepared"});
  page.blocks.push_back(Remarks{data.steps});
  std::vector<std::string> notes;
  for (const Note& note : data.notes) notes.push_back(to_text(note, data.file));
  if (!notes.empty()) page.blocks.push_back(Remarks{std::move(notes)});
}

}  // namespace

Figure time_figure(const Piece& piece, const std::vector<Prediction>& predictions) {
  const Prepared& data = piece.data;
  const auto over_time = [&](std::string name, std::string unit) {
    Panel panel{.x = {"time", "s"}, .y = {std::move(name), std::move(unit)}};
    mark_phases(panel, piece);
    return panel;
  };
  Panel force = over_time("friction", force_unit(data));
  // The recommended model on top, dark and dashed as in the loops, so that the measured force shows below it.
  force.series.push_back({.name = "measured", .x = data.time, .y = data.force, .width = 2});
  for (std::size_t i = 1; i < predictions.size(); ++i)
    force.series.push_back({.name = predictions[i].name, .x = data.time, .y = predictions[i].force, .width = 1});
  force.series.push_back({.name = predictions[0].name,
                          .x = data.time,
                          .y = predictions[0].force,
                          .colour = ink,
                          .dashed = true,
                          .width = 1.3});
  Panel residual = over_time("measured − " + predictions[0].name, force_unit(data));
  residual.series.push_back({.name = "residual", .x = data.time, .y = difference(data.force, predictions[0].force)});
  residual.legend = false;
  Panel velocity = over_time("velocity", velocity_unit(data));
  velocity.series.push_back({.name = "velocity", .x = data.time, .y = data.velocity});
  velocity.legend = false;
  return {.panels = {std::move(force), std::move(residual), std::move(velocity)}};
}

Figure loop_figure(const Prepared& data, const Prediction& prediction, const Friction& friction) {
  Panel loop{.title = "over position", .x = {"position", position_unit(data)}, .y = {"friction", force_unit(data)}};
  loop.series = {{.name = "measured", .x = data.position, .y = data.force, .tint = data.time},
                 {.name = prediction.name,
                  .x = data.position,
                  .y = prediction.force,
                  .colour = ink,
                  .dashed = true,
                  .width = 1.3}};
  Panel curve{.title = "over velocity", .x = {"velocity", velocity_unit(data)}, .y = {"friction", force_unit(data)}};
  curve.series = {{.name = "measured", .x = data.velocity, .y = data.force, .tint = data.time}};
  if (DataSeries steady = steady_series(data, friction); !steady.x.empty()) curve.series.push_back(std::move(steady));
  return {.panels = {std::move(loop), std::move(curve)}, .columns = 2};
}

Figure residual_figure(const Prepared& data, const Prediction& prediction) {
  const std::vector<double> residual = difference(data.force, prediction.force);
  const auto panel = [&](std::string title, Axis x, const std::vector<double>& values) {
    Panel p{.title = std::move(title), .x = std::move(x), .y = {"residual", force_unit(data)}, .legend = false};
    p.series = {{.name = "residual", .x = values, .y = residual, .style = Style::points, .tint = data.time}};
    return p;
  };
  return {.panels = {panel("over velocity", {"velocity", velocity_unit(data)}, data.velocity),
                     panel("over position", {"position", position_unit(data)}, data.position)},
          .columns = 2};
}

Page identification_page(const Identification& found, const Sets& sets, const Provenance& provenance) {
  const IdentifiedModel& best = found.models.at(found.recommended);
  const Prepared& first = sets.pieces.at(0).data;
  const MotionKind motion = motion_of(first);
  const JudgedSet judged = judged_set(best);
  std::size_t well = 0;
  for (const Estimate& e : best.confidence.estimates) well += e.verdict == Determination::well_determined;

  Page page{.title = "Friction of " + first.file};
  page.subtitle =
      found.explanation.verdict == Explained::not_at_all
          ? "No model explains this recording"
          : best.label + " leaves " + percent(judged.quality.noe) + " of the force's variance unexplained on the " +
                judged.name + " samples" +
                (judged.is_held_out() ? ", which were not used for the fit" : ", which were used for the fit");
  page.blocks.push_back(
      Highlights{{{best.label, found.explanation.verdict == Explained::not_at_all ? "best model, not recommended"
                               : found.explanation.verdict == Explained::weakly   ? "recommended model, but weak"
                                                                                  : "recommended model"},
                  {percent(judged.quality.noe), "unexplained, " + judged.name + " samples"},
                  {with_unit(judged.rms, force_unit(first), 3), "rms error, " + judged.name + " samples"},
                  {std::to_string(well) + " of " + std::to_string(best.confidence.estimates.size()),
                   "parameters well determined"}}});
  Warnings warnings{found.warnings};
  if (!found.explanation.headline.empty())
    warnings.texts.insert(warnings.texts.begin(), found.explanation.headline + ".");
  if (!best.complete) warnings.texts.push_back("The identification was interrupted: this is the best so far.");
  if (!warnings.texts.empty()) page.blocks.push_back(std::move(warnings));
  if (!found.explanation.reasons.empty()) {
    page.blocks.push_back(PageHeading{"Diagnosis of the residuals", 3});
    page.blocks.push_back(Remarks{found.explanation.reasons});
  }
  page.blocks.push_back(Paragraph{found.why});
  if (!found.equivalent.empty())
    page.blocks.push_back(Paragraph{"The same force on this recording: " + joined(found.equivalent) + "."});
  if (!found.not_separable.empty())
    page.blocks.push_back(Paragraph{"Not separable on this recording from " + joined(found.not_separable) + "."});

  page.blocks.push_back(PageHeading{"Parameters"});
  page.blocks.push_back(parameter_table(best, motion));
  std::vector<std::string> remarks = best.remarks;
  if (best.whiteness >= 0.05)  // otherwise the remarks say what is left
    remarks.push_back("The residuals are white (Ljung-Box p = " + significant(best.whiteness, 2) + ").");
  page.blocks.push_back(Remarks{std::move(remarks)});
  if (!best.advice.empty()) {
    page.blocks.push_back(PageHeading{"Suggested tests", 3});
    page.blocks.push_back(Remarks{best.advice});
  }
  if (const OwnNumbers own = own_numbers(sets, best, motion); !own.numbers.empty()) {
    page.blocks.push_back(PageHeading{"Private numbers of each recording", 3});
    page.blocks.push_back(page_table(own_table(own, motion), own_note(own)));
    page.blocks.push_back(page_table(own_spread_table(own), "From recording to recording"));
  }
  if (!found.explored.empty()) {
    page.blocks.push_back(PageHeading{"Explored", 3});
    page.blocks.push_back(Remarks{found.explored});
  }

  page.blocks.push_back(PageHeading{"Measured and predicted"});
  for (std::size_t i = 0; i < sets.pieces.size() && i < pieces_shown; ++i) {
    const auto friction =
        make_friction(best.model, best.own.empty() ? best.settings : best.own.at(sets.pieces[i].unit).settings);
    if (sets.pieces.size() > 1)
      page.blocks.push_back(PageHeading{"Piece " + std::to_string(i + 1) + ": " + sets.pieces[i].data.file, 3});
    add_forces(page, sets.pieces[i], predictions_of(found, sets.pieces[i]), *friction);
  }
  if (sets.pieces.size() > pieces_shown)
    page.blocks.push_back(Paragraph{"The first " + std::to_string(pieces_shown) + " of " +
                                    std::to_string(sets.pieces.size()) + " pieces are drawn."});

  if (!best.profiles.empty()) {
    page.blocks.push_back(PageHeading{"Likelihood profiles"});
    page.blocks.push_back(FigureBlock{profile_figure(best, motion), "profiles"});
  }

  page.blocks.push_back(PageHeading{"Ranking"});
  page.blocks.push_back(Paragraph{"Sets: " + sets.how + "."});
  page.blocks.push_back(ranking_table(found, force_unit(first)));
  if (Figure orders = order_figure(found.orders); !orders.panels.empty())
    page.blocks.push_back(FigureBlock{std::move(orders), "orders"});
  if (!found.skipped.empty()) {
    Details skipped{.summary = "Models not fitted", .blocks = {}};
    skipped.blocks.push_back(Remarks{found.skipped});
    page.blocks.push_back(std::move(skipped));
  }
  add_preparation(page, first);
  add_how_to_repeat(page, provenance);
  return page;
}

Page validation_page(const Validation& v, const Prepared& data, const Provenance& provenance) {
  const auto friction = make_friction(v.model, v.settings);
  Page page{.title = v.title};
  page.subtitle = v.verdict;
  page.blocks.push_back(Highlights{{{v.holds ? "holds" : "does not hold", "the model on this recording"},
                                    {percent(v.quality.noe), "of the force's variance unexplained"},
                                    {with_unit(v.rms, force_unit(data), 3), "rms error"},
                                    {with_unit(v.quality.largest_error, force_unit(data), 3), "largest error"}}});
  if (!v.warnings.empty()) page.blocks.push_back(Warnings{v.warnings});
  page.blocks.push_back(PageHeading{"Measured and predicted"});
  add_forces(page, Piece{.data = data, .estimation = {}, .validation = {}, .test = {}},
             {{v.model, predicted_force(*friction, v.chain, data)}}, *friction);
  add_preparation(page, data);
  add_how_to_repeat(page, provenance);
  return page;
}

}  // namespace stickslip::inline jobs
