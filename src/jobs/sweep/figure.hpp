/// The figure of a sweep: lines over one parameter, maps over two, points over the first of more; and a small map for a
/// terminal. Where the sweep compares with the spring-slider, its boundary is drawn.
#pragma once
#include <string>

#include "report/figure.hpp"
#include "report/svg.hpp"
#include "sweep/run_sweep.hpp"

namespace stickslip::inline jobs {

Figure sweep_figure(const Sweep& sweep, const SweepRun& run);

/// How it is drawn on paper: maps are nearly square.
SvgOptions sweep_svg_options(const Sweep& sweep);

/// The first output over the two parameters of a grid, one character per cell; "" for any other sweep.
std::string terminal_map(const Sweep& sweep, const SweepRun& run, std::size_t width);

}  // namespace stickslip::inline jobs
