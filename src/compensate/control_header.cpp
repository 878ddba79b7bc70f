/// See control_header.hpp.
#include "compensate/control_header.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "exports/c_code.hpp"
#include "exports/c_header.hpp"
#include "exports/scales.hpp"

namespace stickslip::inline compensation {
namespace {

/// What the controller sees and asks over some samples.
struct ControlTest {
  std::vector<double> reference, velocity, acceleration, position, force;
};
ControlTest control_test(const Rival& rival) {
  ServoGains g = rival.axis.gains;
  g.resolution = 0;  // the encoder is outside the controller
  const double T = g.sampling_time;
  const FrictionScales scales = scales_of(*rival.axis.friction);
  // Through two reversals; the axis comes a little late and a little short.
  const double amplitude = std::max(20 * scales.short_way(), 3 * scales.speed * 12 * T);
  const Signal reference = Signal::sine(amplitude, 1 / (40 * T));
  ServoController controller(g, rival.axis.feedforward, rival.axis.observer, rival.axis.body.mass);
  controller.start(0, reference, 0, 0);
  ControlTest test;
  for (int k = 0; k < 64; ++k) {
    const double t = k * T, ahead = t + g.lead, x = 0.97 * reference(std::max(0.0, t - 1.3 * T));
    test.reference.push_back(reference(t));
    test.velocity.push_back((reference(ahead + T) - reference(ahead)) / T);
    test.acceleration.push_back(
        (reference(ahead + 1.5 * T) - 2 * reference(ahead + 0.5 * T) + reference(ahead - 0.5 * T)) / (T * T));
    test.position.push_back(x);
    test.force.push_back(controller.sample(t, reference, x));
  }
  return test;
}

std::string member(const std::string& name, const std::string& comment) {
  return c_member("STICKSLIP_REAL " + name + ";", comment);
}

}  // namespace

Export control_header(const ExportSource& source, const AxisPlan& plan, const Rival& rival) {
  const ServoGains& g = rival.axis.gains;
  Export made = export_c(source, {.step = g.sampling_time, .mass = rival.axis.body.mass});
  const std::string n = source.name;
  const auto unit = [&](std::string_view linear) { return unit_for(plan.motion, linear); };
  const bool is_ideal = source.friction->description().nature == Nature::sticks;
  const bool forward = rival.axis.feedforward.has_value(), observes = rival.axis.observer.has_value(),
             estimates = forward || observes, dithers = g.dither_amplitude > 0, sums = g.integral > 0,
             is_limited = std::isfinite(g.limit);
  const std::string past = std::to_string(g.difference);
  bool has_position = false;
  if (const TracedStep traced = trace_step(*source.friction); traced.program)
    for (const StepState& s : traced.program->states)
      has_position = has_position || (s.name == "position" && s.is_used);

  std::string t = "/* The controller chosen by stickslip compensate: " + rival.name +
                  (rival.chosen.empty() ? "" : ", " + rival.chosen) + ".\n";
  t += " * Every sampling time of " + shortest(g.sampling_time) + " s:\n";
  t += " *   " + n + "_controller c = " + n + "_controller_start(reference, position);      once\n";
  t += " *   force = " + n + "_control(&c, reference, velocity, acceleration, position);    then\n";
  t += " * velocity and acceleration are those of the reference " + shortest(g.lead) +
       " s ahead, while the force will act:\n *   velocity = (y(t + lead + T) - y(t + lead))/T\n"
       " *   acceleration = (y(t + lead + 1.5 T) - 2 y(t + lead + 0.5 T) + y(t + lead - 0.5 T))/T^2\n"
       " * Self-test: " +
       n + "_control_selftest() returns 0 if it computes here what was simulated. */\n";
  t += "typedef struct " + n + "_controller {\n";
  if (estimates) t += "  " + n + "_parameters friction;               /* of the model; may be changed at run time */\n";
  t += member("sampling_time", "[s]") + member("proportional", "[" + unit("N/m") + "]") +
       member("derivative", "[" + unit("N s/m") + "]");
  if (sums)
    t += member("integral", "[" + unit("N/(m s)") + "]") + member("dead_zone", "[" + unit("m") + "] of the integral");
  if (is_limited) t += member("limit", "[" + unit("N") + "]");
  t += member("mass", "[" + unit("kg") + "] carried by the feed-forward");
  if (estimates) t += member("share", "of the friction that is added");
  if (estimates && is_ideal)
    t += member("reversal", "[" + unit("m") + "] distance over which the compensation changes sign");
  if (observes) t += member("correction", "[1/s] of the observer");
  if (dithers)
    t += member("dither_amplitude", "[" + unit("N") + "]") + member("dither_turns", "of the dither per sampling time") +
         member("dither_phase", "[1] of a turn");
  if (estimates) t += "  " + n + "_state estimate;\n";
  if (estimates && is_ideal)
    t += member("way", "[" + unit("m") + "] of the reversal") + member("held", "[" + unit("N") + "] friction at rest");
  if (sums) t += member("sum", "[" + unit("m s") + "] integral of the error");
  t += member("past_position[" + past + "]", "[" + unit("m") + "] the latest first");
  t += member("past_reference[" + past + "]", "[" + unit("m") + "]");
  t += member("compensation", "[" + unit("N") + "] of the last sample") + "} " + n + "_controller;\n\n";

  t += "static inline " + n + "_controller " + n +
       "_controller_start(STICKSLIP_REAL reference, STICKSLIP_REAL position) {\n  " + n + "_controller c;\n  int i;\n";
  const auto set = [&](const char* name, double value) {
    t += std::string("  c.") + name + " = " + c_number(value) + ";\n";
  };
  if (estimates) t += "  c.friction = " + n + "_defaults();\n";
  set("sampling_time", g.sampling_time), set("proportional", g.proportional), set("derivative", g.derivative);
  if (sums) set("integral", g.integral), set("dead_zone", g.dead_zone), set("sum", 0);
  if (is_limited) set("limit", g.limit);
  set("mass", g.carried_mass);
  const FrictionKnowledge* known = forward ? &*rival.axis.feedforward : observes ? &*rival.axis.observer : nullptr;
  if (known) set("share", known->share);
  if (known && is_ideal) set("reversal", known->reversal), set("way", 0), set("held", 0);
  if (observes) set("correction", g.correction);
  if (dithers)
    set("dither_amplitude", g.dither_amplitude), set("dither_turns", g.dither_frequency * g.sampling_time),
        set("dither_phase", 0);
  if (estimates) t += "  c.estimate = " + n + "_start();\n";
  if (estimates && has_position)
    t += std::string("  c.estimate.position = ") + (forward ? "reference" : "position") + ";\n";
  t += "  for (i = 0; i < " + past +
       "; ++i) {\n    c.past_position[i] = position;\n    c.past_reference[i] = reference;\n  }\n";
  t += "  c.compensation = 0;\n  return c;\n}\n\n";

  t += "/* The force to ask for [" + unit("N") + "]. */\nstatic inline STICKSLIP_REAL " + n + "_control(" + n +
       "_controller *c, STICKSLIP_REAL reference, STICKSLIP_REAL velocity,\n    STICKSLIP_REAL acceleration, "
       "STICKSLIP_REAL position) {\n";
  t += "  const STICKSLIP_REAL error = reference - position, span = " + past + " * c->sampling_time;\n";
  t += "  const STICKSLIP_REAL measured = (position - c->past_position[" + std::to_string(g.difference - 1) +
       "]) / span;\n";
  t += "  const STICKSLIP_REAL wanted = (reference - c->past_reference[" + std::to_string(g.difference - 1) +
       "]) / span;\n";
  t += "  STICKSLIP_REAL added = c->mass * acceleration, force;\n";
  if (sums) t += "  STICKSLIP_REAL outside = STICKSLIP_LIBM(fabs)(error) - c->dead_zone, sum;\n";
  if (g.difference > 1) t += "  int i;\n";
  if (estimates) {
    t += std::string("  const STICKSLIP_REAL moving = ") + (forward ? "velocity" : "measured + c->correction * error") +
         ";\n";
    if (is_ideal)
      t += "  if (moving != 0) {\n    const STICKSLIP_REAL level = STICKSLIP_LIBM(fabs)(" + n +
           "_step(&c->friction, &c->estimate, moving, c->sampling_time));\n"
           "    c->way = stickslip_larger(-c->reversal, stickslip_smaller(c->reversal, c->way + c->sampling_time * "
           "moving));\n"
           "    c->held = level * (c->reversal > 0 ? c->way / c->reversal : stickslip_sign(moving));\n  }\n"
           "  added += c->share * c->held;\n";
    else
      t += "  added += c->share * " + n + "_step(&c->friction, &c->estimate, moving, c->sampling_time);\n";
  }
  if (!forward) t += "  (void)velocity;\n";
  if (dithers)
    t += "  added += c->dither_amplitude * STICKSLIP_LIBM(sin)((STICKSLIP_REAL)6.283185307179586 * c->dither_phase);\n"
         "  c->dither_phase += c->dither_turns;\n  if (c->dither_phase >= 1) c->dither_phase -= 1;\n";
  t += "  force = c->proportional * error + c->derivative * (wanted - measured) + added;\n";
  if (sums) {
    t += "  outside = outside < 0 ? 0 : error < 0 ? -outside : outside;\n  sum = c->sum + c->sampling_time * outside;\n"
         "  force += c->integral * sum;\n";
    t += is_limited ? "  if (STICKSLIP_LIBM(fabs)(force) <= c->limit || force * outside < 0) c->sum = sum;\n"
                    : "  c->sum = sum;\n";
  }
  if (g.difference > 1)
    t += "  for (i = " + past +
         " - 1; i > 0; --i) {\n    c->past_position[i] = c->past_position[i - 1];\n"
         "    c->past_reference[i] = c->past_reference[i - 1];\n  }\n";
  t += "  c->past_position[0] = position;\n  c->past_reference[0] = reference;\n  c->compensation = added;\n";
  t += is_limited ? "  return stickslip_larger(-c->limit, stickslip_smaller(c->limit, force));\n}\n\n"
                  : "  return force;\n}\n\n";

  const ControlTest test = control_test(rival);
  double largest = 0;
  for (const double f : test.force) largest = std::max(largest, std::fabs(f));
  t += "/* 0 if the controller computes here what stickslip simulated, else the number of the first sample that is "
       "off. */\n";
  t += "static inline int " + n + "_control_selftest(void) {\n" + c_array("reference", test.reference) +
       c_array("velocity", test.velocity) + c_array("acceleration", test.acceleration) +
       c_array("position", test.position) + c_array("force", test.force);
  t += "  const STICKSLIP_REAL allowed = (STICKSLIP_REAL)(sizeof(STICKSLIP_REAL) < 8 ? 2e-3 : 1e-9) * " +
       c_number(largest) + ";\n  " + n + "_controller c = " + n +
       "_controller_start(reference[0], position[0]);\n  int i;\n";
  t += c_comparison(n + "_control(&c, reference[i], velocity[i], acceleration[i], position[i])", test.force.size());
  const std::size_t end = made.content.rfind("#endif");
  made.content.insert(end, t);
  made.what = "C99 header, " + source.friction->description().name + " with its controller";
  return made;
}

}  // namespace stickslip::inline compensation
