/// Torques and accelerations of a friction chain at one instant, some interfaces at rest.
///   J_i a_i = F_i − τ_i + τ_{i−1},   dz_i/dt = a_i − a_{i+1}                                            (1)
/// Interface i lies between bodies i and i+1; τ is positive against positive z. Slipping: τ_i is given. Resting:
///   dz_i/dt = 0 and low_i ≤ τ_i ≤ high_i,  or  dz_i/dt > 0 and τ_i = high_i,  or  dz_i/dt < 0 and τ_i = low_i,   (2)
/// all at once: the optimality conditions of a strictly convex box problem, so there is exactly one answer.
/// L. Biagiotti, R. Zanasi, "Efficient simulation of static and dynamic friction for automotive applications" (Biagiotti), eqs 16-22.
///
/// RestingRule::exact solves (2) with the taut string (resting_taut_string.hpp), in O(n), whatever the state of the chain.
/// RestingRule::paper is Biagiotti eqs 19-22: the torques that would hold everything, then each cut to its own range. It is exact while
/// nothing breaks away; once something does, neighbours assumed held have dz/dt ≠ 0 by (1), and that value is reported.
///
/// Guaranteed by the exact rule, whatever the rounding: low ≤ τ ≤ high; τ is the end of its range where an interface breaks away, and
/// dz/dt has the matching sign; bodies held together have the same acceleration to the last bit and dz/dt = 0.0.
/// A held torque that exceeds its range in its last digits by rounding is set to the end of the range.
/// Not modelled: impacts, bodies without inertia or held by the ground, gear ratios, branches (resting_network.hpp).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "solver/resting_interface.hpp"
#include "solver/resting_taut_string.hpp"

namespace stickslip::inline solver {

/// n bodies, n − 1 interfaces. Views: the caller keeps the numbers.
struct RestingChain {
  std::span<const double> inertia;          // J [kg m²]
  std::span<const double> external_torque;  // F [N m]
  std::span<const Interface> interfaces;
};

/// Allocated once for the longest chain to come; nothing is allocated in a solve.
struct RestingWorkspace {
  taut_string::Workspace string;
  explicit RestingWorkspace(std::size_t bodies) : string(bodies) {}
};

/// The first invalid number, for input checks; the solve itself only asserts.
inline RestingFault fault_in(const RestingChain& chain) {
  if (chain.inertia.empty()) return {"a chain needs at least one body", 0};
  if (chain.external_torque.size() != chain.inertia.size()) return {"each body needs one external torque", 0};
  if (chain.interfaces.size() + 1 != chain.inertia.size()) return {"n bodies need n - 1 interfaces", 0};
  if (const auto fault = fault_in_bodies(chain.inertia, chain.external_torque)) return fault;
  return fault_in_interfaces(chain.interfaces);
}

namespace resting_detail {

/// Its torque is known: a slipping interface or an open clutch. The chain is split here.
inline bool is_known(const Interface& i) { return i.low == i.high; }

inline void settle_known(const RestingChain& chain, std::size_t i, const RestingMotion& out) {
  const double relative = out.acceleration[i] - out.acceleration[i + 1];
  out.relative_acceleration[i] = relative;
  out.outcome[i] = chain.interfaces[i].is_resting ? breakaway_outcome(relative) : RestingOutcome::slips;
}

inline void write_held(std::size_t i, double torque, const RestingMotion& out) {
  out.torque[i] = torque;
  out.relative_acceleration[i] = 0;
  out.outcome[i] = RestingOutcome::held;
}

/// If all bodies of the run can move as one, they do, since the answer is unique. False, and the output is not valid, if not.
inline bool write_locked(const taut_string::String& string, const taut_string::Run& run, std::size_t first,
                         const RestingMotion& out) {
  const taut_string::Group all = string.whole();
  for (std::size_t k = 1; k < all.end; ++k) {
    const double torque = string.held_torque(all, k);
    if (!(torque >= run.interfaces[k - 1].low && torque <= run.interfaces[k - 1].high)) return false;
    write_held(first + k - 1, torque, out);
  }
  std::fill_n(out.acceleration.begin() + std::ptrdiff_t(first), all.end, all.acceleration.head);
  return true;
}

inline void write_groups(const taut_string::String& string, const taut_string::Run& run, std::size_t first,
                         const RestingMotion& out) {
  for (const auto& g : string.groups()) {
    for (std::size_t k = g.begin; k < g.end; ++k) out.acceleration[first + k] = g.acceleration.head;
    for (std::size_t k = g.begin + 1; k < g.end; ++k)
      write_held(first + k - 1,
                 std::clamp(string.held_torque(g, k), run.interfaces[k - 1].low, run.interfaces[k - 1].high), out);
  }
}

inline void write_broken(const taut_string::String& string, std::size_t first, const RestingMotion& out) {
  const auto groups = string.groups();
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    const std::size_t i = first + groups[g].end - 1;
    out.torque[i] = groups[g].torque_end;
    out.relative_acceleration[i] = groups[g].acceleration.head - groups[g + 1].acceleration.head;
    out.outcome[i] = breakaway_outcome(out.relative_acceleration[i]);  // held if no double lies between the two
  }
}

/// Biagiotti eqs 19-22, then (1) for the accelerations.
inline void write_saturated(const taut_string::String& string, const taut_string::Run& run, std::size_t first,
                            const RestingMotion& out) {
  const taut_string::Group all = string.whole();
  const std::size_t bodies = run.inertia.size();
  for (std::size_t k = 1; k < bodies; ++k) {
    const Interface& at = run.interfaces[k - 1];
    const double held = string.held_torque(all, k);
    out.torque[first + k - 1] = std::clamp(held, at.low, at.high);
    out.outcome[first + k - 1] = held > at.high  ? RestingOutcome::breaks_forward
                                 : held < at.low ? RestingOutcome::breaks_backward
                                                 : RestingOutcome::held;
  }
  for (std::size_t k = 0; k < bodies; ++k) {
    const double before = k == 0 ? run.torque_before : out.torque[first + k - 1];
    const double after = k + 1 == bodies ? run.torque_after : out.torque[first + k];
    out.acceleration[first + k] = (run.external_torque[k] - after + before) / run.inertia[k];
    if (k > 0) out.relative_acceleration[first + k - 1] = out.acceleration[first + k - 1] - out.acceleration[first + k];
  }
}

/// Two bodies between known torques, in closed form; the fractions lose no digits however different the inertias are.
///   τ = (J₂ (F₁ + τ₀) − J₁ (F₂ − τ₂)) / (J₁ + J₂) would hold them together                                  (3)
/// Also Biagiotti and Zanasi's rule: with a single interface both rules agree.
inline void solve_pair(const RestingChain& chain, std::size_t first, double before, double after,
                       const RestingMotion& out) {
  const double inertia_1 = chain.inertia[first], inertia_2 = chain.inertia[first + 1];
  const double drive_1 = chain.external_torque[first] + before, drive_2 = chain.external_torque[first + 1] - after;
  const Interface& at = chain.interfaces[first];
  const double holding = (inertia_2 * drive_1 - inertia_1 * drive_2) / (inertia_1 + inertia_2);
  const double torque = std::clamp(holding, at.low, at.high);
  const double acceleration_1 = (drive_1 - torque) / inertia_1, acceleration_2 = (drive_2 + torque) / inertia_2;
  const double relative = acceleration_1 - acceleration_2;
  if (holding > at.high ? relative > 0 : holding < at.low && relative < 0) {
    out.acceleration[first] = acceleration_1, out.acceleration[first + 1] = acceleration_2;
    out.torque[first] = torque;
    out.relative_acceleration[first] = relative;
    out.outcome[first] = breakaway_outcome(relative);
  } else {
    out.acceleration[first] = out.acceleration[first + 1] = (drive_1 + drive_2) / (inertia_1 + inertia_2);
    write_held(first, torque, out);
  }
}

/// Solves bodies first..last, whose outer interfaces are known or absent.
inline void solve_run(const RestingChain& chain, std::size_t first, std::size_t last, RestingWorkspace& workspace,
                      const RestingMotion& out, RestingRule rule) {
  const double before = first == 0 ? 0 : chain.interfaces[first - 1].low;
  const double after = last == chain.interfaces.size() ? 0 : chain.interfaces[last].low;
  if (first == last) {
    out.acceleration[first] = (chain.external_torque[first] - after + before) / chain.inertia[first];
    return;
  }
  const std::size_t bodies = last - first + 1;
  if (bodies == 2) return solve_pair(chain, first, before, after, out);
  const taut_string::Run run{chain.inertia.subspan(first, bodies), chain.external_torque.subspan(first, bodies),
                             chain.interfaces.subspan(first, bodies - 1), before, after};
  taut_string::String string(run, workspace.string);
  if (write_locked(string, run, first, out)) return;
  if (rule == RestingRule::paper) return write_saturated(string, run, first, out);
  string.pull();
  write_groups(string, run, first, out);
  write_broken(string, first, out);
}

}  // namespace resting_detail

/// Solves the whole chain. `workspace` must have been made for at least as many bodies.
inline void solve_resting_chain(const RestingChain& chain, RestingWorkspace& workspace, const RestingMotion& out,
                                RestingRule rule = RestingRule::exact) {
  assert(!chain.inertia.empty() && chain.interfaces.size() + 1 == chain.inertia.size());
  assert(out.acceleration.size() == chain.inertia.size() && out.torque.size() == chain.interfaces.size());
  using namespace resting_detail;
  std::size_t first = 0;
  for (std::size_t i = 0; i < chain.interfaces.size(); ++i)
    if (is_known(chain.interfaces[i])) {
      out.torque[i] = chain.interfaces[i].low;
      solve_run(chain, first, i, workspace, out, rule);
      first = i + 1;
    }
  solve_run(chain, first, chain.interfaces.size(), workspace, out, rule);
  for (std::size_t i = 0; i < chain.interfaces.size(); ++i)
    if (is_known(chain.interfaces[i])) settle_known(chain, i, out);
}

/// Solves again after only interface `changed` has a new state or range, or the external torque of
/// a body next to it has changed: only the run or runs that it belongs to. `out` must hold the previous answer.
inline void solve_resting_chain_around(const RestingChain& chain, std::size_t changed, RestingWorkspace& workspace,
                                       const RestingMotion& out, RestingRule rule = RestingRule::exact) {
  assert(changed < chain.interfaces.size());
  using namespace resting_detail;
  std::size_t first = changed, last = changed + 1;
  while (first > 0 && !is_known(chain.interfaces[first - 1])) --first;
  while (last < chain.interfaces.size() && !is_known(chain.interfaces[last])) ++last;
  if (is_known(chain.interfaces[changed])) {
    out.torque[changed] = chain.interfaces[changed].low;
    solve_run(chain, first, changed, workspace, out, rule);
    solve_run(chain, changed + 1, last, workspace, out, rule);
    settle_known(chain, changed, out);
  } else {
    solve_run(chain, first, last, workspace, out, rule);
  }
  if (first > 0) settle_known(chain, first - 1, out);
  if (last < chain.interfaces.size()) settle_known(chain, last, out);
}

}  // namespace stickslip::inline solver
