/// A pendulum whose bearing has friction.
///   J dw/dt = −m g l sin(a) − c w − F(w),   da/dt = w                             (1)
///   at rest while |m g l sin(a)| ≤ F_S                                            (2)
/// The second worked example of CONTRIBUTING.md: a machine with its own equations. Not modelled: inputs, laws with states.
#include <cmath>
#include <memory>
#include <span>

#include "files/run_section.hpp"
#include "files/toml_section.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/friction/sticking_law.hpp"
#include "machines/machine_kind.hpp"
#include "machines/one_body/body_motion.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/plant_motion.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

struct FrictionPendulum {
  double inertia = 1, weight = 1, damping = 0, angle = 0, speed = 0;  // weight: m g l [N m]
  std::shared_ptr<const StickingLaw> law;
};

/// Eq. (1) and (2) as solver/simulate.hpp takes them.
class PendulumPlant {
 public:
  static constexpr bool stiff = false;                    // else `derivative` is asked for dual numbers, too
  static constexpr std::size_t capacity = 2, totals = 2;  // angle, speed; heat of friction, heat of the damper
  static constexpr std::size_t mode_indices = 3;          // a first step is remembered for each
  struct Mode {
    Slip motion = Slip::stuck;
  };

  PendulumPlant(const FrictionPendulum& pendulum, const SimulationOptions& run)
      : pendulum_(pendulum), floor_(run.absolute_tolerance) {}

  std::size_t size() const { return capacity; }
  double error_floor(std::size_t) const { return floor_; }
  static std::size_t mode_index(const Mode& m) { return static_cast<std::size_t>(static_cast<int>(m.motion) + 1); }
  static bool at_rest(const Mode& m) { return m.motion == Slip::stuck; }

  Mode start(const double* y) const { return {y[1] != 0 ? sliding(direction_of(y[1])) : Slip::stuck}; }
  double torque(const double* y) const { return -pendulum_.weight * std::sin(y[0]); }
  double applied(const double* y) const { return torque(y) - pendulum_.damping * y[1]; }
  double friction(const Mode& m, double t, const double* y) const {
    if (m.motion == Slip::stuck) return torque(y);
    return pendulum_.law->sliding_force(contact(t, y), direction(m));
  }
  double stored(const double* y) const {
    return 0.5 * pendulum_.inertia * y[1] * y[1] + pendulum_.weight * (1 - std::cos(y[0]));
  }

  /// Eq. (1).
  void derivative(const Mode& m, double t, const double* y, double* dy, double* power) const {
    dy[0] = dy[1] = power[0] = power[1] = 0;
    if (m.motion == Slip::stuck) return;
    const double resisting = friction(m, t, y);
    dy[0] = y[1];
    dy[1] = (applied(y) - resisting) / pendulum_.inertia;
    power[0] = resisting * y[1];
    power[1] = pendulum_.damping * y[1] * y[1];
  }

  /// Positive while the mode holds: eq. (2) at rest, the direction in motion.
  void guards(const Mode& m, double t, const double* y, Guards& out) const {
    if (m.motion == Slip::stuck) {
      out.add(breakaway(t, y, Direction::forward) - torque(y));
      out.add(breakaway(t, y, Direction::backward) + torque(y));
    } else {
      out.add(number(direction(m)) * y[1]);
    }
  }
  Happening leave(Mode& m, std::size_t which, double t, double* y, double*) const {
    if (m.motion == Slip::stuck) {
      m.motion = which == 0 ? Slip::forward : Slip::backward;
      return {EventKind::release};
    }
    const Direction back = opposite(direction(m));
    const double heat = 0.5 * pendulum_.inertia * y[1] * y[1];  // rounding
    y[1] = 0;
    const bool holds = number(back) * torque(y) <= breakaway(t, y, back);
    m.motion = holds ? Slip::stuck : sliding(back);
    return {holds ? EventKind::stick : EventKind::direction_change, 0, heat};
  }

  // No inputs, so no breakpoints; the speed scale of the law bounds a step that approaches rest.
  static double next_break(const Mode&) { return HUGE_VAL; }
  static Happening pass_break(Mode&, double, double*, double*) { return {EventKind::input_breakpoint}; }
  double longest_step(const Mode&, double, const double* y, const double* dy) const {
    const double scale = pendulum_.law->velocity_scale();
    if (!(scale > 0) || !dy || !(dy[1] * y[1] < 0)) return HUGE_VAL;
    return std::max(scale, 0.5 * std::fabs(y[1])) / std::fabs(dy[1]);
  }
  /// Nothing is known in advance of a step, and no quantity besides the guards is watched for a touch of zero.
  static bool is_calm(const Mode&, const double*, const double*, const double*, const double*, double) { return false; }
  static double watched(const Mode&, const double*) { return 1; }

 private:
  static Direction direction(const Mode& m) {
    return m.motion == Slip::forward ? Direction::forward : Direction::backward;
  }
  static Contact<double> contact(double t, const double* y) {
    Contact<double> c;
    c.position = y[0], c.velocity = y[1], c.time = t;
    return c;
  }
  double breakaway(double t, const double* y, Direction d) const {
    return pendulum_.law->breakaway_force(contact(t, y), d);
  }

  const FrictionPendulum& pendulum_;
  double floor_;
};

/// Where samples and events go.
class PendulumSink {
 public:
  PendulumSink(const PendulumPlant& plant, const SimulationOptions& options, Run& run)
      : plant_(plant), run_(run), times_(sample_times(options)) {}
  double next_sample() const { return next_ < times_.size() ? times_[next_] : HUGE_VAL; }
  template <class Vector>
  void sample(double t, const Vector& whole, const PendulumPlant::Mode& mode) {
    const double* y = whole.data() + PendulumPlant::totals;  // the integrals come first
    Samples& s = run_.samples;
    s.time.push_back(t), s.position.push_back(y[0]), s.velocity.push_back(y[1]);
    s.applied.push_back(plant_.applied(y)), s.friction.push_back(plant_.friction(mode, t, y));
    s.mode.push_back(static_cast<int>(PendulumPlant::mode_index(mode)));
    ++next_;
  }
  template <class Vector>
  void event(double t, const Happening& h, const Vector& whole, const PendulumPlant::Mode& mode) {
    const double* y = whole.data() + PendulumPlant::totals;
    ++run_.ledger.events[static_cast<std::size_t>(h.kind)];
    run_.ledger.reset_heat += h.reset_heat;
    run_.events.push_back({t, h.kind, h.which, static_cast<int>(PendulumPlant::mode_index(mode)), y[0], y[1]});
  }
  void mode_time(const PendulumPlant::Mode& mode, double duration) {
    run_.ledger.time_in_mode[PendulumPlant::mode_index(mode)] += duration;
  }

 private:
  const PendulumPlant& plant_;
  Run& run_;
  std::vector<double> times_;
  std::size_t next_ = 0;
};

/// The pendulum as machines/plant_motion.hpp takes it.
struct HeldPendulum {
  using Plant = PendulumPlant;
  using Sink = PendulumSink;

  HeldPendulum(const FrictionPendulum& wanted, const SimulationOptions& wanted_options)
      : pendulum(wanted), options(wanted_options), plant(pendulum, options), sink(plant, options, run) {}

  template <class Engine>
  void begin(Engine& engine) {
    run.mode_names = {"backward", "stuck", "forward"};
    run.ledger.time_in_mode.assign(run.mode_names.size(), 0.0);
    double* y = engine.y.data() + Plant::totals;
    y[0] = pendulum.angle, y[1] = pendulum.speed;
    engine.mode = plant.start(y);
    run.ledger.stored_start = plant.stored(y);
  }
  template <class Engine>
  Run finish(const Engine& engine) {
    run.position = engine.y[Plant::totals], run.velocity = engine.y[Plant::totals + 1];
    run.mode = static_cast<int>(Plant::mode_index(engine.mode));
    run.ledger = balanced(engine.y);
    if (run.stop != Stop::finished) run.message = outcome_message(run);
    return std::move(run);
  }

  const MotionSignals& signals() const {
    static const MotionSignals all{{}, {{"angle", "rad"}, {"speed", "rad/s"}}, {{"angle", "rad"}, {"speed", "rad/s"}}};
    return all;
  }
  Signal& signal(std::size_t) { return none; }
  const Signal& signal(std::size_t) const { return none; }
  template <class Engine>
  void set_line(Engine&, std::size_t, double, double, double) {}
  template <class Vector>
  void read(const Vector& whole, const Plant::Mode&, double, std::span<double> values) const {
    values[0] = whole[Plant::totals], values[1] = whole[Plant::totals + 1];
  }
  std::string_view mode_name(const Plant::Mode& mode) const { return run.mode_names[Plant::mode_index(mode)]; }
  std::vector<MotionEvent> take_events() { return taken_events(run); }
  template <class Vector>
  std::vector<LedgerRow> ledger(const Vector& whole, const Plant::Mode&, double) const {
    return ledger_rows(balanced(whole));
  }
  template <class Archive>
  void keep(Archive& archive) {
    archive(run.ledger, run.events);
  }
  std::unique_ptr<Motion> again() const { return std::make_unique<PlantMotion<HeldPendulum>>(pendulum, options); }

  template <class Vector>
  Ledger balanced(const Vector& whole) const {
    Ledger l = run.ledger;
    l.friction_heat = whole[0], l.damper_heat = whole[1];
    l.stored_end = plant.stored(whole.data() + Plant::totals);
    l.residual = l.stored_start - l.stored_end - l.friction_heat - l.damper_heat - l.reset_heat;
    return l;
  }

  FrictionPendulum pendulum;
  SimulationOptions options;
  Plant plant;
  Run run;
  Sink sink;
  Signal none;
};

class PendulumMachine final : public BuiltMachine {
 public:
  PendulumMachine(const TomlValue& document, const std::string& file) {
    const Section whole(document, "", file);
    whole.knows({"title", "machine", "friction", "run"});
    if (whole.has("title")) title = whole.text("title", "A pendulum on a dry bearing");
    const Section machine = needed_section(whole, "machine");
    machine.knows({"kind", "mass", "length", "damping", "angle", "speed"});
    constexpr double gravity = 9.80665;
    const double mass = machine.positive("mass", "kg"), length = machine.positive("length", "m");
    pendulum_.inertia = mass * length * length;
    pendulum_.weight = mass * gravity * length;
    pendulum_.damping = machine.not_negative_or("damping", "N m s/rad", 0);
    pendulum_.angle = machine.quantity("angle", "rad");
    pendulum_.speed = machine.quantity_or("speed", "rad/s", 0);
    const auto friction = read_friction(needed_section(whole, "friction"), MotionKind::rotary, [](const auto& model) {
      return model.nature == Nature::sticks ? "" : "the bearing of a pendulum takes laws that stick, without states";
    });
    pendulum_.law = friction.friction->sticking_law();
    if (!pendulum_.law)
      whole.fail(whole.line(), "the bearing of a pendulum takes no law whose force jumps at positions");
    read_run(needed_section(whole, "run"), 1e6, options);
    if (options.relative_tolerance <= 0) options.relative_tolerance = 1e-10;
    if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-12;
    subject = "pendulum, " + friction.friction->description().title;
    summary = Json::object({{"scenario", file}, {"machine", "friction-pendulum"}});
  }

  MachineRun run(const RunRequest& request) const override {
    const Run found = PlantMotion<HeldPendulum>(pendulum_, with_request(options, request)).run();
    MachineRun r(found);
    r.samples = samples_table(found, MotionKind::rotary);
    r.ledger = ledger_rows(found.ledger);
    r.view = [found, samples = r.samples] {
      RunView view;
      view.summary = run_summary(found);
      view.events = events_of(found, MotionKind::rotary);
      view.figure.panels = {time_panel(samples, "angle", {{"position", ""}})};
      return view;
    };
    return r;
  }
  std::unique_ptr<Motion> motion() const override {
    return std::make_unique<PlantMotion<HeldPendulum>>(pendulum_, options);
  }

 private:
  FrictionPendulum pendulum_;
};

}  // namespace

const MachineKind& machine_friction_pendulum() {
  static const MachineKind kind{
      .name = "friction_pendulum",
      .words = {"friction-pendulum"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<PendulumMachine>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
