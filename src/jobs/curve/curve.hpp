/// Friction over speed from recordings at constant speed: read, divided into steady stretches, fitted.
#pragma once
#include <string>
#include <vector>

#include "files/json.hpp"
#include "identification/experiments/static_curve.hpp"
#include "jobs/bench_tests/finding.hpp"
#include "jobs/recording_source.hpp"
#include "jobs/warn.hpp"

namespace stickslip::inline jobs {

struct CurveRequest {
  std::vector<RecordingSource> recordings;  // each may hold several speeds
  std::string each = {};                    // a column whose values divide a file into recordings of their own
  ReadOptions reading = {};
  SteadyOptions steady = {};
  std::string over = {};  // levels follow this: "load", "pressure" or "temperature"
  std::size_t degree = 1;
  ConstantLoad constant_load = ConstantLoad::where_needed;
  std::vector<std::string> forms = {};  // curves to try, by the beginning of their names; empty: all
  TimeWindow window = {};
};

struct CurveResult {
  std::vector<SteadyPoint> points;  // by speed, the fastest backward one first
  StaticCurve curve;
  bool is_rotary = false;
  Recording first = {};  // the first recording, for the model file
};

/// A recording without a stretch of constant speed is reported to `warn` if there are others. Throws Error for recordings that cannot be used.
CurveResult find_curve(const CurveRequest& request, const Warn& warn);

/// The fits of each direction, the recommended one's parameters, and what both directions say together.
std::string curve_text(const CurveResult& result, bool colour = false);
Json curve_json(const CurveResult& result);
/// All of it: tables, points, figure, and the curve as the friction model `stribeck` where one model can hold it.
TestFinding curve_finding(const CurveRequest& request, const CurveResult& result);

}  // namespace stickslip::inline jobs
