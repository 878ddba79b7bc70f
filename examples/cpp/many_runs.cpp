/// 10 000 pulled bodies in SIMD lanes and on all cores: which speeds and viscosities still stick after 40 s? Each case has its own
/// parameters and its own steps, and its result is the same in any batch and on any number of threads.
#include <iostream>
#include <stickslip/stickslip.hpp>

int main() {
  using namespace stickslip;
  const std::size_t runs = 10000;
  std::vector<BatchBody> bodies(runs);  // 1 kg each
  std::vector<double> viscosities(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    bodies[i].stiffness = 2;
    bodies[i].pull_speed = 0.05 + 0.5 * static_cast<double>(i % 100) / 100;
    viscosities[i] = 0.01 * static_cast<double>(i / 100);
  }
  const NamedBatch batch{"stribeck",
                         {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}},
                         {"viscosity"},  // differs from case to case
                         viscosities,
                         bodies};
  std::vector<BatchResult> results(runs);
  simulate_batch(batch, {.end = 60, .observe_from = 40, .threads = 0}, results);
  std::size_t sticking = 0;
  for (const BatchResult& r : results) sticking += r.least_velocity == 0;
  std::cout << sticking << " of " << runs << " still stick after 40 s\n";
}
