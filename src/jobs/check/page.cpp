/// The HTML report of `stickslip check`; see page.hpp.
/// Friction is drawn along prescribed motions: loops of shrinking width about the presliding length (memory, stiffness),
/// and a sinusoid at sliding speed (Stribeck curve, viscosity, lag). A law that truly sticks shows no friction at rest
/// there, since a prescribed rest says nothing about the force.
#include "jobs/check/page.hpp"

#include <cmath>
#include <numbers>

#include "check/reference_sets.hpp"
#include "core/units.hpp"

namespace stickslip::inline jobs {
namespace {

constexpr double loop_length = 4 * reference::presliding;            // half the width of the widest loop [m]
constexpr double sliding_speed = 20 * reference::stribeck_velocity;  // [m/s]

/// Units of the model, and how large its loops and speeds are.
struct Drawing {
  const Friction& friction;
  Similarity scale;
  bool is_rotary;
  std::string unit(std::string_view linear) const { return is_rotary ? rotary(linear) : std::string(linear); }
};

Panel drawn(const Drawing& d, const PrescribedMotion& motion, std::vector<double> x, Axis axis,
            const std::string& title) {
  Panel panel{.title = title, .x = std::move(axis), .y = {"friction", d.unit("N")}};
  panel.series = {{.x = std::move(x), .y = d.friction.respond(motion), .tint = motion.time}};
  return panel;
}

/// Back and forth, each way shorter than the one before.
Panel presliding_panel(const Drawing& d) {
  PrescribedMotion motion;
  constexpr int samples = 4000, swings = 4;
  for (int i = 0; i <= samples; ++i) {
    const double t = swings * double(i) / samples;
    motion.time.push_back(d.scale.time * t);
    motion.position.push_back(d.scale.length * loop_length * std::exp(-0.35 * t) * std::sin(2 * std::numbers::pi * t));
  }
  return drawn(d, motion, motion.position, {"position", d.unit("m")}, "Shrinking loops");
}

Panel sliding_panel(const Drawing& d) {
  PrescribedMotion motion;
  std::vector<double> velocity;
  constexpr int samples = 6000, periods = 2;
  for (int i = 0; i <= samples; ++i) {
    const double t = periods * double(i) / samples, phase = 2 * std::numbers::pi * t;
    motion.time.push_back(d.scale.time * t);
    motion.position.push_back(d.scale.length * sliding_speed / (2 * std::numbers::pi) * (1 - std::cos(phase)));
    velocity.push_back(d.scale.length / d.scale.time * sliding_speed * std::sin(phase));
  }
  return drawn(d, motion, velocity, {"velocity", d.unit("m/s")}, "Sliding back and forth");
}

PageTable coloured_table(const TextTable& table) {
  PageTable page = page_table(table);
  for (auto& row : page.rows)
    for (PageCell& cell : row) {
      if (!cell.text.starts_with("✓") && !cell.text.starts_with("✗")) continue;
      cell.tone = cell.text.starts_with("✓") ? Tone::good : Tone::soft;
      for (std::size_t at = 0; (at = cell.text.find(' ', at)) != std::string::npos;)
        cell.text.replace(at, 1, "\u00a0");  // mark, number and unit stay on one line
    }
  return page;
}

void add_model(Page& page, const ModelScore& score) {
  const ModelDescription& model = find_model(score.model).description();
  const auto friction = make_friction(model.name, reference_values(model));
  page.blocks.push_back(PageHeading{model.title});
  page.blocks.push_back(Paragraph{"`" + model.name + "`: " + model.equations + ". " + model.source + "."});
  page.blocks.push_back(FigureBlock{model_figure(*friction), model.name});
  page.blocks.push_back(page_table(table_of(score)));
}

}  // namespace

Figure model_figure(const Friction& friction, const Similarity& scale, bool is_rotary) {
  const Drawing d{friction, scale, is_rotary};
  return {
      .subtitle = "friction along prescribed motions", .panels = {presliding_panel(d), sliding_panel(d)}, .columns = 2};
}

Page set_page(const SetScore& found, const Friction& friction, const std::string& title, bool is_rotary,
              const Provenance& provenance) {
  Page page{.title = title, .subtitle = "Measured by simulation, in the model's own units"};
  page.blocks.push_back(FigureBlock{model_figure(friction, found.scale, is_rotary), "model"});
  page.blocks.push_back(page_table(table_of(found.score)));
  add_how_to_repeat(page, provenance);
  return page;
}

Page scorecard_page(const Scorecard& card, const Provenance& provenance) {
  Page page{.title = "Which properties of real friction a model has"};
  page.subtitle = "Measured by simulation with the same levels for all: F_C 1 N, F_S 1.5 N, presliding 10 µm";
  if (card.models.size() > 1) page.blocks.push_back(coloured_table(table_of(card)));
  for (const ModelScore& score : card.models) add_model(page, score);
  add_how_to_repeat(page, provenance);
  return page;
}

}  // namespace stickslip::inline jobs
