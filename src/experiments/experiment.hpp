/// A published experiment: what it runs, the numbers it must give, and its figures.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.hpp"
#include "report/figure.hpp"
#include "report/progress.hpp"

namespace stickslip::inline experiments {

/// Where the reference of a row comes from.
enum class Origin {
  printed,      // a number the paper prints
  independent,  // a closed form, or computed by other programs from the paper's equations and parameters
  self_check    // a bound, a law or a second run of ours: no reference from outside
};

/// One number of an experiment beside its reference.
struct ComparedRow {
  std::string quantity, unit;
  double reference = 0, ours = 0;
  double tolerance = 0;                                      // absolute, in the same unit
  enum class Rule { near, below, above } rule = Rule::near;  // below: ours <= reference; above: ours >= reference
  Origin origin = Origin::independent;
  bool ok() const {
    if (!std::isfinite(ours)) return false;
    if (rule == Rule::below) return ours <= reference;
    if (rule == Rule::above) return ours >= reference;
    return std::fabs(ours - reference) <= tolerance;
  }
};

/// How many rows there are of each origin.
struct OriginCounts {
  std::size_t printed = 0, independent = 0, self_checks = 0;
  std::size_t all() const { return printed + independent + self_checks; }
};
OriginCounts count_origins(const std::vector<ComparedRow>& rows);
/// "printed", "independent" or "self-check".
std::string_view origin_name(Origin origin);

struct NamedFigure {
  std::string name;  // file name without ending
  Figure figure;
};
struct NamedTable {
  std::string name;
  Table table;
};

struct Reproduction {
  std::vector<ComparedRow> rows;
  std::vector<NamedFigure> figures;
  std::vector<NamedTable> tables;
  std::vector<std::string> remarks;  // where the paper's sentence does not hold, a line each
};

struct Experiment {
  std::string name;   // "stick-slip"
  std::string title;  // "Stick-slip of a pulled mass"
  std::string paper;  // "Nouailletas 2010 Fig 3-4"
  Reproduction (*run)(Progress& progress);
  std::string setup = {};  // equations by number and parameters, in a sentence or two
};

/// In the order of src/experiments/CMakeLists.txt.
std::vector<const Experiment*> all_experiments();

}  // namespace stickslip::inline experiments
