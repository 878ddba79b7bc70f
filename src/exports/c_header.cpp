/// See c_header.hpp.
#include "exports/c_header.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "exports/c_code.hpp"
#include "exports/scales.hpp"

namespace stickslip::inline exports {
namespace {

/// Shared by all headers of this kind: the type, and functions that libm lacks or has under two names.
constexpr std::string_view common = R"c(
#ifndef STICKSLIP_REAL
#define STICKSLIP_REAL double /* or: #define STICKSLIP_REAL float before the first header of this kind */
#endif
#ifndef STICKSLIP_COMMON
#define STICKSLIP_COMMON
#include <math.h>
#define STICKSLIP_SINGLE_float 1
#define STICKSLIP_SINGLE_double 0
#define STICKSLIP_PASTE_(a, b) a##b
#define STICKSLIP_PASTE(a, b) STICKSLIP_PASTE_(a, b)
#if STICKSLIP_PASTE(STICKSLIP_SINGLE_, STICKSLIP_REAL)
#define STICKSLIP_LIBM(name) name##f
#define STICKSLIP_AGREED 1e-8f    /* steps of a repeated part agree to this part of their scale, */
#define STICKSLIP_ROUNDING 5e-7f  /* and to this part of the state, which is rounding */
#define STICKSLIP_LOWEST (-87.0f) /* below it exp() is zero */
#define STICKSLIP_TINY 1e-37f
#else
#define STICKSLIP_LIBM(name) name
#define STICKSLIP_AGREED 1e-8
#define STICKSLIP_ROUNDING 0.0
#define STICKSLIP_LOWEST (-708.0)
#define STICKSLIP_TINY 1e-300
#endif
static inline STICKSLIP_REAL stickslip_sign(STICKSLIP_REAL x) {
  return (STICKSLIP_REAL)((x > 0) - (x < 0));
}
static inline STICKSLIP_REAL stickslip_smaller(STICKSLIP_REAL a, STICKSLIP_REAL b) { return b < a ? b : a; }
static inline STICKSLIP_REAL stickslip_larger(STICKSLIP_REAL a, STICKSLIP_REAL b) { return a < b ? b : a; }
static inline STICKSLIP_REAL stickslip_exp(STICKSLIP_REAL x) {
  return x < STICKSLIP_LOWEST ? (STICKSLIP_REAL)0 : STICKSLIP_LIBM(exp)(x);
}
static inline STICKSLIP_REAL stickslip_power(STICKSLIP_REAL x, STICKSLIP_REAL a) {
  return a == 2 ? x * x : a == 1 ? x : STICKSLIP_LIBM(pow)(x, a);
}
static inline STICKSLIP_REAL stickslip_growth(STICKSLIP_REAL x) { /* (exp(x) - 1)/x */
  return STICKSLIP_LIBM(fabs)(x) < STICKSLIP_TINY ? (STICKSLIP_REAL)1 : STICKSLIP_LIBM(expm1)(x) / x;
}
#endif
)c";

constexpr std::size_t random_steps = 1500;  // of the check at export

std::string upper(std::string text) {
  for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}
/// In a comment of C89 as well: no end of comment inside, and ASCII only.
std::string safe(const std::string& text) {
  std::string clean;
  for (const char c : one_line(text, 400))
    if (static_cast<unsigned char>(c) < 128) clean += c;
  for (std::size_t at = clean.find("*/"); at != std::string::npos; at = clean.find("*/")) clean.replace(at, 2, "* /");
  return clean;
}

std::vector<double> random_velocities(std::uint64_t seed, std::size_t count, const FrictionScales& scales, double h) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) { return low + (high - low) * double(random() >> 11) * 0x1p-53; };
  std::vector<double> velocities;
  double direction = 1, size = scales.speed, position = 0;
  const double slowest = std::fmin(1e-3 * scales.speed, 1e-2 * scales.short_way() / h), fastest = 30 * scales.speed;
  for (std::size_t i = 0; i < count; ++i) {
    const auto choice = random() % 16;
    if (choice < 2) direction = -direction;
    if (choice == 2) size = std::exp(uniform(std::log(slowest), std::log(fastest)));
    if (position * direction > 300 * fastest * h) direction = -direction;
    velocities.push_back(choice == 3 ? 0 : direction * size * uniform(0.1, 1));
    position += h * velocities.back();
  }
  return velocities;
}

/// Through presliding and sliding in both directions, growing, with a rest: what the self-test repeats.
struct SelfTest {
  double h = 0;
  std::vector<double> velocity, force;
};
std::vector<double> self_test_velocities(const FrictionScales& scales, const StepProgram& program, double h) {
  std::vector<double> velocities;
  constexpr int count = 32;
  const double slow = (program.needs_position ? 3e-3 : 0.5 * scales.short_way()) / h, fast = 3 * scales.speed;
  for (int i = 0; i < count; ++i) {
    const double grown = double(i) / count, wave = std::sin(0.7 * i + 0.1);
    velocities.push_back(i == 20 ? 0 : wave * (i < 16 ? slow * (1 + 3 * grown) : fast * grown));
  }
  return velocities;
}
/// Largest difference to `test` in single precision, also with velocities a little off, over the largest force: where a law jumps
/// at a position, rounding decides next to the jump.
double off_in_single(const SelfTest& test, const StepProgram& program, double mass) {
  double worst = 0, largest = 0;
  for (const double f : test.force) largest = std::fmax(largest, std::fabs(f));
  for (const double factor : {1 - 3e-6, 1.0, 1 + 3e-6}) {
    StepRunner runner(program, mass, true);
    for (std::size_t i = 0; i < test.velocity.size(); ++i) {
      const double ours = runner.step(double(float(factor * test.velocity[i])), double(float(test.h)));
      worst = std::fmax(worst, std::fabs(ours - test.force[i]));
    }
  }
  return largest > 0 ? worst / largest : worst;
}
/// Of a law with jumps, the motion that single precision follows best of some that differ in size: it keeps clear of them.
SelfTest self_test(const Friction& friction, const StepProgram& program, const CHeaderOptions& options) {
  const int sizes = program.needs_position ? 40 : 1;
  constexpr double close = 5e-5;
  SelfTest best;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < sizes && least > close; ++k) {
    SelfTest test;
    test.h = program.fixed_duration > 0 ? program.fixed_duration : options.step;
    test.velocity = self_test_velocities(scales_of(friction), program, test.h);
    for (double& v : test.velocity) v *= 1 - 0.013 * k;
    const auto stepper = friction.fixed_stepper(options.mass, 0, 0);
    for (const double v : test.velocity) test.force.push_back(stepper->follow(v, test.h));
    const double off = off_in_single(test, program, options.mass);
    if (k == 0 || off < least) best = std::move(test), least = off;
  }
  return best;
}

std::string operations_text(const OperationCount& c) {
  std::string text = std::to_string(c.total()) + " operations";
  std::vector<std::string> kinds;
  const auto kind = [&](std::size_t count, const char* word) {
    if (count > 0) kinds.push_back(std::to_string(count) + " " + word);
  };
  kind(c.additions, "additions");
  kind(c.multiplications, "multiplications");
  kind(c.divisions, "divisions");
  kind(c.comparisons, "comparisons");
  kind(c.roots, "roots");
  kind(c.transcendental, "exp, pow, sin");
  return text + " (" + joined(kinds) + ")";
}

}  // namespace

StepCheck check_step(StepProgram& program, const Friction& friction, const CHeaderOptions& options, std::size_t steps) {
  const FrictionScales scales = scales_of(friction);
  const double h = program.fixed_duration > 0 ? program.fixed_duration : options.step;
  // Each way begins at rest: single steps of every size, which ask most of a repeated part, then the self-test, then at random.
  std::vector<std::vector<double>> ways;
  for (int i = 0; i < 60; ++i) ways.push_back({scales.speed * std::pow(10, -4 + 0.1 * i)});
  ways.push_back(self_test_velocities(scales, program, h));
  ways.push_back(random_velocities(11, steps, scales, h));
  for (auto& way : ways)
    for (double& v : way) v = double(float(v));  // the same for float and double, so that only the steps are compared
  std::vector<double> theirs;
  double largest = 0;
  const auto stepper = friction.fixed_stepper(options.mass, 0, 0);
  for (const auto& way : ways) {
    stepper->reset(0, 0);
    for (const double v : way) {
      theirs.push_back(stepper->follow(v, h));
      largest = std::fmax(largest, std::fabs(theirs.back()));
    }
  }
  const auto worst_of = [&](bool single) {
    double worst = 0;
    std::size_t i = 0;
    for (const auto& way : ways) {
      StepRunner runner(program, options.mass, single);
      for (const double v : way) worst = std::fmax(worst, std::fabs(runner.step(v, h) - theirs[i++]));
    }
    return largest > 0 ? worst / largest : worst;
  };
  StepCheck found;
  for (const int passes : {30, 60, 120, 250, 500, 1000, 2000}) {
    if (!program.loops.empty()) program.passes = passes;
    found.off = worst_of(false);
    if (program.loops.empty()) break;
    if (found.off > 1e-11) continue;
    program.passes = 2 * passes;  // for motions that need more than these did
    break;
  }
  found.off_single = worst_of(true);
  return found;
}

Export export_c(const ExportSource& source, const CHeaderOptions& options) {
  const Friction& friction = *source.friction;
  const ModelDescription& model = friction.description();
  TracedStep traced = trace_step(friction);
  if (!traced.program) throw Error(source.file + ": no C for " + model.name + ": " + traced.refusal);
  StepProgram& program = *traced.program;
  const auto [off, off_single] = check_step(program, friction, options, random_steps);
  if (!(off < 1e-6))
    throw Error(source.file + ": the step of " + model.name + " as C is off by " + significant(off, 2) +
                " of the force at steps of " + shortest(options.step) + " s; try shorter steps");
  const OperationCount count = most_operations(program);
  const SelfTest test = self_test(friction, program, options);
  const std::string n = source.name, guard = upper(n) + "_STICKSLIP_H";
  const bool is_ideal = model.nature == Nature::sticks;
  const auto unit = [&](const std::string& linear) { return safe(unit_for(source.motion, linear)); };

  std::string t = "/* " + n + ": " + safe(model.title) + " as C99, made by stickslip export.\n";
  t += " * " + safe(model.equations) + "\n * Source: " + safe(model.source) + "\n * Made from " + safe(source.file) +
       ".\n *\n";
  t += " *   " + n + "_parameters p = " + n + "_defaults();\n *   " + n + "_state s = " + n + "_start();\n";
  std::string arguments;
  if (program.needs_load) arguments += ", load";
  if (program.needs_pressure) arguments += ", pressure";
  if (program.needs_temperature) arguments += ", temperature";
  t += " *   force = " + n + "_step(&p, &s, velocity, h" + arguments + ");   every sampling time h [s]\n *\n";
  if (program.needs_temperature) t += " * The temperature is in K: that in degC plus 273.15.\n";
  t += " * Observer: velocity is the measured one. Feed-forward: velocity is the reference's, and force is added to "
       "the command.\n";
  t += " * The velocity is held over the step and the law's own step taken; no h is too long to be stable.\n";
  if (is_ideal)
    t += " * This law truly sticks: at velocity 0 step() gives 0, since what holds a resting body follows from the "
         "other forces.\n"
         " * " +
         n + "_level() is for feed-forward: below zero_speed it falls linearly to 0.\n";
  if (program.fixed_duration > 0)
    t += " * A sampled law: call it every " + shortest(program.fixed_duration) + " s, h must be that.\n";
  for (const auto& fixed : program.fixed) t += " * Fixed in the code: " + safe(fixed) + ".\n";
  t += " * At most " + operations_text(count) + " per step; no allocation, no library but libm.\n";
  if (!program.loops.empty())
    t += " * One part is repeated until it agrees with half steps, at most " + std::to_string(program.passes) +
         " times; what is left then is taken as one step.\n";
  t += " * In float the force is off by " + significant(off_single, 2) + " of the largest force in " +
       std::to_string(random_steps) + " random steps, beside the library in double with the same rounded velocities.\n";
  if (program.needs_position)
    t += " * Next to an edge where the force jumps, a rounded position may lie on its other side.\n";
  for (const auto& s : program.states)
    if (s.is_used && s.name.ends_with("_rest")) {
      t += " * Members ..._rest keep what rounding drops; -ffast-math would remove them.\n";
      break;
    }
  t += " * Self-test: #include this file and write  int main(void) { return " + n + "_selftest(); }\n */\n";
  t += "#ifndef " + guard + "\n#define " + guard + "\n" + std::string(common) + "\n";

  t += "typedef struct " + n + "_parameters {\n";
  for (const auto& p : program.parameters)
    t += c_member("STICKSLIP_REAL " + p.name +
                      (p.is_list ? "[" + std::to_string(std::max<std::size_t>(1, p.values.size())) + "]" : "") + ";",
                  "[" + (unit(p.unit).empty() ? "1" : unit(p.unit)) + "] " + safe(p.meaning));
  if (program.needs_mass) t += c_member("STICKSLIP_REAL mass;", "[" + unit("kg") + "] of the body");
  if (is_ideal || program.parameters.empty())
    t += c_member("STICKSLIP_REAL zero_speed;", "[" + unit("m/s") + "] below it level() falls to 0");
  t += "} " + n + "_parameters;\n\ntypedef struct " + n + "_state {\n";
  for (const auto& s : program.states)
    if (s.is_used)
      t += c_member(std::string(s.kind == StateKind::choice ? "int " : "STICKSLIP_REAL ") + s.name +
                        (s.count > 0 ? "[" + std::to_string(s.count) + "]" : "") + ";",
                    safe(s.meaning));
  t += c_member("STICKSLIP_REAL force;", "[" + unit("N") + "] of the last step") + "} " + n + "_state;\n\n";

  t += "static inline " + n + "_parameters " + n + "_defaults(void) {\n  " + n + "_parameters p;\n";
  for (const auto& p : program.parameters)
    for (std::size_t i = 0; i < std::max<std::size_t>(1, p.values.size()); ++i)
      t += "  p." + p.name + (p.is_list ? "[" + std::to_string(i) + "]" : "") + " = " +
           c_number(i < p.values.size() ? p.values[i] : 0) + ";\n";
  if (program.needs_mass) t += "  p.mass = " + c_number(options.mass) + ";\n";
  if (is_ideal || program.parameters.empty())
    t += "  p.zero_speed = " + c_number(0.05 * scales_of(friction).speed) + ";\n";
  t += "  return p;\n}\n\nstatic inline " + n + "_state " + n + "_start(void) {\n  " + n + "_state s;\n";
  bool has_list = false;
  for (const auto& s : program.states) has_list = has_list || (s.is_used && s.count > 0);
  if (has_list) t += "  int i;\n";
  for (const auto& s : program.states)
    if (s.is_used) {
      const std::string start = s.kind == StateKind::choice ? std::to_string(int(start_of(s))) : c_number(start_of(s));
      t += s.count > 0
               ? "  for (i = 0; i < " + std::to_string(s.count) + "; ++i) s." + s.name + "[i] = " + start + ";\n"
               : "  s." + s.name + " = " + start + ";\n";
    }
  t += "  s.force = 0;\n  return s;\n}\n\n";

  std::string typed;
  if (program.needs_load) typed += ", STICKSLIP_REAL load";
  if (program.needs_pressure) typed += ", STICKSLIP_REAL pressure";
  if (program.needs_temperature) typed += ", STICKSLIP_REAL temperature";
  t += "/* Friction at the end of a step of length h [s] at this velocity, positive against positive velocity. */\n";
  t += "static inline STICKSLIP_REAL " + n + "_step(const " + n + "_parameters *p, " + n +
       "_state *s, STICKSLIP_REAL velocity,\n    STICKSLIP_REAL h" + typed + ") {\n  STICKSLIP_REAL force;\n";
  t += c_step_body(program);
  t += "  (void)p;\n  (void)h;\n  s->force = force;\n  return force;\n}\n\n";
  if (is_ideal) {
    t += "/* Level of sliding for a feed-forward; between -zero_speed and zero_speed a straight line through 0. */\n";
    t += "static inline STICKSLIP_REAL " + n + "_level(const " + n + "_parameters *p, const " + n +
         "_state *s, STICKSLIP_REAL velocity" + typed + ") {\n  " + n + "_state copy = *s;\n";
    t += "  const STICKSLIP_REAL speed = STICKSLIP_LIBM(fabs)(velocity);\n"
         "  const STICKSLIP_REAL slowest = stickslip_larger(speed, p->zero_speed);\n";
    t += "  const STICKSLIP_REAL force = " + n + "_step(p, &copy, velocity < 0 ? -slowest : slowest, 0" + arguments +
         ");\n";
    t += "  return speed < slowest ? force * (speed / slowest) : force;\n}\n\n";
  }

  double largest = 0;
  for (const double f : test.force) largest = std::fmax(largest, std::fabs(f));
  t += "/* 0 if this machine computes what stickslip computed, else the number of the first step that is off. */\n";
  t += "static inline int " + n + "_selftest(void) {\n" + c_array("velocity", test.velocity) +
       c_array("force", test.force);
  t += "  const STICKSLIP_REAL allowed = (STICKSLIP_REAL)(sizeof(STICKSLIP_REAL) < 8 ? " +
       significant(std::fmin(0.05, std::fmax(2e-4, 20 * off_single)), 2) + " : 1e-9) * " + c_number(largest) + ";\n";
  t += "  const " + n + "_parameters p = " + n + "_defaults();\n  " + n + "_state s = " + n + "_start();\n  int i;\n";
  t += c_comparison(n + "_step(&p, &s, velocity[i], " + c_number(test.h) + (program.needs_load ? ", 0" : "") +
                        (program.needs_pressure ? ", 0" : "") +
                        (program.needs_temperature ? ", " + c_number(room_temperature) : "") + ")",
                    test.force.size());
  t += "#endif /* " + guard + " */\n";

  Export made{.format = "c", .what = "C99 header, " + model.name, .content = std::move(t)};
  made.notes = {"at most " + operations_text(count) + " per step",
                "run here over " + std::to_string(random_steps) + " random steps of " + shortest(test.h) +
                    " s: " + significant(off, 2) + " of the force from the library's fixed step in double, " +
                    significant(off_single, 2) + " in float"};
  if (program.parameters.empty()) made.losses.push_back("parameters are fixed in the code: " + joined(program.fixed));
  if (is_ideal)
    made.losses.push_back(
        "true rest: the force that holds a resting body cannot be computed from velocity alone; step() returns 0 "
        "there");
  if (model.name == "new-modified-lugre")
    made.losses.push_back(
        "the lag of viscous friction: the velocity is constant over a step, so the acceleration is unknown");
  if (program.needs_mass)
    made.notes.push_back("the law depends on the mass of the body; it is a parameter, " + shortest(options.mass) +
                         " kg");
  if (!program.loops.empty())
    made.notes.push_back("one part is repeated at most " + std::to_string(program.passes) + " times per step");
  made.details = Json::object({{"operations", double(count.total())},
                               {"off", off},
                               {"off_single", off_single},
                               {"most_passes", double(program.loops.empty() ? 1 : program.passes)},
                               {"states", double(program.states.size())}});
  return made;
}

}  // namespace stickslip::inline exports
