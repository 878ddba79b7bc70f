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

void expand(const SeriesRecurrence& r, SeriesProduct* products, std::size_t count, double h, SeriesLanes lanes,
            std::size_t from, std::size_t to) {
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

void screen(SeriesLanes lanes, double* low, double* size) {
  for (std::size_t i = 0; i < lanes.stride; i += 8) {
    Block falls[2] = {}, sizes[2] = {};
    for (std::size_t k = 0; k < lanes.terms; k += 2)
      for (std::size_t j = 0; j < 2; ++j) {
        const Block c = load(lanes.c + (k + j) * lanes.stride + i);
        for (std::size_t v = 0; v < vectors; ++v) {
          falls[j].v[v] += c.v[v] < 0 ? c.v[v] : Native{};
          sizes[j].v[v] += c.v[v] < 0 ? -c.v[v] : c.v[v];
        }
      }
    add(falls[0], falls[1]);
    add(sizes[0], sizes[1]);
    const Block start = load(lanes.c + i);  // counts whatever its sign
    for (std::size_t v = 0; v < vectors; ++v) falls[0].v[v] += start.v[v] < 0 ? Native{} : start.v[v];
    store(low + i, falls[0]);
    store(size + i, sizes[0]);
  }
}

/// Four orders at a time: enough independent chains to hide the latency.
void sums(SeriesLanes lanes, double* end, double* integral) {
  for (std::size_t i = 0; i < lanes.stride; i += 8) {
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

void moments(SeriesLanes lanes, double* integral, double* moment) {
  for (std::size_t i = 0; i < lanes.stride; i += 8) {
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

}  // namespace

extern const SeriesKernels series_kernels;
const SeriesKernels series_kernels{values, expand, rows, stretch, screen, sums, moments, at_nodes};

}  // namespace stickslip::STICKSLIP_LANES
