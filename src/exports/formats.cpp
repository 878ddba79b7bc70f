/// See formats.hpp.
#include "exports/formats.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/variation.hpp"
#include "core/xml_characters.hpp"
#include "exports/replica.hpp"
#include "exports/step_program.hpp"
#include "machines/friction/steady_curve.hpp"

namespace stickslip::inline exports {

Knots best_knots(const std::vector<double>& x, const std::vector<double>& y, std::size_t count) {
  const std::size_t n = x.size();
  count = std::clamp<std::size_t>(count, 2, n);
  // error[i][j]: of the line from i to j. best[k][j]: the least largest error of k lines that end at j.
  std::vector<std::vector<double>> error(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = i + 1; k < j; ++k)
        error[i][j] = std::max(error[i][j], std::fabs(y[i] + (y[j] - y[i]) * (x[k] - x[i]) / (x[j] - x[i]) - y[k]));
  std::vector<std::vector<double>> best(count, std::vector<double>(n, HUGE_VAL));
  std::vector<std::vector<std::size_t>> from(count, std::vector<std::size_t>(n, 0));
  best[0][0] = 0;
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t j = 1; j < n; ++j)
      for (std::size_t i = 0; i < j; ++i)
        if (const double e = std::max(best[k - 1][i], error[i][j]); e < best[k][j]) best[k][j] = e, from[k][j] = i;
  std::size_t lines = count - 1;
  for (std::size_t k = 1; k < count; ++k)
    if (best[k][n - 1] <= best[lines][n - 1]) {
      lines = k;
      break;
    }
  Knots found;
  found.error = best[lines][n - 1];
  for (std::size_t k = lines, j = n - 1;; j = from[k][j], --k) {
    found.at.insert(found.at.begin(), j);
    if (k == 0) break;
  }
  return found;
}

namespace {

/// What a side of the friction is: forces positive, over rising speeds.
struct Side {
  std::vector<double> speed, force;
  double breakaway = 0;
  double coulomb = 0, viscous = 0;  // the straight line that fits best
};
struct Curve {
  Side forward, backward;
  FrictionScales scales;
  double fastest = 0;
  std::string force_unit, speed_unit;
  bool is_rotary = false;
};

/// The highest friction from rest under a rising force [N].
double ramp_breakaway(const Friction& friction, const FrictionScales& scales, double mass, double sign) {
  const auto stepper = friction.fixed_stepper(mass, 0, 0);
  double highest = 0;
  for (int i = 0; i < 20000 && std::fabs(stepper->position()) < 20 * scales.short_way(); ++i)
    highest = std::max(highest, sign * stepper->step(sign * 3 * scales.force * i / 20000, 1e-4));
  return highest;
}
/// Least squares over speeds that weigh evenly, from where breakaway has faded on: the level and the slope of sliding.
void fit_line(Side& s, double faded) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  if (faded > 0.5 * s.speed.back()) faded = 0;
  for (std::size_t i = 1; i < s.speed.size(); ++i) {
    if (s.speed[i] < faded) continue;
    const double w = s.speed[i] - s.speed[i - 1];
    n += w, sx += w * s.speed[i], sy += w * s.force[i], sxx += w * s.speed[i] * s.speed[i],
        sxy += w * s.speed[i] * s.force[i];
  }
  s.viscous = std::max(0.0, (n * sxy - sx * sy) / (n * sxx - sx * sx));
  s.coulomb = std::max(0.0, (sy - s.viscous * sx) / n);
}
double at(const Side& s, double speed) {
  std::size_t i = 1;
  while (i + 1 < s.speed.size() && s.speed[i] < speed) ++i;
  const double part = (speed - s.speed[i - 1]) / (s.speed[i] - s.speed[i - 1]);
  return s.force[i - 1] + part * (s.force[i] - s.force[i - 1]);
}
Side thinned(const Side& s, std::size_t count, double& error) {
  const Knots knots = best_knots(s.speed, s.force, count);
  Side t = s;
  t.speed.clear(), t.force.clear();
  for (const std::size_t i : knots.at) t.speed.push_back(s.speed[i]), t.force.push_back(s.force[i]);
  error = std::max(error, knots.error);
  return t;
}

Side side_of(const Friction& friction, const FrictionScales& scales, double fastest, double sign,
             SteadySliding sliding) {
  Side side;
  sliding.travel = std::max(1e-2, 100 * scales.short_way());
  constexpr int count = 120;
  for (int i = 1; i <= count; ++i) {  // dense where breakaway fades
    side.speed.push_back(fastest * std::pow(double(i) / count, 3));
    side.force.push_back(sign * steady_force(friction, sign * side.speed.back(), sliding).force);
  }
  side.speed.insert(side.speed.begin(), 0);
  side.force.insert(side.force.begin(), side.force.front());
  return side;
}
Curve curve_of(const ExportSource& source, const FormatOptions& options) {
  const Friction& friction = *source.friction;
  if (options.knots < 2 || options.knots > 100)
    throw Error("--knots is " + std::to_string(options.knots) + "; a table has 2 to 100 knots per direction");
  Curve c;
  c.is_rotary = source.motion == MotionKind::rotary;
  c.force_unit = unit_for(source.motion, "N");
  c.speed_unit = unit_for(source.motion, "m/s");
  c.scales = scales_of(friction);
  c.fastest = options.fastest > 0 ? options.fastest : 20 * c.scales.speed;
  for (const double sign : {1.0, -1.0}) {
    Side& side = sign > 0 ? c.forward : c.backward;
    side = side_of(friction, c.scales, c.fastest, sign, {});
    side.breakaway = ramp_breakaway(friction, c.scales, options.mass, sign);
    fit_line(side, 3 * c.scales.speed);
  }
  return c;
}
void refuse_variations(const ExportSource& source, const std::string& format) {
  for (const auto& v : source.friction->settings().variations)
    throw Error(source.file + ": " + v.key + " follows " + std::string(quantity_word(v.over)) + ", which " + format +
                " has no input for; --c, --table and --fmu support it");
}
/// Where a quantity is held that a table does not go through.
double usual(Quantity quantity) { return quantity == Quantity::temperature ? room_temperature : 0; }
/// A value of a quantity with its unit.
std::string place_text(Quantity quantity, double at, MotionKind motion) {
  return quantity == Quantity::temperature ? temperature_text(at) : with_unit(at, quantity_unit(quantity, motion), 3);
}
/// The friction with the quantities of its parameters held: `over` at q, all others where they usually are.
std::shared_ptr<const Friction> held_at(const Friction& friction, Quantity over, double q) {
  FrictionSettings settings = friction.settings();
  for (const VariationSetting& v : settings.variations) {
    const double place = v.over == over ? q : usual(v.over);
    const Variation law{
        .over = v.over, .polynomial = v.polynomial, .knots = v.knots, .values = v.values, .reference = v.reference};
    const double found = law.is_table() ? variation_detail::table_at(law, place)
                                        : variation_detail::polynomial_at(law.polynomial, place - law.reference);
    const bool is_given = std::any_of(settings.values.begin(), settings.values.end(),
                                      [&](const auto& value) { return value.first == v.key; });
    if (!is_given) settings.values.emplace_back(v.key, friction.parameter(v.key));
    for (auto* set : {&settings.values, &settings.backward})
      for (auto& [key, value] : *set) {
        if (key != v.key) continue;
        if (auto* number = std::get_if<double>(&value)) *number = law.is_table() ? found : *number + found;
        if (auto* list = std::get_if<std::vector<double>>(&value))
          for (double& x : *list) x *= found;
      }
  }
  settings.variations.clear();
  return make_friction(friction.description().name, settings);
}
/// A table knows of rest what it has at speed 0.
Replica table_replica(const Side& forward, const Side& backward) {
  Replica r;
  r.sliding = [forward, backward](double v) { return v > 0 ? at(forward, v) : -at(backward, -v); };
  r.breakaway_forward = forward.force.front();
  r.breakaway_backward = backward.force.front();
  return r;
}
Replica line_replica(double coulomb, double viscous) {
  Replica r;
  r.sliding = [=](double v) { return std::copysign(coulomb, v) + viscous * v; };
  r.breakaway_forward = r.breakaway_backward = coulomb;
  return r;
}
std::string number(double x) { return shortest(x); }
std::string head(const ExportSource& source, const std::string& mark) {
  return mark + " " + source.name + ": " + source.friction->description().name + " from " + one_line(source.file) +
         ", made by stickslip export\n";
}
/// The same as a comment of XML, in which two hyphens must not meet.
std::string xml_comment(const ExportSource& source) {
  std::string text;
  for (const char c : xml_characters(head(source, ""))) {
    if (c == '\n') continue;
    if (c == '-' && text.ends_with('-')) text += ' ';
    text += c;
  }
  return "<!--" + text + " -->\n";
}
/// A name that a Modelica package may have: no word of the language, none of its own libraries.
std::string package_name(const std::string& name) {
  static const std::set<std::string, std::less<>> taken{
      "algorithm", "and",          "annotation",    "assert",      "block",     "break",      "class",     "connect",
      "connector", "constant",     "constrainedby", "der",         "discrete",  "each",       "else",      "elseif",
      "elsewhen",  "encapsulated", "end",           "enumeration", "equation",  "expandable", "extends",   "external",
      "false",     "final",        "flow",          "for",         "function",  "if",         "import",    "impure",
      "in",        "initial",      "inner",         "input",       "loop",      "model",      "not",       "operator",
      "or",        "outer",        "output",        "package",     "parameter", "partial",    "protected", "public",
      "pure",      "record",       "redeclare",     "replaceable", "return",    "stream",     "then",      "true",
      "type",      "when",         "while",         "within",      "Real",      "Integer",    "Boolean",   "String",
      "time",      "Modelica"};
  return taken.count(name) ? "friction_" + name : name;
}
/// As the inside of a string of Modelica.
std::string modelica_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}
std::string unit_word(std::string unit) {
  for (char& c : unit)
    if (c == '/' || c == ' ') c = '_';
  return unit;
}

/// The table of one load, pressure, temperature or position.
struct Place {
  double at;
  Side forward, backward;
};
/// Re-run where the middle table holds; between two tables a user takes their mean.
void compare_tables(const ExportSource& source, const FormatOptions& options, const Curve& c,
                    std::optional<Quantity> over, const std::vector<Place>& tables, Export& made) {
  const Friction& friction = *source.friction;
  const Place& middle = tables[tables.size() / 2];
  ExportSource held = source;
  held.friction = held_at(friction, over.value_or(Quantity::load), middle.at);
  const std::string what_it_follows = follows(friction, Quantity::temperature)
                                          ? temperature_text(room_temperature) + " and 0 of what else it follows"
                                          : "0 of what it follows";
  if (!friction.settings().variations.empty()) {
    made.notes.push_back("compared with the model at " +
                         (over ? std::string(quantity_word(*over)) + " " + place_text(*over, middle.at, source.motion)
                               : what_it_follows));
  }
  if (!(scales_of(*held.friction).force > 0))
    throw Error(source.file + ": friction is 0 at " + what_it_follows +
                ", so the table would be empty; --c supports it");
  compare_with_source(held, table_replica(middle.forward, middle.backward), {options.mass, c.fastest}, made);
  double between = 0;
  const SteadySliding sliding{.travel = std::max(1e-2, 100 * c.scales.short_way())};
  for (std::size_t k = 1; k < tables.size(); ++k) {
    const Place &low = tables[k - 1], &high = tables[k];
    const auto half = held_at(friction, *over, 0.5 * (low.at + high.at));
    for (const double part : {0.01, 0.1, 0.5, 1.0}) {
      const double v = part * c.fastest;
      const double forward = 0.5 * (at(low.forward, v) + at(high.forward, v)),
                   backward = 0.5 * (at(low.backward, v) + at(high.backward, v));
      between = std::max({between, std::fabs(forward - steady_force(*half, v, sliding).force),
                          std::fabs(backward + steady_force(*half, -v, sliding).force)});
    }
  }
  if (tables.size() > 1)
    made.notes.push_back("halfway between two tables their mean is at most " + with_unit(between, c.force_unit, 2) +
                         " off");
}

}  // namespace

Export export_table(const ExportSource& source, const FormatOptions& options) {
  const Friction& friction = *source.friction;
  const Curve c = curve_of(source, options);
  Export made{.format = "table", .what = "table of friction over speed", .content = ""};
  const auto& variations = friction.settings().variations;
  std::optional<Quantity> over;
  for (const auto& v : variations)
    if (!over && !v.knots.empty()) over = v.over;
  std::vector<double> places;
  for (const auto& v : variations) {
    if (v.over == over)
      places.insert(places.end(), v.knots.begin(), v.knots.end());
    else
      made.losses.push_back(v.key + " follows " + std::string(quantity_word(v.over)) +
                            (v.knots.empty() ? " by a polynomial" : "") + "; the table is for " +
                            std::string(quantity_word(v.over)) + " " +
                            (v.over == Quantity::temperature ? temperature_text(room_temperature) : "0"));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.empty()) places = {0};
  std::string t;
  if (over) t += std::string(quantity_word(*over)) + "_" + unit_word(quantity_unit(*over, source.motion)) + ",";
  t += "speed_" + unit_word(c.speed_unit) + ",force_" + unit_word(c.force_unit) + "\n";
  double error = 0;
  std::vector<Place> tables;
  for (const double q : places) {
    SteadySliding sliding;
    if (over == Quantity::load) sliding.load = q;
    if (over == Quantity::pressure) sliding.pressure = q;
    if (over == Quantity::temperature) sliding.temperature = q;
    if (over == Quantity::position) sliding.end = q;
    const auto side = [&](double sign) {
      return thinned(side_of(friction, c.scales, c.fastest, sign, sliding), std::size_t(options.knots), error);
    };
    tables.push_back({q, side(1), side(-1)});
    const Side &forward = tables.back().forward, &backward = tables.back().backward;
    const std::string start = over ? number(q) + "," : "";
    for (std::size_t i = backward.speed.size(); i-- > 0;)
      t += start + (i == 0 ? "-0" : number(-backward.speed[i])) + "," + number(-backward.force[i]) + "\n";
    for (std::size_t i = 0; i < forward.speed.size(); ++i)
      t += start + number(forward.speed[i]) + "," + number(forward.force[i]) + "\n";
  }
  made.content = std::move(t);
  made.notes.push_back("straight lines between the knots are at most " + with_unit(error, c.force_unit, 2) +
                       " off up to " + with_unit(c.fastest, c.speed_unit, 3) +
                       "; the rows at -0 and 0 are the two sides of rest");
  made.details["largest_error"] = error;
  compare_tables(source, options, c, over, tables, made);
  return made;
}

Export export_drive(const ExportSource& source, const FormatOptions& options) {
  refuse_variations(source, "a drive");
  const Curve c = curve_of(source, options);
  double error = 0;
  const std::size_t points = std::size_t(std::clamp(options.knots / 2, 2, 10));  // of 20, ten for each direction
  const Side forward = thinned(c.forward, points, error), backward = thinned(c.backward, points, error);
  const double delay = c.scales.length / (0.5 * c.scales.speed);
  const double spring = c.scales.length > 0 ? 0.632 * c.scales.force / c.scales.length : 0;
  const double viscous = 0.5 * (c.forward.viscous + c.backward.viscous);
  const double coulomb = 0.5 * (c.forward.coulomb + c.backward.coulomb);
  const auto line = [&](const std::string& name, double value, const std::string& unit, const std::string& meaning) {
    std::string text = name + " = " + number(value);
    if (text.size() < 44) text.resize(44, ' ');
    return text + "# [" + unit + "] " + meaning + "\n";
  };
  const std::string f = c.force_unit, v = c.speed_unit, slope = unit_for(source.motion, "N s/m");
  std::string t =
      head(source, "#") +
      "# Four common parameter sets for friction compensation in drives; use the one your drive has. SI units.\n";
  t += "\n[table]   # friction over speed, at most 20 points\n" +
       line("reversal_delay", delay, "s",
            "time after a reversal until the force has changed sign, at half the Stribeck velocity");
  for (std::size_t i = backward.speed.size(); i-- > 0;)
    t += line("point", -backward.speed[i], v, "force " + number(-backward.force[i]) + " " + f);
  for (std::size_t i = 0; i < forward.speed.size(); ++i)
    t += line("point", forward.speed[i], v, "force " + number(forward.force[i]) + " " + f);
  t += "\n[elastic]   # one spring in series with dry friction, and viscosity\n" +
       line("static_force", coulomb, f, "level at which the spring slips, mean of both directions") +
       line("spring_rate", spring, unit_for(source.motion, "N/m"),
            spring > 0 ? "slope of presliding" : "0: the source has no presliding") +
       line("viscous_slope", viscous, slope, "viscous coefficient");
  t += "\n[feedforward]   # command = kS sign(v) + kV v + kA a\n" + line("kS", coulomb, f, "mean of both directions") +
       line("kV", viscous, slope, "mean of both directions") +
       line("kA", 0, unit_for(source.motion, "kg"), "not part of friction; set it to the inertia of the axis");
  t += "\n[coulomb_viscous]   # per direction\n" + line("coulomb_forward", c.forward.coulomb, f, "") +
       line("viscous_forward", c.forward.viscous, slope, "") + line("coulomb_backward", c.backward.coulomb, f, "") +
       line("viscous_backward", c.backward.viscous, slope, "") +
       line("threshold", 0.05 * c.scales.speed, v,
            "no compensation below this speed, so that velocity noise does not switch it");
  Export made{.format = "drive", .what = "numbers for drives", .content = std::move(t)};
  Replica elastic = line_replica(coulomb, viscous);
  elastic.stiffness = spring;
  Export with_table = made, with_line = made, with_spring = made, with_means = made;
  with_table.what += ": [table]", with_line.what += ": [coulomb_viscous]", with_spring.what += ": [elastic]";
  with_means.what += ": [feedforward]";
  compare_with_source(source, table_replica(forward, backward), {options.mass, c.fastest}, with_table);
  Replica per_direction = line_replica(coulomb, viscous);
  per_direction.sliding = [&c](double s) {
    return s > 0 ? c.forward.coulomb + c.forward.viscous * s : -c.backward.coulomb + c.backward.viscous * s;
  };
  per_direction.breakaway_forward = c.forward.coulomb, per_direction.breakaway_backward = c.backward.coulomb;
  compare_with_source(source, per_direction, {options.mass, c.fastest}, with_line);
  const std::vector<std::pair<std::string, Export*>> all{
      {"table", &with_table}, {"coulomb_viscous", &with_line}, {"elastic", &with_spring}, {"feedforward", &with_means}};
  const auto differ = [](double a, double b) { return std::fabs(a - b) > 0.01 * std::fabs(a + b); };
  const auto at_fastest = [&](const Side& s) { return s.coulomb + s.viscous * c.fastest; };
  const bool has_two_levels =
      differ(c.forward.coulomb, c.backward.coulomb) || differ(at_fastest(c.forward), at_fastest(c.backward));
  if (has_two_levels)
    compare_with_source(source, line_replica(coulomb, viscous), {options.mass, c.fastest}, with_means);
  if (spring > 0) compare_with_source(source, elastic, {options.mass, c.fastest}, with_spring);
  made.measured.columns = {"section", "motion", "quantity", "source", "export"};
  for (const auto& [name, part] : all) {
    for (auto row : part->measured.rows) {
      row.insert(row.begin(), name);
      made.measured.rows.push_back(std::move(row));
    }
    for (const auto& loss : part->losses) made.losses.push_back("[" + name + "] " + loss);
    for (auto& figure : part->figures) made.figures.push_back(std::move(figure));
    made.details[name] = part->details;
  }
  made.losses.push_back("[coulomb_viscous] nothing below the threshold of " + with_unit(0.05 * c.scales.speed, v, 3) +
                        ", which the comparison leaves out");
  if (differ(c.forward.coulomb, c.backward.coulomb))
    made.losses.push_back("[feedforward] and [elastic] have one level for both directions; they differ by " +
                          with_unit(std::fabs(c.forward.coulomb - c.backward.coulomb), f, 3));
  if (!has_two_levels)
    made.notes.push_back("[feedforward] is compared as [coulomb_viscous]: both directions are the same");
  if (!(spring > 0))
    made.notes.push_back("[elastic] is [feedforward] here: the source has no presliding, hence no spring");
  made.notes.push_back("the points of [table] leave an error of at most " + with_unit(error, f, 2));
  return made;
}

Export export_modelica(const ExportSource& source, const FormatOptions& options) {
  refuse_variations(source, "the Modelica element");
  const std::string name = package_name(source.name);
  const Curve c = curve_of(source, options);
  double error = 0;
  const Side forward = thinned(c.forward, std::size_t(options.knots), error),
             backward = thinned(c.backward, std::size_t(options.knots), error);
  const std::string s = c.is_rotary ? "phi" : "s", f = c.is_rotary ? "tau" : "f", v = c.is_rotary ? "w" : "v";
  const auto table = [&](const Side& side) {
    std::string t = "[";
    for (std::size_t i = 0; i < side.speed.size(); ++i)
      t += (i ? "; " : "") + number(side.speed[i]) + ", " + number(side.force[i]);
    return t + "]";
  };
  std::string t =
      "package " + name + " \"Friction of " + modelica_text(one_line(source.file)) + ", made by stickslip export\"\n";
  t += "  connector Flange \"Has the members of the Modelica library's flange, so that both connect\"\n    Real " + s +
       "(unit=\"" + (c.is_rotary ? "rad" : "m") + "\");\n    flow Real " + f + "(unit=\"" +
       (c.is_rotary ? "N.m" : "N") + "\");\n  end Flange;\n\n";
  t += "  function level \"Linear interpolation between the rows, linear extrapolation beyond the last\"\n"
       "    input Real table[:, 2];\n    input Real speed;\n    output Real force;\n  protected\n    Integer i;\n  "
       "algorithm\n"
       "    i := 1;\n    while i < size(table, 1) - 1 and table[i + 1, 1] < speed loop\n      i := i + 1;\n    end "
       "while;\n"
       "    force := table[i, 2] + (table[i + 1, 2] - table[i, 2])*(speed - table[i, 1])/(table[i + 1, 1] - table[i, "
       "1]);\n"
       "  end level;\n\n";
  t += "  model Friction \"Dry friction with true sticking between two flanges\"\n    Flange flange_a;\n    Flange "
       "flange_b;\n";
  t += "    parameter Real forward[:, 2] = " + table(forward) + " \"speed, friction sliding forward\";\n";
  t += "    parameter Real backward[:, 2] = " + table(backward) +
       " \"speed, friction sliding backward, both positive\";\n";
  t +=
      "    parameter Real peak_forward(min=1) = " + number(std::max(1.0, c.forward.breakaway / forward.force.front())) +
      " \"breakaway force over sliding level at rest\";\n";
  t += "    parameter Real peak_backward(min=1) = " +
       number(std::max(1.0, c.backward.breakaway / backward.force.front())) + ";\n";
  t += "    parameter Real v_small = " + number(1e-6 * c.fastest) + " \"speed below which a reversal is checked\";\n";
  t += "    Real " + v + "_rel;\n    Real a_rel;\n    Real " + f +
       ";\n    Real sa \"path parameter: force while stuck, acceleration while sliding\";\n";
  t += "    Boolean startForward(start=false, fixed=true);\n    Boolean startBackward(start=false, fixed=true);\n"
       "    Boolean locked(start=false);\n    Integer mode(start=3, fixed=true) \"1 forward, 0 stuck, -1 backward, 3 "
       "unknown\";\n";
  t += "  equation\n    " + v + "_rel = der(flange_b." + s + " - flange_a." + s + ");\n    a_rel = der(" + v +
       "_rel);\n";
  t += "    startForward = pre(mode) == 0 and (sa > peak_forward*forward[1, 2] or pre(startForward) and sa > "
       "forward[1, 2])\n"
       "      or pre(mode) == -1 and " +
       v + "_rel > v_small or initial() and " + v + "_rel > 0;\n";
  t += "    startBackward = pre(mode) == 0 and (sa < -peak_backward*backward[1, 2] or pre(startBackward) and sa < "
       "-backward[1, 2])\n"
       "      or pre(mode) == 1 and " +
       v + "_rel < -v_small or initial() and " + v + "_rel < 0;\n";
  t += "    locked = not (pre(mode) == 1 or startForward or pre(mode) == -1 or startBackward);\n";
  t += "    a_rel = if locked then 0 else if startForward then sa - forward[1, 2] else if startBackward then sa + "
       "backward[1, 2]\n"
       "      else if pre(mode) == 1 then sa - forward[1, 2] else sa + backward[1, 2];\n";
  t += "    " + f +
       " = if locked then sa else if startForward then forward[1, 2] else if startBackward then -backward[1, 2]\n"
       "      else if pre(mode) == 1 then level(forward, " +
       v + "_rel) else -level(backward, -" + v + "_rel);\n";
  t += "    mode = if (pre(mode) == 1 or startForward) and " + v +
       "_rel > 0 then 1 else if (pre(mode) == -1 or startBackward) and " + v + "_rel < 0 then -1 else 0;\n";
  t +=
      "    flange_b." + f + " = " + f + ";\n    flange_a." + f + " = -" + f + ";\n  end Friction;\nend " + name + ";\n";
  Export made{.format = "modelica", .what = "Modelica package", .content = std::move(t)};
  made.notes = {"connect " + name + ".Friction between two flanges, one of them fixed for friction against the ground",
                "the table leaves an error of at most " + with_unit(error, c.force_unit, 2)};
  Replica r = table_replica(forward, backward);  // and the peaks
  r.breakaway_forward = std::max(r.breakaway_forward, c.forward.breakaway);
  r.breakaway_backward = std::max(r.breakaway_backward, c.backward.breakaway);
  compare_with_source(source, r, {options.mass, c.fastest}, made);
  return made;
}

namespace {

/// Coulomb and damping, equal in both directions.
struct Line {
  double coulomb, damping;
};
Line line_of(const Curve& c) {
  return {0.5 * (c.forward.coulomb + c.backward.coulomb), 0.5 * (c.forward.viscous + c.backward.viscous)};
}
void warn_of_one_level(const Curve& c, Export& made) {
  if (std::fabs(c.forward.coulomb - c.backward.coulomb) > 0.02 * (c.forward.coulomb + c.backward.coulomb))
    made.losses.push_back("one level for both directions; the source has " +
                          with_unit(c.forward.coulomb, c.force_unit, 3) + " forward and " +
                          with_unit(c.backward.coulomb, c.force_unit, 3) + " backward");
}

}  // namespace

Export export_mjcf(const ExportSource& source, const FormatOptions& options) {
  refuse_variations(source, "a MuJoCo joint");
  const Curve c = curve_of(source, options);
  const Line line = line_of(c);
  // Friction loss is a soft constraint: R = (1 − d)/d of the inverse inertia, reference acceleration −b v with
  // b = 2/(d_max T). At rest under F < loss the body creeps at v = F (1 − d)/(d m b).
  constexpr double impedance = 0.99, time_constant = 0.004;
  const double damping_rate = 2 / (impedance * time_constant);
  std::string t = "<mujoco model=\"" + source.name + "\">\n  " + xml_comment(source);
  t += "  <default>\n    <default class=\"" + source.name + "\">\n      <joint type=\"" +
       (c.is_rotary ? "hinge" : "slide") + "\" frictionloss=\"" + number(line.coulomb) + "\" damping=\"" +
       number(line.damping) + "\" solreffriction=\"" + number(time_constant) + " 1\" solimpfriction=\"" +
       number(impedance) + " " + number(impedance) + " 0.001 0.5 2\"/>\n";
  t += "    </default>\n  </default>\n</mujoco>\n";
  Export made{.format = "mjcf", .what = "MuJoCo joint class", .content = std::move(t)};
  Replica r = line_replica(line.coulomb, line.damping);
  r.creep = (1 - impedance) / (impedance * options.mass * damping_rate);
  warn_of_one_level(c, made);
  compare_with_source(source, r, {options.mass, c.fastest}, made);
  made.notes = {"joint class " + source.name + "; steps of at most 2 ms, since solreffriction is 4 ms",
                "checked with MuJoCo's documented equations, not by MuJoCo itself: friction loss is a soft constraint "
                "with impedance 0.99, on " +
                    with_unit(options.mass, c.is_rotary ? "kg m^2" : "kg", 3)};
  return made;
}

namespace {

Export robot_joint(const ExportSource& source, const FormatOptions& options, bool is_sdf) {
  refuse_variations(source, is_sdf ? "an SDF joint" : "a URDF joint");
  const Curve c = curve_of(source, options);
  const Line line = line_of(c);
  const std::string type = c.is_rotary ? (is_sdf ? "revolute" : "continuous") : "prismatic";
  std::string t = "<?xml version=\"1.0\"?>\n" + xml_comment(source);
  if (is_sdf)
    t += "<joint name=\"" + source.name + "\" type=\"" + type +
         "\">\n  <parent>base</parent>\n  <child>body</child>\n  <axis>\n    <xyz>0 0 1</xyz>\n    <dynamics>\n      "
         "<damping>" +
         number(line.damping) + "</damping>\n      <friction>" + number(line.coulomb) +
         "</friction>\n    </dynamics>\n  </axis>\n</joint>\n";
  else
    t += "<joint name=\"" + source.name + "\" type=\"" + type +
         "\">\n  <parent link=\"base\"/>\n  <child link=\"body\"/>\n  <axis xyz=\"0 0 1\"/>\n" +
         (c.is_rotary ? "" : "  <limit lower=\"-1\" upper=\"1\" effort=\"1000\" velocity=\"1\"/>\n") +
         "  <dynamics damping=\"" + number(line.damping) + "\" friction=\"" + number(line.coulomb) + "\"/>\n</joint>\n";
  Export made{.format = is_sdf ? "sdf" : "urdf", .what = is_sdf ? "SDF joint" : "URDF joint", .content = std::move(t)};
  warn_of_one_level(c, made);
  compare_with_source(source, line_replica(line.coulomb, line.damping), {options.mass, c.fastest}, made);
  made.notes = {std::string("names of joint, parent and child ") +
                    (is_sdf || c.is_rotary ? "are placeholders" : "and the limits are placeholders"),
                "checked as Coulomb friction with true sticking and damping; engines differ in how well they hold a "
                "body at rest"};
  return made;
}

}  // namespace

Export export_urdf(const ExportSource& source, const FormatOptions& options) {
  return robot_joint(source, options, false);
}
Export export_sdf(const ExportSource& source, const FormatOptions& options) {
  return robot_joint(source, options, true);
}

Export export_simulink(const ExportSource& source, const FormatOptions& options) {
  refuse_variations(source, "the lookup table");
  const Curve c = curve_of(source, options);
  double error = 0;
  const Side forward = thinned(c.forward, std::size_t(options.knots), error),
             backward = thinned(c.backward, std::size_t(options.knots), error);
  const auto list = [&](const std::vector<double>& values) {
    std::string t = "[";
    for (std::size_t i = 0; i < values.size(); ++i) t += (i ? ", " : "") + number(values[i]);
    return t + "]";
  };
  const std::string n = source.name + "_friction";  // a different name, since axis() is one of MATLAB's functions
  std::string t = "function result = " + n + "(argument)\n" + head(source, "%");
  t += "%   p = " + n + "()        parameters: breakpoints and tables of a lookup table, levels of breakaway\n";
  t += "%   f = " + n + "(v)       friction at speed v, 0 at rest [" + c.force_unit + "]\n";
  t += "%   As the function of a level-2 MATLAB S-function block it has one input, the speed, and one output, the "
       "friction;\n"
       "%   below p.zero_speed the force falls to 0, since a block from speed to force cannot hold a body at rest.\n";
  t += "  p.speed_forward = " + list(forward.speed) + ";\n  p.force_forward = " + list(forward.force) + ";\n";
  t += "  p.speed_backward = " + list(backward.speed) + ";\n  p.force_backward = " + list(backward.force) + ";\n";
  t += "  p.breakaway_forward = " + number(c.forward.breakaway) +
       ";\n  p.breakaway_backward = " + number(c.backward.breakaway) + ";\n";
  t += "  p.zero_speed = " + number(0.05 * c.scales.speed) + ";\n";
  const auto& settings = source.friction->settings();
  for (const auto& [key, value] : settings.values)
    if (const double* x = std::get_if<double>(&value)) t += "  p.parameters." + key + " = " + number(*x) + ";\n";
  t += "  if nargin == 0\n    result = p;\n  elseif isnumeric(argument)\n    result = level(p, argument);\n  else\n    "
       "setup(argument, p);\n  end\nend\n\n";
  t += "function f = level(p, v)\n  f = zeros(size(v));\n  k = v > 0;\n"
       "  f(k) = interp1(p.speed_forward, p.force_forward, v(k), 'linear', 'extrap');\n  k = v < 0;\n"
       "  f(k) = -interp1(p.speed_backward, p.force_backward, -v(k), 'linear', 'extrap');\nend\n\n";
  t += "function setup(block, p)\n  block.NumInputPorts = 1;\n  block.NumOutputPorts = 1;\n  "
       "block.SetPreCompInpPortInfoToDynamic;\n"
       "  block.SetPreCompOutPortInfoToDynamic;\n  block.InputPort(1).DirectFeedthrough = true;\n  block.SampleTimes = "
       "[0 0];\n"
       "  block.RegBlockMethod('Outputs', @(b) outputs(b, p));\nend\n\n";
  t += "function outputs(block, p)\n  v = block.InputPort(1).Data;\n  slow = abs(v) < p.zero_speed;\n  u = v;\n"
       "  u(slow) = p.zero_speed*sign(v(slow));\n  f = level(p, u);\n  f(slow) = f(slow).*abs(v(slow))/p.zero_speed;\n"
       "  block.OutputPort(1).Data = f;\nend\n";
  Export made{.format = "simulink", .what = "MATLAB function, lookup table and S-function", .content = std::move(t)};
  // From speed to force there is no rest: the slope below zero_speed lets the body creep.
  const double zero = 0.05 * c.scales.speed;
  Replica r = table_replica(forward, backward);
  r.creep = zero / std::max(at(forward, zero), 1e-12);
  compare_with_source(source, r, {options.mass, c.fastest}, made);
  made.notes = {"the file must be called " + n + ".m",
                "the table leaves an error of at most " + with_unit(error, c.force_unit, 2)};
  return made;
}

}  // namespace stickslip::inline exports
