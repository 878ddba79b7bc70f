/// Contacts whose force is a power of the deflection (Hertz: 1.5), against the closed forms of an impact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "machines/machine.hpp"

namespace stickslip::mechanism_contact_test {
namespace {

/// A mass of 2 kg flies with 0.5 m/s against an elastic stop at 10 mm.
std::string flight(double exponent, const std::string& further = "") {
  return "[[body]]\nname = \"ball\"\nmass = \"2 kg\"\nspeed = \"0.5 m/s\"\n"
         "[[stop]]\nname = \"plate\"\non = \"ball\"\nhigh = \"10 mm\"\nstiffness = \"1e6 N/m\"\nexponent = " +
         std::to_string(exponent) + "\n" + further +
         "[run]\nduration = \"0.2 s\"\nsample_interval = \"10 us\"\n[solver]\nrelative_tolerance = 1e-12\n";
}

struct Impact {
  double deepest = 0, begins = 0, ends = 0, left = 0, residual = 0;
};

Impact impact(const std::string& text) {
  const MachineRun run = parse_machine_text(text, "flight.toml").run();
  Impact found;
  found.deepest = -0.010;
  for (const auto& c : run.samples.columns) {
    if (c.name == "ball_position")
      for (const double x : c.values) found.deepest = std::max(found.deepest, x - 0.010);
    if (c.name == "ball_speed") found.left = c.values.back();
  }
  for (const auto& e : run.view().events.list) {
    if (e.part != "plate") continue;
    if (found.begins == 0)
      found.begins = e.time;
    else
      found.ends = e.time;
  }
  for (const auto& row : run.ledger)
    if (row.name == "residual") found.residual = row.joule;
  return found;
}

// 0.5 m v² = k d^(n+1)/(n+1) at the deepest point d; the contact lasts 2 d/v √π Γ(1 + 1/(n+1))/Γ(1/2 + 1/(n+1)).
TEST(PowerContact, ImpactsLastAsLongAndGoAsDeepAsTheClosedForm) {
  const double m = 2, v = 0.5, k = 1e6;
  for (const double n : {1.0, 1.25, 1.5, 2.0, 3.0}) {
    const double d = std::pow((n + 1) * m * v * v / (2 * k), 1 / (n + 1));
    const double lasts = 2 * d / v * std::sqrt(M_PI) * std::tgamma(1 + 1 / (n + 1)) / std::tgamma(0.5 + 1 / (n + 1));
    const Impact found = impact(flight(n));
    EXPECT_NEAR(found.begins, 0.02, 1e-9) << n;
    EXPECT_NEAR(found.ends - found.begins, lasts, 1e-7 * lasts) << n;
    EXPECT_NEAR(found.deepest, d, 1e-4 * d) << n << ": deepest sample";
    EXPECT_NEAR(found.left, -v, 1e-9) << n << ": nothing is lost";
    EXPECT_LT(std::fabs(found.residual), 1e-9) << n;
  }
}

TEST(PowerContact, ADampedOneLosesSpeedAndKeepsItsLedger) {
  const Impact found = impact(flight(1.5, "damping = \"300 N s/m\"\n"));
  EXPECT_GT(found.left, -0.45);
  EXPECT_LT(found.left, 0);
  EXPECT_LT(std::fabs(found.residual), 1e-9);
}

TEST(PowerContact, RefusesExponentsThatMakeNoContact) {
  EXPECT_THROW(parse_machine_text(flight(0.5), "flight.toml"), Error);
  EXPECT_THROW(parse_machine_text(flight(11), "flight.toml"), Error);
}

}  // namespace
}  // namespace stickslip::mechanism_contact_test
