/// An importer of FMUs for the tests: loads the binary as tools do, and knows FMI 2.0 and 3.0 by the standard's functions alone.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "files/whole_file.hpp"
#include "fmu/export_fmu.hpp"

/// As in the standard's headers: their names are part of the functions' types.
struct fmi2CallbackFunctions {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocateMemory)(std::size_t, std::size_t);
  void (*freeMemory)(void*);
  void (*stepFinished)(void*, int);
  void* componentEnvironment;
};
struct fmi2EventInfo {
  int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged,
      nextEventTimeDefined;
  double nextEventTime;
};

namespace stickslip::importing {

using Reference = unsigned int;

inline void* binary() {
  static void* loaded = ::dlopen(STICKSLIP_FMU_BINARY, RTLD_NOW | RTLD_LOCAL);
  if (!loaded) std::fprintf(stderr, "%s\n", ::dlerror());
  return loaded;
}
template <class Function>
Function* function(const std::string& name) {
  void* found = ::dlsym(binary(), name.c_str());
  EXPECT_NE(found, nullptr) << name;
  return reinterpret_cast<Function*>(found);
}

/// An FMU unpacked as far as the binary looks: its resources.
struct Unpacked {
  FmuFile fmu;
  std::string folder;

  explicit Unpacked(FmuFile made) : fmu(std::move(made)) {
    static int count = 0;
    folder = (std::filesystem::temp_directory_path() /
              ("stickslip fmu " + std::to_string(::getpid()) + "-" + std::to_string(count++)))
                 .string();
    std::filesystem::create_directories(folder);
    write_whole(folder + "/content.txt", fmu.resource);
  }
  ~Unpacked() { std::filesystem::remove_all(folder); }
  Unpacked(const Unpacked&) = delete;

  std::string location() const {  // as a URI, with its blanks escaped
    std::string uri = "file://";
    for (const char c : folder) uri += c == ' ' ? std::string("%20") : std::string(1, c);
    return uri;
  }
  Reference reference(const std::string& name) const {
    const auto& all = fmu.model->variables();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name == name) return static_cast<Reference>(i);
    ADD_FAILURE() << "no variable " << name;
    return 0;
  }
};

inline std::string& last_message() {
  thread_local std::string message;
  return message;
}
inline void log_2(void*, const char*, int, const char* category, const char* format, ...) {
  char text[2000];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  last_message() = std::string(category) + ": " + text;
}
using IntermediateUpdate = void (*)(void*, double, bool, bool, bool, bool, bool*, double*);
inline void log_3(void*, int, const char* category, const char* message) {
  last_message() = std::string(category) + ": " + message;
}

enum class Interface { model_exchange = 0, co_simulation = 1 };

/// One instance of either version.
class Imported {
 public:
  Imported(const Unpacked& fmu, Interface use, int version, bool early_return = false, std::string token = "")
      : version_(version), use_(use), fmu_(fmu) {
    if (token.empty()) token = fmu.fmu.token;
    if (version == 2) {
      instance = function<void*(const char*, int, const char*, const char*, const fmi2CallbackFunctions*, int, int)>(
          "fmi2Instantiate")("one", static_cast<int>(use), token.c_str(), fmu.location().c_str(), &calls_, 0, 0);
    } else if (use == Interface::model_exchange) {
      instance = function<void*(const char*, const char*, const char*, bool, bool, void*, decltype(&log_3))>(
          "fmi3InstantiateModelExchange")("one", token.c_str(), (fmu.folder + "/").c_str(), false, false, nullptr,
                                          log_3);
    } else {
      instance = function<void*(const char*, const char*, const char*, bool, bool, bool, bool, const Reference*,
                                std::size_t, void*, decltype(&log_3), IntermediateUpdate)>(
          "fmi3InstantiateCoSimulation")("one", token.c_str(), (fmu.folder + "/").c_str(), false, false, early_return,
                                         early_return, nullptr, 0, nullptr, log_3, nullptr);
    }
    has_event_mode_ = early_return;
  }
  ~Imported() {
    if (instance) function<void(void*)>(version_ == 2 ? "fmi2FreeInstance" : "fmi3FreeInstance")(instance);
  }
  Imported(const Imported&) = delete;

  void* instance = nullptr;

  void begin(double start = 0) {
    ASSERT_EQ(enter_initialization(start), 0) << last_message();
    ASSERT_EQ(call("ExitInitializationMode"), 0) << last_message();
    if (version_ == 3 && has_event_mode_) handle_event(), call("EnterStepMode");
  }
  int enter_initialization(double start = 0) {
    if (version_ == 3)
      return function<int(void*, bool, double, double, bool, double)>("fmi3EnterInitializationMode")(instance, false, 0,
                                                                                                     start, false, 0);
    function<int(void*, int, double, double, int, double)>("fmi2SetupExperiment")(instance, 0, 0, start, 0, 0);
    return call("EnterInitializationMode");
  }
  int set_logging(bool on, const std::vector<const char*>& categories) {
    if (version_ == 2)
      return function<int(void*, int, std::size_t, const char* const*)>("fmi2SetDebugLogging")(
          instance, on, categories.size(), categories.data());
    return function<int(void*, bool, std::size_t, const char* const*)>("fmi3SetDebugLogging")(
        instance, on, categories.size(), categories.data());
  }
  int call(const char* name) { return function<int(void*)>(prefix() + name)(instance); }

  int try_set(Reference r, double value) {
    if (version_ == 2)
      return function<int(void*, const Reference*, std::size_t, const double*)>("fmi2SetReal")(instance, &r, 1, &value);
    return function<int(void*, const Reference*, std::size_t, const double*, std::size_t)>("fmi3SetFloat64")(
        instance, &r, 1, &value, 1);
  }
  void set(const std::string& name, double value) {
    ASSERT_EQ(try_set(fmu_.reference(name), value), 0) << last_message();
  }
  void set_flag(const std::string& name, bool value) {
    const Reference r = fmu_.reference(name);
    const int whole = value;
    if (version_ == 2)
      function<int(void*, const Reference*, std::size_t, const int*)>("fmi2SetBoolean")(instance, &r, 1, &whole);
    else
      function<int(void*, const Reference*, std::size_t, const bool*, std::size_t)>("fmi3SetBoolean")(instance, &r, 1,
                                                                                                      &value, 1);
  }
  double get(Reference r) {
    double value = std::nan("");
    if (version_ == 2)
      function<int(void*, const Reference*, std::size_t, double*)>("fmi2GetReal")(instance, &r, 1, &value);
    else
      function<int(void*, const Reference*, std::size_t, double*, std::size_t)>("fmi3GetFloat64")(instance, &r, 1,
                                                                                                  &value, 1);
    return value;
  }
  double get(const std::string& name) { return get(fmu_.reference(name)); }
  int whole(const std::string& name) {
    const Reference r = fmu_.reference(name);
    int value = -99;
    if (version_ == 2)
      function<int(void*, const Reference*, std::size_t, int*)>("fmi2GetInteger")(instance, &r, 1, &value);
    else
      function<int(void*, const Reference*, std::size_t, int*, std::size_t)>("fmi3GetInt32")(instance, &r, 1, &value,
                                                                                             1);
    return value;
  }
  /// The time reached; less than from + length where it returned early.
  double step(double from, double length) {
    EXPECT_EQ(try_step(from, length), 0) << last_message();
    return reached_;
  }
  int try_step(double from, double length) {
    reached_ = from + length;
    if (version_ == 2) return function<int(void*, double, double, int)>("fmi2DoStep")(instance, from, length, 1);
    bool event = false, end = false;
    return function<int(void*, double, double, bool, bool*, bool*, bool*, double*)>("fmi3DoStep")(
        instance, from, length, true, &event, &end, &was_early, &reached_);
  }
  bool was_early = false;

  /// The next time event; infinity if none.
  bool asks_for_restart = false;  // at the last event: valuesOfContinuousStatesChanged
  double handle_event() {
    if (version_ == 2) {
      fmi2EventInfo info{};
      EXPECT_EQ(function<int(void*, fmi2EventInfo*)>("fmi2NewDiscreteStates")(instance, &info), 0) << last_message();
      asks_for_restart = info.valuesOfContinuousStatesChanged != 0;
      return info.nextEventTimeDefined ? info.nextEventTime : HUGE_VAL;
    }
    bool needed = false, end = false, nominals = false, states = false, defined = false;
    double next = 0;
    EXPECT_EQ(function<int(void*, bool*, bool*, bool*, bool*, bool*, double*)>("fmi3UpdateDiscreteStates")(
                  instance, &needed, &end, &nominals, &states, &defined, &next),
              0)
        << last_message();
    asks_for_restart = states;
    return defined ? next : HUGE_VAL;
  }
  void set_time(double t) { function<int(void*, double)>(prefix() + "SetTime")(instance, t); }
  void set_states(const std::vector<double>& x) {
    function<int(void*, const double*, std::size_t)>(prefix() + "SetContinuousStates")(instance, x.data(), x.size());
  }
  void get_states(std::vector<double>& x) {
    function<int(void*, double*, std::size_t)>(prefix() + "GetContinuousStates")(instance, x.data(), x.size());
  }
  void get_rates(std::vector<double>& x) {
    function<int(void*, double*, std::size_t)>(
        version_ == 2 ? "fmi2GetDerivatives" : "fmi3GetContinuousStateDerivatives")(instance, x.data(), x.size());
  }
  void get_indicators(std::vector<double>& z) {
    function<int(void*, double*, std::size_t)>(prefix() + "GetEventIndicators")(instance, z.data(), z.size());
  }

  /// Serialised, as a tool would keep it on disk.
  std::vector<char> save() {
    std::vector<char> bytes;
    EXPECT_EQ(try_save(bytes), 0) << last_message();
    return bytes;
  }
  /// A tool that looks at no status goes on with a state that it has not got.
  int try_save(std::vector<char>& bytes) {
    const std::string s = version_ == 2 ? "state" : "State";
    void* state = nullptr;
    const int status = function<int(void*, void**)>(prefix() + "GetFMU" + s)(instance, &state);
    std::size_t size = 0;
    function<int(void*, void*, std::size_t*)>(prefix() + "SerializedFMU" + s + "Size")(instance, state, &size);
    bytes.resize(size);
    if (version_ == 2)
      function<int(void*, void*, char*, std::size_t)>("fmi2SerializeFMUstate")(instance, state, bytes.data(), size);
    else
      function<int(void*, void*, std::uint8_t*, std::size_t)>("fmi3SerializeFMUState")(
          instance, state, reinterpret_cast<std::uint8_t*>(bytes.data()), size);
    function<int(void*, void**)>(prefix() + "FreeFMU" + s)(instance, &state);
    return status;
  }
  int load(const std::vector<char>& bytes) {
    const std::string s = version_ == 2 ? "state" : "State";
    void* state = nullptr;
    if (version_ == 2)
      function<int(void*, const char*, std::size_t, void**)>("fmi2DeSerializeFMUstate")(instance, bytes.data(),
                                                                                        bytes.size(), &state);
    else
      function<int(void*, const std::uint8_t*, std::size_t, void**)>("fmi3DeserializeFMUState")(
          instance, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &state);
    const int status = function<int(void*, void*)>(prefix() + "SetFMU" + s)(instance, state);
    function<int(void*, void**)>(prefix() + "FreeFMU" + s)(instance, &state);
    return status;
  }
  std::vector<double> derivative(const std::vector<Reference>& unknowns, const std::vector<Reference>& knowns,
                                 const std::vector<double>& seed) {
    std::vector<double> found(unknowns.size(), std::nan(""));
    if (version_ == 2)
      function<int(void*, const Reference*, std::size_t, const Reference*, std::size_t, const double*, double*)>(
          "fmi2GetDirectionalDerivative")(instance, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(),
                                          seed.data(), found.data());
    else
      function<int(void*, const Reference*, std::size_t, const Reference*, std::size_t, const double*, std::size_t,
                   double*, std::size_t)>("fmi3GetDirectionalDerivative")(instance, unknowns.data(), unknowns.size(),
                                                                          knowns.data(), knowns.size(), seed.data(),
                                                                          seed.size(), found.data(), found.size());
    return found;
  }

 private:
  std::string prefix() const { return version_ == 2 ? "fmi2" : "fmi3"; }

  int version_;
  Interface use_;
  const Unpacked& fmu_;
  fmi2CallbackFunctions calls_{log_2, std::calloc, std::free, nullptr, nullptr};
  bool has_event_mode_ = false;
  double reached_ = 0;
};

/// An integrator outside: Runge-Kutta of order 4, events by bisection on the indicators, then FMI's event mode. `outside` integrates states
/// of the importer along, `before` sets inputs from time and those states, and `seen` is told every event.
template <class Rates, class Before, class Seen>
void integrate(Imported& fmu, std::size_t states, std::size_t indicators, std::vector<double> outside, double end,
               double h, Rates&& outside_rates, Before&& before, Seen&& seen) {
  const std::size_t n = states + outside.size();
  std::vector<double> x(n), own(states), z(indicators), rates(states);
  const auto put = [&](double t, const std::vector<double>& all) {
    fmu.set_time(t);
    std::copy_n(all.begin(), states, own.begin());
    fmu.set_states(own);
    before(t, all.data() + states);
  };
  const auto f = [&](double t, const std::vector<double>& all, std::vector<double>& d) {
    put(t, all);
    fmu.get_rates(rates);
    std::copy(rates.begin(), rates.end(), d.begin());
    outside_rates(t, all.data() + states, d.data() + states);
  };
  std::vector<double> a(n), b(n), c(n), d(n), y(n), end_state(n);
  const auto rk = [&](double t, double step) {
    f(t, x, a);
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] + step / 2 * a[i];
    f(t + step / 2, y, b);
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] + step / 2 * b[i];
    f(t + step / 2, y, c);
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] + step * c[i];
    f(t + step, y, d);
    for (std::size_t i = 0; i < n; ++i) end_state[i] = x[i] + step / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  };
  const auto crossed = [&](double t) {
    put(t, end_state);
    fmu.get_indicators(z);
    return std::any_of(z.begin(), z.end(), [](double g) { return g <= 0; });
  };
  double t = 0;
  double next = fmu.handle_event();
  EXPECT_GT(next, t) << "an integrator cannot step to an event that is now";
  fmu.get_states(own);
  std::copy(own.begin(), own.end(), x.begin());
  std::copy(outside.begin(), outside.end(), x.begin() + static_cast<std::ptrdiff_t>(states));
  fmu.call("EnterContinuousTimeMode");
  const auto event = [&](double at) {
    fmu.call("EnterEventMode");
    next = fmu.handle_event();
    EXPECT_GT(next, at) << "an integrator cannot step to an event that is now";
    fmu.get_states(own);
    std::copy(own.begin(), own.end(), x.begin());
    seen(at);
    fmu.call("EnterContinuousTimeMode");
  };
  int guard = 0;
  while (t < end - 1e-12 && ++guard < 2000000) {
    const double target = std::min({t + h, end, next});
    const double step = target - t;
    rk(t, step);
    if (crossed(target)) {
      double low = 0, high = step;
      for (int i = 0; i < 60 && high - low > 1e-14; ++i) {
        const double middle = 0.5 * (low + high);
        rk(t, middle);
        (crossed(t + middle) ? high : low) = middle;
      }
      rk(t, high);
      x = end_state;
      t += high;
      put(t, x);
      event(t);
    } else {
      x = end_state;
      t = target;
      put(t, x);
      if (t >= next) event(t);
    }
  }
}

}  // namespace stickslip::importing
