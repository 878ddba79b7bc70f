/// What the functions of FMI 2.0 and 3.0 have in common: how they are shown to an importer, and how an Error becomes a status.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "fmu/fmu_instance.hpp"

#ifdef _WIN32
#define FMI_FUNCTION extern "C" __declspec(dllexport)
#else
#define FMI_FUNCTION extern "C" __attribute__((visibility("default")))
#endif

namespace stickslip::inline fmu {

/// The first four values are the same in both versions.
enum FmiStatus : int { fmi_ok = 0, fmi_warning = 1, fmi_discard = 2, fmi_error = 3, fmi_fatal = 4 };

/// Calls `what`; whatever it throws is told to the importer's log.
template <class Instance, class What>
FmiStatus guarded(Instance* instance, What&& what) {
  if (!instance) return fmi_error;
  try {
    return what();
  } catch (const std::exception& problem) {
    instance->tell_error(problem.what());
  } catch (...) {
    instance->tell_error("an unknown failure");
  }
  return fmi_error;
}

/// What the importer holds between saving and restoring.
struct SavedState {
  std::vector<std::byte> bytes;
};
/// Throws Error where the importer has none, because saving it failed or it was freed.
inline SavedState& saved_state(void* state) {
  if (!state) throw Error("there is no state: it was not saved, or has been freed");
  return *static_cast<SavedState*>(state);
}

inline std::string outcome_words(const FmuInstance& instance, const FmuInstance::StepEnd& end) {
  return std::string(name_of(end.stop)) + " at t = " + std::to_string(end.time) + " s, mode " + instance.mode_words() +
         std::string(reason_of(end.stop));
}

}  // namespace stickslip::inline fmu
