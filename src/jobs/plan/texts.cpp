/// A plan of tests in words and for programs; see texts.hpp.
#include "jobs/plan/texts.hpp"

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline jobs {
namespace {

/// Units of a linear machine, or of a rotary one.
struct Units {
  bool is_rotary = false;
  std::string operator()(std::string_view linear) const { return is_rotary ? rotary(linear) : std::string(linear); }
};

std::string listed(const std::vector<double>& values, const std::string& unit) {
  std::vector<std::string> words;
  for (const double value : values) words.push_back(with_unit(value, unit, 3));
  return joined(words);
}
std::string percent(double share) { return significant(100 * share, 2) + " %"; }

class Printer {
 public:
  Printer(const Plan& plan, const Units& unit, bool colour) : p_(plan), unit_(unit), colour_(colour) {}

  /// One per heading, in order.
  std::vector<FindingTable> tables() {
    sensor();
    heading("1. Breakaway ramps: the stiction");
    rows({{"raise the force by", in(p_.ramps.ramp, "N/s") + " until the position changes, release, wait"},
          {"one ramp takes", with_unit(p_.ramps.duration, "s", 3)},
          {"repeat",
           std::to_string(p_.ramps.each_way) + " times forth and " + std::to_string(p_.ramps.each_way) + " times back"},
          {"stiction is below the measured force by",
           "0 to " + in(p_.ramps.error, "N") + " (" + percent(p_.ramps.error / p_.input.stiction) + ")"}});
    sines();
    heading("3. Constant speeds: the Stribeck curve");
    rows({{"speeds, both ways", listed(p_.speeds.speeds, unit_("m/s"))},
          {"each for at least", listed(p_.speeds.durations, "s")},
          {"speed known to", percent(p_.speeds.velocity_error)}});
    heading("4. Micro-strokes: presliding");
    rows({{"half strokes",
           p_.strokes.strokes.empty() ? "the stroke is too short" : listed(p_.strokes.strokes, unit_("m"))},
          {"resolution, as a share of them", shares(p_.strokes.errors)},
          {"not seen", "presliding below " + in(p_.strokes.smallest, "m")}});
    return out_;
  }

  std::string text() {
    std::string out;
    for (const FindingTable& part : tables())
      out += (out.empty() ? "" : "\n") + coloured(part.heading, Ink::bold, colour_) + "\n" +
             to_text(part.table, {.indent = "  "});
    for (const std::string& text : p_.assumptions) out += "\nassumed: " + text;
    if (!p_.assumptions.empty()) out += "\n";
    for (const std::string& text : p_.remarks) out += "\nnote: " + text + "\n";
    return out;
  }

 private:
  std::string in(double value, std::string_view linear) const {
    if (linear == "N/s") return with_unit(value, unit_("N"), 3) + "/s";
    return with_unit(value, unit_(linear), 3);
  }
  static std::string shares(const std::vector<double>& values) {
    std::vector<std::string> words;
    for (const double value : values) words.push_back(percent(value));
    return joined(words);
  }
  void heading(const std::string& text) { out_.push_back({.heading = text}); }
  void rows(const std::vector<std::vector<std::string>>& cells) { out_.back().table.rows = cells; }

  void sensor() {
    const SensorLimits& l = p_.limits;
    heading("Resolution of single differences");
    rows({{"error of a velocity", in(l.velocity_error, "m/s")},
          {"error of the acceleration", in(l.acceleration_error, "m/s^2")},
          {"signal-to-noise of the acceleration at the force limit", significant(l.signal_to_noise, 4)},
          {"error of the mass", in(l.mass_error, "kg") + " (" + percent(l.mass_error / p_.input.mass) + ")"},
          {"mass", l.can_identify_mass ? "can be identified" : "cannot be identified from differences"}});
  }

  void sines() {
    heading("2. Sinusoidal speed: Coulomb level and viscosity");
    const SinePlan& s = p_.sines;
    if (!s.is_possible) return rows({{"not possible", s.why_not}});
    rows({{"frequency", significant(s.frequency_hz, 3) + " Hz, " + std::to_string(s.periods) + " periods each"},
          {"speed amplitudes", listed(s.speeds, unit_("m/s"))},
          {"largest amplitude and force", in(s.amplitude, "m") + ", " + in(s.force, "N")},
          {"viscosity known to", in(s.viscosity_error, "N s/m") + " for half a sample of lag"},
          {"Coulomb level known to",
           in(s.coulomb_error, "N") + " (" + percent(s.coulomb_error / p_.input.coulomb) + ")"}});
  }

  const Plan& p_;
  Units unit_;
  bool colour_;
  std::vector<FindingTable> out_;
};

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}
Json words(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

}  // namespace

Json plan_json(const Plan& p, bool is_rotary) {
  Json out = Json::object({{"rotary", is_rotary}});
  out["sensor"] = Json::object({{"velocity_error", p.limits.velocity_error},
                                {"acceleration_error", p.limits.acceleration_error},
                                {"signal_to_noise", p.limits.signal_to_noise},
                                {"mass_error", p.limits.mass_error},
                                {"can_identify_mass", p.limits.can_identify_mass}});
  out["ramps"] = Json::object({{"ramp", p.ramps.ramp},
                               {"duration_s", p.ramps.duration},
                               {"each_way", p.ramps.each_way},
                               {"stiction_error", p.ramps.error}});
  out["sines"] = Json::object({{"possible", p.sines.is_possible}});
  if (p.sines.is_possible) {
    out["sines"]["frequency_hz"] = p.sines.frequency_hz;
    out["sines"]["speeds"] = numbers(p.sines.speeds);
    out["sines"]["periods"] = p.sines.periods;
    out["sines"]["amplitude"] = p.sines.amplitude;
    out["sines"]["force"] = p.sines.force;
    out["sines"]["viscosity_error"] = p.sines.viscosity_error;
    out["sines"]["coulomb_error"] = p.sines.coulomb_error;
  } else {
    out["sines"]["why_not"] = p.sines.why_not;
  }
  out["speeds"] = Json::object({{"speeds", numbers(p.speeds.speeds)},
                                {"durations_s", numbers(p.speeds.durations)},
                                {"velocity_error_share", p.speeds.velocity_error}});
  out["strokes"] = Json::object({{"half_strokes", numbers(p.strokes.strokes)},
                                 {"error_shares", numbers(p.strokes.errors)},
                                 {"smallest", p.strokes.smallest}});
  out["assumptions"] = words(p.assumptions);
  out["remarks"] = words(p.remarks);
  return out;
}

TestFinding plan_finding(const Plan& plan, bool is_rotary) {
  const Units unit{is_rotary};
  TestFinding f;
  f.title = "Tests for a friction model";
  f.summary = "Stiction to " + percent(plan.ramps.error / plan.input.stiction) + " by " +
              std::to_string(2 * plan.ramps.each_way) + " ramps" +
              (plan.sines.is_possible ? ", Coulomb level to " + percent(plan.sines.coulomb_error / plan.input.coulomb) +
                                            " by sinusoidal speeds"
                                      : "") +
              "; the mass " + (plan.limits.can_identify_mass ? "can" : "cannot") + " be identified.";
  f.tables = Printer(plan, unit, false).tables();
  f.warnings = plan.remarks;
  for (const std::string& text : plan.assumptions) f.warnings.push_back("assumed: " + text);
  f.json = plan_json(plan, is_rotary);
  Panel speeds{.title = "constant speeds: time that each takes",
               .x = {.label = "speed", .unit = unit("m/s"), .logarithmic = true},
               .y = {.label = "time", .unit = "s", .logarithmic = true}};
  speeds.series = {{.name = "at least", .x = plan.speeds.speeds, .y = plan.speeds.durations, .style = Style::points}};
  f.figure = {.title = f.title, .panels = {speeds}};
  f.points = {{{"speed", unit("m/s"), plan.speeds.speeds}, {"duration", "s", plan.speeds.durations}}};
  f.why_no_model = "a plan measures nothing";
  return f;
}

std::string plan_text(const Plan& plan, bool is_rotary, bool colour) {
  return Printer(plan, Units{is_rotary}, colour).text();
}

}  // namespace stickslip::inline jobs
