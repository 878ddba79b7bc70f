/// See mechanism_sink.hpp.
#include "machines/mechanism/mechanism_sink.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/friction/state_name.hpp"

namespace stickslip::inline machines {

namespace {

constexpr std::size_t in_registers = 8;  // series_values() likes whole registers
constexpr std::size_t few_samples = 2;   // all lanes at each are made faster than each lane at all

std::string unit(bool is_rotary, std::string_view rotary, std::string_view linear) {
  return std::string(is_rotary ? rotary : linear);
}

std::vector<double> times_of(const SimulationOptions& options) {
  std::vector<double> times = options.sample_times;
  if (!(options.sample_interval > 0)) return times;
  const double ratio = (options.end - options.start) / options.sample_interval;
  const auto count = static_cast<std::size_t>(std::floor(ratio * (1 + 1e-12) + 1e-9));
  const std::size_t first = times.size();
  times.resize(first + count + 1);
  double* to = times.data() + first;
  const double start = options.start, interval = options.sample_interval, end = options.end;
  constexpr std::size_t at_once = 1 << 16;  // numbers of four bytes become doubles several at a time
  for (std::size_t block = 0; block <= count; block += at_once) {
    const auto base = static_cast<double>(block);
    const auto numbers = static_cast<std::int32_t>(std::min(at_once, count + 1 - block));
    for (std::int32_t i = 0; i < numbers; ++i) {
      const double time = start + (base + static_cast<double>(i)) * interval;
      to[block + static_cast<std::size_t>(i)] = time < end ? time : end;
    }
  }
  return times;
}

}  // namespace

std::vector<SignalInfo> mechanism_columns(const Mechanism& m) {
  std::vector<SignalInfo> columns;
  const auto add = [&](std::string name, std::string unit) { columns.push_back({std::move(name), std::move(unit)}); };
  for (const auto& b : m.bodies) {
    add(b.name + "_position", unit(b.is_rotary, "rad", "m"));
    add(b.name + "_speed", unit(b.is_rotary, "rad/s", "m/s"));
    add(b.name + "_acceleration", unit(b.is_rotary, "rad/s^2", "m/s^2"));
  }
  for (const auto& j : m.joints) {
    const bool is_rotary = m.bodies[j.a.body == ground ? j.b.body : j.a.body].is_rotary;
    add(j.name + "_slip", unit(is_rotary, "rad/s", "m/s"));
    add(j.name + "_torque", unit(is_rotary, "N m", "N"));
    add(j.name + "_capacity", "1");
    add(j.name + "_motion", "1");
    add(j.name + "_heat", "J");
  }
  for (const auto& s : m.springs) {
    const bool is_rotary = m.bodies[s.a.body == ground ? s.b.body : s.a.body].is_rotary;
    add(s.name + "_elongation", unit(is_rotary, "rad", "m"));
    add(s.name + "_force", unit(is_rotary, "N m", "N"));
  }
  for (const auto& c : m.controllers)
    add(c.name + "_output", c.acts_on_joint ? "1" : unit(m.bodies[c.on].is_rotary, "N m", "N"));
  for (const auto& j : m.joints)
    if (j.temperature.heat_capacity > 0) add(j.name + "_temperature", "K");
  for (const auto& d : m.drags)
    if (d.temperature.heat_capacity > 0) {
      add(d.name + "_torque", unit(m.bodies[d.body].is_rotary, "N m", "N"));
      add(d.name + "_temperature", "K");
    }
  for (const auto& t : m.ties) add(t.name + "_torque", unit(m.bodies[t.ends.front().body].is_rotary, "N m", "N"));
  for (const auto& g : m.lossy_gears) {
    const std::string torque = unit(m.bodies[g.a].is_rotary, "N m", "N");
    add(g.name + "_torque", torque);
    add(g.name + "_loss", torque);
    add(g.name + "_motion", "1");
    add(g.name + "_heat", "J");
  }
  for (const auto& s : m.stops) {
    add(s.name + "_force", unit(m.bodies[s.a.body == ground ? s.b.body : s.a.body].is_rotary, "N m", "N"));
    add(s.name + "_contact", "1");
    add(s.name + "_heat", "J");
  }
  for (const auto& d : m.drives) add(d.name + "_torque", unit(m.bodies[d.body].is_rotary, "N m", "N"));
  for (const auto& j : m.stateful_joints) {
    const bool is_rotary = m.bodies[j.a.body == ground ? j.b.body : j.a.body].is_rotary;
    add(j.name + "_slip", unit(is_rotary, "rad/s", "m/s"));
    add(j.name + "_torque", unit(is_rotary, "N m", "N"));
    add(j.name + "_capacity", "1");
    add(j.name + "_motion", "1");
    add(j.name + "_heat", "J");
    if (j.temperature.heat_capacity > 0) add(j.name + "_temperature", "K");
    for (const auto& state : j.stateful_law->state_names()) {
      SignalInfo named = named_state(state, is_rotary);
      add(j.name + "_" + named.name, std::move(named.unit));
    }
  }
  return columns;
}

std::vector<LedgerRow> heat_rows(const Mechanism& m, const MechanismLedger& ledger) {
  std::vector<LedgerRow> rows;
  const auto parts = sticking_parts(m);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const bool is_second = parts[j].kind == StickingPart::Kind::high_stop && j > 0 &&
                           parts[j - 1].kind == StickingPart::Kind::low_stop && parts[j - 1].which == parts[j].which;
    if (is_second)
      rows.back().joule += ledger.joint_heat[j];
    else
      rows.push_back({"heat of " + name_of(m, parts[j]), ledger.joint_heat[j]});
  }
  for (std::size_t k = 0; k < m.stateful_joints.size(); ++k)
    rows.push_back({"heat of " + m.stateful_joints[k].name, ledger.joint_heat[parts.size() + k]});
  return rows;
}

MechanismSink::MechanismSink(const Mechanism& m, const MechanismSystem* system, const SimulationOptions& options,
                             MechanismRun& run)
    : m_(m), system_(system), options_(options), run_(run), times_(times_of(options)) {
  if (times_.empty()) return;
  is_found_.assign(m.columns.size(), 0);
  if (system) dy_.resize(system->size());
  add("time", "s");
  for (auto& column : mechanism_columns(m)) add(std::move(column.name), std::move(column.unit));
  for (std::size_t i = 0; i < m.columns.size(); ++i)
    if (!is_found_[i])
      throw Error("samples have no column " + in_quotes(m.columns[i]) +
                  "; columns are time and, after the name of a part, _position, _speed, _acceleration (body), _slip, "
                  "_torque, _capacity, _motion, _heat, _temperature (joint), _elongation, _force (spring), _output "
                  "(controller), _torque, _temperature (drag with a temperature), "
                  "_torque (tie, drive), _torque, _loss, _motion, _heat (lossy gear), _force, _contact, _heat (stop)");
  for (auto& column : run.samples.columns) column.values.reserve(times_.size() + in_registers);
  bool are_linear = true;
  for_columns([](auto) {}, [&] { are_linear = false; });
  if (are_linear && options.sample_times.empty()) even_interval_ = options.sample_interval;
}

/// Wanted columns of machines that series cover: those linear in the states as functions of a MechanismSeries, the others.
template <class PutLinear, class PutOther>
void MechanismSink::for_columns(const PutLinear& linear, const PutOther& other) {
  column_ = 1;  // behind the time
  const auto put = [&](const auto& row) {
    if (slot_[column_++] != unwanted) linear(row);
  };
  const auto leave = [&] {
    if (slot_[column_++] != unwanted) other();
  };
  for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
    leave();
    put([=](const MechanismSeries& s) { return s.speed_row(i); });
    put([=](const MechanismSeries& s) { return s.acceleration_row(i); });
  }
  for (std::size_t j = 0; j < m_.joints.size(); ++j) {
    put([=](const MechanismSeries& s) { return s.slip_row(j); });
    put([=](const MechanismSeries& s) { return s.torque_row(j); });
    put([=](const MechanismSeries& s) { return s.capacity_row(j); });
    put([=](const MechanismSeries& s) { return s.motion_row(j); });
    leave();
  }
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    put([=](const MechanismSeries& s) { return s.elongation_row(i); });
    put([=](const MechanismSeries& s) { return s.spring_force_row(i); });
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i)
    put([=](const MechanismSeries& s) { return s.output_row(i); });
}

void MechanismSink::keep_linear(std::size_t count, const std::vector<LinearColumn>& columns,
                                const std::vector<double*>& values) {
  const auto first = times_.begin() + static_cast<std::ptrdiff_t>(next_);
  auto& time = run_.samples.columns[slot_[0]].values;
  time.insert(time.end(), first, first + static_cast<std::ptrdiff_t>(count));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    auto& column = run_.samples.columns[columns[c].slot].values;
    column.insert(column.end(), values[c], values[c] + count);
  }
  next_ += count;
}

void MechanismSink::linear_columns(const MechanismSeries& step, std::vector<LinearColumn>& columns) {
  for_columns([&](const auto& row) { columns.push_back({slot_[column_ - 1], row(step)}); }, [] {});
}

/// `time` is always wanted.
void MechanismSink::add(std::string name, std::string unit) {
  bool is_wanted = m_.columns.empty() || slot_.empty();
  for (std::size_t i = 0; i < m_.columns.size(); ++i)
    if (m_.columns[i] == name) is_wanted = true, is_found_[i] = 1;
  slot_.push_back(is_wanted ? run_.samples.columns.size() : unwanted);
  if (is_wanted) run_.samples.columns.push_back({std::move(name), std::move(unit), {}});
}

void MechanismSink::sample(double t, const double* y, const MechanismMode& mode) {
  system_->derivative(mode, t, y, dy_.data());
  system_->joint_torques(mode, t, y, torque_);
  system_->cut_accelerations(mode, t, dy_.data());
  begin_row(t);
  put_mechanism_row(m_, *system_, mode, t, y, dy_.data(), torque_, [&](double value) { put(value); });
  ++next_;
}

namespace {

/// How many of `terms` coefficients count: terms too small to be seen are left out.
template <class Coefficient>
std::size_t seen_terms(std::size_t terms, const Coefficient& c) {
  if (terms <= 2) return terms;
  const double seen = 1e-16 * std::max({std::fabs(c(0)), std::fabs(c(1)), std::fabs(c(2))});
  while (terms > 1 && std::fabs(c(terms - 1)) <= seen) --terms;
  return terms;
}

/// `put(out)` writes whole registers behind the end of the column; `samples` of them stay.
template <class Put>
void append(std::vector<double>& column, std::size_t whole, std::size_t samples, const Put& put) {
  const std::size_t before = column.size();
  column.resize(before + whole);
  put(column.data() + before);
  column.resize(before + samples);
}

}  // namespace

void MechanismSink::put_values(std::span<const double> c, std::vector<double>& column) {
  const std::size_t terms = seen_terms(c.size(), [&](std::size_t k) { return c[k]; });
  if (terms == 1)
    column.insert(column.end(), samples_, c[0]);
  else
    append(column, theta_.size(), samples_, [&](double* out) { series_values(c.first(terms), theta_, out); });
}

/// Straight from the lane: nothing is made per column.
void MechanismSink::put_lane(const MechanismSeries& step, MechanismSeries::LaneMultiple quantity) {
  const std::size_t slot = slot_[column_++];
  if (slot == unwanted) return;
  auto& column = run_.samples.columns[slot].values;
  if (quantity.factor == 0) {  // at rest: there may be no lane at all
    column.insert(column.end(), samples_, 0.0);
    return;
  }
  const SeriesLanes& lanes = step.lanes();
  if (samples_ <= few_samples) {
    for (std::size_t i = 0; i < samples_; ++i)
      column.push_back(quantity.factor * lanes_at_[i * lanes.stride + quantity.lane]);
    return;
  }
  const double* c = lanes.c + quantity.lane;
  const std::size_t terms = seen_terms(lanes.terms, [&](std::size_t k) { return c[k * lanes.stride]; });
  if (terms == 1) {
    column.insert(column.end(), samples_, quantity.factor * c[0]);
    return;
  }
  append(column, theta_.size(), samples_, [&](double* out) {
    series_lane_values(lanes, quantity.lane, terms, theta_, out);
    if (quantity.factor == 1) return;
    for (std::size_t i = 0; i < samples_; ++i) out[i] *= quantity.factor;
  });
}

template <class Make>
void MechanismSink::put_block(const Make& make) {
  const std::size_t slot = slot_[column_++];
  if (slot != unwanted) put_values(make(), run_.samples.columns[slot].values);
}

void MechanismSink::sample(MechanismSeries& step, const MechanismMode& mode, const double* y, double t, double h,
                           double until) {
  if (!(next_sample() < until)) return;
  const auto first = times_.begin() + static_cast<std::ptrdiff_t>(next_);
  const auto last = std::lower_bound(first, times_.end(), until);
  samples_ = static_cast<std::size_t>(last - first);
  theta_.resize((samples_ + in_registers - 1) / in_registers * in_registers);
  std::fill(theta_.begin() + static_cast<std::ptrdiff_t>(samples_), theta_.end(), 0.0);
  const double per_second = 1 / h;
  for (std::size_t i = 0; i < samples_; ++i) theta_[i] = (first[static_cast<std::ptrdiff_t>(i)] - t) * per_second;
  if (const SeriesLanes& lanes = step.lanes(); samples_ <= few_samples) {
    lanes_at_.resize(few_samples * lanes.stride);
    for (std::size_t i = 0; i < samples_; ++i)
      series_lanes_at(lanes, lanes.stride, theta_[i], lanes_at_.data() + i * lanes.stride);
  }
  column_ = 0;
  auto& time = run_.samples.columns[slot_[column_++]].values;
  time.insert(time.end(), first, last);
  next_ += samples_;
  const auto series = [&](const auto& make) {
    put_block([&]() -> std::span<const double> {
      kept_ = make();
      return kept_.c;
    });
  };
  for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
    series([&] { return step.position(i); });
    put_lane(step, step.speed_lane(i));
    series([&] { return step.acceleration(i); });
  }
  for (std::size_t j = 0; j < m_.joints.size(); ++j) {
    series([&] { return step.slip(j); });
    series([&] { return step.torque(j); });
    series([&] { return step.capacity(j); });
    const double motion = static_cast<int>(mode.joint[j]);
    put_block([&] { return std::span<const double>(&motion, 1); });
    MechanismSeries::HeatSeries heat;
    put_block([&]() -> std::span<const double> {
      heat = step.heat(j, system_->joint_heat(j, y));
      return heat;
    });
  }
  for (std::size_t i = 0; i < m_.springs.size(); ++i) {
    put_lane(step, step.elongation_lane(i));
    series([&] { return step.spring_force(i); });
  }
  for (std::size_t i = 0; i < m_.controllers.size(); ++i) series([&] { return step.output(i); });
}

void MechanismSink::begin(const std::vector<Slip>& motion) {
  joint_.clear();
  for (const Slip m : motion) joint_.push_back({m, m});
}

void MechanismSink::begin_at(const std::vector<Slip>& motion) {
  begin(motion);
  for (const auto& e : system_->more_events)
    if (e.kind == EventKind::release) joint_[e.which] = {Slip::stuck, Slip::stuck};
  for (const auto& e : system_->more_events) keep(e);
  system_->more_events.clear();
}

void MechanismSink::keep(MechanismEvent e) {
  auto& events = run_.events;
  if (e.kind >= EventKind::direction_change) {
    if (e.time - instant_ > 32 * std::numeric_limits<double>::epsilon() * std::fabs(e.time))
      instant_ = e.time, first_of_instant_ = events.size(), ++instants_;
    JointMotion& joint = joint_[e.which];
    if (joint.last_instant == instants_) {
      for (std::size_t i = events.size(); i-- > first_of_instant_;)
        if (events[i].kind >= EventKind::direction_change && events[i].which == e.which)
          events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      joint.before = joint.now, joint.last_instant = instants_;
    }
    joint.now = e.motion;
    if (joint.now == joint.before) return;
    e.kind = joint.now == Slip::stuck      ? EventKind::stick
             : joint.before == Slip::stuck ? EventKind::release
                                           : EventKind::direction_change;
  }
  keep_any(e);
}

void MechanismSink::keep_any(const MechanismEvent& e) {
  if (run_.events.size() < options_.most_events)
    run_.events.push_back(e);
  else
    run_.events_complete = false;
}

void MechanismSink::event(double t, const Happening& h, const MechanismMode& mode) {
  if (h.kind == EventKind::input_breakpoint) {
    if (h.which >= 0) keep({t, h.kind, 0, Slip::stuck});
  } else {
    const auto which = static_cast<std::size_t>(h.which);
    const bool is_joint = h.kind >= EventKind::direction_change && which < first_stateful;
    if (which < first_stateful)
      keep({t, h.kind, which, is_joint ? mode.joint[which] : Slip::stuck});
    else
      keep_any({t, h.kind, which, Slip::stuck});
  }
  for (const auto& more : system_->more_events) keep(more);
  system_->more_events.clear();
}

}  // namespace stickslip::inline machines
