/// A published experiment: what it runs, the numbers it must give, and its figures.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/table.hpp"
#include "report/figure.hpp"
#include "report/progress.hpp"

namespace stickslip {

/// One number of the published experiment beside ours.
struct ComparedRow {
  std::string quantity, unit;
  double reference = 0, ours = 0;
  double tolerance = 0;                                      // absolute, in the same unit
  enum class Rule { near, below, above } rule = Rule::near;  // below: ours <= reference; above: ours >= reference
  bool ok() const {
    if (!std::isfinite(ours)) return false;
    if (rule == Rule::below) return ours <= reference;
    if (rule == Rule::above) return ours >= reference;
    return std::fabs(ours - reference) <= tolerance;
  }
};

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
  std::string paper;  // "P0 Fig 3-4"
  Reproduction (*run)(Progress& progress);
  std::string setup = {};  // equations by number and parameters, in a sentence or two
};

/// In the order of src/experiments/CMakeLists.txt.
std::vector<const Experiment*> all_experiments();

}  // namespace stickslip
