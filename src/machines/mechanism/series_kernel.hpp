/// series.hpp for the instruction set this is compiled for.
#pragma once

#include "machines/mechanism/lane_block.hpp"
#include "machines/mechanism/series.hpp"

namespace stickslip::STICKSLIP_LANES {

namespace {

// ---- one quantity at many samples ---------------------------------------------------------------------------------

/// Horner's rule for `count` registers of samples at once: enough independent chains to hide the latency. Order k is c[k stride].
template <std::size_t count>
STICKSLIP_INLINE void block_of_values(const double* c, std::size_t stride, std::size_t terms, const double* theta,
                                      double* out) {
  Native x[count], sum[count];
  const double top = c[(terms - 1) * stride];
  for (std::size_t i = 0; i < count; ++i) {
    __builtin_memcpy(&x[i], theta + i * native_lanes, sizeof(Native));
    sum[i] = spread(top);
  }
  for (std::size_t k = terms - 1; k-- > 0;) {
    const Native next = spread(c[k * stride]);
    for (std::size_t i = 0; i < count; ++i) sum[i] = sum[i] * x[i] + next;
  }
  for (std::size_t i = 0; i < count; ++i) __builtin_memcpy(out + i * native_lanes, &sum[i], sizeof(Native));
}

/// As many whole blocks as there are from sample i on; the first sample after them.
template <std::size_t at_once>
STICKSLIP_INLINE std::size_t blocks_of_values(const double* c, std::size_t stride, std::size_t terms,
                                              const double* theta, std::size_t i, std::size_t count, double* out) {
  for (; i + at_once * native_lanes <= count; i += at_once * native_lanes)
    block_of_values<at_once>(c, stride, terms, theta + i, out + i);
  return i;
}

void values(const double* c, std::size_t stride, std::size_t terms, const double* theta, std::size_t count,
            double* out) {
  std::size_t i = blocks_of_values<8>(c, stride, terms, theta, 0, count, out);
  i = blocks_of_values<4>(c, stride, terms, theta, i, count, out);
  i = blocks_of_values<2>(c, stride, terms, theta, i, count, out);
  i = blocks_of_values<1>(c, stride, terms, theta, i, count, out);
  for (; i < count; ++i) {
    double sum = c[(terms - 1) * stride];
    for (std::size_t k = terms - 1; k-- > 0;) sum = sum * theta[i] + c[k * stride];
    out[i] = sum;
  }
}

/// Even and odd orders side by side: half the latency.
void lanes_at(SeriesLanes lanes, std::size_t count, double theta, double* out) {
  const Native square = spread(theta * theta);
  for (std::size_t i = 0; i < count; i += 8) {
    Block even = {}, odd = {};
    for (std::size_t k = lanes.terms; k > 0; k -= 2) {  // a multiple of four
      const Block low = load(lanes.c + (k - 2) * lanes.stride + i), high = load(lanes.c + (k - 1) * lanes.stride + i);
      for (std::size_t v = 0; v < vectors; ++v) {
        even.v[v] = even.v[v] * square + low.v[v];
        odd.v[v] = odd.v[v] * square + high.v[v];
      }
    }
    add(even, odd, theta);
    store(out + i, even);
  }
}

// ---- the recurrence -------------------------------------------------------------------------------------------------

/// What order k, with r, w = k y and e, adds to the later orders together with each of those before it, and with itself:
///   squares_{k+j} += 2 r r_j,   sums_{k+j} += w E_j + w_j e,   j = 1 .. k − 1
/// Later orders are side by side, and so are the earlier ones; from k on these are still zero.
STICKSLIP_INLINE void hand_on(SeriesProduct& p, std::size_t k, double r, double w, double e) {
  constexpr std::size_t most = Series::length - 1;
  const Native twice = spread(2 * r), by_fading = spread(w), by_power = spread(e);
  for (std::size_t j = 1; j < k && k + j <= most; j += native_lanes) {
    double *square = &p.squares[k + j], *sum = &p.sums[k + j];
    store_lanes(square, load_lanes(square) + twice * load_lanes(&p.ratio[j]));
    store_lanes(sum, load_lanes(sum) + by_fading * load_lanes(&p.fading[j]) + by_power * load_lanes(&p.power[j]));
  }
  if (2 * k <= most) p.squares[2 * k] += r * r, p.sums[2 * k] += w * e;
  p.ratio[k] = r, p.power[k] = w, p.fading[k] = e;
}

/// Order k of a product; all orders of the states up to k are known. What later orders take from it is summed up here, while the
/// states of the next order are still being made: on the way from a state to the next order lie few operations.
STICKSLIP_INLINE double next_of_product(SeriesProduct& p, const double* c, std::size_t k, double h) {
  const double r = p.factor[0] * c[p.lane[0]] + p.factor[1] * c[p.lane[1]];
  if (p.kind == SeriesProduct::Kind::ramp) {
    p.ratio[k] = r;
    return p.height * (p.capacity * r + (k > 0 ? h * p.slope * p.ratio[k - 1] : 0));
  }
  const bool is_squared = p.kind == SeriesProduct::Kind::fading_square;
  const double now = p.height * p.capacity, change = p.height * h * p.slope;
  if (k == 0) {
    for (auto* orders : {&p.ratio, &p.power, &p.fading, &p.squares, &p.sums}) *orders = {};
    p.ratio[0] = r;
    p.fading[0] = __builtin_exp(is_squared ? -r * r : -r);
    p.past = change * p.fading[0];
    return now * p.fading[0];
  }
  const double y = is_squared ? 2 * p.ratio[0] * r + p.squares[k] : r;
  const double e = -(p.fading[0] * y + p.sums[k] * inverse.of[k - 1]);
  const double product = now * e + p.past;
  p.past = change * e;
  hand_on(p, k, r, static_cast<double>(k) * y, e);
  return product;
}

STICKSLIP_INLINE void add_columns(const SeriesMatrix& m, std::size_t block, const double* c, Block& sum) {
  for (std::size_t i = m.first[block]; i < m.first[block + 1]; ++i) add(sum, load(m.value + 8 * i), c[m.column[i]]);
}

STICKSLIP_INLINE void take_products(SeriesProduct* products, std::size_t count, double* c, std::size_t first,
                                    std::size_t k, double h) {
  for (std::size_t i = 0; i < count; ++i) c[first + i] = next_of_product(products[i], c, k, h);
}

/// All states in one block: the matrix stays in registers.
STICKSLIP_INLINE void expand_one_block(const SeriesRecurrence& r, SeriesProduct* products, std::size_t count, double h,
                                       SeriesLanes lanes, std::size_t from, std::size_t to) {
  Block matrix[8] = {};
  Block gain[8];
  for (std::size_t i = 0; i < count; ++i) gain[i] = {};
  for (std::size_t i = r.matrix.first[0]; i < r.matrix.first[1]; ++i)
    (r.matrix.column[i] < 8 ? matrix : gain)[r.matrix.column[i] % 8] = load(r.matrix.value + 8 * i);
  Block now = load(lanes.c + from * lanes.stride);
  for (std::size_t k = from; k < to; ++k) {
    double* c = lanes.c + k * lanes.stride;
    Block sum[4] = {};
    for (std::size_t j = 0; j < 8; ++j) add(sum[j % 4], matrix[j], now.v[j / native_lanes][j % native_lanes]);
    if (k == 0) add(sum[0], load(r.constant));
    if (k == 1) add(sum[0], load(r.slope), h);
    add(sum[0], sum[1]);
    add(sum[2], sum[3]);
    add(sum[0], sum[2]);
    for (std::size_t i = 0; i < count; ++i) {
      const double product = next_of_product(products[i], c, k, h);
      add(sum[0], gain[i], product);
      c[8 + i] = product;
    }
    scale(sum[0], h * inverse.of[k]);
    now = sum[0];
    store(c + lanes.stride, now);
  }
  take_products(products, count, lanes.c + to * lanes.stride, 8, to, h);
}

/// Σ_{i=1..first−1} a_i b_{m−i} for eight m from `first` on; what is not known yet is zero.
STICKSLIP_INLINE Block convolution(const double* a, const double* b, std::size_t first) {
  Block sum[2] = {};
  add(sum[1], load(b + first - 1), a[1]);
  for (std::size_t i = 2; i < first; i += 2) {
    add(sum[0], load(b + first - i), a[i]);
    add(sum[1], load(b + first - i - 1), a[i + 1]);
  }
  add(sum[0], sum[1]);
  return sum[0];
}

/// One block of states and one peak u, from the start on. An order of u needs no more of the states than its ratio r, and that is
///   V_k = M c_k + b_k,   c_{k+1} = h/(k+1) (V_k + G u_k),   V_{k+1} = h/(k+1) (M V_k + M G u_k) + b_{k+1}
/// away: M V_k is made while u_k is. Eight orders at a time: what earlier ones add to their r² and Σ i y_i E_{k−i} is summed up at the
/// start, and what they add to each other, together with one of the orders 1 to 7, stays in registers.
STICKSLIP_INLINE void expand_peak(const SeriesRecurrence& r, SeriesProduct& p, double h, SeriesLanes lanes,
                                  std::size_t to) {
  Block matrix[8] = {}, gain = {}, rate = load(r.constant), image = {}, gained = {};  // M, G, V, M V, M G
  for (std::size_t i = r.matrix.first[0]; i < r.matrix.first[1]; ++i)
    (r.matrix.column[i] < 8 ? matrix[r.matrix.column[i]] : gain) = load(r.matrix.value + 8 * i);
  alignas(64) double at[8];
  const auto ratio_of = [&p](const double* lane) {
    return p.factor[0] * lane[p.lane[0]] + p.factor[1] * lane[p.lane[1]];
  };
  const auto times_matrix = [&] {
    Block sum[3] = {};
    for (std::size_t i = 0; i < 8; ++i) add(sum[i % 3], matrix[i], at[i]);
    add(sum[0], sum[1]);
    add(sum[0], sum[2]);
    return sum[0];
  };
  store(at, gain);
  gained = times_matrix();
  const double ratio_gain = ratio_of(at);
  store(at, load(lanes.c));
  double ratio = ratio_of(at);
  add(rate, times_matrix());
  store(at, rate);

  const bool is_squared = p.kind == SeriesProduct::Kind::fading_square;
  const double height = p.height * p.capacity, change = p.height * h * p.slope;
  const double start = __builtin_exp(is_squared ? -ratio * ratio : -ratio), to_power = is_squared ? 2 * ratio : 1;
  p.ratio = p.power = p.fading = {};
  double past = 0;
  // Orders 1 to 7 behind eight zeros: those that meet order k of a group start at 7 − k % 8.
  alignas(64) double low_ratio[16] = {}, low_power[16] = {}, low_fading[16] = {};
  for (std::size_t first = 0;; first += 8) {
    Block squares = {}, sums = {};
    if (first > 0) {
      if (is_squared) squares = convolution(p.ratio.data(), p.ratio.data(), first);
      sums = convolution(p.power.data(), p.fading.data(), first);
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < 8; ++j) {
      const std::size_t k = first + j;
      double* c = lanes.c + k * lanes.stride;
      double fading = start, power = 0;
      if (k > 0) {
        const double y = to_power * ratio + squares.v[j / native_lanes][j % native_lanes];
        fading = -(start * y + sums.v[j / native_lanes][j % native_lanes] * inverse.of[k - 1]);
        power = static_cast<double>(k) * y;
      }
      p.ratio[k] = ratio, p.power[k] = power, p.fading[k] = fading;
      if (first > 0) {
        if (is_squared) add(squares, load(low_ratio + 7 - j), 2 * ratio);
        add(sums, load(low_fading + 7 - j), power);
        add(sums, load(low_power + 7 - j), fading);
      } else if (j > 0) {
        low_ratio[8 + j - 1] = ratio, low_power[8 + j - 1] = power, low_fading[8 + j - 1] = fading;
        double square = 0, sum = 0;  // of the next order
        for (std::size_t i = 1; i <= j; ++i) {
          square += low_ratio[7 + i] * low_ratio[8 + j - i];
          sum += low_power[7 + i] * low_fading[8 + j - i];
        }
        if (is_squared) squares.v[(j + 1) % 8 / native_lanes][(j + 1) % native_lanes] = square;
        sums.v[(j + 1) % 8 / native_lanes][(j + 1) % native_lanes] = sum;
      }
      const double product = height * fading + past;
      past = change * fading;
      c[8] = product;
      if (k == to) return;
      const double part = h * inverse.of[k], ratio_rate = ratio_of(at);
      image = times_matrix();
      ratio = part * (ratio_rate + ratio_gain * product);
      add(rate, gain, product);
      scale(rate, part);
      store(c + lanes.stride, rate);
      add(image, gained, product);
      scale(image, part);
      rate = image;
      if (k == 0) add(rate, load(r.slope), h);
      store(at, rate);
    }
  }
}

void expand(const SeriesRecurrence& r, SeriesProduct* products, std::size_t count, double h, SeriesLanes lanes,
            std::size_t from, std::size_t to) {
  if (r.matrix.blocks == 1 && count == 1 && from == 0 && products[0].kind != SeriesProduct::Kind::ramp)
    return expand_peak(r, products[0], h, lanes, to);
  if (r.matrix.blocks == 1 && count <= 8) return expand_one_block(r, products, count, h, lanes, from, to);
  for (std::size_t k = from; k < to; ++k) {
    double* c = lanes.c + k * lanes.stride;
    take_products(products, count, c, 8 * r.matrix.blocks, k, h);
    for (std::size_t block = 0; block < r.matrix.blocks; ++block) {
      Block sum = {};
      add_columns(r.matrix, block, c, sum);
      if (k == 0) add(sum, load(r.constant + 8 * block));
      if (k == 1) add(sum, load(r.slope + 8 * block), h);
      scale(sum, h * inverse.of[k]);
      store(c + lanes.stride + 8 * block, sum);
    }
  }
  take_products(products, count, lanes.c + to * lanes.stride, 8 * r.matrix.blocks, to, h);
}

void rows(const SeriesRecurrence& r, SeriesLanes lanes, double h, SeriesLanes out) {
  for (std::size_t block = 0; block < r.matrix.blocks; ++block) {
    const std::size_t first = r.matrix.first[block], last = r.matrix.first[block + 1];
    for (std::size_t k = 0; k < out.terms; k += 4) {  // four orders at once share the matrix
      Block sum[4] = {};
      const double* c = lanes.c + k * lanes.stride;
      for (std::size_t i = first; i < last; ++i) {
        const Block column = load(r.matrix.value + 8 * i);
        for (std::size_t j = 0; j < 4; ++j) add(sum[j], column, c[j * lanes.stride + r.matrix.column[i]]);
      }
      for (std::size_t j = 0; j < 4; ++j) store(out.c + (k + j) * out.stride + 8 * block, sum[j]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      double* at = out.c + k * out.stride + 8 * block;
      Block sum = load(at);
      add(sum, load((k == 0 ? r.constant : r.slope) + 8 * block), k == 0 ? 1 : h);
      store(at, sum);
    }
  }
}

// ---- all lanes --------------------------------------------------------------------------------------------------------

void stretch(SeriesLanes lanes, double part) {
  double power = part;
  for (std::size_t k = 1; k < lanes.terms; ++k, power *= part)
    for (std::size_t i = 0; i < lanes.stride; i += 8) {
      double* c = lanes.c + k * lanes.stride + i;
      Block b = load(c);
      scale(b, power);
      store(c, b);
    }
}

void screen(SeriesLanes lanes, std::size_t count, double* low, double* size) {
  for (std::size_t i = 0; i < count; i += 8) {
    Block sum = {}, low_sum = load(lanes.c + i), sizes[2] = {};
    for (std::size_t k = 0; k < lanes.terms; k += 2) {
      const Block a = load(lanes.c + k * lanes.stride + i), b = load(lanes.c + (k + 1) * lanes.stride + i);
      for (std::size_t v = 0; v < vectors; ++v) {
        const Native first = sum.v[v] + a.v[v], both = a.v[v] + b.v[v];  // one addition from pair to pair
        sum.v[v] += both;
        const Native lower = first < sum.v[v] ? first : sum.v[v];
        low_sum.v[v] = lower < low_sum.v[v] ? lower : low_sum.v[v];
        sizes[0].v[v] += a.v[v] < 0 ? -a.v[v] : a.v[v];
        sizes[1].v[v] += b.v[v] < 0 ? -b.v[v] : b.v[v];
      }
    }
    add(sizes[0], sizes[1]);
    store(low + i, low_sum);
    store(size + i, sizes[0]);
  }
}

/// Four orders at a time: enough independent chains to hide the latency.
void sums(SeriesLanes lanes, std::size_t count, double* end, double* integral) {
  for (std::size_t i = 0; i < count; i += 8) {
    Block ends[4] = {}, integrals[4] = {};
    for (std::size_t k = lanes.terms; k > 0; k -= 4)
      for (std::size_t j = 0; j < 4; ++j) {
        const Block c = load(lanes.c + (k - 4 + j) * lanes.stride + i);
        add(ends[j], c);
        add(integrals[j], c, inverse.of[k - 4 + j]);
      }
    for (Block* sum : {&ends[0], &integrals[0]}) add(sum[0], sum[1]), add(sum[2], sum[3]), add(sum[0], sum[2]);
    store(end + i, ends[0]);
    store(integral + i, integrals[0]);
  }
}

void moments(SeriesLanes lanes, std::size_t count, double* integral, double* moment) {
  for (std::size_t i = 0; i < count; i += 8) {
    Block integrals[4] = {}, firsts[4] = {};
    for (std::size_t k = lanes.terms; k > 0; k -= 4)
      for (std::size_t j = 0; j < 4; ++j) {
        const Block c = load(lanes.c + (k - 4 + j) * lanes.stride + i);
        add(integrals[j], c, inverse.of[k - 4 + j]);
        add(firsts[j], c, inverse.of[k - 3 + j]);
      }
    for (Block* sum : {&integrals[0], &firsts[0]}) add(sum[0], sum[1]), add(sum[2], sum[3]), add(sum[0], sum[2]);
    store(integral + i, integrals[0]);
    store(moment + i, firsts[0]);
  }
}

void at_nodes(SeriesLanes lanes, std::size_t block, const double* nodes, double* out) {
  constexpr std::size_t at_once = 8 / vectors;
  for (std::size_t first = 0; first < gauss_nodes; first += at_once) {
    Block sum[at_once] = {};
    for (std::size_t k = lanes.terms; k-- > 0;) {
      const Block c = load(lanes.c + k * lanes.stride + 8 * block);
      for (std::size_t i = 0; i < at_once; ++i)
        for (std::size_t v = 0; v < vectors; ++v) sum[i].v[v] = sum[i].v[v] * spread(nodes[first + i]) + c.v[v];
    }
    for (std::size_t i = 0; i < at_once; ++i) store(out + 8 * (first + i), sum[i]);
  }
}

void products(SeriesLanes lanes, std::size_t block, const GaussRule& rule, double* square, double* neighbour) {
  alignas(64) double value[8 * gauss_nodes + 8];
  at_nodes(lanes, block, rule.node.data(), value);
  store(value + 8 * gauss_nodes, Block{});  // the last lane's neighbour
  Block squares[2] = {}, neighbours[2] = {};
  for (std::size_t i = 0; i < gauss_nodes; ++i) {
    const Block at = load(value + 8 * i), next = load(value + 8 * i + 1);
    for (std::size_t v = 0; v < vectors; ++v) {
      const Native weighed = spread(rule.weight[i]) * at.v[v];
      squares[i % 2].v[v] += weighed * at.v[v];
      neighbours[i % 2].v[v] += weighed * next.v[v];
    }
  }
  add(squares[0], squares[1]), add(neighbours[0], neighbours[1]);
  store(square, squares[0]), store(neighbour, neighbours[0]);
}

}  // namespace

extern const SeriesKernels series_kernels;
const SeriesKernels series_kernels{values, lanes_at, expand, rows, stretch, screen, sums, moments, at_nodes, products};

}  // namespace stickslip::STICKSLIP_LANES
