/// The products of a dictionary (lane_products.hpp) for the instruction set this is compiled for: rows of all columns are
/// written block by block, thresholds in lanes, and multiplied tile by tile while a tile's sums stay in registers. Of all
/// products of differences only those are summed up that the others follow from (lane_lags_kernel.hpp, eq 1).
#pragma once

#include "core/lanes.hpp"
#include "identification/lanes/lane_lags_kernel.hpp"
#include "identification/lanes/lane_products.hpp"

namespace stickslip::STICKSLIP_LANES {

/// A tile whose sums fit into the registers beside what they are made of.
inline constexpr std::size_t tile_rows = native_lanes == 8 ? 8 : 4, tile_registers = native_lanes == 8 ? 3 : 2;

/// Adds the products of columns [i, i + tile_rows) with [j, j + tile_registers registers) over a block of rows.
STICKSLIP_INLINE void add_tile(const double* block, std::size_t rows, std::size_t stride, std::size_t i, std::size_t j,
                               double* sums) {
  constexpr std::size_t registers = tile_registers;
  Native sum[tile_rows][registers];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < tile_rows; ++r)
#pragma GCC unroll 3
    for (std::size_t c = 0; c < registers; ++c)
      __builtin_memcpy(&sum[r][c], sums + (i + r) * stride + j + c * native_lanes, sizeof(Native));
  for (std::size_t t = 0; t < rows; ++t) {
    const double* row = block + t * stride;
    Native right[registers];
#pragma GCC unroll 3
    for (std::size_t c = 0; c < registers; ++c)  // one by one: a longer copy would go through memory
      __builtin_memcpy(&right[c], row + j + c * native_lanes, sizeof(Native));
#pragma GCC unroll 8
    for (std::size_t r = 0; r < tile_rows; ++r) {
      const double left = row[i + r];
#pragma GCC unroll 3
      for (std::size_t c = 0; c < registers; ++c) sum[r][c] += left * right[c];
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < tile_rows; ++r)
#pragma GCC unroll 3
    for (std::size_t c = 0; c < registers; ++c)
      __builtin_memcpy(sums + (i + r) * stride + j + c * native_lanes, &sum[r][c], sizeof(Native));
}

/// y and its differences from the new y: ∇^r y(t) = ∇^{r−1} y(t) − ∇^{r−1} y(t−1).
template <class T>
STICKSLIP_INLINE void push_differences(T* differences, std::size_t stride, std::size_t lags, T newest) {
  for (std::size_t r = 0; r < lags; ++r) {
    const T older = differences[r * stride];
    differences[r * stride] = newest;
    newest = newest - older;
  }
}

/// Columns while they are summed up: thresholds fill whole registers, a lag's columns follow those of the lag before, then
/// come positions, 1 and F.
struct DictionaryLayout {
  std::size_t count, lags, wide, used, stride;

  explicit DictionaryLayout(const DictionaryProducts& task)
      : count(task.thresholds.size()),
        lags(task.lags),
        wide((count + native_lanes - 1) / native_lanes * native_lanes),
        used(wide * lags + task.positions + 2),
        stride(dictionary_stride(used)) {}

  /// Whether the sums of these two registers of columns are wanted: an operator's differences with those of itself and of
  /// operators before it, the same or one less; others with everything.
  bool is_summed(std::size_t i, std::size_t j) const {
    if (i >= wide * lags) return j <= i;
    const std::size_t lag = i / wide, other = j / wide;
    return (lag == other || lag == other + 1) && i % wide >= j % wide;
  }
  bool is_summed_in_tile(std::size_t i, std::size_t j) const {
    for (std::size_t r = 0; r < tile_rows; r += native_lanes)
      for (std::size_t c = 0; c < tile_registers; ++c)
        if (is_summed(i + r, j + c * native_lanes)) return true;
    return false;
  }
};

/// Adds one sample to every threshold's differences and writes the row of all columns.
STICKSLIP_INLINE void write_row(const DictionaryLayout& layout, double step, const double* level, double* state,
                                double* row) {
  for (std::size_t k = 0; k < layout.wide; k += native_lanes) {
    Native now, limit;
    double* own = state + k;
    __builtin_memcpy(&now, own, sizeof now);
    __builtin_memcpy(&limit, level + k, sizeof limit);
    Native moved = now + step;
    moved = moved < -limit ? -limit : moved;
    moved = moved > limit ? limit : moved;
    for (std::size_t r = 0; r < layout.lags; ++r) {
      Native older;
      __builtin_memcpy(&older, own + r * layout.wide, sizeof older);
      __builtin_memcpy(own + r * layout.wide, &moved, sizeof moved);
      __builtin_memcpy(row + r * layout.wide + k, &moved, sizeof moved);
      moved = moved - older;
    }
  }
}

/// All products in the order asked for; `before` and `last` are the differences at t₀ − 1 and T.
STICKSLIP_INLINE void write_products(const DictionaryProducts& task, const DictionaryLayout& layout, const double* sums,
                                     const double* before, const double* last) {
  const std::size_t columns = task.columns(), R = layout.lags, wide = layout.wide, dictionary = layout.count * R;
  const auto put = [&](std::size_t a, std::size_t b, double x) {
    task.products[a * columns + b] = task.products[b * columns + a] = x;
  };
  LagBlock<double> block;
  double summed[2 * most_lane_lags];
  for (std::size_t a = 0; a < layout.count; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t r = 0; r < R; ++r) {
        const std::size_t i = r * wide + a, j = r * wide + b;
        summed[2 * r] = sums[i * layout.stride + j];
        if (r + 1 < R) summed[2 * r + 1] = sums[(i + wide) * layout.stride + j];
      }
      fill_block(
          summed, R, R,
          [&](std::size_t r, std::size_t s) {
            const std::size_t i = r * wide + b, j = s * wide + a;
            return last[i] * last[j] - before[i] * before[j];
          },
          block);
      for (std::size_t r = 0; r < R; ++r)
        for (std::size_t s = 0; s < R; ++s) put(b * R + r, a * R + s, block[r][s]);
    }
  for (std::size_t o = 0; o < columns - dictionary; ++o) {
    const double* row = sums + (wide * R + o) * layout.stride;
    for (std::size_t c = 0; c < dictionary; ++c) put(dictionary + o, c, row[(c % R) * wide + c / R]);
    for (std::size_t c = 0; c <= o; ++c) put(dictionary + o, dictionary + c, row[wide * R + c]);
  }
}

void sum_products(const DictionaryProducts& task) {
  const DictionaryLayout layout(task);
  const std::size_t wide = layout.wide, lags = layout.lags, stride = layout.stride;
  double* block = task.workspace.data();
  double* sums = block + stride * dictionary_rows;
  double* state = sums + stride * stride;  // ∇^r δ, lag by lag
  double* before = state + wide * lags;    // the same at t₀ − 1
  double* level = before + wide * lags;
  double position[most_dictionary_lags]{};
  for (std::size_t i = 0; i < stride * stride; ++i) sums[i] = 0;
  for (std::size_t i = 0; i < stride * dictionary_rows; ++i) block[i] = 0;
  for (std::size_t i = 0; i < 2 * wide * lags; ++i) state[i] = 0;
  for (std::size_t k = 0; k < wide; ++k) {
    level[k] = task.thresholds[k < layout.count ? k : layout.count - 1];
    state[k] = task.side * level[k];
  }

  constexpr std::size_t tile = tile_registers * native_lanes;
  const std::size_t samples = task.position.size();
  std::size_t filled = 0;
  for (std::size_t t = 0; t < samples; ++t) {
    if (t == task.past) __builtin_memcpy(before, state, wide * lags * sizeof(double));
    double* row = block + filled * stride;
    write_row(layout, t > 0 ? task.position[t] - task.position[t - 1] : 0, level, state, row);
    push_differences(position, 1, task.positions, task.position[t] - task.position[0]);
    for (std::size_t r = 0; r < task.positions; ++r) row[wide * lags + r] = position[r];
    row[layout.used - 2] = 1;
    row[layout.used - 1] = task.force[t];
    if (t < task.past) continue;
    if (++filled < dictionary_rows && t + 1 < samples) continue;
    for (std::size_t i = 0; i < stride; i += tile_rows)
      for (std::size_t j = 0; j < i + tile_rows && j < stride; j += tile)
        if (layout.is_summed_in_tile(i, j)) add_tile(block, filled, stride, i, j, sums);
    filled = 0;
  }
  write_products(task, layout, sums, before, state);
}

}  // namespace stickslip::STICKSLIP_LANES
