/// 10 000 ideal stick-slip runs of 10 s whose parameters all differ, on one core: stickslip in SIMD lanes with each
/// instruction set this processor has and one run after the other, against SUNDIALS CVODE with rootfinding and
/// Boost.odeint with bisection on its dense output. Whoever goes one by one takes every 20th run; the time is for 10 000.
/// `worst_m` and `rms_m` are the errors of the position at the end over those runs, against a tolerance of 1e-12;
/// `worst_of_all_m` is over all 10 000. `ideal batch` has the number of runs as its last argument.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "batch/batch.hpp"
#include "batch_race.hpp"
#include "machines/one_body/body_motion.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif
#ifdef STICKSLIP_WITH_BOOST
#include <boost/numeric/odeint.hpp>
#endif

namespace {

using namespace stickslip;
using namespace stickslip::bench;
using Case = BatchCase<stribeck::Model>;

std::vector<Case> made(std::size_t count) {
  std::vector<Case> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double coulomb = 0.8 + 0.4 * spread(i, std::sqrt(2.0));
    out[i].friction = {{coulomb, coulomb * (1.2 + 0.6 * spread(i, std::sqrt(3.0))),
                        1e-3 * (0.5 + 1.5 * spread(i, std::sqrt(5.0))), 2, StribeckForm::exponential},
                       0.2 + 0.4 * spread(i, std::sqrt(11.0))};
    out[i].body.stiffness = 1 + 2 * spread(i, std::sqrt(13.0));
    out[i].body.pull_speed = 0.05 + 0.1 * spread(i, std::sqrt(17.0));
  }
  return out;
}
const std::vector<Case>& cases() {
  static const std::vector<Case> all = made(runs);
  return all;
}
std::vector<BatchResult> run_all(const std::vector<Case>& which, double tolerance, InstructionSet set) {
  std::vector<BatchResult> results(which.size());
  simulate_batch(which, {.end = end, .relative_tolerance = tolerance, .instructions = set}, results);
  return results;
}
const std::vector<double>& reference() {
  static const std::vector<double> found = positions_of(run_all(cases(), 1e-12, chosen_instruction_set()));
  return found;
}

void in_lanes(benchmark::State& state, InstructionSet set) {
  if (!is_available(set)) return state.SkipWithError("this processor lacks it");
  std::vector<BatchResult> results;
  for (auto _ : state) results = run_all(cases(), tolerance_of(state), set);
  const auto found = positions_of(results);
  print_error(state, reference(), found);
  state.counters["worst_of_all_m"] = worst_error(reference(), found, 1);
}
BENCHMARK_CAPTURE(in_lanes, avx512, InstructionSet::avx512)->DenseRange(8, 16, 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(in_lanes, avx2, InstructionSet::avx2)->DenseRange(10, 14, 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(in_lanes, baseline, InstructionSet::baseline)->DenseRange(10, 14, 2)->Unit(benchmark::kMillisecond);

void growth(benchmark::State& state) {
  const auto which = made(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(run_all(which, 1e-6, chosen_instruction_set()));
}
BENCHMARK(growth)->Name("ideal batch")->RangeMultiplier(10)->Range(100, 100000)->Unit(benchmark::kMillisecond);

void single_runs(benchmark::State& state) {
  one_by_one(state, reference(), [](std::size_t i, double tolerance) {
    const Case& c = cases()[i];
    Body body;
    body.drive = {DriveKind::pulled_spring, c.body.stiffness, 0, 0, Signal::ramp(c.body.pull_speed)};
    Varied<stribeck::Model> friction;
    friction.forward = friction.backward = c.friction;
    SimulationOptions options;
    options.end = end;
    options.relative_tolerance = tolerance;
    return run_body<LawOf<stribeck::Model>>(body, friction, options).position;
  });
}
BENCHMARK(single_runs)->DenseRange(10, 16, 2)->UseManualTime()->Unit(benchmark::kMillisecond);

#if defined(STICKSLIP_WITH_SUNDIALS) || defined(STICKSLIP_WITH_BOOST)
/// As a rival's user writes it: at rest the release is known, so only sliding is integrated.
struct Slider {
  double coulomb, stiction, inverse_velocity, viscosity, spring, pull;

  explicit Slider(const Case& c)
      : coulomb(c.friction.coulomb_force),
        stiction(c.friction.stiction_force),
        inverse_velocity(1 / c.friction.stribeck_velocity),
        viscosity(c.friction.viscosity),
        spring(c.body.stiffness),
        pull(c.body.pull_speed) {}
  double release(double x) const { return (stiction / spring + x) / pull; }
  double acceleration(double t, double x, double v) const {
    const double r = v * inverse_velocity;
    return spring * (pull * t - x) - coulomb - (stiction - coulomb) * std::exp(-r * r) - viscosity * v;
  }
};
#endif

#ifdef STICKSLIP_WITH_SUNDIALS
/// Set up once, then one run after the other.
class CvodeSlider {
 public:
  CvodeSlider() {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(2, context_);
    N_VConst(0, y_);
    cvode_ = CVodeCreate(CV_ADAMS, context_);
    CVodeInit(cvode_, slide, 0, y_);
    CVodeSetUserData(cvode_, &slider_);
    CVodeRootInit(cvode_, 1, comes_to_rest);
    int falling = -1;
    CVodeSetRootDirection(cvode_, &falling);
    iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    CVodeSetNonlinearSolver(cvode_, iteration_);
    CVodeSetMaxNumSteps(cvode_, 1000000);
  }
  ~CvodeSlider() {
    CVodeFree(&cvode_);
    SUNNonlinSolFree(iteration_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  CvodeSlider(const CvodeSlider&) = delete;
  CvodeSlider& operator=(const CvodeSlider&) = delete;

  double position_at_end(const Case& c, double tolerance) {
    slider_ = Slider(c);
    N_VConst(0, y_);
    CVodeSStolerances(cvode_, tolerance, 1e-3 * tolerance);
    double t = 0;
    for (double begin = slider_.release(0); begin < end; begin = slider_.release(NV_Ith_S(y_, 0))) {
      NV_Ith_S(y_, 1) = 0;
      CVodeReInit(cvode_, begin, y_);
      CVodeSetStopTime(cvode_, end);
      if (CVode(cvode_, end, y_, &t, CV_NORMAL) != CV_ROOT_RETURN) break;
    }
    return NV_Ith_S(y_, 0);
  }

 private:
  static int slide(double t, N_Vector y, N_Vector dy, void* slider) {
    NV_Ith_S(dy, 0) = NV_Ith_S(y, 1);
    NV_Ith_S(dy, 1) = static_cast<Slider*>(slider)->acceleration(t, NV_Ith_S(y, 0), NV_Ith_S(y, 1));
    return 0;
  }
  static int comes_to_rest(double, N_Vector y, double* g, void*) {
    g[0] = NV_Ith_S(y, 1);
    return 0;
  }
  Slider slider_{cases()[0]};
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* cvode_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
};
void cvode_adams(benchmark::State& state) {
  CvodeSlider cvode;
  one_by_one(state, reference(),
             [&](std::size_t i, double tolerance) { return cvode.position_at_end(cases()[i], tolerance); });
}
BENCHMARK(cvode_adams)
    ->Name("CVODE Adams, rootfinding")
    ->DenseRange(12, 20, 2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
#endif

#ifdef STICKSLIP_WITH_BOOST
double odeint_position(const Case& c, double tolerance) {
  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 2>;
  const Slider slider(c);
  const auto slide = [&](const State& y, State& dy, double t) {
    dy[0] = y[1];
    dy[1] = slider.acceleration(t, y[0], y[1]);
  };
  State y{0, 0}, between{};
  for (double begin = slider.release(0); begin < end; begin = slider.release(y[0])) {
    y[1] = 0;
    auto stepper = odeint::make_dense_output(1e-3 * tolerance, tolerance, odeint::runge_kutta_dopri5<State>());
    stepper.initialize(y, begin, 1e-3);
    double from = begin, to = begin;
    while (to < end && stepper.current_state()[1] >= 0) std::tie(from, to) = stepper.do_step(slide);
    double low = from, high = std::min(to, end);
    stepper.calc_state(high, y);
    if (y[1] >= 0) return y[0];
    while (high - low > 1e-13 * high) {
      const double middle = 0.5 * (low + high);
      stepper.calc_state(middle, between);
      (between[1] > 0 ? low : high) = middle;
    }
    stepper.calc_state(high, y);
  }
  return y[0];
}
void odeint_dopri5(benchmark::State& state) {
  one_by_one(state, reference(),
             [](std::size_t i, double tolerance) { return odeint_position(cases()[i], tolerance); });
}
BENCHMARK(odeint_dopri5)
    ->Name("Boost.odeint dopri5, bisection")
    ->DenseRange(10, 16, 2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
#endif

}  // namespace
