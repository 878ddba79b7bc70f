/// Equal stretches of a linear motion by cached exponentials:  dξ/ds = A ξ,  ξ(s + h) = exp(hA) ξ(s),  eight numbers in ξ.
///   ξ(s) = ξ + φ(s) Aξ,   φ(s) = ∫ exp(uA) du from 0 to s                                                        (1)
/// For every quantity r·ξ that is asked for there is a table, made once:  T[i][p] = L_p(r φ(s) e_i), where the L_p are linear in a
/// polynomial of s: its values at some points, or its Bernstein coefficients. A stretch then has L_p = L_p(r·ξ) + Σ_i (Aξ)_i T[i][p].
/// Rates, not states, meet the tables: bodies that turn together at any speed leave no rounding error in what is between them.
/// What is done with these tables, on the instruction set of this machine; mechanism_glide.hpp has the use.
#pragma once

#include <array>
#include <cstddef>

#include "machines/mechanism/series.hpp"

namespace stickslip::inline machines {

inline constexpr std::size_t glide_width = 8;  // numbers in ξ
/// The last two: time, whose rate is 1, and 1, whose rate is 0 and meets no table.
inline constexpr std::size_t glide_clock = 6, glide_one = 7;
using GlideVector = std::array<double, glide_width>;

/// One number of A.
struct GlideEntry {
  std::size_t row, column;
  double value;
};

/// h (hA)^k/(k + 1)! for k = 0 .. 31, the terms of φ(h) with θ^(k+1): order k, row l, column i at [64 k + 8 l + i].
using GlidePowers = std::array<double, Series::length * glide_width * glide_width>;
/// The same of one row: order k, column i at [8 k + i].
using GlideRow = std::array<double, Series::length * glide_width>;
/// Column i, row l at [8 i + l].
using GlideMatrix = std::array<double, glide_width * glide_width>;

/// Several stretches one after the other: what they read, and what they carry on.
struct GlideRun {
  double length = 0, since = 0;              // of a stretch [s]; ξ's clock when the first one starts
  std::size_t active = glide_one;            // the first numbers of Aξ; the others change nothing that is asked for
  alignas(64) GlideVector x{}, travelled{};  // ξ; ∫ ξ ds
  const double *rate = nullptr, *end = nullptr, *travel = nullptr,
               *phase = nullptr;  // A, φ(h), ∫ φ(s) ds, φ(first sample)

  const double* rows =
      nullptr;  // eight columns of all rows but those of samples: lines in whole eights, guards, factors
  std::size_t row_blocks = 0;

  const double* falls = nullptr;  // per guard: eight columns of glide_falls Bernstein coefficients
  const double *doubt = nullptr, *rate_doubt = nullptr;  // per |ξ| and per |Aξ|: column i at [glide_guards i + guard]
  std::size_t guards = 0;

  const double* sums = nullptr;  // per eight rows: columns of eight ∫ and eight ∫ θ
  std::size_t sum_blocks = 0;
  double *integral = nullptr, *moment = nullptr, *timed = nullptr;  // per row: Σ ∫, Σ ∫ θ, Σ clock ∫

  const double* nodes = nullptr;  // per factor: eight columns of values at Gauss's nodes
  const std::array<std::size_t, 2>* pairs = nullptr;
  std::size_t factors = 0, products = 0;
  double *at_nodes = nullptr, *product = nullptr;  // per pair: Σ ∫ a b

  const double *output_rows = nullptr,
               *outputs = nullptr;  // eight columns of the rows; per column of samples: eight columns
  std::size_t samples = 0, columns = 0, output_blocks = 0;
  double* const* out = nullptr;
};
inline constexpr std::size_t most_glide_rows = 64, most_glide_outputs = 64;
inline constexpr std::size_t glide_falls = 24;   // terms of a guard that are looked at
inline constexpr std::size_t glide_guards = 16;  // at most

struct GlideKernels {
  /// `first[l]` to `first[l + 1]` are the entries of row l.
  void (*expand)(const GlideEntry* entries, const std::size_t* first, double h, double* powers);
  /// From h to part h.
  void (*stretch)(double* powers, double part);
  /// The column of the clock, from that of A, which is `slope`; `matrix` is A column by column.
  void (*ramp)(const double* matrix, const double* slope, double h, double* powers);
  void (*row)(const double* powers, const double* r, double* out);
  /// Per column of a row: ∫ dθ, ∫ θ dθ, Σ |.| of the terms below θ^glide_falls, and of the others.
  void (*sums)(const double* row, double* integral, double* moment, double* size, double* late);
  /// Per column of a row: Σ_k weight[k].
  void (*weigh)(const double* row, const double* weight, double* out);
  /// Σ_k weight[k] of the powers, column by column.
  void (*sum)(const double* powers, const double* weight, double* matrix);
  /// T[i][p] = Σ_k row[8 k + i] form[k form_stride + p] of `terms` orders, for `points` p (a multiple of eight) and the columns from
  /// `from` to `to`, without it; T has rows of `stride`.
  void (*table)(const double* row, std::size_t terms, const double* form, std::size_t points, std::size_t from,
                std::size_t to, double* table, std::size_t stride);
  /// The eight points behind those of a table:  φ(s + 8δ) = φ(8δ) + φ(s) exp(8δ A);  `matrix` is exp(8δ A), `ahead` r φ(8δ).
  void (*shift)(const double* matrix, const double* ahead, std::size_t from, std::size_t to, double* table,
                std::size_t stride);
  /// At most `most` stretches, as long as no guard can fall; their number.
  std::size_t (*run)(GlideRun& run, std::size_t most);
};

const GlideKernels& glide_kernels();

}  // namespace stickslip::inline machines

namespace stickslip::baseline {
extern const GlideKernels glide_kernels;
}
namespace stickslip::avx2 {
extern const GlideKernels glide_kernels;
}
namespace stickslip::avx512 {
extern const GlideKernels glide_kernels;
}
