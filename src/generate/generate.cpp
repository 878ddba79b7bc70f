/// Recordings of known machines; see generate.hpp.
#include "generate/generate.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "generate/motion.hpp"
#include "identification/motion_force.hpp"
#include "machines/one_body/one_body_file.hpp"

namespace stickslip::inline generation {
namespace {

/// How many samples there will be, checked before any of them is made.
double samples_of(double duration, double rate, const GenerateOptions& options) {
  const double samples = std::floor(duration * rate * (1 + 1e-12)) + 1;
  if (!(samples >= 2))
    throw Error(with_unit(duration, "s") + " at " + with_unit(rate, "Hz") +
                " are fewer than two samples; use a longer duration or a higher rate");
  if (samples > options.most_samples)
    throw Error(with_unit(duration, "s") + " at " + with_unit(rate, "Hz") + " are " + significant(samples, 3) +
                " samples; at most " + significant(options.most_samples, 3) +
                (options.most_samples < most_long_samples
                     ? " are made without --long, which allows " + significant(most_long_samples, 3)
                     : " are possible; use a lower rate or a shorter duration"));
  return samples;
}

// --- the machines ----------------------------------------------------------------------------------------------------

const std::vector<KnownMachine>& machines() {
  static const std::vector<KnownMachine> all{
      {"servo-axis",
       "a 20 kg axis under position control with LuGre friction; drive force and encoder",
       {.noise = 0.2, .resolution = 1e-7}},
      {"presliding",
       "a rig driven through random strokes of 25 um with Maxwell-slip friction, NLR(3); load cell",
       {.noise = 0.2e-3}},
      {"gms",
       "Rizos and Fassois' set-up: 125 170 samples at 2.5 kHz, wideband random of 60 um, ten GMS elements; column "
       "`set` is Rizos and Fassois' "
       "split",
       {.noise = 2e-3}},
      {"gms-large", "the same with ten times the excitation: gross sliding", {.noise = 2e-3}},
  };
  return all;
}

ModelFile lugre_truth() {
  ModelFile m;
  m.model = "lugre";
  m.settings.values = {{"bristle_stiffness", 1.5e6}, {"bristle_damping", 1200.0}, {"viscosity", 120.0},
                       {"coulomb_force", 20.0},      {"stiction_force", 30.0},    {"stribeck_velocity", 8e-3}};
  return m;
}

ModelFile maxwell_truth() {
  ModelFile m;
  m.model = "maxwell-slip";
  m.settings.values = {{"thresholds", std::vector{2e-6, 5e-6, 12e-6}}, {"stiffnesses", std::vector{8e4, 5e4, 2e4}}};
  return m;
}

/// Ten elements whose thresholds are spread over a decade, 1 to 10 um, with a Stribeck curve and lag.
ModelFile gms_truth() {
  constexpr double stiction = 1.5;
  std::vector<double> shares, stiffnesses;
  for (int i = 0; i < 10; ++i) {
    shares.push_back(0.1);
    stiffnesses.push_back(0.1 * stiction / (1e-6 * std::pow(10.0, i / 9.0)));
  }
  ModelFile m;
  m.model = "generalized-maxwell-slip";
  m.settings.values = {{"stiffnesses", stiffnesses}, {"shares", shares},          {"coulomb_force", 1.0},
                       {"stiction_force", stiction}, {"stribeck_velocity", 4e-3}, {"stribeck_exponent", 2.0},
                       {"attraction", 200.0},        {"viscosity", 80.0}};
  return m;
}

// --- how they are recorded -------------------------------------------------------------------------------------------

Generated columns_of(const std::vector<double>& time, std::vector<double> position, std::vector<double> force,
                     MotionKind motion) {
  Generated g;
  g.motion = motion;
  g.table.columns = {{"time", "s", time},
                     {"position", unit_for(motion, "m"), std::move(position)},
                     {"force", unit_for(motion, "N"), std::move(force)}};
  return g;
}

std::string friction_words(const ModelFile& truth) { return find_model(truth.model).description().title; }

std::string sampling_words(const std::vector<double>& time) {
  return std::to_string(time.size()) + " samples, " + with_unit(time.back() - time.front(), "s") + ", " +
         with_unit(static_cast<double>(time.size() - 1) / (time.back() - time.front()), "Hz");
}

/// A contact moved along a given path; the force is the friction.
Generated prescribed(const SampledMotion& motion, ModelFile truth) {
  const auto friction = make_friction(truth.model, truth.settings);
  PrescribedMotion path;
  path.time = motion.time, path.position = motion.position;
  Generated g = columns_of(motion.time, motion.position, friction->respond(path), MotionKind::linear);
  g.truth = std::move(truth);
  return g;
}

SampledMotion wideband(const GenerateOptions& options, RandomMotion preset, std::optional<std::size_t> extreme) {
  preset.rate = options.rate.value_or(preset.rate);
  preset.half_range = options.half_range.value_or(preset.half_range);
  preset.seed = options.seed;
  if (options.duration) {
    samples_of(*options.duration, preset.rate, options);
    preset.samples = static_cast<std::size_t>(std::round(*options.duration * preset.rate)) + 1;
    extreme.reset();
  }
  return extreme ? random_motion_with_extreme(preset, *extreme) : random_motion(preset);
}

Generated presliding_rig(const GenerateOptions& options) {
  const SampledMotion motion = wideband(options, {.samples = 6000, .half_range = 25e-6}, std::nullopt);
  return prescribed(motion, options.friction.value_or(maxwell_truth()));
}

/// Rizos 2005 section 4: t_cr is sample 45 068; 10 000 samples estimate, 34 933 validate, 35 170 test.
Generated published_setup(const GenerateOptions& options, double half_range) {
  constexpr std::size_t before = 45067, estimation = 10000, validation = 34933, test = 35170;
  const SampledMotion motion =
      wideband(options, {.samples = before + estimation + validation + test, .half_range = half_range}, before);
  Generated g = prescribed(motion, options.friction.value_or(gms_truth()));
  if (options.duration) return g;
  Column set{"set", "", {}};
  for (std::size_t i = 0; i < motion.time.size(); ++i)
    set.values.push_back(i < before ? 0 : i < before + estimation ? 1 : i < before + estimation + validation ? 2 : 3);
  g.table.columns.push_back(std::move(set));
  g.story.push_back("column `set`: 0 before t_cr, 1 estimation, 2 validation, 3 test");
  return g;
}

/// A run sampled at an even rate, force of the drive or of friction.
Generated from_run(const Friction& friction, const Body& body, SimulationOptions run, double fixed_step,
                   MotionKind motion, const GenerateOptions& options) {
  if (options.half_range)
    throw Error("a half range is of the random motion of presliding, gms and gms-large; this machine has its own path");
  if (options.rate) {
    if (!(*options.rate > 0)) throw Error("the rate is " + shortest(*options.rate) + " Hz; it must be positive");
    run.sample_interval = 1 / *options.rate;
  }
  if (options.duration) run.end = run.start + *options.duration;
  samples_of(run.end - run.start, 1 / run.sample_interval, options);
  if (fixed_step > 0 && (run.end - run.start) / fixed_step > static_cast<double>(options.most_steps))
    throw Error(significant((run.end - run.start) / fixed_step, 3) + " steps; at most " +
                significant(static_cast<double>(options.most_steps), 3) + " are done" +
                (options.most_steps < most_long_steps ? " without --long" : ""));
  const bool is_usual = run.most_steps == SimulationOptions{}.most_steps;  // the file states no limit
  run.most_steps = is_usual ? options.most_steps : std::min(run.most_steps, options.most_steps);
  run.watch = options.watch;
  const Run done = fixed_step > 0 ? friction.simulate_fixed_step(body, run, fixed_step) : friction.simulate(body, run);
  if (done.stop != Stop::finished) throw Error("the run ended early: " + done.message);
  const Samples& s = done.samples;
  Generated g = columns_of(s.time, s.position, options.friction_force ? s.friction : s.applied, motion);
  const auto side = [&](const char* name, const char* unit, const Signal& signal, bool is_needed = false) {
    if (signal.is_constant() && !is_needed) return;
    Column column{name, unit, {}};
    for (const double t : s.time) column.values.push_back(signal(t));
    g.table.columns.push_back(std::move(column));
  };
  side("load", "N", body.load);
  side("pressure", "Pa", body.pressure);
  side("temperature", "K", body.temperature,
       follows(friction, Quantity::temperature));  // to join recordings at several
  g.mass = options.friction_force ? 0 : body.mass;
  return g;
}

Generated servo_axis(const GenerateOptions& options) {
  Strokes wanted;
  wanted.duration = options.duration.value_or(10);
  samples_of(wanted.duration, options.rate.value_or(1000), options);
  samples_of(wanted.duration, 1 / wanted.interval, options);  // of the path it shall follow
  wanted.seed = options.seed;
  const SampledMotion reference = strokes(wanted);
  Body body;
  body.mass = 20;
  // 15 Hz and a damping of 0.7 without friction; the integral takes over within 50 ms
  body.drive = {.kind = DriveKind::pid, .stiffness = 1.8e5, .damping = 2650, .integral = 3.6e6, .input = {}};
  body.drive.input = Signal::table(reference.time, reference.position);
  ModelFile truth = options.friction.value_or(lugre_truth());
  SimulationOptions run;
  run.end = wanted.duration;
  run.sample_interval = 1e-3;
  Generated g = from_run(*make_friction(truth.model, truth.settings), body, run, 0, MotionKind::linear, options);
  g.truth = std::move(truth);
  return g;
}

void require_linear(const GenerateOptions& options) {
  if (options.friction && options.friction->motion != MotionKind::linear)
    throw Error(in_quotes(options.friction->file) + " is a model of rotary motion; this machine's is linear");
}

std::string force_words(const Generated& g) {
  if (g.mass == 0) return "force: the friction itself, positive against positive velocity";
  const std::string unit = unit_for(g.motion, "kg");
  return "force: drive force; friction = force - " + shortest(g.mass) + " " + unit + " * acceleration";
}

Generated finished(Generated g, const std::string& what, const Sensor& sensor) {
  const std::vector<double>& time = g.table.columns.front().values;
  std::vector<std::string> story{what + "; friction: " + friction_words(g.truth), sampling_words(time), force_words(g)};
  story.insert(story.end(), g.story.begin(), g.story.end());
  g.story = std::move(story);
  g.truth.preparation.mass = g.mass;
  read_by(sensor, g);
  return g;
}

}  // namespace

const std::vector<KnownMachine>& known_machines() { return machines(); }

Generated generate(std::string_view machine, const GenerateOptions& options) {
  std::vector<std::string> names;
  for (const KnownMachine& known : machines()) {
    names.push_back(known.name);
    if (known.name != machine) continue;
    require_linear(options);
    const bool large = machine == "gms-large";
    Generated g = machine == "servo-axis"   ? servo_axis(options)
                  : machine == "presliding" ? presliding_rig(options)
                                            : published_setup(options, large ? 600e-6 : 60e-6);
    Sensor own = known.sensor;
    own.seed = options.seed;
    return finished(std::move(g), known.name + ": " + known.what, options.sensor.value_or(own));
  }
  throw Error(no_such("machine to generate a recording of", machine, names));
}

Generated generate_from_scenario(const std::string& file, const GenerateOptions& options) {
  const Scenario scenario = read_scenario(file);
  ModelFile truth = options.friction.value_or(ModelFile{});
  if (options.friction && truth.motion != scenario.motion)
    throw Error(in_quotes(truth.file) + " is a model of " + std::string(motion_name(truth.motion)) + " motion; " +
                in_quotes(file) + " is " + std::string(motion_name(scenario.motion)));
  std::unique_ptr<Friction> other;
  if (options.friction) {
    other = make_friction(truth.model, truth.settings);
  } else {
    truth.model = scenario.friction->description().name;
    truth.settings = scenario.friction->settings();
    truth.motion = scenario.motion;
  }
  Generated g = from_run(other ? *other : *scenario.friction, scenario.body, scenario.options, scenario.fixed_step,
                         scenario.motion, options);
  g.truth = std::move(truth);
  return finished(std::move(g), scenario.title.empty() ? file : scenario.title, options.sensor.value_or(Sensor{}));
}

}  // namespace stickslip::inline generation
