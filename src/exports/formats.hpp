/// Formats that carry a curve or a few numbers: tables, drives, Modelica, robot simulators, Simulink.
/// Each is made from friction at constant speeds and the breakaway force, found by moving the source, and then run again as its
/// target would (replica.hpp).
#pragma once

#include "exports/export.hpp"

namespace stickslip::inline exports {

struct FormatOptions {
  int knots = 20;      // of a table, per direction
  double fastest = 0;  // speed up to which it holds [m/s]; 0: twenty times the speed where the level fades
  double mass = 1;     // of the body in what is run again [kg]
};

/// CSV: speed and force, both directions, at the knots that leave the least error; over load, pressure or position where the source's
/// levels follow one of them by a table.
Export export_table(const ExportSource& source, const FormatOptions& options = {});
/// Drive parameters as numbers with their meaning: a table of at most 20 points with its delay after a reversal, one spring with
/// viscosity, kS and kV, Coulomb and viscous friction per direction with a threshold.
Export export_drive(const ExportSource& source, const FormatOptions& options = {});
/// A friction element as those of the Modelica library: stuck, forward, backward, a table over speed, a peak.
Export export_modelica(const ExportSource& source, const FormatOptions& options = {});
Export export_mjcf(const ExportSource& source, const FormatOptions& options = {});
Export export_urdf(const ExportSource& source, const FormatOptions& options = {});
Export export_sdf(const ExportSource& source, const FormatOptions& options = {});
/// An .m file: parameters, a lookup table and a level-2 S-function.
Export export_simulink(const ExportSource& source, const FormatOptions& options = {});

/// The `count` places, first and last among them, between which straight lines stay closest to y; the largest error left.
struct Knots {
  std::vector<std::size_t> at;
  double error = 0;
};
Knots best_knots(const std::vector<double>& x, const std::vector<double>& y, std::size_t count);

}  // namespace stickslip::inline exports
