/// One instance of an FMU; see fmu_instance.hpp.
#include "fmu/fmu_instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/saved_motion.hpp"
#include "platform/file.hpp"

namespace stickslip::inline fmu {
namespace {

constexpr std::size_t none = FmuVariable::none;

/// The content of an FMU's resources, whose token must be this one.
FmuContent read_content(const std::string& resources, std::string_view token) {
  const bool has_end = !resources.empty() && (resources.back() == '/' || resources.back() == '\\');
  const std::string path = resources + (has_end ? "" : "/") + "content.txt";
  const StreamFile file = open_to_read(path);
  if (!file) throw Error(in_quotes(path) + " cannot be read; check the resource location given by the importing tool");
  std::string text;
  std::array<char, 65536> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file.get())) text.append(block.data(), got);
  if (const std::string own = content_token(text); own != token)
    throw Error("the importer's token is " + in_quotes(token) + ", that of " + in_quotes(path) + " is " + own +
                "; modelDescription.xml belongs to another FMU");
  return parse_content(text);
}

}  // namespace

FmuInstance::FmuInstance(const std::string& resources, std::string_view token, Options options, FmuLog log)
    : options_(options), log_(std::move(log)), token_(token), model_(read_content(resources, token)) {
  outputs_.resize(model_.outputs());
  rates_.resize(model_.states());
  states_.resize(model_.states());
  seed_states_.resize(model_.states());
  seed_inputs_.resize(model_.inputs());
  indicators_.resize(model_.indicators());
  if (options_.use == FmuUse::model_exchange && !model_.can_be_integrated())
    throw Error("this machine uses its own time steps and has no continuous states; use Co-Simulation");
  reset();
}

void FmuInstance::log(FmuSeverity severity, const std::string& message) const {
  if (log_) log_(severity, message);
}

void FmuInstance::reset() {
  phase_ = Phase::instantiated;
  motion_.reset();
  start_ = time_ = model_.options().start;
  parameters_.resize(model_.parameters());
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i] = model_.parameter(i);
  inputs_.assign(model_.inputs(), {});
  from_file_.assign(model_.inputs(), 0);
  warned_.assign(model_.inputs(), 0);
  for (const FmuVariable& v : model_.variables()) {
    if (v.role == FmuRole::input) inputs_[v.index].value = v.start;
    if (v.role == FmuRole::from_file) from_file_[v.index] = v.start != 0;
  }
  parameters_changed_ = inputs_changed_ = true;
  states_set_ = outputs_known_ = rates_known_ = indicators_known_ = false;
}

void FmuInstance::allow(std::initializer_list<Phase> phases, const char* what) const {
  if (std::find(phases.begin(), phases.end(), phase_) == phases.end())
    throw Error(std::string(what) + " is not allowed in this state: the FMI call sequence is violated");
}

void FmuInstance::enter_initialization(double start) {
  allow({Phase::instantiated}, "initialization");
  if (!std::isfinite(start)) throw Error("the start time is " + shortest(start) + " s; it must be finite");
  start_ = time_ = start;
  phase_ = Phase::initialization;
  parameters_changed_ = true;
}

void FmuInstance::exit_initialization() {
  allow({Phase::initialization}, "the end of initialization");
  refresh();
  const bool has_events = options_.use == FmuUse::model_exchange || options_.has_event_mode;
  if (!has_events) {  // without an event iteration of the importer the first outputs are those of the mode that holds
    motion_->settle();
    outputs_known_ = rates_known_ = indicators_known_ = false;
  }
  phase_ = has_events ? Phase::event : Phase::stepping;
}

void FmuInstance::terminate() {
  allow({Phase::event, Phase::continuous, Phase::stepping}, "terminating");
  phase_ = Phase::terminated;
}

void FmuInstance::build() {
  auto made = model_.motion(parameters_, start_, options_.returns_at_events || options_.logs_events);
  if (motion_ && phase_ != Phase::initialization) {
    made->continue_from(*motion_);
    motion_ = std::move(made);
    put_inputs(false);
  } else {
    motion_ = std::move(made);
    put_inputs(true);
  }
  parameters_changed_ = false;
}

void FmuInstance::put_inputs(bool all) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Value& input = inputs_[i];
    if ((all || (input.is_new && !model_.is_path(i))) && !from_file_[i])
      motion_->set_input(i, input.value, input.slope);
    input.is_new = false;
  }
  inputs_changed_ = false;
}

void FmuInstance::refresh() {
  if (!motion_ || parameters_changed_) {
    if (motion_ && states_set_) motion_->set_state(time_, states_), states_set_ = false;
    build();
    outputs_known_ = rates_known_ = indicators_known_ = false;
  }
  if (states_set_) {
    motion_->set_state(time_, states_);
    states_set_ = false;
    outputs_known_ = rates_known_ = indicators_known_ = false;
  }
  if (inputs_changed_) {
    put_inputs(false);
    outputs_known_ = rates_known_ = indicators_known_ = false;
  }
}

const FmuVariable& FmuInstance::variable(std::uint32_t reference, FmuType type) const {
  if (reference >= model_.variables().size())
    throw Error("there is no variable with value reference " + std::to_string(reference) + "; the last is " +
                std::to_string(model_.variables().size() - 1));
  const FmuVariable& v = model_.variables()[reference];
  if (v.type != type) throw Error(in_quotes(v.name) + " is of another type; modelDescription.xml says which");
  return v;
}

double FmuInstance::get(std::uint32_t reference, FmuType type) {
  const FmuVariable& v = variable(reference, type);
  switch (v.role) {
    case FmuRole::time:
      return time_;
    case FmuRole::parameter:
      return parameters_[v.index];
    case FmuRole::from_file:
      return from_file_[v.index];
    case FmuRole::input:
      if (from_file_[v.index]) break;
      return inputs_[v.index].value;
    default:
      break;
  }
  if (phase_ == Phase::instantiated)
    return v.role == FmuRole::input ? v.start : 0;  // nothing is known before initialization
  refresh();
  switch (v.role) {
    case FmuRole::output:
      if (!outputs_known_) motion_->read(outputs_), outputs_known_ = true;
      return outputs_[v.index];
    case FmuRole::state:
      motion_->state(states_);
      return states_[v.index];
    case FmuRole::rate:
      if (!rates_known_) motion_->rates(rates_), rates_known_ = true;
      return rates_[v.index];
    case FmuRole::indicator:
      if (!indicators_known_) motion_->indicators(indicators_), indicators_known_ = true;
      return indicators_[v.index];
    default:
      return motion_->input(v.index);
  }
}

void FmuInstance::set(std::uint32_t reference, FmuType type, double value) {
  const FmuVariable& v = variable(reference, type);
  if (!std::isfinite(value)) throw Error(in_quotes(v.name) + " is set to " + shortest(value) + "; it must be finite");
  const bool is_before = phase_ == Phase::instantiated || phase_ == Phase::initialization;
  switch (v.role) {
    case FmuRole::input: {
      Value& input = inputs_[v.index];
      if (from_file_[v.index]) {
        if (value != v.start && !warned_[v.index]) {
          warned_[v.index] = 1;
          log(FmuSeverity::warning, "input " + in_quotes(v.name) + " is set, but follows the exported file; set " +
                                        in_quotes(model_.variable(FmuRole::from_file, v.index).name) +
                                        " to false before initialization");
        }
        input.value = value, input.slope = 0;
        return;
      }
      if (value == input.value && input.slope == 0) return;
      if (!is_before && options_.use == FmuUse::model_exchange && model_.is_prescribed(v.index))
        throw Error(in_quotes(v.name) + " prescribes a motion, whose slope an integrator outside does not tell; use " +
                    "Co-Simulation, or let it follow the exported file");
      input = {value, 0, true};
      inputs_changed_ = true;
      return;
    }
    case FmuRole::parameter:
      if (!is_before && !(v.is_tunable && (phase_ == Phase::event || phase_ == Phase::stepping)))
        throw Error(in_quotes(v.name) + " cannot be changed now; " +
                    (v.is_tunable ? "enter event mode first" : "it is fixed after initialization"));
      if (value == parameters_[v.index]) return;
      if (value < v.low || value > v.high) {  // what a number alone shows; the machine looks at all of them together
        const auto words = [&](double limit) { return shortest(limit) + (v.unit == "1" ? "" : " " + v.unit); };
        throw Error(in_quotes(v.name) + " is set to " + words(value) + "; it must be " +
                    (value < v.low ? "at least " + words(v.low) : "at most " + words(v.high)));
      }
      parameters_[v.index] = value;
      parameters_changed_ = true;
      return;
    case FmuRole::from_file:
      if (!is_before) throw Error(in_quotes(v.name) + " cannot be changed now; it is fixed after initialization");
      from_file_[v.index] = value != 0;
      parameters_changed_ = true;
      return;
    case FmuRole::output:
    case FmuRole::state:
      if (v.state != none && phase_ == Phase::continuous) {  // a state of the integrator outside
        if (!states_set_) motion_->state(states_);
        states_[v.state] = value;
        states_set_ = true;
        return;
      }
      [[fallthrough]];
    default:
      throw Error(in_quotes(v.name) + " is calculated and cannot be set");
  }
}

void FmuInstance::set_input_slope(std::uint32_t reference, double slope) {
  const FmuVariable& v = variable(reference, FmuType::real);
  if (v.role != FmuRole::input) throw Error(in_quotes(v.name) + " is not an input; only inputs have slopes");
  if (!std::isfinite(slope)) throw Error("the slope of " + in_quotes(v.name) + " is not finite");
  if (from_file_[v.index] || inputs_[v.index].slope == slope) return;
  inputs_[v.index].slope = slope;
  inputs_[v.index].is_new = inputs_changed_ = true;
}

void FmuInstance::set_event_log(bool on) {
  const bool is_new = on && !options_.logs_events;
  options_.logs_events = on;
  // A motion lists its events from its beginning or never; one that does takes the place of one that does not.
  if (!is_new || options_.returns_at_events || !motion_ || parameters_changed_) return;
  auto listing = model_.motion(parameters_, start_, true);
  listing->load(motion_->save());
  motion_ = std::move(listing);
  motion_->take_events();
}

void FmuInstance::tell_events() {
  if (!options_.logs_events) return;
  for (const MotionEvent& e : motion_->take_events())
    log(FmuSeverity::event, shortest(e.time) + " s: " + e.what + (e.mode.empty() ? "" : ", now " + e.mode));
}

FmuInstance::StepEnd FmuInstance::step(double from, double length) {
  allow({Phase::stepping}, "a step");
  if (!(length > 0) || !std::isfinite(from) || !std::isfinite(length))
    throw Error("a step of " + shortest(length) + " s from " + shortest(from) + " s; its length must be positive");
  refresh();
  const double now = motion_->time(), rounding = 1e-9 * length + 1e-12 * std::fabs(now);
  if (std::fabs(from - now) > rounding)
    throw Error("a step from " + shortest(from) + " s; the instance is at " + shortest(now) + " s");
  const double until = std::max(now, from + length);
  // A prescribed position is reached at the end of the step, in a straight line: held, it would never move the body.
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!model_.is_path(i) || from_file_[i] || !(until > now)) continue;
    const double here = motion_->input(i), there = inputs_[i].value + inputs_[i].slope * (until - now);
    motion_->set_input(i, here, (there - here) / (until - now));
  }
  StepEnd end;
  outputs_known_ = rates_known_ = indicators_known_ = false;
  if (!options_.returns_at_events) {
    end.stop = motion_->advance(until);
    end.time = time_ = motion_->time();
    tell_events();
    return end;
  }
  // To the end, and once more to the first event, in the same steps: none of them ends where a call does.
  end.stop = motion_->advance(now);
  end.time = time_ = motion_->time();
  if (end.stop != Stop::finished) return end;
  motion_->take_events();
  const auto before = motion_->save();
  end.stop = motion_->advance(until);
  double first = std::numeric_limits<double>::infinity();
  for (const MotionEvent& e : motion_->take_events())
    if (e.time > now && e.time < first) first = e.time;
  if (end.stop == Stop::finished && first < until) {
    motion_->load(before);
    end.stop = motion_->advance(first);
    end.is_early = true;
    for (const MotionEvent& e : motion_->take_events())
      if (options_.logs_events) log(FmuSeverity::event, shortest(e.time) + " s: " + e.what);
  }
  end.time = time_ = motion_->time();
  return end;
}

// ---- an integrator outside ------------------------------------------------------------------------------------------

void FmuInstance::set_time(double time) {
  allow({Phase::event, Phase::continuous}, "setting the time");
  if (!std::isfinite(time)) throw Error("the time is set to " + shortest(time) + "; it must be finite");
  if (time == time_) return;
  if (!states_set_) {
    refresh();
    motion_->state(states_);
    states_set_ = true;
  }
  time_ = time;
}

void FmuInstance::set_states(std::span<const double> values) {
  allow({Phase::continuous}, "setting states");
  for (const double x : values)
    if (!std::isfinite(x)) throw Error("a state is set to " + shortest(x) + "; it must be finite");
  std::copy(values.begin(), values.end(), states_.begin());
  states_set_ = true;
}

void FmuInstance::get_states(std::span<double> values) {
  refresh();
  motion_->state(values);
}
void FmuInstance::get_rates(std::span<double> values) {
  refresh();
  motion_->rates(values);
}
void FmuInstance::get_indicators(std::span<double> values) {
  refresh();
  motion_->indicators(values);
}
void FmuInstance::get_nominals(std::span<double> values) const {
  for (const FmuVariable& v : model_.variables())
    if (v.state < values.size() && (v.role == FmuRole::output || v.role == FmuRole::state)) values[v.state] = v.nominal;
}

FmuInstance::Discrete FmuInstance::update_discrete() {
  allow({Phase::event}, "an update of discrete states");
  refresh();
  motion_->state(seed_states_);
  bool is_other_mode = motion_->settle();
  // The first call begins the motion; what is due at its first instant, such as a sample of a controller, is passed by the second.
  if (motion_->next_time_event() <= time_) is_other_mode = motion_->settle() || is_other_mode;
  tell_events();
  motion_->state(states_);
  outputs_known_ = rates_known_ = indicators_known_ = false;
  // Another mode has other rates: an importer that starts its solver anew only where states change (fmusim) must do so here, too.
  const bool changed = is_other_mode || !std::equal(states_.begin(), states_.end(), seed_states_.begin());
  return {changed, options_.use == FmuUse::model_exchange ? motion_->next_time_event()
                                                          : std::numeric_limits<double>::infinity()};
}

void FmuInstance::enter_event_mode() {
  allow({Phase::continuous, Phase::stepping, Phase::event}, "event mode");
  phase_ = Phase::event;
}
void FmuInstance::enter_continuous_mode() {
  allow({Phase::event, Phase::continuous}, "continuous time mode");
  refresh();
  phase_ = Phase::continuous;
}
void FmuInstance::enter_step_mode() {
  allow({Phase::event}, "step mode");
  phase_ = Phase::stepping;
}

void FmuInstance::directional_derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                                         std::span<const double> seed, std::span<double> sensitivity) {
  if (!model_.can_be_integrated())
    throw Error("this machine has no directional derivatives; modelDescription.xml says so");
  refresh();
  std::fill(seed_states_.begin(), seed_states_.end(), 0.0);
  std::fill(seed_inputs_.begin(), seed_inputs_.end(), 0.0);
  for (std::size_t i = 0; i < knowns.size(); ++i) {
    const FmuVariable& v = variable(knowns[i], FmuType::real);
    if (v.role == FmuRole::input)
      seed_inputs_[v.index] = from_file_[v.index] ? 0 : seed[i];
    else if (v.state != none && v.role != FmuRole::rate)
      seed_states_[v.state] = seed[i];
    else
      throw Error(in_quotes(v.name) + " is neither a state nor an input; derivatives are taken with respect to those");
  }
  motion_->slopes(seed_states_, seed_inputs_, rates_, outputs_);
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const FmuVariable& v = variable(unknowns[i], FmuType::real);
    if (v.role == FmuRole::rate)
      sensitivity[i] = rates_[v.index];
    else if (v.role == FmuRole::output)
      sensitivity[i] = outputs_[v.index];
    else
      throw Error(in_quotes(v.name) + " is neither a state derivative nor an output; only those have derivatives");
  }
  outputs_known_ = rates_known_ = false;
}

// ---- saved states ---------------------------------------------------------------------------------------------------

constexpr std::uint32_t any_machine = 0;

template <class Archive>
void FmuInstance::keep(Archive& archive, std::vector<std::byte>& motion) {
  archive(phase_, start_, time_, parameters_, inputs_, from_file_, warned_, motion);
}

std::vector<std::byte> FmuInstance::save() {
  if (phase_ != Phase::instantiated) refresh();
  ArchiveWriter archive;
  std::vector<char> token(token_.begin(), token_.end());
  std::vector<std::byte> motion = motion_ ? motion_->save() : std::vector<std::byte>();
  archive(token);
  keep(archive, motion);
  return sealed(archive.take(), any_machine);  // the token says whose it is
}

void FmuInstance::load(std::span<const std::byte> saved) {
  ArchiveReader archive(unsealed(saved, any_machine));
  std::vector<char> token;
  archive(token);
  if (std::string_view(token.data(), token.size()) != token_) throw Error("a saved state of another FMU");
  const std::vector<double> before = parameters_;
  const double start_before = start_;
  std::vector<std::byte> motion;
  keep(archive, motion);
  states_set_ = outputs_known_ = rates_known_ = indicators_known_ = false;
  if (motion.empty()) {
    motion_.reset();
    parameters_changed_ = inputs_changed_ = true;
    return;
  }
  if (!motion_ || parameters_ != before || start_ != start_before)
    motion_ = model_.motion(parameters_, start_, options_.returns_at_events || options_.logs_events);
  motion_->load(motion);
  parameters_changed_ = inputs_changed_ = false;
}

}  // namespace stickslip::inline fmu
