/// Makes a model file known to the program: its table becomes descriptions and checks, its physics a runnable Friction.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/friction/assign_rows.hpp"
#include "machines/friction/friction.hpp"
#include "machines/one_body/body_motion.hpp"
#include "machines/one_body/fixed_motion.hpp"

namespace stickslip::inline machines {

template <template <class> class Model>
ModelDescription described() {
  using M = Model<double>;
  ModelDescription d;
  d.name = M::text.name;
  d.title = M::text.title;
  d.equations = M::text.equations;
  d.source = M::text.source;
  d.captures = M::text.captures;
  d.lacks = M::text.lacks;
  d.nature = HasModes<Model> ? Nature::modes : Sticks<Model> ? Nature::sticks : Nature::bristles;
  std::apply(
      [&](const auto&... rows) {
        (d.parameters.push_back({std::string(rows.info.key), std::string(rows.info.symbol), std::string(rows.info.unit),
                                 std::string(rows.info.meaning), rows.kind, rows.info.domain, rows.info.low,
                                 rows.info.high, rows.info.scale, rows.info.fit, rows.info.preset,
                                 std::vector<std::string>(rows.info.choices.begin(), rows.info.choices.end())}),
         ...);
      },
      M::parameters());
  if constexpr (requires { M::state_names; })
    for (const auto name : M::state_names) d.states.emplace_back(name);
  return d;
}

namespace register_detail {
/// The model's own functions, for a class that has functions of the same names.
template <class M>
double level_of_sliding(const M& m, const Contact<double>& c, Direction d) {
  return sliding_force(m, c, d);
}
template <class M>
double level_of_breakaway(const M& m, const Contact<double>& c, Direction d) {
  return breakaway_force(m, c, d);
}
}  // namespace register_detail

/// A model with levels of sliding and breakaway, as a joint sees it.
template <template <class> class Model>
class StickingLawOf final : public StickingLaw {
 public:
  explicit StickingLawOf(const Varied<Model>& friction) : friction_(friction) {}
  double sliding_force(const Contact<double>& c, Direction d) const override {
    return friction_.at(c, d, [&](const auto& m) { return register_detail::level_of_sliding(m, c, d); });
  }
  double breakaway_force(const Contact<double>& c, Direction d) const override {
    return friction_.at(c, d, [&](const auto& m) { return register_detail::level_of_breakaway(m, c, d); });
  }
  double velocity_scale() const override { return LawOf<Model>::velocity_scale(friction_); }

 private:
  Varied<Model> friction_;
};

template <template <class> class Model>
class FrictionOf final : public Friction {
 public:
  using Law = LawOf<Model>;

  FrictionOf(const ModelDescription& d, FrictionSettings settings) : description_(d), settings_(std::move(settings)) {
    check_keys(d, settings_.values);
    check_keys(d, settings_.backward);
    assign(d, settings_.values, friction_.forward, false);
    friction_.backward = friction_.forward;
    friction_.directional = !settings_.backward.empty();
    assign(d, settings_.backward, friction_.backward, true);
    refuse_senseless(friction_.forward, d.name);
    if (friction_.directional) refuse_senseless(friction_.backward, d.name + " (backward)");
    for (const auto& v : settings_.variations) friction_.variations.push_back(variation(v));
    if (settings_.variations.size() > most_variations)
      throw Error(d.name + ": " + std::to_string(settings_.variations.size()) + " parameters vary; at most " +
                  std::to_string(most_variations) + " can");
  }

  const ModelDescription& description() const override { return description_; }
  const FrictionSettings& settings() const override { return settings_; }
  const Varied<Model>& varied() const { return friction_; }

  Run simulate(const Body& body, const SimulationOptions& options) const override {
    check_run(body, options);
    Run run = run_body<Law, Model>(body, friction_, options, description_.states);
    finish(run);
    return run;
  }

  std::unique_ptr<Motion> motion(const Body& body, const SimulationOptions& options) const override {
    check_run(body, options);
    return held_body<Law, Model>(body, friction_, options, description_.states);
  }

  Run simulate_fixed_step(const Body& body, const SimulationOptions& options, double h) const override {
    check_fixed_step(body, options, h);
    Run run = FixedBodyMotion<Model>(body, friction_, options, h, description_).run();
    finish(run);
    return run;
  }
  std::unique_ptr<Motion> fixed_step_motion(const Body& body, const SimulationOptions& options,
                                            double h) const override {
    check_fixed_step(body, options, h);
    return std::make_unique<FixedBodyMotion<Model>>(body, friction_, options, h, description_);
  }

  std::unique_ptr<FixedStepper> fixed_stepper(double mass, double position, double velocity) const override {
    return std::make_unique<FixedStep<Model>>(friction_, mass, position, velocity);
  }
  std::vector<double> respond(const PrescribedMotion& motion) const override { return respond_to(friction_, motion); }

  std::vector<std::string> doubts(const Use& use) const override { return doubts_of(friction_.forward, use); }
  std::unique_ptr<StickingLaw> sticking_law() const override {
    if constexpr (Sticks<Model> && !HasModes<Model> && !HasSegments<Model>)
      return std::make_unique<StickingLawOf<Model>>(friction_);
    else
      return nullptr;
  }
  double parameter(std::string_view key) const override {
    double found = required;
    std::apply(
        [&](const auto&... row) {
          (
              [&] {
                if constexpr (std::remove_cvref_t<decltype(row)>::kind == ParameterKind::number)
                  if (row.info.key == key) found = friction_.forward.*(row.member);
              }(),
              ...);
        },
        Model<double>::parameters());
    return found;
  }

 private:
  static void check_fixed_step(const Body& body, const SimulationOptions& options, double h) {
    check_run(body, options);
    if (!(h > 0) || !std::isfinite(h))
      throw Error("fixed step: its length is " + shortest(h) + " s; it must be positive");
  }
  void finish(Run& run) const {
    for (std::size_t i = 0; i < run.state.size(); ++i)
      run.state_names.push_back(i < description_.states.size() ? description_.states[i]
                                                               : "state_" + std::to_string(i + 1));
    if (run.stop != Stop::finished) run.message = outcome_message(run);
  }
  static std::vector<std::string> doubts_of(const Model<double>& m, const Use& use);
  /// True if the model's added mass depends on this parameter; it is taken as constant during a run.
  bool carries_inertia(std::size_t parameter) const {
    if constexpr (HasAddedMass<Model>) {
      Varied<Model> probe = friction_;
      Variation raise;
      raise.parameter = parameter;
      raise.polynomial = {1.0};
      probe.variations = {raise};
      return probe.at(Contact<double>{}, Direction::forward,
                      [&](const auto& m) { return added_mass(m) != added_mass(friction_.forward); });
    } else {
      return parameter == static_cast<std::size_t>(-1);
    }
  }
  Variation variation(const VariationSetting& v) const {
    Variation made;
    made.over = v.over;
    made.polynomial = v.polynomial;
    made.knots = v.knots;
    made.values = v.values;
    made.reference = v.reference;
    for (made.parameter = 0; made.parameter < description_.parameters.size(); ++made.parameter)
      if (description_.parameters[made.parameter].key == v.key) {
        const auto& p = description_.parameters[made.parameter];
        if (p.kind == ParameterKind::choice || carries_inertia(made.parameter))
          throw Error(description_.name + ": " + v.key + " cannot vary" +
                      (p.kind == ParameterKind::choice ? "" : ", it adds to the body's inertia"));
        for (double x : made.values)
          if (p.kind == ParameterKind::number) check_value(description_, p, x);
        for (std::size_t i = 1; i < made.knots.size(); ++i)
          if (!(made.knots[i] > made.knots[i - 1]))
            throw Error(description_.name + ": " + v.key + ": the table's first column must increase");
        return made;
      }
    check_keys(description_, {{v.key, 0.0}});
    return made;
  }

  const ModelDescription& description_;
  FrictionSettings settings_;
  Varied<Model> friction_;
};

namespace register_detail {
template <class M>
std::vector<std::string> doubts_about(const M& m, const Use& use) {
  if constexpr (requires { doubts(m, use); })
    return doubts(m, use);
  else
    return {};
}
}  // namespace register_detail

template <template <class> class Model>
std::vector<std::string> FrictionOf<Model>::doubts_of(const Model<double>& m, const Use& use) {
  return register_detail::doubts_about(m, use);
}

template <template <class> class Model>
class RegisteredModelOf final : public RegisteredModel {
 public:
  const ModelDescription& description() const override { return description_; }
  std::unique_ptr<Friction> make(const FrictionSettings& settings) const override {
    return std::make_unique<FrictionOf<Model>>(description_, settings);
  }

 private:
  ModelDescription description_ = described<Model>();
};

template <template <class> class Model>
std::unique_ptr<RegisteredModel> register_model() {
  return std::make_unique<RegisteredModelOf<Model>>();
}

}  // namespace stickslip::inline machines
