/// The functions of FMI 2.0, Model Exchange and Co-Simulation, over FmuInstance. Types and order of arguments are those of the
/// standard (FMI 2.0.4, sections 2 to 4).
#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <limits>

#include "entry.hpp"

/// The two structures that an importer hands over, named as in the standard: whoever checks calls by type finds the same one on both sides.
struct fmi2CallbackFunctions {
  void (*logger)(void* environment, const char* instance, int status, const char* category, const char* message, ...);
  void* (*allocateMemory)(std::size_t count, std::size_t size);
  void (*freeMemory)(void* object);
  void (*stepFinished)(void* environment, int status);
  void* componentEnvironment;
};
struct fmi2EventInfo {
  int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged,
      nextEventTimeDefined;
  double nextEventTime;
};

namespace stickslip::inline fmu {
namespace {

using ValueReference = unsigned int;
using Integer = int;
using Boolean = int;
using Text = const char*;

struct Instance2 {
  std::string name;
  fmi2CallbackFunctions calls{};
  bool is_logging = false;
  std::unique_ptr<FmuInstance> fmu;
  double start = 0;
  double last_time = 0;

  void say(int status, Text category, const std::string& message) const {
    if (calls.logger) calls.logger(calls.componentEnvironment, name.c_str(), status, category, "%s", message.c_str());
  }
  void tell_error(const std::string& message) const { say(fmi_error, "logStatusError", message); }
};

Instance2* of(void* component) { return static_cast<Instance2*>(component); }

/// "file:///tmp/a%20b" -> "/tmp/a b"; "file:///C:/x" -> "C:/x".
std::string path_of(std::string_view location) {
  if (location.starts_with("file://")) {
    location.remove_prefix(7);
    if (const auto slash = location.find('/');
        slash != std::string_view::npos && slash > 0 && location.starts_with("localhost"))
      location.remove_prefix(slash);
  } else if (location.starts_with("file:")) {
    location.remove_prefix(5);
  }
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < location.size(); ++i) {
    if (location[i] == '%' && i + 2 < location.size() && digit(location[i + 1]) >= 0 && digit(location[i + 2]) >= 0) {
      path += static_cast<char>(16 * digit(location[i + 1]) + digit(location[i + 2]));
      i += 2;
    } else {
      path += location[i];
    }
  }
#ifdef _WIN32
  if (path.size() > 2 && path[0] == '/' && path[2] == ':') path.erase(0, 1);
#endif
  return path;
}

FmiStatus refuse(void* component, Text what) {
  if (component) of(component)->tell_error(std::string(what) + " is not offered; modelDescription.xml says so");
  return fmi_error;
}

}  // namespace
}  // namespace stickslip::inline fmu

using namespace stickslip;

FMI_FUNCTION const char* fmi2GetTypesPlatform() { return "default"; }
FMI_FUNCTION const char* fmi2GetVersion() { return "2.0"; }

FMI_FUNCTION int fmi2SetDebugLogging(void* c, Boolean on, std::size_t count, const Text categories[]) {
  return guarded(of(c), [&] {
    bool events = on && count == 0;
    for (std::size_t i = 0; i < count; ++i)
      events = events || (on && (!std::strcmp(categories[i], "logEvents") || !std::strcmp(categories[i], "logAll")));
    of(c)->fmu->set_event_log(events);
    return fmi_ok;
  });
}

FMI_FUNCTION void* fmi2Instantiate(Text name, int type, Text token, Text location, const fmi2CallbackFunctions* calls,
                                   Boolean /*visible*/, Boolean logging) {
  auto made = std::make_unique<Instance2>();
  if (calls) made->calls = *calls;
  made->name = name ? name : "";
  made->is_logging = logging != 0;
  Instance2* self = made.get();
  const auto status = guarded(self, [&] {
    if (!location) throw Error("there is no resource location; this FMU reads its numbers there");
    FmuInstance::Options options;
    options.use = type == 0 ? FmuUse::model_exchange : FmuUse::co_simulation;
    options.logs_events = logging != 0;
    made->fmu = std::make_unique<FmuInstance>(path_of(location), token ? token : "", options,
                                              [self](FmuSeverity severity, const std::string& message) {
                                                self->say(severity == FmuSeverity::event     ? fmi_ok
                                                          : severity == FmuSeverity::warning ? fmi_warning
                                                                                             : fmi_error,
                                                          severity == FmuSeverity::event     ? "logEvents"
                                                          : severity == FmuSeverity::warning ? "logStatusWarning"
                                                                                             : "logStatusError",
                                                          message);
                                              });
    return fmi_ok;
  });
  return status == fmi_ok ? made.release() : nullptr;
}
FMI_FUNCTION void fmi2FreeInstance(void* c) { delete of(c); }

FMI_FUNCTION int fmi2SetupExperiment(void* c, Boolean, double, double start, Boolean, double) {
  return guarded(of(c), [&] {
    of(c)->start = start;
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2EnterInitializationMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->enter_initialization(of(c)->start);
    of(c)->last_time = of(c)->start;
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2ExitInitializationMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->exit_initialization();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2Terminate(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->terminate();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2Reset(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->reset();
    of(c)->start = 0;
    return fmi_ok;
  });
}

namespace {
template <class T>
int get_values(void* c, FmuType type, const ValueReference references[], std::size_t count, T values[]) {
  return guarded(of(c), [&] {
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(of(c)->fmu->get(references[i], type));
    return fmi_ok;
  });
}
template <class T>
int set_values(void* c, FmuType type, const ValueReference references[], std::size_t count, const T values[]) {
  return guarded(of(c), [&] {
    for (std::size_t i = 0; i < count; ++i) of(c)->fmu->set(references[i], type, static_cast<double>(values[i]));
    return fmi_ok;
  });
}
}  // namespace

FMI_FUNCTION int fmi2GetReal(void* c, const ValueReference r[], std::size_t n, double v[]) {
  return get_values(c, FmuType::real, r, n, v);
}
FMI_FUNCTION int fmi2GetInteger(void* c, const ValueReference r[], std::size_t n, Integer v[]) {
  return get_values(c, FmuType::integer, r, n, v);
}
FMI_FUNCTION int fmi2GetBoolean(void* c, const ValueReference r[], std::size_t n, Boolean v[]) {
  return get_values(c, FmuType::boolean, r, n, v);
}
FMI_FUNCTION int fmi2GetString(void* c, const ValueReference[], std::size_t n, Text[]) {
  return n == 0 ? fmi_ok : refuse(c, "a text variable");
}
FMI_FUNCTION int fmi2SetReal(void* c, const ValueReference r[], std::size_t n, const double v[]) {
  return set_values(c, FmuType::real, r, n, v);
}
FMI_FUNCTION int fmi2SetInteger(void* c, const ValueReference r[], std::size_t n, const Integer v[]) {
  return set_values(c, FmuType::integer, r, n, v);
}
FMI_FUNCTION int fmi2SetBoolean(void* c, const ValueReference r[], std::size_t n, const Boolean v[]) {
  return set_values(c, FmuType::boolean, r, n, v);
}
FMI_FUNCTION int fmi2SetString(void* c, const ValueReference[], std::size_t n, const Text[]) {
  return n == 0 ? fmi_ok : refuse(c, "a text variable");
}

FMI_FUNCTION int fmi2GetFMUstate(void* c, void** state) {
  return guarded(of(c), [&] {
    auto bytes = of(c)->fmu->save();
    if (*state)
      static_cast<SavedState*>(*state)->bytes = std::move(bytes);
    else
      *state = new SavedState{std::move(bytes)};
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2SetFMUstate(void* c, void* state) {
  return guarded(of(c), [&] {
    of(c)->fmu->load(saved_state(state).bytes);
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2FreeFMUstate(void*, void** state) {
  if (!state) return fmi_ok;
  delete static_cast<SavedState*>(*state);
  *state = nullptr;
  return fmi_ok;
}
FMI_FUNCTION int fmi2SerializedFMUstateSize(void* c, void* state, std::size_t* size) {
  return guarded(of(c), [&] {
    *size = saved_state(state).bytes.size();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2SerializeFMUstate(void* c, void* state, char bytes[], std::size_t size) {
  return guarded(of(c), [&] {
    const auto& saved = saved_state(state).bytes;
    if (size < saved.size())
      throw Error("a state of " + std::to_string(saved.size()) + " bytes does not fit into " + std::to_string(size));
    std::memcpy(bytes, saved.data(), saved.size());
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2DeSerializeFMUstate(void* c, const char bytes[], std::size_t size, void** state) {
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

FMI_FUNCTION int fmi2GetDirectionalDerivative(void* c, const ValueReference unknowns[], std::size_t unknown_count,
                                              const ValueReference knowns[], std::size_t known_count,
                                              const double seed[], double sensitivity[]) {
  return guarded(of(c), [&] {
    of(c)->fmu->directional_derivative({unknowns, unknown_count}, {knowns, known_count}, {seed, known_count},
                                       {sensitivity, unknown_count});
    return fmi_ok;
  });
}

// ---- Model Exchange -------------------------------------------------------------------------------------------------

FMI_FUNCTION int fmi2EnterEventMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->enter_event_mode();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2NewDiscreteStates(void* c, fmi2EventInfo* info) {
  return guarded(of(c), [&] {
    const auto found = of(c)->fmu->update_discrete();
    *info = {};
    info->valuesOfContinuousStatesChanged = found.states_changed;
    info->nextEventTimeDefined = found.next_event < std::numeric_limits<double>::infinity();
    info->nextEventTime = info->nextEventTimeDefined ? found.next_event : 0;
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2EnterContinuousTimeMode(void* c) {
  return guarded(of(c), [&] {
    of(c)->fmu->enter_continuous_mode();
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2CompletedIntegratorStep(void* c, Boolean, Boolean* enter_event_mode, Boolean* terminate) {
  return guarded(of(c), [&] {
    *enter_event_mode = *terminate = 0;
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2SetTime(void* c, double time) {
  return guarded(of(c), [&] {
    of(c)->fmu->set_time(time);
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2SetContinuousStates(void* c, const double x[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->set_states({x, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2GetDerivatives(void* c, double rates[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_rates({rates, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2GetEventIndicators(void* c, double indicators[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_indicators({indicators, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2GetContinuousStates(void* c, double x[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_states({x, n});
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2GetNominalsOfContinuousStates(void* c, double nominals[], std::size_t n) {
  return guarded(of(c), [&] {
    of(c)->fmu->get_nominals({nominals, n});
    return fmi_ok;
  });
}

// ---- Co-Simulation --------------------------------------------------------------------------------------------------

FMI_FUNCTION int fmi2SetRealInputDerivatives(void* c, const ValueReference r[], std::size_t n, const Integer order[],
                                             const double values[]) {
  return guarded(of(c), [&] {
    for (std::size_t i = 0; i < n; ++i) {
      if (order[i] != 1)
        throw Error("an input's derivative of order " + std::to_string(order[i]) + "; only the first is used");
      of(c)->fmu->set_input_slope(r[i], values[i]);
    }
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2GetRealOutputDerivatives(void* c, const ValueReference[], std::size_t n, const Integer[],
                                              double[]) {
  return n == 0 ? fmi_ok : refuse(c, "a derivative of an output");
}
FMI_FUNCTION int fmi2DoStep(void* c, double from, double length, Boolean) {
  return guarded(of(c), [&] {
    const auto end = of(c)->fmu->step(from, length);
    of(c)->last_time = end.time;
    if (end.stop == Stop::finished) return fmi_ok;
    of(c)->say(fmi_discard, "logStatusDiscard", outcome_words(*of(c)->fmu, end));
    return fmi_discard;
  });
}
FMI_FUNCTION int fmi2CancelStep(void* c) { return refuse(c, "cancelling a step"); }
FMI_FUNCTION int fmi2GetStatus(void*, int, int* status) {
  *status = fmi_ok;
  return fmi_discard;  // no step is ever pending
}
FMI_FUNCTION int fmi2GetRealStatus(void* c, int kind, double* value) {
  return guarded(of(c), [&] {
    if (kind != 2) return fmi_discard;  // 2: the time of the last successful step
    *value = of(c)->last_time;
    return fmi_ok;
  });
}
FMI_FUNCTION int fmi2GetIntegerStatus(void*, int, Integer*) { return fmi_discard; }
FMI_FUNCTION int fmi2GetBooleanStatus(void*, int kind, Boolean* value) {
  if (kind != 3) return fmi_discard;  // 3: has the simulation ended
  *value = 0;
  return fmi_ok;
}
FMI_FUNCTION int fmi2GetStringStatus(void*, int, Text* value) {
  *value = "";
  return fmi_discard;
}
