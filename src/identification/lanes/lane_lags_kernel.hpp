/// The products of DNLRX (lane_products.hpp) for the instruction set this is compiled for.
///
/// Differences of two signals share their products. With a_r = ∇^r a, b_s = ∇^s b and sums over the rows t₀ ... T,
///   Σ a_{r+1} b_s + Σ a_r b_{s+1} − Σ a_{r+1} b_{s+1} = a_r(T) b_s(T) − a_r(t₀−1) b_s(t₀−1)                 (1)
/// because a_r(t−1) = a_r − a_{r+1}. So of all sums with the same r + s one is enough: (1) gives its neighbours, from the
/// highest r + s down, and nothing cancels: all terms are as large as the result. A pair of operators with R differences
/// each takes 2 R − 1 sums instead of R², an operator with itself R; sums with the constant are differences of ends.
/// Deflections are kept for a block of rows; their differences are formed again wherever they are needed.
#pragma once

#include "core/lanes.hpp"
#include "identification/lanes/lane_products_kernel.hpp"

namespace stickslip::STICKSLIP_LANES {

inline constexpr std::size_t lag_rows = 64, lag_halo = most_lane_lags;  // of a block; rows before it
using LagRows = Native[lag_halo + lag_rows];

/// Which a_r stands for all sums with the same r + s = sum, r < R and s < P.
constexpr std::size_t summed_row(std::size_t sum, std::size_t R, std::size_t P) {
  const std::size_t low = sum < P ? 0 : sum - (P - 1), high = sum < R ? sum : R - 1, middle = sum / 2;
  return middle < low ? low : middle > high ? high : middle;
}

/// y and its differences at a row.
template <std::size_t R>
struct Differences {
  Native of[R];

  STICKSLIP_INLINE void push(Native newest) {
#pragma GCC unroll 4
    for (std::size_t r = 0; r < R; ++r) {
      const Native older = of[r];
      of[r] = newest;
      newest = newest - older;
    }
  }
};
/// At row `at` of a block, from the rows up to it.
template <std::size_t R>
STICKSLIP_INLINE Differences<R> differences_at(const LagRows& rows, std::size_t at) {
  Differences<R> d{};
  for (std::size_t i = R; i-- > 0;) d.push(rows[at - i]);
  return d;
}

/// Sums of one operator with itself, with F and with 1.
template <std::size_t R>
struct OperatorSums {
  Native own[R]{}, with_force[R]{}, plain{};

  void add(const LagRows& rows, std::size_t begin, std::size_t end, const double* force) {
    OperatorSums sums = *this;
    Differences<R> a = differences_at<R>(rows, begin - 1);
    for (std::size_t i = begin; i < end; ++i, ++force) {
      a.push(rows[i]);
      sums.plain += a.of[0];
#pragma GCC unroll 4
      for (std::size_t r = 0; r < R; ++r) sums.own[r] += a.of[r] * a.of[r], sums.with_force[r] += a.of[r] * *force;
    }
    *this = sums;
  }
};

/// Sums of one operator with P differences of the position.
template <std::size_t R>
struct PositionSums {
  Native with[R + most_lane_positions]{};

  template <std::size_t P>
  void add(const LagRows& rows, std::size_t begin, std::size_t end, const double* positions) {
    PositionSums sums = *this;
    Differences<R> a = differences_at<R>(rows, begin - 1);
    for (std::size_t i = begin; i < end; ++i, positions += P) {
      a.push(rows[i]);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < R + P - 1; ++k) {
        const std::size_t r = summed_row(k, R, P);
        sums.with[k] += a.of[r] * positions[k - r];
      }
    }
    *this = sums;
  }
  void add(std::size_t count, const LagRows& rows, std::size_t begin, std::size_t end, const double* positions) {
    static_assert(most_lane_positions == 4);
    if (count == 1) add<1>(rows, begin, end, positions);
    if (count == 2) add<2>(rows, begin, end, positions);
    if (count == 3) add<3>(rows, begin, end, positions);
    if (count == 4) add<4>(rows, begin, end, positions);
  }
};

/// Sums of two operators with each other.
template <std::size_t R>
struct PairSums {
  Native with[2 * R - 1]{};

  void add(const LagRows& left, const LagRows& right, std::size_t begin, std::size_t end) {
    PairSums sums = *this;
    Differences<R> a = differences_at<R>(left, begin - 1), b = differences_at<R>(right, begin - 1);
    for (std::size_t i = begin; i < end; ++i) {
      a.push(left[i]), b.push(right[i]);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 2 * R - 1; ++k) {
        const std::size_t r = summed_row(k, R, R);
        sums.with[k] += a.of[r] * b.of[k - r];
      }
    }
    *this = sums;
  }
};

/// All sums of a_r b_s, in lanes or of one pair.
template <class V>
using LagBlock = V[most_lane_lags][most_lane_lags];

/// Eq. (1) from one sum per r + s, r < R and s < P; `ends` is the right side.
template <class V, class Ends>
STICKSLIP_INLINE void fill_block(const V* summed, std::size_t R, std::size_t P, Ends&& ends, LagBlock<V>& block) {
  for (std::size_t k = R + P - 1; k-- > 0;) {
    const std::size_t r = summed_row(k, R, P);
    block[r][k - r] = summed[k];
    for (std::size_t i = r; i + 1 < R && k > i; ++i)
      block[i + 1][k - i - 1] = ends(i, k - i - 1) + block[i + 1][k - i] - block[i][k - i];
    for (std::size_t i = r; i > 0 && k - i + 1 < P; --i)
      block[i - 1][k - i + 1] = ends(i - 1, k - i) + block[i][k - i + 1] - block[i][k - i];
  }
}

/// One vector of candidates through the whole recording.
template <std::size_t R>
class LaggedSums {
 public:
  LaggedSums(const LaggedProducts& task, std::size_t first, std::size_t count) : task_(task) {
    for (std::size_t m = 0; m < task.operators; ++m) {
      threshold_[m] = gathered<native_lanes>(task.thresholds.data(), task.operators, first, count, m).part[0];
      for (std::size_t i = 0; i < lag_halo; ++i) rows_[m][i] = task.side * threshold_[m];
    }
    for (std::size_t t = 0; t < task.steps.size(); t += lag_rows) add_rows(t);
  }

  /// The lower triangle, column by column.
  void put(std::size_t first, std::size_t count) {
    const std::size_t operators = task_.operators, P = task_.positions, ones = operators * R + P, size = ones + 2;
    const std::size_t samples = task_.steps.size();
    const double* positions = task_.position_differences.data();
    const double *x_before = positions + (task_.past > 0 ? task_.past - 1 : 0) * P,
                 *x_last = positions + (samples - 1) * P;
    const auto write = [&](Native entry, std::size_t row, std::size_t column) {
      for (std::size_t lane = 0; lane < native_lanes && first + lane < count; ++lane)
        task_.products[(first + lane) * size * size + column * size + row] = entry[lane];
    };
    LagBlock<Native> block;
    for (std::size_t m = 0; m < operators; ++m) {
      const Differences<R>&a0 = before_[m], &a1 = last_[m];
      // A signal with itself: the two neighbours in the middle of (1) are equal.
      Native summed[2 * R - 1];
      for (std::size_t r = 0; r < R; ++r) summed[2 * r] = operator_[m].own[r];
      for (std::size_t r = 0; r + 1 < R; ++r)
        summed[2 * r + 1] = 0.5 * (a1.of[r] * a1.of[r] - a0.of[r] * a0.of[r] + summed[2 * r + 2]);
      for (std::size_t j = 0; j <= m; ++j) {
        const Differences<R>&b0 = before_[j], &b1 = last_[j];
        fill_block(
            j == m ? summed : pair_[m][j].with, R, R,
            [&](std::size_t r, std::size_t s) { return a1.of[r] * b1.of[s] - a0.of[r] * b0.of[s]; }, block);
        for (std::size_t r = 0; r < R; ++r)
          for (std::size_t s = 0; s < R; ++s)
            if (j < m || s <= r) write(block[r][s], m * R + r, j * R + s);
      }
      if (P > 0)
        fill_block(
            position_[m].with, R, P,
            [&](std::size_t r, std::size_t s) { return a1.of[r] * x_last[s] - a0.of[r] * x_before[s]; }, block);
      for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t s = 0; s < P; ++s) write(block[r][s], operators * R + s, m * R + r);
        write(r == 0 ? operator_[m].plain : a1.of[r - 1] - a0.of[r - 1], ones, m * R + r);
        write(operator_[m].with_force[r], ones + 1, m * R + r);
      }
    }
  }

 private:
  void add_rows(std::size_t t) {
    const std::size_t operators = task_.operators, left = task_.steps.size() - t;
    const std::size_t here = left < lag_rows ? left : lag_rows, end = lag_halo + here;
    const double* steps = task_.steps.data() + t;
    std::size_t moved = 0;
    for (; moved + 2 <= operators; moved += 2) deflect<2>(rows_ + moved, threshold_ + moved, steps, here);
    for (; moved < operators; ++moved) deflect<1>(rows_ + moved, threshold_ + moved, steps, here);
    const std::size_t begin = lag_halo + (t == 0 ? task_.past : 0), row = t + begin - lag_halo;
    for (std::size_t m = 0; m < operators; ++m) {
      if (t == 0) before_[m] = differences_at<R>(rows_[m], begin - 1);
      if (here == left) last_[m] = differences_at<R>(rows_[m], end - 1);
      operator_[m].add(rows_[m], begin, end, task_.force.data() + row);
      position_[m].add(task_.positions, rows_[m], begin, end,
                       task_.position_differences.data() + row * task_.positions);
      for (std::size_t j = 0; j < m; ++j) pair_[m][j].add(rows_[m], rows_[j], begin, end);
    }
    for (std::size_t m = 0; m < operators; ++m)
      for (std::size_t i = 0; i < lag_halo; ++i) rows_[m][i] = rows_[m][here + i];
  }
  /// Several operators side by side: each waits for its own clamp.
  template <std::size_t Count>
  static void deflect(LagRows* rows, const Native* limit, const double* steps, std::size_t count) {
    Native delta[Count];
    for (std::size_t m = 0; m < Count; ++m) delta[m] = rows[m][lag_halo - 1];
    for (std::size_t i = 0; i < count; ++i)
#pragma GCC unroll 4
      for (std::size_t m = 0; m < Count; ++m) {
        Native moved = delta[m] + steps[i];
        moved = moved < -limit[m] ? -limit[m] : moved;
        delta[m] = moved > limit[m] ? limit[m] : moved;
        rows[m][lag_halo + i] = delta[m];
      }
  }

  const LaggedProducts& task_;
  LagRows rows_[most_lane_operators];
  OperatorSums<R> operator_[most_lane_operators];
  PositionSums<R> position_[most_lane_operators];
  PairSums<R> pair_[most_lane_operators][most_lane_operators];
  Differences<R> before_[most_lane_operators]{}, last_[most_lane_operators]{};  // at t₀ − 1 and T
  Native threshold_[most_lane_operators];
};

template <std::size_t R>
void sum_lags(const LaggedProducts& task) {
  const std::size_t count = task.thresholds.size() / task.operators, P = task.positions;
  const std::size_t before = task.operators * R, size = before + P + 2;
  for (std::size_t first = 0; first < count; first += native_lanes) LaggedSums<R>(task, first, count).put(first, count);
  // Positions, 1 and F: the same for all candidates.
  double common[most_lane_positions + 2][most_lane_positions + 2]{}, row[most_lane_positions + 2];
  for (std::size_t t = task.past; t < task.steps.size(); ++t) {
    for (std::size_t s = 0; s < P; ++s) row[s] = task.position_differences[t * P + s];
    row[P] = 1, row[P + 1] = task.force[t];
    for (std::size_t i = 0; i < P + 2; ++i)
      for (std::size_t j = 0; j <= i; ++j) common[i][j] += row[i] * row[j];
  }
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t i = 0; i < P + 2; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        task.products[c * size * size + (before + j) * size + before + i] = common[i][j];
}

void sum_products(const LaggedProducts& task) {
  static_assert(most_lane_lags == 4);
  if (task.lags == 1) sum_lags<1>(task);
  if (task.lags == 2) sum_lags<2>(task);
  if (task.lags == 3) sum_lags<3>(task);
  if (task.lags == 4) sum_lags<4>(task);
}

}  // namespace stickslip::STICKSLIP_LANES
