/// Three bodies with two friction interfaces, at one instant: Biagiotti section 3.2, eqs 10-22.
///   J = (1, 2, 3) kg m²,  F = (12, −6, 3) N m,  F_S = 20, F_C = 16 N m, v_S = 1 rad/s, a = 1                       (1)
/// The four cases of Biagiotti (each of z1, z2 zero or not), and the case where eq 22 is wrong:
///   J = (1, 1, 1),  F = (24, 0, 0),  F_S = (10, 10):  exactly τ = (10, 5), dw/dt = (14, 5, 5);  eq 22 gives (10, 8)    (2)
#include "experiments/measure.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "solver/resting_chain.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_three_bodies();

namespace {

constexpr std::size_t bodies = 3;

RestingResult solved(const std::array<double, bodies>& inertia, const std::array<double, bodies>& torque,
                     const std::array<Interface, 2>& interfaces, RestingRule rule) {
  RestingWorkspace workspace(bodies);
  RestingResult answer(bodies);
  solve_resting_chain({inertia, torque, interfaces}, workspace, answer, rule);
  return answer;
}

/// Biagiotti and Zanasi's four cases; a relative speed of zero rests.
void four_cases(Reproduction& result) {
  const StribeckLevels law(16, 20, 1, 1);
  const auto interface = [&](double z) {
    Contact<double> c;
    c.velocity = z;
    return z == 0 ? resting(20) : slipping(law.sliding_force(c, direction_of(z)));
  };
  struct Case {
    double z1, z2, torque_1, torque_2;
  };
  for (const auto& c : {Case{.5, -.7, 18.42612264, -17.98634122}, Case{0, -.7, 4.00455293, -17.98634122},
                        Case{.5, 0, 18.42612264, 6.25567358}, Case{0, 0, 10.5, 1.5}}) {
    const auto answer = solved({1, 2, 3}, {12, -6, 3}, {interface(c.z1), interface(c.z2)}, RestingRule::exact);
    const std::string which = "z (" + significant(c.z1, 3) + ", " + significant(c.z2, 3) + "): torque ";
    result.rows.push_back(near(which + "12", "N m", c.torque_1, answer.torque[0], 1e-8));
    result.rows.push_back(near(which + "23", "N m", c.torque_2, answer.torque[1], 1e-8));
    if (c.z1 == 0 && c.z2 == 0)
      for (std::size_t i = 0; i < bodies; ++i)
        result.rows.push_back(
            near("all at rest: acceleration " + std::to_string(i + 1), "rad/s^2", 1.5, answer.acceleration[i], 1e-12));
  }
}

/// Eq. (2) and how it comes about as the torque on the first body rises.
void counter_example(Reproduction& result) {
  const std::array<Interface, 2> rests{resting(10), resting(10)};
  const auto exact = solved({1, 1, 1}, {24, 0, 0}, rests, RestingRule::exact);
  const auto paper = solved({1, 1, 1}, {24, 0, 0}, rests, RestingRule::paper);
  const std::array<double, bodies> motion{14, 5, 5};
  result.rows.push_back(near("exact rule: torque 12", "N m", 10, exact.torque[0], 1e-12));
  result.rows.push_back(near("exact rule: torque 23", "N m", 5, exact.torque[1], 1e-12));
  for (std::size_t i = 0; i < bodies; ++i)
    result.rows.push_back(
        near("exact rule: acceleration " + std::to_string(i + 1), "rad/s^2", motion[i], exact.acceleration[i], 1e-12));
  result.rows.push_back(near("eq 22: torque 12", "N m", 10, paper.torque[0], 1e-12));
  result.rows.push_back(near("eq 22: torque 23", "N m", 8, paper.torque[1], 1e-12));

  DataSeries ours{.name = "exact"}, printed{.name = "Biagiotti eq 22", .dashed = true};
  Table table{{{"torque_1", "N m", {}}, {"exact_torque_23", "N m", {}}, {"paper_torque_23", "N m", {}}}};
  for (int i = 0; i <= 200; ++i) {
    const double applied = 0.2 * i;
    const double a = solved({1, 1, 1}, {applied, 0, 0}, rests, RestingRule::exact).torque[1];
    const double b = solved({1, 1, 1}, {applied, 0, 0}, rests, RestingRule::paper).torque[1];
    ours.x.push_back(applied), ours.y.push_back(a);
    printed.x.push_back(applied), printed.y.push_back(b);
    table.columns[0].values.push_back(applied);
    table.columns[1].values.push_back(a);
    table.columns[2].values.push_back(b);
  }
  Panel panel{.x = {"torque on body 1", "N m"}, .y = {"torque between bodies 2 and 3", "N m"}};
  panel.series = {ours, printed};
  panel.references = {{Across::vertical, 15, "interface 1 breaks"}};
  result.figures.push_back({"three_bodies",
                            {.title = "One of two interfaces breaks away",
                             .subtitle = "three equal bodies at rest, F_S = 10 N m on both interfaces",
                             .panels = {panel}}});
  result.tables.push_back({"three_bodies", table});
}

Reproduction reproduce_three_bodies(Progress& progress) {
  Reproduction result;
  four_cases(result);
  counter_example(result);
  result.remarks = {
      "Biagiotti eq 22 cuts each torque to its own level; once one interface breaks, its neighbours no longer balance. "
      "Biagiotti "
      "says so "
      "(\"approximates the real value\"); the exact rule is the default here, `paper` a choice.",
      "Biagiotti and Zanasi's matrix T must have 1 in its lower left corner."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_three_bodies() {
  static const Experiment experiment{
      "three-bodies", "Three bodies, two interfaces at one instant", "Biagiotti section 3.2", reproduce_three_bodies,
      "Biagiotti eqs 10-22: J (1, 2, 3) kg m^2, F (12, -6, 3) N m, F_S 20 N m, F_C 16 N m, v_S 1 "
      "rad/s; and three equal bodies with F_S 10 N m, where eq 22 fails."};
  return experiment;
}

}  // namespace stickslip::inline experiments
