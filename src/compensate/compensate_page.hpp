/// The report of a compensation, and what it found as JSON and tables.
#pragma once

#include "compensate/rivals.hpp"
#include "compensate/stair_map.hpp"
#include "files/json.hpp"
#include "report/how_to_repeat.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace stickslip::inline compensation {

struct Compensation {
  ModelFile model;  // what the controller knows
  AxisPlan plan;
  std::shared_ptr<const Friction> known;
  RivalResults results;
  StairMap map;
};

/// "against friction, rms error, after a reversal, at rest": the first column marks the recommended one.
TextTable rival_table(const Compensation& c);
/// Predicted beside seen.
TextTable hunting_table(const Compensation& c);
/// Where hunting ends over the gains, from both sides; no rows: not found.
TextTable hunting_boundary_table(const Compensation& c);
TextTable boundary_table(const Compensation& c);
/// In plain sentences: gains, stability, stairs.
std::vector<std::string> findings(const Compensation& c);

/// Reference, and the tracking error with and without compensation.
Figure tracking_figure(const Compensation& c);

Json to_json(const Compensation& c);
Page compensation_page(const Compensation& c, const Provenance& provenance);

}  // namespace stickslip::inline compensation
