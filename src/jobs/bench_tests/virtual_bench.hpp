/// Recordings of a breakaway test and of a sinusoidal-speed test of a body whose friction is known, as a coarse encoder reads them.
#pragma once

#include <string>
#include <vector>

#include "core/table.hpp"
#include "machines/friction/model_file.hpp"
#include "report/figure.hpp"
#include "report/page.hpp"

namespace stickslip::inline jobs {

struct VirtualBenchRequest {
  double mass = 1, resolution = 1e-3;                          // [kg], of the encoder [m]
  double sampling_time = 1e-3;                                 // of encoder and force [s]
  double stiction = 1.5, coulomb = 1, viscosity = 0.4;         // [N], [N], [N s/m]
  double stribeck_velocity = 1e-3;                             // [m/s]
  double ramp = 0.1, travel = 0.02;                            // of the breakaway test [N/s], [m]
  std::vector<double> speeds = {0.9, 1.1, 1.35, 1.6, 1.8, 2};  // velocity amplitudes of the sine test [m/s]
  double proportional = 1000, derivative = 40;                 // gains of its position loop [N/m], [N s/m]
  double force_limit = 1000;                                   // of the drive [N]
  double frequency_hz = 0.5;
  int periods = 8;       // at each amplitude
  bool is_long = false;  // 5e7 samples, not 1e6
  std::string command = {};
};

struct VirtualBench {
  Table breakaway;  // force ramps
  Table sines;      // with a column speed_wanted
  ModelFile truth;
};

/// Throws Error for a test that would take too long or that cannot end.
VirtualBench virtual_bench(const VirtualBenchRequest& request);

/// Position and force of both tests over time.
Figure virtual_bench_figure(const VirtualBench& bench);
Page virtual_bench_page(const VirtualBench& bench);

}  // namespace stickslip::inline jobs
