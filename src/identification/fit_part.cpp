#include "identification/fit_part.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "identification/motion_force.hpp"

namespace stickslip::inline identification {

namespace {

/// Which samples of a piece are kept: every `stride`-th from `first` up to `end`, and of these `scored` from one on.
struct Kept {
  std::size_t first = 0, end = 0, stride = 1, scored = 0;
  /// The place of a sample among those that are kept, or of the next one that is.
  std::size_t place(std::size_t sample) const { return (sample - std::min(sample, first) + stride - 1) / stride; }
  /// The same, or of the one before it.
  std::size_t place_before(std::size_t sample) const { return (sample - std::min(sample, first)) / stride; }
};

FitPiece part_of(const FitPiece& p, const Kept& kept) {
  FitPiece q;
  q.unit = p.unit;
  q.led_by = p.led_by;
  q.largest_threshold = p.largest_threshold;
  q.force_noise = p.force_noise;
  const auto keep = [&](const auto& from, auto& into) {
    if (from.empty()) return;
    into.reserve((kept.end - kept.first + kept.stride - 1) / kept.stride);
    for (std::size_t i = kept.first; i < kept.end; i += kept.stride) into.push_back(from[i]);
  };
  keep(p.motion.time, q.motion.time), keep(p.motion.position, q.motion.position);
  keep(p.motion.load, q.motion.load), keep(p.motion.pressure, q.motion.pressure);
  keep(p.motion.temperature, q.motion.temperature);
  keep(p.force, q.force), keep(p.may_rest, q.may_rest);
  keep(p.blurred, q.blurred), keep(p.sticking_force, q.sticking_force);
  for (Release r : p.releases)
    if (r.begin >= kept.first && r.sample < kept.end) {
      r.sample = std::min(kept.place_before(r.sample), q.size() - 1);
      r.begin = std::min(kept.place_before(r.begin), r.sample);
      q.releases.push_back(r);
    }
  // What the law holds at the first sample of a block is not known: no sample is settled by what came before it.
  q.settled = kept.first > 0 ? 1 : kept.place(p.settled);
  for (const Stretch& s : p.estimation.stretches()) {
    const std::size_t behind = std::min(s.first + s.count, kept.end), from = std::max(s.first, kept.scored);
    if (behind <= from) continue;
    const std::size_t first = kept.place(from), end = std::min(kept.place(behind), q.size());
    if (end > first) q.estimation.add({first, end - first});
  }
  return q;
}

/// The sample of a set that has so many others of it before it.
std::size_t sample_at(const SampleSet& set, std::size_t count) {
  for (const Stretch& s : set.stretches()) {
    if (count < s.count) return s.first + count;
    count -= s.count;
  }
  return set.end() - 1;
}

/// Where so many samples of estimation end that the first of them move as widely as all do, or nearly; nothing where they do not, or other
/// samples lie between them.
std::optional<std::size_t> end_of_beginning(const FitData& data, std::size_t most) {
  constexpr double nearly = 0.6;
  std::size_t stretches = 0;
  const FitPiece* only = nullptr;
  for (const FitPiece& p : data.pieces)
    if (!p.estimation.empty()) stretches += p.estimation.stretches().size(), only = &p;
  if (stretches != 1 || only->estimation.count() <= most) return {};
  const std::span<const double> x(only->motion.position);
  const std::size_t first = only->estimation.first();
  if (!(half_range(x.subspan(first, most)) >= nearly * half_range(x.subspan(first, only->estimation.count()))))
    return {};
  return first + most;
}

}  // namespace

FitData shortened(const FitData& data, std::size_t most) {
  if (auto beginning = beginning_of(data, most)) return std::move(*beginning);
  const std::size_t count = scored_count(data, &FitPiece::estimation);
  FitData out;
  out.scales = data.scales;
  for (const FitPiece& p : data.pieces)
    if (!p.estimation.empty())
      out.pieces.push_back(
          part_of(p, {.end = p.estimation.end(), .stride = count > most ? (count + most - 1) / most : 1}));
  return out;
}

std::optional<FitData> beginning_of(const FitData& data, std::size_t most) {
  const auto end = end_of_beginning(data, most);
  if (!end) return {};
  FitData out;
  out.scales = data.scales, out.blur = data.blur;
  for (const FitPiece& p : data.pieces)
    if (!p.estimation.empty()) out.pieces.push_back(part_of(p, {.end = *end}));
  return out;
}

FitData blocks_of(const FitData& data, std::size_t most, std::size_t blocks) {
  constexpr std::size_t longest = 4;  // of a block, in samples of estimation: others may lie between them
  const std::size_t count = scored_count(data, &FitPiece::estimation);
  if (count <= most) return data;
  FitData out;
  out.scales = data.scales, out.blur = data.blur;
  const double share = static_cast<double>(most) / static_cast<double>(count);
  for (const FitPiece& p : data.pieces) {
    const std::size_t own = p.estimation.count();
    if (own == 0) continue;
    const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(own)));
    const std::size_t parts = std::clamp<std::size_t>((own * blocks + count / 2) / count, 1, wanted);
    const std::size_t length = (wanted + parts - 1) / parts;
    std::size_t taken = 0;  // samples of estimation up to the end of the last block
    for (std::size_t k = 0; k < parts && taken < own; ++k) {
      const std::size_t middle = (2 * k + 1) * own / (2 * parts);
      const std::size_t before = std::max(taken, middle - std::min(middle, length / 2));
      taken = before + length;
      const std::size_t scored = sample_at(p.estimation, before);
      const std::size_t end = std::min(sample_at(p.estimation, taken - 1) + 1, scored + longest * length);
      out.pieces.push_back(
          part_of(p, {.first = scored - std::min(scored, length / 2), .end = end, .stride = 1, .scored = scored}));
    }
  }
  return out;
}

namespace {
constexpr std::size_t least_part = 30000;  // samples
constexpr double worth_it = 2.5;           // parts in a recording: with fewer little is saved
/// Of a recording with so many samples.
std::size_t part_size(std::size_t count) { return std::max(least_part, count / 16); }
}  // namespace

bool is_long(const FitData& data) {
  const std::size_t count = scored_count(data, &FitPiece::estimation);
  return static_cast<double>(count) >= worth_it * static_cast<double>(part_size(count));
}

FitData part_of_long(const FitData& data, std::size_t blocks) {
  const std::size_t most = part_size(scored_count(data, &FitPiece::estimation));
  if (auto beginning = beginning_of(data, most)) return std::move(*beginning);
  return blocks_of(data, most, blocks);
}

}  // namespace stickslip::inline identification
