#include "machines/servo_pendulum/servo_batch.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/has_avx512.hpp"
#include "core/instruction_set.hpp"

namespace stickslip::inline machines {
namespace {

constexpr std::size_t width = servo_block_lanes;  // of a row

void roll_out_lanes(const ServoLaneTask& task) {
  switch (chosen_instruction_set()) {
#if STICKSLIP_HAS_AVX512
    case InstructionSet::avx512:
      return avx512::roll_out_servos(task);
#endif
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return avx2::roll_out_servos(task);
#endif
    default:
      return baseline::roll_out_servos(task);
  }
}

ServoBlock packed(std::span<const ServoLog> logs, std::span<const std::size_t> which) {
  ServoBlock b;
  b.used = which.size();
  b.interval = logs[which[0]].interval;
  for (const std::size_t k : which) b.samples = std::max(b.samples, logs[k].size());
  b.inputs.resize(3 * width * b.samples);
  b.position.resize(width * b.samples);
  b.reading.resize(width * b.samples);
  b.steps.resize(servo_step_numbers * width);
  b.start.resize(2 * width);
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::size_t k = which[std::min(lane, which.size() - 1)];
    const ServoLog& log = logs[k];
    b.log[lane] = k, b.length[lane] = static_cast<double>(log.size()), b.gain[lane] = log.firmware_gain;
    b.start[lane] = log.start_angle, b.start[width + lane] = log.start_speed;
    for (std::size_t i = 0; i < b.samples; ++i) {
      const std::size_t at = std::min(i, log.size() - 1);
      double* to = &b.inputs[3 * width * i + lane];
      to[0] = log.goal[at], to[width] = log.voltage[at], to[2 * width] = log.enabled[at];
      if (!log.position.empty()) b.position[width * i + lane] = log.position[at];
    }
  }
  return b;
}

/// Turns angles into what is reported of them `lag` samples later, in place, from the back.
void delay(ServoBlock& b, double lag) {
  if (lag == 0) return;
  const double whole = std::floor(lag), share = lag - whole;
  const std::size_t behind = static_cast<std::size_t>(std::min(whole, static_cast<double>(b.samples)));
  double* angle = b.reading.data();
  const auto at = [&](std::size_t i, std::size_t back) {
    return i >= back ? angle + (i - back) * width : b.start.data();
  };
  for (std::size_t i = b.samples; i-- > 0;) {
    const double *later = at(i, behind), *earlier = at(i, behind + 1);
    for (std::size_t lane = 0; lane < width; ++lane)
      angle[i * width + lane] = (1 - share) * later[lane] + share * earlier[lane];
  }
}

}  // namespace

ServoBatch::ServoBatch(std::span<const ServoLog> logs) : places_(logs.size()) {
  for (const ServoLog& log : logs) check(log);
  std::vector<std::size_t> order(logs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const ServoLog &p = logs[a], &q = logs[b];
    return p.interval != q.interval ? p.interval < q.interval : p.size() < q.size();
  });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && end < first + width && logs[order[end]].interval == logs[order[first]].interval) ++end;
    for (std::size_t i = first; i < end; ++i) places_[order[i]] = {blocks_.size(), i - first};
    blocks_.push_back(packed(logs, std::span<const std::size_t>(order).subspan(first, end - first)));
    first = end;
  }
}

void ServoBatch::roll_out(const ServoPendulum<double>& servo, std::size_t substeps) {
  assert(substeps > 0);
  for (ServoBlock& b : blocks_) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      const auto step = prepared(servo, b.gain[lane], b.interval / static_cast<double>(substeps));
      std::array<double, servo_step_numbers> numbers;
      static_assert(sizeof numbers == sizeof step);
      std::memcpy(numbers.data(), &step, sizeof step);
      for (std::size_t k = 0; k < numbers.size(); ++k) b.steps[k * width + lane] = numbers[k];
    }
    roll_out_lanes({.steps = b.steps.data(),
                    .start = b.start.data(),
                    .inputs = b.inputs.data(),
                    .samples = b.samples,
                    .substeps = substeps,
                    .angles = b.reading.data()});
    delay(b, servo.reading_lag / b.interval);
  }
}

double ServoBatch::reading(std::size_t log, std::size_t sample) const {
  const auto [block, lane] = places_[log];
  return blocks_[block].reading[sample * width + lane];
}

}  // namespace stickslip::inline machines
