/// Derivatives of a mechanism's equations by its states, for implicit steps; see mechanism_system.hpp.
///   J dv/dt = F(y):   d(dv/dt)/dy = M⁻¹ dF/dy with the groups that the locks of the mode make                     (1)
/// Laws with states give exact derivatives (dual numbers), and so does a sliding level that is a formula; any other is
/// differentiated numerically. Rows of work and heat are included: without them the method loses its order in the ledger.
/// A general machine (lossy gears, ties) uses difference quotients of its whole right-hand side.
#include <algorithm>
#include <cmath>

#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {
namespace {
constexpr double slope_difference = 6e-6;  // cube root of rounding: best for central differences
}  // namespace

void MechanismSystem::slopes(const Mode& mode, double t, const double* y, double* by_state, std::size_t width,
                             double* by_time, double* value) const {
  derivative(mode, t, y, value);
  bool is_held = true;  // nothing depends on time
  for (std::size_t s = 0; is_held && s < signals_.size(); ++s)
    is_held = signals_[s]->slope(mode.segment[s], t) == 0 &&
              !(signals_[s]->longest_step(mode.segment[s], t) < std::numeric_limits<double>::infinity());
  std::fill(by_time, by_time + size_, 0.0);
  if (!is_held) {
    const double h = std::max(1e-6, 1e-10 * std::fabs(t));
    std::vector<double> after(size_), before(size_);
    derivative(mode, t + h, y, after.data());
    derivative(mode, t - h, y, before.data());
    for (std::size_t i = 0; i < size_; ++i) by_time[i] = (after[i] - before[i]) / (2 * h);
  }
  for (std::size_t i = 0; i < size_; ++i) std::fill(by_state + i * width, by_state + i * width + size_, 0.0);
  if (is_general_) return slopes_by_differences(mode, t, y, by_state, width);

  std::vector<double> rows(freedoms_ * size_, 0.0);
  load_slopes(mode, t, y, rows, by_state, width);
  // Eq. (1), group by group.
  if (mode.locked > 0) {
    std::vector<double> total(freedoms_ * size_, 0.0);
    for (std::size_t i = 0; i < freedoms_; ++i)
      for (std::size_t c = 0; c < size_; ++c) total[mode.leader[i] * size_ + c] += mode.ratio[i] * rows[i * size_ + c];
    for (std::size_t i = 0; i < freedoms_; ++i) {
      const double factor = mode.ratio[i] * mode.inverse_inertia[mode.leader[i]];
      for (std::size_t c = 0; c < size_; ++c) by_state[i * width + c] = factor * total[mode.leader[i] * size_ + c];
    }
  } else {
    for (std::size_t i = 0; i < freedoms_; ++i)
      for (std::size_t c = 0; c < size_; ++c) by_state[i * width + c] = mode.inverse_inertia[i] * rows[i * size_ + c];
  }
  for (std::size_t i = 0; i < freedoms_; ++i) by_state[(freedoms_ + i) * width + i] = 1;
}

/// dF/dy in `rows`, freedom by freedom, and the rows of springs, integrals, work, heat, temperatures and laws in `by_state`.
void MechanismSystem::load_slopes(const Mode& mode, double t, const double* y, std::vector<double>& rows,
                                  double* by_state, std::size_t width) const {
  const auto load = [&](std::size_t freedom) { return rows.data() + freedom * size_; };
  // A torque that acts through a row, and what it depends on: Σ slope of a column.
  const auto push = [&](const MotionRow& r, std::size_t column, double slope) {
    if (slope == 0) return;
    load(r.a)[column] -= r.at_a * slope;
    if (r.b != ground) load(r.b)[column] -= r.at_b * slope;
  };
  const auto along = [&](const MotionRow& seen, std::size_t first, const auto& use) {  // by what a row sees of v or x
    use(first + seen.a, seen.at_a);
    if (seen.b != ground) use(first + seen.b, seen.at_b);
  };
  const auto on_body = [&](std::size_t body, std::size_t column, double slope) {
    load(freedom_[body])[column] += gear_[body] * slope;
  };
  double* const work = by_state + first_account_ * width;
  double* const damped = work + width;
  double* const dragged = damped + width;
  for (std::size_t i = 0; i < m_.torques.size(); ++i) {
    const double torque = signal(mode, torque_signal_ + i, t);
    along(torque_row_[i], 0, [&](std::size_t c, double at) { work[c] += at * torque; });
  }
  for (std::size_t i = 0; i < m_.drags.size(); ++i) {
    const MotionRow& r = drag_row_[i];
    const double w = r.of(y), strength = drag_strength(mode, i, t);
    const auto [torque, by_speed, by_temperature] = m_.drags[i].at(w, drag_warmth(i, y));
    const std::size_t warm = drag_temperature_[i];
    double* const warms = warm == none ? nullptr : by_state + warm * width;
    const double capacity = m_.drags[i].temperature.heat_capacity;
    const auto heats = [&](std::size_t column, double by) {
      dragged[column] += by;
      if (warms) warms[column] += by / capacity;
    };
    along(r, 0, [&, torque = torque, by_speed = by_speed](std::size_t c, double at) {
      push(r, c, strength * by_speed * at);
      heats(c, strength * (torque + by_speed * w) * at);
    });
    if (!warms) continue;
    push(r, warm, strength * by_temperature);
    heats(warm, strength * by_temperature * w);
    warms[warm] -= m_.drags[i].temperature.cooling / capacity;
  }
  for (std::size_t i = 0; i < m_.maps.size(); ++i) {
    const auto& map = m_.maps[i];
    const std::size_t k = mode.interval[i];
    const bool is_flat = k == 0 || k == map.speed.size();
    const double throttle = signal(mode, throttle_signal_ + i, t), w = body_speed(map.body, y);
    const double slope =
        is_flat ? 0 : throttle * (map.torque[k] - map.torque[k - 1]) / (map.speed[k] - map.speed[k - 1]);
    on_body(map.body, freedom_[map.body], gear_[map.body] * slope);
    work[freedom_[map.body]] += gear_[map.body] * (throttle * map_torque(map, k, w) + slope * w);
  }
  // Of a spring's force by elongation and by its rate.
  const auto spring_slopes = [&](std::size_t i) -> std::pair<double, double> {
    const auto& s = m_.springs[i];
    if (mode.side[i] == 0 && s.play > 0) return {0, 0};
    const double deflection = y[first_spring_ + i] - 0.5 * s.play * mode.side[i], slope = s.elastic_slope(deflection);
    if (!s.never_pulls) return {slope, s.damping};
    const std::size_t far = far_end_signal_ + i;
    const double rate = spring_row_[i].of(y) - signals_[far]->slope(mode.segment[far], t);
    const double elastic = s.elastic_force(deflection);
    if (s.may_jump) {
      const double force = s.damping * rate;
      return mode.side[i] == 0 || damper_force(s, mode.side[i], elastic, rate) == force ? std::pair{slope, s.damping}
                                                                                        : std::pair{0.0, 0.0};
    }
    if (std::fabs(s.damping * rate) < std::fabs(elastic)) return {slope, s.damping};
    return {(elastic > 0) == (rate > 0) ? 2 * slope : 0, 0};
  };
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    along(spring_row_[i], 0, [&](std::size_t c, double at) { by_state[(first_spring_ + i) * width + c] += at; });
    const auto [by_length, by_rate] = spring_slopes(i);
    push(spring_row_[i], first_spring_ + i, by_length);
    along(spring_row_[i], 0,
          [&, by_rate = by_rate](std::size_t c, double at) { push(spring_row_[i], c, by_rate * at); });
    if (mode.side[i] == 0 && m_.springs[i].play > 0) continue;
    const std::size_t far = far_end_signal_ + i;
    const double pulled = signals_[far]->slope(mode.segment[far], t), rate = spring_row_[i].of(y) - pulled;
    const double deflection = y[first_spring_ + i] - 0.5 * m_.springs[i].play * mode.side[i];
    const double damping = damper_force(m_.springs[i], mode.side[i], m_.springs[i].elastic_force(deflection), rate);
    damped[first_spring_ + i] += (by_length - m_.springs[i].elastic_slope(deflection)) * rate;
    work[first_spring_ + i] -= by_length * pulled;
    if (const double in_series = m_.springs[i].series_damping; in_series > 0) {
      const double force = m_.springs[i].elastic_force(deflection);
      by_state[(first_spring_ + i) * width + first_spring_ + i] -= by_length / in_series;
      damped[first_spring_ + i] += 2 * force * by_length / in_series;
    }
    along(spring_row_[i], 0, [&, by_rate = by_rate](std::size_t c, double at) {
      damped[c] += (damping + by_rate * rate) * at;
      work[c] -= by_rate * pulled * at;
    });
  }
  // Of a continuous controller's output; use(column, slope).
  const auto controller_slopes = [&](std::size_t i, const auto& use) {
    const auto& c = m_.controllers[i];
    if (c.sampling_time > 0) return;
    const auto& s = m_.sensors[c.sensor];
    use(first_integral_ + i, c.integral);
    if (s.quantity == Measured::slip) {
      const MotionRow& r = s.of < m_.joints.size() ? joint_row_[s.of] : stateful_[s.of - m_.joints.size()].row;
      along(r, 0, [&](std::size_t column, double at) { use(column, -c.proportional * at); });
      return;
    }
    const std::size_t f = freedom_[s.of];
    use(s.quantity == Measured::position ? freedoms_ + f : f, -c.proportional * gear_[s.of]);
    if (c.derivative != 0) use(f, -c.derivative * gear_[s.of]);
  };
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) {
    const auto& c = m_.controllers[i];
    if (!c.acts_on_joint) work[freedom_[c.on]] += gear_[c.on] * controller_output(mode, i, t, y);
    if (c.sampling_time > 0) continue;
    const auto& s = m_.sensors[c.sensor];
    double* integral = by_state + (first_integral_ + i) * width;
    if (s.quantity == Measured::slip) {
      const MotionRow& r = s.of < m_.joints.size() ? joint_row_[s.of] : stateful_[s.of - m_.joints.size()].row;
      along(r, 0, [&](std::size_t column, double at) { integral[column] -= at; });
    } else {
      integral[(s.quantity == Measured::position ? freedoms_ : 0) + freedom_[s.of]] -= gear_[s.of];
    }
    if (c.acts_on_joint) continue;
    const double w = body_speed(c.on, y);
    controller_slopes(i, [&](std::size_t column, double slope) {
      on_body(c.on, column, slope);
      work[column] += w * slope;
    });
  }
  // Of the load that a law sees; use(column, slope).
  const auto source_slopes = [&](const LoadSource& source, const auto& use) {
    if (source.kind == ElementLoad::Kind::spring) {
      const auto [by_length, by_rate] = spring_slopes(source.which);
      use(first_spring_ + source.which, source.factor * by_length);
      along(spring_row_[source.which], 0,
            [&, by_rate = by_rate](std::size_t c, double at) { use(c, source.factor * by_rate * at); });
    } else if (source.kind == ElementLoad::Kind::controller) {
      controller_slopes(source.which, [&](std::size_t c, double slope) { use(c, source.factor * slope); });
    }
  };
  for (std::size_t j = 0; j < first_loss_; ++j)
    if (const std::size_t warm = temperature_[j]; warm != none)
      by_state[warm * width + warm] -= m_.joints[j].temperature.cooling / m_.joints[j].temperature.heat_capacity;
  // Sliding levels.
  for (std::size_t j = 0; j < first_loss_; ++j) {
    if (mode.joint[j] == Slip::stuck || !m_.joints[j].law) continue;
    const MotionRow& r = joint_row_[j];
    const double z = r.of(y), p = strength(mode, j, t, y);
    if (p == 0) continue;
    const SlidingCurve& curve = mode.joint[j] == Slip::backward ? backward_[j] : forward_[j];
    double slope = curve.viscous;
    if (!curve.slides || curve.peak != 0) {
      const double h = slope_difference * (velocity_scale_[j] > 0 ? velocity_scale_[j] : std::max(std::fabs(z), 1e-6));
      slope = (sliding_torque(mode, j, t, z + h, y) - sliding_torque(mode, j, t, z - h, y)) / (2 * h);
    } else {
      slope *= p;
    }
    const std::size_t warm = temperature_[j];
    const double capacity_of_heat = warm == none ? 1 : m_.joints[j].temperature.heat_capacity;
    const auto depends = [&](std::size_t column, double by) {  // also the heat that it makes
      push(r, column, by);
      by_state[(first_heat_ + j) * width + column] += by * z;
      if (warm != none) by_state[warm * width + column] += by * z / capacity_of_heat;
    };
    const double torque = sliding_torque(mode, j, t, z, y);
    along(r, 0, [&](std::size_t c, double at) {
      depends(c, slope * at);
      by_state[(first_heat_ + j) * width + c] += torque * at;
    });
    if (warm != none) {
      const auto& heat = m_.joints[j].temperature;
      depends(warm, torque / p * capacity(mode, j, t) * heat.per_kelvin);
      along(r, 0, [&](std::size_t c, double at) { by_state[warm * width + c] += torque * at / capacity_of_heat; });
    }
    if (place_.empty() || !m_.joints[j].follows()) continue;
    const Direction d = mode.joint[j] == Slip::backward ? Direction::backward : Direction::forward;
    Contact<double> c = contact(mode, j, t, z, y);
    const auto by = [&](double& quantity) {
      const double here = quantity, h = slope_difference * std::max(std::fabs(here), 1e-3);
      quantity = here + h;
      const double above = m_.joints[j].law->sliding_force(c, d);
      quantity = here - h;
      const double below = m_.joints[j].law->sliding_force(c, d);
      quantity = here;
      return p * (above - below) / (2 * h);
    };
    const double by_place = by(c.position), by_load = by(c.load);
    along(r, freedoms_, [&](std::size_t column, double at) { depends(column, by_place * at); });
    source_slopes(place_[j].source, [&](std::size_t column, double of) { depends(column, by_load * of); });
  }
  // Laws with states; those that see the applied force come last, when their body's row is complete.
  LawSlopes law;
  for (const bool is_alone : {false, true})
    for (std::size_t k = 0; k < stateful_.size(); ++k) {
      const Stateful& s = stateful_[k];
      if (s.is_alone != is_alone) continue;
      const FrictionJoint& joint = m_.stateful_joints[k];
      const double p = stateful_strength(mode, k, t, y);
      const Contact<double> c = stateful_contact(mode, k, t, y);
      joint.stateful_law->slopes(mode.memory[k], y + s.first, c, law);
      // What one of its quantities depends on, over all columns.
      const auto depends = [&](const LawSlopes::Of& of, std::vector<double>& on) {
        on.assign(size_, 0.0);
        along(s.row, 0, [&](std::size_t column, double at) { on[column] += of.velocity * at; });
        along(s.row, freedoms_, [&](std::size_t column, double at) { on[column] += of.position * at; });
        source_slopes(place_[m_.joints.size() + k].source,
                      [&](std::size_t column, double slope) { on[column] += of.load * slope; });
        for (std::size_t i = 0; i < s.count; ++i) on[s.first + i] += of.state[i];
        if (s.is_alone && of.applied != 0)
          for (std::size_t column = 0; column < size_; ++column)
            on[column] += of.applied * load(s.row.a)[column] / (s.row.at_a * (p > 0 ? p : 1));
      };
      std::vector<double> on;
      for (std::size_t i = 0; i < s.count; ++i) {
        depends(law.rate[i], on);
        for (std::size_t column = 0; column < size_; ++column) by_state[(s.first + i) * width + column] += on[column];
      }
      depends(law.force, on);
      for (std::size_t column = 0; column < size_; ++column) push(s.row, column, p * on[column]);
      double* const done = by_state + s.work * width;
      for (std::size_t column = 0; column < size_; ++column) done[column] += p * on[column] * c.velocity;
      along(s.row, 0, [&](std::size_t column, double at) { done[column] += p * law.force.value * at; });
      if (s.temperature == none) continue;
      const auto& heat = joint.temperature;
      const double by_heat = joint.factor * stateful_capacity(mode, k, t) * heat.per_kelvin * law.force.value;
      if (p > 0) push(s.row, s.temperature, by_heat);
      if (p > 0) done[s.temperature] += by_heat * c.velocity;
      double* const row = by_state + s.temperature * width;
      for (std::size_t column = 0; column < size_; ++column) row[column] = done[column] / heat.heat_capacity;
      row[s.temperature] -= heat.cooling / heat.heat_capacity;
    }
}

void MechanismSystem::slopes_by_differences(const Mode& mode, double t, const double* y, double* by_state,
                                            std::size_t width) const {
  std::vector<double> at(y, y + size_), above(size_), below(size_);
  for (std::size_t column = 0; column < size_; ++column) {
    if (column >= first_heat_ && column < first_account_ + 3) continue;
    // A state that is small compared with the scale of its tolerance is changed by that scale.
    const double floor = floor_[column] < 1 ? 1e3 * floor_[column] : 0;
    const double h = slope_difference * std::max({std::fabs(y[column]), floor, 1e-9});
    at[column] = y[column] + h;
    derivative(mode, t, at.data(), above.data());
    at[column] = y[column] - h;
    derivative(mode, t, at.data(), below.data());
    at[column] = y[column];
    for (std::size_t i = 0; i < size_; ++i) by_state[i * width + column] = (above[i] - below[i]) / (2 * h);
  }
  derivative(mode, t, y, above.data());
}

/// The steepest slope of a sliding joint's torque over speed [N m s/rad]: searched in decades of speed, where it exceeds rounding, with
/// the largest capacity at the breakpoints of the run.
double steepest_slope(const FrictionJoint& joint, double start, double end) {
  if (!joint.law) return 0;
  constexpr double part = 1e-3;
  double steepest = 0;
  for (const Direction d : {Direction::forward, Direction::backward})
    for (double speed = 1e-12; speed < 1e4; speed *= 10) {
      Contact<double> slow, fast;
      slow.velocity = number(d) * speed, fast.velocity = (1 + part) * slow.velocity;
      const double from = joint.law->sliding_force(slow, d), to = joint.law->sliding_force(fast, d),
                   more = number(d) * (to - from);
      if (more > 1e-12 * std::fabs(to)) steepest = std::max(steepest, more / (part * speed));
    }
  double most = 0;
  const Signal& p = joint.capacity;
  for (std::size_t k = p.segment_at(start); start < end; ++k) {
    const double until = std::min(end, p.end_of(k));
    most = std::max({most, p.value(k, start), p.value(k, 0.5 * (start + until)), p.value(k, until)});
    start = until;
  }
  return most * steepest;
}

double fastest_rate(const Mechanism& m, double start, double end) {
  double fastest = 0;
  const auto ease = [&](const BodyEnd& end) {
    return end.body == ground || !(m.bodies[end.body].inertia > 0) ? 0
                                                                   : end.ratio * end.ratio / m.bodies[end.body].inertia;
  };
  for (const auto& j : m.joints) fastest = std::max(fastest, steepest_slope(j, start, end) * (ease(j.a) + ease(j.b)));
  for (const auto& s : m.springs) {
    const double e = ease(s.a) + ease(s.b);
    fastest = std::max({fastest, s.damping * e, s.is_straight() ? std::sqrt(s.stiffness * e) : 0,
                        s.series_damping > 0 ? s.stiffness / s.series_damping : 0});
  }
  for (const auto& d : m.drags) fastest = std::max(fastest, d.linear * ease({d.body, 1}));
  return fastest;
}

}  // namespace stickslip::inline machines
