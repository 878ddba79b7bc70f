/// The products of a dictionary (lane_products.hpp) for the instruction set this is compiled for: rows of all columns are
/// written block by block, thresholds in lanes, and multiplied tile by tile while a tile's sums stay in registers.
#pragma once

#include "core/lanes.hpp"
#include "identification/lane_products.hpp"

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

void sum_products(const DictionaryProducts& task) {
  const std::size_t count = task.thresholds.size(), lags = task.lags;
  // Thresholds fill whole registers; a lag's columns follow those of the lag before.
  const std::size_t vectors = (count + native_lanes - 1) / native_lanes, wide = vectors * native_lanes;
  const std::size_t used = wide * lags + task.positions + 2, stride = dictionary_stride(used);
  double* block = task.workspace.data();
  double* sums = block + stride * dictionary_rows;
  double* state = sums + stride * stride;  // ∇^r δ, lag by lag
  double* level = state + wide * lags;
  double position[most_dictionary_lags]{};
  for (std::size_t i = 0; i < stride * stride; ++i) sums[i] = 0;
  for (std::size_t i = 0; i < stride * dictionary_rows; ++i) block[i] = 0;
  for (std::size_t i = 0; i < wide * lags; ++i) state[i] = 0;
  for (std::size_t k = 0; k < wide; ++k) {
    level[k] = task.thresholds[k < count ? k : count - 1];
    state[k] = task.side * level[k];
  }

  constexpr std::size_t tile = tile_registers * native_lanes;
  const std::size_t samples = task.position.size();
  std::size_t filled = 0;
  for (std::size_t t = 0; t < samples; ++t) {
    const double step = t > 0 ? task.position[t] - task.position[t - 1] : 0;
    double* row = block + filled * stride;
    for (std::size_t q = 0; q < vectors; ++q) {
      Native now, limit;
      double* own = state + q * native_lanes;
      __builtin_memcpy(&now, own, sizeof now);
      __builtin_memcpy(&limit, level + q * native_lanes, sizeof limit);
      Native moved = now + step;
      moved = moved < -limit ? -limit : moved;
      moved = moved > limit ? limit : moved;
      for (std::size_t r = 0; r < lags; ++r) {
        Native older;
        __builtin_memcpy(&older, own + r * wide, sizeof older);
        __builtin_memcpy(own + r * wide, &moved, sizeof moved);
        __builtin_memcpy(row + r * wide + q * native_lanes, &moved, sizeof moved);
        moved = moved - older;
      }
    }
    push_differences(position, 1, task.positions, task.position[t] - task.position[0]);
    for (std::size_t r = 0; r < task.positions; ++r) row[wide * lags + r] = position[r];
    row[used - 2] = 1;
    row[used - 1] = task.force[t];
    if (t < task.past) continue;
    if (++filled < dictionary_rows && t + 1 < samples) continue;
    for (std::size_t i = 0; i < stride; i += tile_rows)
      for (std::size_t j = 0; j < i + tile_rows && j < stride; j += tile) add_tile(block, filled, stride, i, j, sums);
    filled = 0;
  }

  // Back to the order and size asked for; tiles hold i ≥ j and a little more.
  const std::size_t columns = task.columns(), dictionary = count * lags;
  const auto place = [&](std::size_t c) {
    return c < dictionary ? (c % lags) * wide + c / lags : wide * lags + (c - dictionary);
  };
  for (std::size_t a = 0; a < columns; ++a)
    for (std::size_t b = 0; b < columns; ++b) {
      const std::size_t i = place(a), j = place(b);
      task.products[b * columns + a] = i >= j ? sums[i * stride + j] : sums[j * stride + i];
    }
}

}  // namespace stickslip::STICKSLIP_LANES
