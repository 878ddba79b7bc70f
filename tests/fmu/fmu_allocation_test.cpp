/// Between initialization and the end an FMU allocates nothing, whatever happens in its steps: counted from the first step on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fmu/fmu_instance.hpp"
#include "fmus.hpp"
#include "support/allocations.hpp"

namespace stickslip::fmu_allocation_test {
namespace {

using namespace importing;

struct Counted {
  long allocated = 0;
  int changes = 0;  // of any variable that is a whole number: modes, motions of joints
};

class Steps {
 public:
  Steps(const Unpacked& fmu, FmuUse use) : fmu_(fmu), one_(fmu.folder, fmu.fmu.token, {.use = use}, {}) {
    one_.enter_initialization(0);
    one_.exit_initialization();
    last_.resize(variables().size());
  }
  const std::vector<FmuVariable>& variables() const { return fmu_.fmu.model->variables(); }
  FmuInstance& one() { return one_; }
  void read_all(Counted& counted) {
    for (std::uint32_t r = 0; r < variables().size(); ++r) {
      const FmuVariable& v = variables()[r];
      const double value = one_.get(r, v.type);
      if (v.type == FmuType::integer && value != last_[r]) ++counted.changes;
      last_[r] = value;
    }
  }
  /// Steps of h; `before(k)` sets inputs.
  template <class Before>
  Counted co_simulate(double until, double h, Before&& before) {
    Counted counted;
    const long at_first = allocations;
    for (int k = 0; k < static_cast<int>(until / h + 0.5); ++k) {
      before(k);
      if (one_.step(h * k, h).stop != Stop::finished) ADD_FAILURE() << "at step " << k;
      read_all(counted);
    }
    counted.allocated = allocations - at_first;
    return counted;
  }
  /// Explicit Euler; event mode where an indicator has fallen, or a time event is due.
  Counted integrate(double until, double h) {
    std::vector<double> x(fmu_.fmu.model->states()), rates(x.size()), z(fmu_.fmu.model->indicators());
    Counted counted;
    const long at_first = allocations;
    double next = one_.update_discrete().next_event, t = 0;
    one_.get_states(x);
    one_.enter_continuous_mode();
    while (t < until) {
      one_.get_rates(rates);
      const double to = std::min({t + h, next, until});
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += (to - t) * rates[i];
      t = to;
      one_.set_time(t);
      one_.set_states(x);
      one_.get_indicators(z);
      if (t<next&& * std::min_element(z.begin(), z.end())> 0) continue;
      one_.enter_event_mode();
      next = one_.update_discrete().next_event;
      one_.get_states(x);
      one_.enter_continuous_mode();
      read_all(counted);
    }
    counted.allocated = allocations - at_first;
    return counted;
  }

 private:
  const Unpacked& fmu_;
  FmuInstance one_;
  std::vector<double> last_;
};

TEST(FmuAllocations, BodiesAndElementsOfEveryLawAllocateNothing) {
  for (const ModelDescription* law : all_models())
    for (const bool is_element : {false, true}) {
      if (is_element && !element_laws.contains(law->name)) continue;
      const Unpacked fmu(describe_fmu(model_text(*law), "axis.model.toml", with(is_element ? 0 : 1)));
      Steps steps(fmu, FmuUse::co_simulation);
      const auto input = fmu.reference(is_element ? "velocity" : "input");
      const Counted counted = steps.co_simulate(
          2, 0.01, [&](int k) { steps.one().set(input, FmuType::real, (is_element ? 1e-3 : 1) * force_at(0.01 * k)); });
      EXPECT_EQ(counted.allocated, 0) << law->name << (is_element ? " as element" : " as body");
    }
}

/// Of a prescribed motion, the law is stepped ahead and put back to be read: that allocates, and the guide says so.
bool is_prescribed(const MachineCase& m) { return std::string(m.file).find("prescribed") != std::string::npos; }

TEST(FmuAllocations, MachinesAllocateNothingAtTheirEvents) {
  int changes = 0;
  for (const MachineCase& m : machine_cases) {
    if (is_prescribed(m)) continue;
    const Unpacked fmu(fmu_of(m.file, with(0)));
    const Counted alone = Steps(fmu, FmuUse::co_simulation).co_simulate(m.until, m.h, [](int) {});
    EXPECT_EQ(alone.allocated, 0) << m.file << ", Co-Simulation";
    changes += alone.changes;
    if (!fmu.fmu.model->can_be_integrated()) continue;
    const Counted outside = Steps(fmu, FmuUse::model_exchange).integrate(0.2 * m.until, 1e-5 * m.until);
    EXPECT_EQ(outside.allocated, 0) << m.file << ", Model Exchange";
    changes += outside.changes;
  }
  EXPECT_GT(changes, 100) << "without events nothing would be shown";
}

TEST(FmuAllocations, InputsSetFromOutsideAllocateNothing) {
  for (const char* file : {"machines/pulled_pair.toml", "machines/dual_clutch.toml", "machines/winch.toml",
                           "machines/hydraulic_cylinder.toml"}) {
    FmuOptions options = with(0);
    options.inputs_from_file = false;
    const Unpacked fmu(fmu_of(file, options));
    Steps steps(fmu, FmuUse::co_simulation);
    const Counted counted = steps.co_simulate(2, 0.01, [&](int k) {
      for (std::uint32_t r = 0; r < steps.variables().size(); ++r) {
        const FmuVariable& v = steps.variables()[r];
        if (v.role != FmuRole::input) continue;
        steps.one().set(r, FmuType::real, v.start * (1 + 0.1 * std::sin(0.3 * k)) + 0.01 * (k % 20 > 10));
        steps.one().set_input_slope(r, 0.001 * (k % 3));
      }
    });
    EXPECT_EQ(counted.allocated, 0) << file;
  }
}

}  // namespace
}  // namespace stickslip::fmu_allocation_test
