/// glide.hpp for the instruction set this is compiled for.
#pragma once

#include "machines/mechanism/glide.hpp"
#include "machines/mechanism/lane_block.hpp"

namespace stickslip::STICKSLIP_LANES {

namespace {

constexpr std::size_t orders = Series::length, square = glide_width * glide_width;

void expand(const GlideEntry* entries, const std::size_t* first, double h, double* powers) {
  for (std::size_t i = 0; i < square; ++i) powers[i] = i % (glide_width + 1) == 0 ? h : 0;
  for (std::size_t k = 0; k + 1 < orders; ++k) {
    const double* now = powers + k * square;
    for (std::size_t l = 0; l < glide_width; ++l) {
      Block sum[2] = {};
      std::size_t e = first[l];
      for (; e + 2 <= first[l + 1]; e += 2)
        for (std::size_t j = 0; j < 2; ++j)
          add(sum[j], load(now + glide_width * entries[e + j].column), entries[e + j].value);
      if (e < first[l + 1]) add(sum[0], load(now + glide_width * entries[e].column), entries[e].value);
      add(sum[0], sum[1]);
      scale(sum[0], h * inverse.of[k + 1]);
      store(powers + (k + 1) * square + glide_width * l, sum[0]);
    }
  }
}

void stretch_powers(double* powers, double part) {
  double power = part;
  for (std::size_t k = 0; k < orders; ++k, power *= part)
    for (std::size_t l = 0; l < glide_width; ++l) {
      Block b = load(powers + k * square + glide_width * l);
      scale(b, power);
      store(powers + k * square + glide_width * l, b);
    }
}

void ramp(const double* matrix, const double* slope, double h, double* powers) {
  alignas(64) double now[glide_width] = {};
  now[glide_clock] = h;
  Block next = {};  // A times it
  add(next, load(slope), h);
  for (std::size_t k = 0;; ++k) {
    for (std::size_t l = 0; l < glide_width; ++l) powers[k * square + glide_width * l + glide_clock] = now[l];
    if (k + 1 == orders) return;
    scale(next, h * inverse.of[k + 1]);
    store(now, next);
    Block sum[2] = {};
    for (std::size_t i = 0; i < glide_clock; ++i) add(sum[i % 2], load(matrix + glide_width * i), now[i]);
    add(sum[0], sum[1]);
    next = sum[0];
  }
}

void row(const double* powers, const double* r, double* out) {
  std::size_t used[glide_width], count = 0;
  for (std::size_t l = 0; l < glide_width; ++l)
    if (r[l] != 0) used[count++] = l;
  for (std::size_t k = 0; k < orders; ++k) {
    Block sum = {};
    for (std::size_t i = 0; i < count; ++i) add(sum, load(powers + k * square + glide_width * used[i]), r[used[i]]);
    store(out + glide_width * k, sum);
  }
}

void sums(const double* row, double* integral, double* moment, double* size, double* late) {
  Block of[4] = {};
  for (std::size_t k = 0; k < orders; ++k) {
    const Block c = load(row + glide_width * k);
    add(of[0], c, inverse.of[k + 1]);
    add(of[1], c, inverse.of[k + 2]);
    Block& sizes = of[k + 1 < glide_falls ? 2 : 3];
    for (std::size_t v = 0; v < vectors; ++v) sizes.v[v] += c.v[v] < 0 ? -c.v[v] : c.v[v];
  }
  store(integral, of[0]), store(moment, of[1]), store(size, of[2]), store(late, of[3]);
}

void weigh(const double* row, const double* weight, double* out) {
  Block sum = {};
  for (std::size_t k = orders; k-- > 0;) add(sum, load(row + glide_width * k), weight[k]);
  store(out, sum);
}

void sum(const double* powers, const double* weight, double* matrix) {
  Block rows[glide_width] = {};
  for (std::size_t k = orders; k-- > 0;)
    for (std::size_t l = 0; l < glide_width; ++l) add(rows[l], load(powers + k * square + glide_width * l), weight[k]);
  double turned[square];
  for (std::size_t l = 0; l < glide_width; ++l) store(turned + glide_width * l, rows[l]);
  for (std::size_t l = 0; l < glide_width; ++l)
    for (std::size_t i = 0; i < glide_width; ++i) matrix[glide_width * i + l] = turned[glide_width * l + i];
}

/// `blocks` times eight points at once share the numbers of the row.
template <std::size_t columns, std::size_t blocks>
STICKSLIP_INLINE void table_of(const double* row, std::size_t terms, const double* form, std::size_t points,
                               double* table, std::size_t stride) {
  Block sum[columns][blocks] = {};
  for (std::size_t k = terms; k-- > 0;)
    for (std::size_t b = 0; b < blocks; ++b) {
      const Block f = load(form + k * points + 8 * b);
      for (std::size_t i = 0; i < columns; ++i) add(sum[i][b], f, row[glide_width * k + i]);
    }
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t b = 0; b < blocks; ++b) store(table + i * stride + 8 * b, sum[i][b]);
}
template <std::size_t columns>
STICKSLIP_INLINE void table_of(const double* row, std::size_t terms, const double* form, std::size_t points,
                               double* table, std::size_t stride) {
  constexpr std::size_t at_once = vectors == 1 && columns < 4 ? 4 / columns : 1;
  std::size_t p = 0;
  for (; p + 8 * at_once <= points; p += 8 * at_once)
    table_of<columns, at_once>(row, terms, form + p, points, table + p, stride);
  for (; p < points; p += 8) table_of<columns, 1>(row, terms, form + p, points, table + p, stride);
}
void table(const double* row, std::size_t terms, const double* form, std::size_t points, std::size_t from,
           std::size_t to, double* table, std::size_t stride) {
  const auto next = [&](auto of, std::size_t columns) {
    for (; from + columns <= to; from += columns) of(row + from, terms, form, points, table + from * stride, stride);
  };
  if constexpr (vectors <= 2) {
    next([](auto... a) { table_of<6>(a...); }, 6);
    next([](auto... a) { table_of<5>(a...); }, 5);
  }
  next([](auto... a) { table_of<4>(a...); }, 4);
  next([](auto... a) { table_of<2>(a...); }, 2);
  next([](auto... a) { table_of<1>(a...); }, 1);
}

void shift(const double* matrix, const double* ahead, std::size_t from, std::size_t to, double* table,
           std::size_t stride) {
  for (std::size_t i = from; i < to; ++i) {
    Block sum[2] = {};
    for (std::size_t v = 0; v < vectors; ++v) sum[0].v[v] = spread(ahead[i]);
    for (std::size_t l = 0; l < glide_one; ++l) add(sum[l % 2], load(table + l * stride), matrix[glide_width * i + l]);
    add(sum[0], sum[1]);
    store(table + i * stride + 8, sum[0]);
  }
}

/// ξ in every lane of a register each.
struct Spread {
  Native of[glide_width];
};
STICKSLIP_INLINE Spread spread_of(const double* x) {
  Spread s;
  for (std::size_t i = 0; i < glide_width; ++i) s.of[i] = spread(x[i]);
  return s;
}
/// Σ_i x_i T[i][p] for eight p, of the first `count` numbers.
template <std::size_t count = glide_width>
STICKSLIP_INLINE Block points_at(const double* table, std::size_t stride, const Spread& x) {
  Block sum[2] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const Block t = load(table + i * stride);
    for (std::size_t v = 0; v < vectors; ++v) sum[i % 2].v[v] += t.v[v] * x.of[i];
  }
  add(sum[0], sum[1]);
  return sum[0];
}
STICKSLIP_INLINE void lower(Block& low, const Block& b) {
  for (std::size_t v = 0; v < vectors; ++v) low.v[v] = b.v[v] < low.v[v] ? b.v[v] : low.v[v];
}
STICKSLIP_INLINE double least_of(Block low) {
  for (std::size_t v = 1; v < vectors; ++v) low.v[0] = low.v[v] < low.v[0] ? low.v[v] : low.v[0];
  double value = low.v[0][0];
  for (std::size_t i = 1; i < native_lanes; ++i) value = low.v[0][i] < value ? low.v[0][i] : value;
  return value;
}

STICKSLIP_INLINE void rise(Block& b, double by) {
  for (std::size_t v = 0; v < vectors; ++v) b.v[v] += spread(by);
}

/// A stretch as it starts: ξ and Aξ, in every lane, and all rows of ξ.
struct Start {
  Spread x, rate;
  alignas(64) double row[most_glide_rows];
};

/// By how much the lowest Bernstein coefficient of any guard lies above what is in doubt.
template <std::size_t active>
STICKSLIP_INLINE double clearance(const GlideRun& run, const Start& start) {
  Spread size, rate_size;
  for (std::size_t i = 0; i < glide_width; ++i) {
    size.of[i] = start.x.of[i] < 0 ? -start.x.of[i] : start.x.of[i];
    rate_size.of[i] = start.rate.of[i] < 0 ? -start.rate.of[i] : start.rate.of[i];
  }
  double doubt[glide_guards];
  for (std::size_t g = 0; g < run.guards; g += 8) {
    Block sum = points_at(run.doubt + g, glide_guards, size);
    add(sum, points_at<active>(run.rate_doubt + g, glide_guards, rate_size));
    store(doubt + g, sum);
  }
  Block low;
  for (std::size_t v = 0; v < vectors; ++v) low.v[v] = spread(1e300);
  for (std::size_t g = 0; g < run.guards; ++g) {
    const double* falls = run.falls + g * glide_width * glide_falls;
    Block of_guard = points_at<active>(falls, glide_falls, start.rate);
    for (std::size_t p = 8; p < glide_falls; p += 8)
      lower(of_guard, points_at<active>(falls + p, glide_falls, start.rate));
    rise(of_guard, start.row[8 * run.sum_blocks + g] - doubt[g]);
    lower(low, of_guard);
  }
  return least_of(low);
}

template <std::size_t active>
STICKSLIP_INLINE void add_accounts(GlideRun& run, const Start& start, const Native* weight) {
  for (std::size_t b = 0; b < run.sum_blocks; ++b) {
    const double* sums = run.sums + b * glide_width * 16;
    const Block row = load(start.row + 8 * b);
    Block integral = points_at<active>(sums, 16, start.rate), moment = points_at<active>(sums + 8, 16, start.rate);
    add(integral, row), add(moment, row, 0.5);
    Block total = load(run.integral + 8 * b), firsts = load(run.moment + 8 * b), timed = load(run.timed + 8 * b);
    add(total, integral), add(firsts, moment), add(timed, integral, run.x[glide_clock]);
    store(run.integral + 8 * b, total), store(run.moment + 8 * b, firsts), store(run.timed + 8 * b, timed);
  }
  const double* factor = start.row + 8 * run.sum_blocks + run.guards;
  for (std::size_t r = 0; r < run.factors; ++r)
    for (std::size_t n = 0; n < gauss_nodes; n += 8) {
      Block values = points_at<active>(run.nodes + r * glide_width * gauss_nodes + n, gauss_nodes, start.rate);
      rise(values, factor[r]);
      store(run.at_nodes + r * gauss_nodes + n, values);
    }
  for (std::size_t p = 0; p < run.products; ++p) {
    const double *a = run.at_nodes + run.pairs[p][0] * gauss_nodes, *b = run.at_nodes + run.pairs[p][1] * gauss_nodes;
    Native sum = {};
    for (std::size_t n = 0; n < gauss_nodes; n += native_lanes)
      sum += weight[n / native_lanes] * load_lanes(a + n) * load_lanes(b + n);
    double total = 0;
    for (std::size_t i = 0; i < native_lanes; ++i) total += sum[i];
    run.product[p] += total;
  }
}

/// ξ + φ Aξ.
template <std::size_t active>
STICKSLIP_INLINE void moved(const double* from, const double* phi, const Spread& rate, double* to) {
  Block x = load(from);
  add(x, points_at<active>(phi, glide_width, rate));
  store(to, x);
}
STICKSLIP_INLINE Spread rate_of(const GlideRun& run, const Spread& x) {
  alignas(64) double rate[glide_width];
  store(rate, points_at(run.rate, glide_width, x));
  return spread_of(rate);
}

template <std::size_t active>
STICKSLIP_INLINE void put_samples(const GlideRun& run, const Start& start, std::size_t done) {
  alignas(64) double first[glide_width], row[most_glide_outputs];
  moved<active>(run.x.data(), run.phase, start.rate, first);
  const Spread x = spread_of(first), rate = rate_of(run, x);
  for (std::size_t b = 0; b < run.output_blocks; ++b)
    store(row + 8 * b, points_at(run.output_rows + 8 * b, 8 * run.output_blocks, x));
  for (std::size_t c = 0; c < run.columns; ++c) {
    const double* table = run.outputs + c * glide_width * run.samples;
    double* out = run.out[c] + done * run.samples;
    for (std::size_t p = 0; p < run.samples; p += 8) {
      Block values = points_at<active>(table + p, run.samples, rate);
      rise(values, row[c]);
      store(out + p, values);
    }
  }
}

template <std::size_t active>
std::size_t run_of(GlideRun& run, std::size_t most) {
  Native weight[gauss_nodes / native_lanes];
  for (std::size_t n = 0; n < gauss_nodes; n += native_lanes)
    weight[n / native_lanes] = load_lanes(gauss_rule().weight.data() + n);
  Start start;
  std::size_t done = 0;
  for (; done < most; ++done) {
    start.x = spread_of(run.x.data());
    start.rate = rate_of(run, start.x);
    for (std::size_t b = 0; b < run.row_blocks; ++b)
      store(start.row + 8 * b, points_at(run.rows + 8 * b, 8 * run.row_blocks, start.x));
    if (!(clearance<active>(run, start) > 0)) break;
    add_accounts<active>(run, start, weight);
    if (run.samples > 0) put_samples<active>(run, start, done);
    Block travelled = load(run.travelled.data());
    add(travelled, load(run.x.data()), run.length);
    add(travelled, points_at<active>(run.travel, glide_width, start.rate));
    store(run.travelled.data(), travelled);
    moved<active>(run.x.data(), run.end, start.rate, run.x.data());
    run.x[glide_one] = 1;
    run.x[glide_clock] = run.since + static_cast<double>(done + 1) * run.length;
  }
  return done;
}
std::size_t run(GlideRun& run, std::size_t most) {
  if (run.active <= 4) return run_of<4>(run, most);
  if (run.active == 5) return run_of<5>(run, most);
  return run.active == 6 ? run_of<6>(run, most) : run_of<7>(run, most);
}

}  // namespace

extern const GlideKernels glide_kernels;
const GlideKernels glide_kernels{expand, stretch_powers, ramp, row, sums, weigh, sum, table, shift, run};

}  // namespace stickslip::STICKSLIP_LANES
