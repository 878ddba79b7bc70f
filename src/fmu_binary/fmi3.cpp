/// The functions of FMI 3.0, Model Exchange and Co-Simulation, over FmuInstance. Types and order of arguments are those of the
/// standard (FMI 3.0.2, sections 2 to 4). Scheduled Execution, clocks, arrays, intermediate updates and adjoint derivatives are not offered.
#include <cstdint>
#include <cstring>
#include <limits>

#include "entry.hpp"

namespace stickslip::inline fmu {
namespace {

using ValueReference = std::uint32_t;
using Text = const char*;
using Binary = const std::uint8_t*;
using LogMessage = void (*)(void* environment, int status, Text category, Text message);
using IntermediateUpdate = void (*)(void* environment, double time, bool set_requested, bool get_allowed, bool finished,
                                    bool early_return_allowed, bool* early_return_requested, double* early_return_time);

struct Instance3 {
  LogMessage message = nullptr;
  void* environment = nullptr;
  std::unique_ptr<FmuInstance> fmu;

  void say(int status, Text category, const std::string& words) const {
    if (message) message(environment, status, category, words.c_str());
  }
  void tell_error(const std::string& words) const { say(fmi_error, "logStatusError", words); }
};

Instance3* of(void* instance) { return static_cast<Instance3*>(instance); }

void* instantiate(Text token, Text resources, FmuInstance::Options options, void* environment, LogMessage message) {
  auto made = std::make_unique<Instance3>();
  made->message = message;
  made->environment = environment;
  Instance3* self = made.get();
  const auto status = guarded(self, [&] {
    if (!resources) throw Error("there is no resource path; this FMU reads its numbers there");
    made->fmu = std::make_unique<FmuInstance>(resources, token ? token : "", options,
                                              [self](FmuSeverity severity, const std::string& words) {
                                                self->say(severity == FmuSeverity::event     ? fmi_ok
                                                          : severity == FmuSeverity::warning ? fmi_warning
                                                                                             : fmi_error,
                                                          severity == FmuSeverity::event     ? "logEvents"
                                                          : severity == FmuSeverity::warning ? "logStatusWarning"
                                                                                             : "logStatusError",
                                                          words);
                                              });
    return fmi_ok;
  });
  return status == fmi_ok ? made.release() : nullptr;
}

FmiStatus refuse(void* instance, Text what) {
  if (instance) of(instance)->tell_error(std::string(what) + " is not offered; modelDescription.xml says so");
  return fmi_error;
}

template <class T>
int get_values(void* c, FmuType type, const ValueReference references[], std::size_t count, T values[],
               std::size_t value_count) {
  return guarded(of(c), [&] {
    if (count != value_count) throw Error("values and references differ in number; this FMU has no arrays");
    for (std::size_t i = 0; i < count; ++i) {
      const double value = of(c)->fmu->get(references[i], type);
      if constexpr (std::is_same_v<T, bool>)
        values[i] = value != 0;
      else
        values[i] = static_cast<T>(value);
    }
    return fmi_ok;
  });
}
template <class T>
int set_values(void* c, FmuType type, const ValueReference references[], std::size_t count, const T values[],
               std::size_t value_count) {
  return guarded(of(c), [&] {
    if (count != value_count) throw Error("values and references differ in number; this FMU has no arrays");
    for (std::size_t i = 0; i < count; ++i) of(c)->fmu->set(references[i], type, static_cast<double>(values[i]));
    return fmi_ok;
  });
}

}  // namespace
}  // namespace stickslip::inline fmu

using namespace stickslip;

FMI_FUNCTION const char* fmi3GetVersion() { return "3.0"; }

FMI_FUNCTION int fmi3SetDebugLogging(void* c, bool on, std::size_t count, const Text categories[]) {
  return guarded(of(c), [&] {
    bool events = on && count == 0;
    for (std::size_t i = 0; i < count; ++i)
      events = events || (on && (!std::strcmp(categories[i], "logEvents") || !std::strcmp(categories[i], "logAll")));
    of(c)->fmu->set_event_log(events);
    return fmi_ok;
  });
}

FMI_FUNCTION void* fmi3InstantiateModelExchange(Text, Text token, Text resources, bool, bool logging, void* environment,
                                                LogMessage message) {
  return instantiate(token, resources, {.use = FmuUse::model_exchange, .logs_events = logging}, environment, message);
}
FMI_FUNCTION void* fmi3InstantiateCoSimulation(Text, Text token, Text resources, bool, bool logging,
                                               bool event_mode_used, bool early_return_allowed, const ValueReference[],
                                               std::size_t intermediate_count, void* environment, LogMessage message,
                                               IntermediateUpdate) {
  if (intermediate_count > 0) {
    if (message)
      message(environment, fmi_error, "logStatusError",
              "intermediate variables are not offered; modelDescription.xml says so");
    return nullptr;
  }
  FmuInstance::Options options{.use = FmuUse::co_simulation, .logs_events = logging};
  options.has_event_mode = event_mode_used;
  options.returns_at_events = event_mode_used && early_return_allowed;
  return instantiate(token, resources, options, environment, message);
}
FMI_FUNCTION void* fmi3InstantiateScheduledExecution(Text, Text, Text, bool, bool, void* environment,
                                                     LogMessage message, void (*)(), void (*)(), void (*)()) {
  if (message)
    message(environment, fmi_error, "logStatusError",
            "Scheduled Execution is not offered; modelDescription.xml says so");
  return nullptr;
}
FMI_FUNCTION void fmi3FreeInstance(void* c) { delete of(c); }

FMI_FUNCTION int fmi3EnterInitializationMode(void* c, bool, double, double start, bool, double) {
  return guarded(of(c), [&] {
    of(c)->fmu->enter_initialization(start);
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3ExitInitializationMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->exit_initialization();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3EnterEventMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->enter_event_mode();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3Terminate(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->terminate();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3Reset(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->reset();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3EnterContinuousTimeMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->enter_continuous_mode();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3EnterStepMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->enter_step_mode();
    return fmi_ok;
  });
}

FMI_FUNCTION int fmi3GetFloat64(void* c, const ValueReference r[], std::size_t n, double v[], std::size_t m) {
  return get_values(c, FmuType::real, r, n, v, m);
}
FMI_FUNCTION int fmi3SetFloat64(void* c, const ValueReference r[], std::size_t n, const double v[], std::size_t m) {
  return set_values(c, FmuType::real, r, n, v, m);
}
FMI_FUNCTION int fmi3GetInt32(void* c, const ValueReference r[], std::size_t n, std::int32_t v[], std::size_t m) {
  return get_values(c, FmuType::integer, r, n, v, m);
}
FMI_FUNCTION int fmi3SetInt32(void* c, const ValueReference r[], std::size_t n, const std::int32_t v[], std::size_t m) {
  return set_values(c, FmuType::integer, r, n, v, m);
}
FMI_FUNCTION int fmi3GetBoolean(void* c, const ValueReference r[], std::size_t n, bool v[], std::size_t m) {
  return get_values(c, FmuType::boolean, r, n, v, m);
}
FMI_FUNCTION int fmi3SetBoolean(void* c, const ValueReference r[], std::size_t n, const bool v[], std::size_t m) {
  return set_values(c, FmuType::boolean, r, n, v, m);
}

// Types that no variable has.
#define NO_VARIABLE(name, type)                                                                               \
  FMI_FUNCTION int fmi3Get##name(void* c, const ValueReference[], std::size_t n, type[], std::size_t) {       \
    return n == 0 ? fmi_ok : refuse(c, "a variable of type " #name);                                          \
  }                                                                                                           \
  FMI_FUNCTION int fmi3Set##name(void* c, const ValueReference[], std::size_t n, const type[], std::size_t) { \
    return n == 0 ? fmi_ok : refuse(c, "a variable of type " #name);                                          \
  }
NO_VARIABLE(Float32, float)
NO_VARIABLE(Int8, std::int8_t)
NO_VARIABLE(UInt8, std::uint8_t)
NO_VARIABLE(Int16, std::int16_t)
NO_VARIABLE(UInt16, std::uint16_t)
NO_VARIABLE(UInt32, std::uint32_t)
NO_VARIABLE(Int64, std::int64_t)
NO_VARIABLE(UInt64, std::uint64_t)
NO_VARIABLE(String, Text)
#undef NO_VARIABLE
FMI_FUNCTION int fmi3GetBinary(void* c, const ValueReference[], std::size_t n, std::size_t[], Binary[], std::size_t) {
  return n == 0 ? fmi_ok : refuse(c, "a variable of type Binary");
}
FMI_FUNCTION int fmi3SetBinary(void* c, const ValueReference[], std::size_t n, const std::size_t[], const Binary[],
                               std::size_t) {
  return n == 0 ? fmi_ok : refuse(c, "a variable of type Binary");
}
FMI_FUNCTION int fmi3GetClock(void* c, const ValueReference[], std::size_t n, bool[]) {
  return n == 0 ? fmi_ok : refuse(c, "a clock");
}
FMI_FUNCTION int fmi3SetClock(void* c, const ValueReference[], std::size_t n, const bool[]) {
  return n == 0 ? fmi_ok : refuse(c, "a clock");
}

FMI_FUNCTION int fmi3GetNumberOfVariableDependencies(void* c, ValueReference, std::size_t*) {
  return refuse(c, "a dependency that changes");
}
FMI_FUNCTION int fmi3GetVariableDependencies(void* c, ValueReference, std::size_t[], ValueReference[], std::size_t[],
                                             int[], std::size_t) {
  return refuse(c, "a dependency that changes");
}

FMI_FUNCTION int fmi3GetFMUState(void* c, void** state) {
  return guarded(of(c), [&] {
    auto bytes = of(c)->fmu->save();
    if (*state)
      static_cast<SavedState*>(*state)->bytes = std::move(bytes);
    else
      *state = new SavedState{std::move(bytes)};
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3SetFMUState(void* c, void* state) {
  return guarded(of(c), [&] {
    of(c)->fmu->load(saved_state(state).bytes);
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3FreeFMUState(void*, void** state) {
  if (!state) return fmi_ok;
  delete static_cast<SavedState*>(*state);
  *state = nullptr;
  return fmi_ok;
}
FMI_FUNCTION int fmi3SerializedFMUStateSize(void* c, void* state, std::size_t* size) {
  return guarded(of(c), [&] {
    *size = saved_state(state).bytes.size();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3SerializeFMUState(void* c, void* state, std::uint8_t bytes[], std::size_t size) {
  return guarded(of(c), [&] {
    const auto& saved = saved_state(state).bytes;
    if (size < saved.size())
      throw Error("a state of " + std::to_string(saved.size()) + " bytes does not fit into " + std::to_string(size));
    std::memcpy(bytes, saved.data(), saved.size());
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3DeserializeFMUState(void* c, const std::uint8_t bytes[], std::size_t size, void** state) {
  return guarded(of(c), [&] {
    const auto* first = reinterpret_cast<const std::byte*>(bytes);
    std::vector<std::byte> copy(first, first + size);
    if (*state)
      static_cast<SavedState*>(*state)->bytes = std::move(copy);
    else
      *state = new SavedState{std::move(copy)};
    return fmi_ok;
  });
}

FMI_FUNCTION int fmi3GetDirectionalDerivative(void* c, const ValueReference unknowns[], std::size_t unknown_count,
                                              const ValueReference knowns[], std::size_t known_count,
                                              const double seed[], std::size_t seed_count, double sensitivity[],
                                              std::size_t sensitivity_count) {
  return guarded(of(c), [&] {
    if (seed_count != known_count || sensitivity_count != unknown_count)
      throw Error("seeds and knowns, or sensitivities and unknowns, differ in number; this FMU has no arrays");
    of(c)->fmu->directional_derivative({unknowns, unknown_count}, {knowns, known_count}, {seed, seed_count},
                                       {sensitivity, sensitivity_count});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetAdjointDerivative(void* c, const ValueReference[], std::size_t, const ValueReference[],
                                          std::size_t, const double[], std::size_t, double[], std::size_t) {
  return refuse(c, "an adjoint derivative");
}

FMI_FUNCTION int fmi3EnterConfigurationMode(void* c) { return refuse(c, "configuration mode"); }
FMI_FUNCTION int fmi3ExitConfigurationMode(void* c) { return refuse(c, "configuration mode"); }
FMI_FUNCTION int fmi3GetIntervalDecimal(void* c, const ValueReference[], std::size_t, double[], int[]) {
  return refuse(c, "a clock");
}
FMI_FUNCTION int fmi3GetIntervalFraction(void* c, const ValueReference[], std::size_t, std::uint64_t[], std::uint64_t[],
                                         int[]) {
  return refuse(c, "a clock");
}
FMI_FUNCTION int fmi3GetShiftDecimal(void* c, const ValueReference[], std::size_t, double[]) {
  return refuse(c, "a clock");
}
FMI_FUNCTION int fmi3GetShiftFraction(void* c, const ValueReference[], std::size_t, std::uint64_t[], std::uint64_t[]) {
  return refuse(c, "a clock");
}
FMI_FUNCTION int fmi3SetIntervalDecimal(void* c, const ValueReference[], std::size_t, const double[]) {
  return refuse(c, "a clock");
}
FMI_FUNCTION int fmi3SetIntervalFraction(void* c, const ValueReference[], std::size_t, const std::uint64_t[],
                                         const std::uint64_t[]) {
  return refuse(c, "a clock");
}
FMI_FUNCTION int fmi3SetShiftDecimal(void* c, const ValueReference[], std::size_t, const double[]) {
  return refuse(c, "a clock");
}
FMI_FUNCTION int fmi3SetShiftFraction(void* c, const ValueReference[], std::size_t, const std::uint64_t[],
                                      const std::uint64_t[]) {
  return refuse(c, "a clock");
}

FMI_FUNCTION int fmi3EvaluateDiscreteStates(void* c) {
  return guarded(of(c), [&] { return fmi_ok; });
}
FMI_FUNCTION int fmi3UpdateDiscreteStates(void* c, bool* needs_update, bool* terminate, bool* nominals_changed,
                                          bool* states_changed, bool* next_defined, double* next) {
  return guarded(of(c), [&] {
    const auto found = of(c)->fmu->update_discrete();
    *needs_update = *terminate = *nominals_changed = false;
    *states_changed = found.states_changed;
    *next_defined = found.next_event < std::numeric_limits<double>::infinity();
    *next = *next_defined ? found.next_event : 0;
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3CompletedIntegratorStep(void* c, bool, bool* enter_event_mode, bool* terminate) {
  return guarded(of(c), [&] {
    *enter_event_mode = *terminate = false;
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3SetTime(void* c, double time) {
  return guarded(of(c), [&] {
    of(c)->fmu->set_time(time);
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3SetContinuousStates(void* c, const double x[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->set_states({x, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetContinuousStateDerivatives(void* c, double rates[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_rates({rates, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetEventIndicators(void* c, double indicators[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_indicators({indicators, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetContinuousStates(void* c, double x[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_states({x, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetNominalsOfContinuousStates(void* c, double nominals[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_nominals({nominals, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetNumberOfEventIndicators(void* c, std::size_t* count) {
  return guarded(of(c), [&] {
    *count = of(c)->fmu->model().indicators();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetNumberOfContinuousStates(void* c, std::size_t* count) {
  return guarded(of(c), [&] {
    *count = of(c)->fmu->model().states();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi3GetOutputDerivatives(void* c, const ValueReference[], std::size_t n, const std::int32_t[],
                                          double[], std::size_t) {
  return n == 0 ? fmi_ok : refuse(c, "a derivative of an output");
}
FMI_FUNCTION int fmi3DoStep(void* c, double from, double length, bool, bool* event_handling_needed, bool* terminate,
                            bool* early_return, double* last_time) {
  return guarded(of(c), [&] {
    *event_handling_needed = *terminate = *early_return = false;
    const auto end = of(c)->fmu->step(from, length);
    *last_time = end.time;
    *event_handling_needed = *early_return = end.is_early;
    if (end.stop == Stop::finished) return fmi_ok;
    of(c)->say(fmi_error, "logStatusError", outcome_words(*of(c)->fmu, end));
    return fmi_error;
  });
}
FMI_FUNCTION int fmi3ActivateModelPartition(void* c, ValueReference, double) { return refuse(c, "a model partition"); }
