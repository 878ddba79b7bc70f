/// The kernels of power series against sums written out and against functions whose series is known.
#include "machines/mechanism/series.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "solver/first_fall.hpp"

namespace stickslip::series_test {
namespace {

/// exp(rate θ) in each lane.
std::vector<double> exponentials(const std::vector<double>& rates) {
  std::vector<double> c(8 * Series::length, 0.0);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    double term = 1;
    for (std::size_t k = 0; k < Series::length; ++k) {
      c[8 * k + i] = term;
      term *= rates[i] / static_cast<double>(k + 1);
    }
  }
  return c;
}

TEST(Series, ValuesAtAnyNumberOfPlaces) {
  const auto c = exponentials({-2.5});
  std::vector<double> one(Series::length);
  for (std::size_t k = 0; k < one.size(); ++k) one[k] = c[8 * k];
  for (const std::size_t count : {1u, 7u, 16u, 50u, 133u}) {
    std::vector<double> theta(count), out(count);
    for (std::size_t i = 0; i < count; ++i) theta[i] = static_cast<double>(i) / static_cast<double>(count);
    series_values(one, theta, out.data());
    for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(out[i], std::exp(-2.5 * theta[i]), 1e-14);
  }
}

TEST(Series, SumsMomentsAndProductsOfExponentials) {
  const std::vector<double> rates{-3, -0.5, 0, 1, 2.5};
  auto c = exponentials(rates);
  const SeriesLanes lanes{c.data(), 8, Series::length};
  std::vector<double> end(8), integral(8), moment(8), nodes(8 * gauss_nodes);
  series_sums(lanes, 5, end.data(), integral.data());
  series_at_nodes(lanes, 0, nodes.data());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double r = rates[i], e = std::exp(r);
    EXPECT_NEAR(end[i], e, 1e-14);
    EXPECT_NEAR(integral[i], r == 0 ? 1 : (e - 1) / r, 1e-14);
    double square = 0;
    for (std::size_t k = 0; k < gauss_nodes; ++k)
      square += gauss_rule().weight[k] * nodes[8 * k + i] * nodes[8 * k + i];
    EXPECT_NEAR(square, r == 0 ? 1 : (e * e - 1) / (2 * r), 1e-13);
  }
  std::vector<double> square(8), neighbour(8);
  series_products(lanes, 0, square.data(), neighbour.data());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const auto integral_of = [](double rate) { return rate == 0 ? 1 : std::expm1(rate) / rate; };
    EXPECT_NEAR(square[i], integral_of(2 * rates[i]), 1e-13);
    if (i + 1 == rates.size()) continue;
    EXPECT_NEAR(neighbour[i], integral_of(rates[i] + rates[i + 1]), 1e-13);
  }
  series_moments(lanes, 5, integral.data(), moment.data());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double r = rates[i], e = std::exp(r);
    EXPECT_NEAR(moment[i], r == 0 ? 0.5 : (e * (r - 1) + 1) / (r * r), 1e-14);
  }
  std::vector<double> at(8);
  series_lanes_at(lanes, 5, 0.3, at.data());
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(at[i], std::exp(0.3 * rates[i]), 1e-15);
  series_stretch(lanes, 0.5);
  series_sums(lanes, 5, end.data(), integral.data());
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(end[i], std::exp(0.5 * rates[i]), 1e-14);
}

// The bound holds at every place, and is met by a series that only falls.
TEST(Series, ScreenBoundsFromBelow) {
  auto c = exponentials({-3, 2});
  for (std::size_t k = 0; k < Series::length; ++k) c[8 * k + 2] = -c[8 * k + 1];
  const SeriesLanes lanes{c.data(), 8, Series::length};
  std::vector<double> low(8), size(8);
  series_screen(lanes, lanes.stride, low.data(), size.data());
  EXPECT_LE(low[0], std::exp(-3.0));
  EXPECT_NEAR(low[1], 1, 1e-15);
  EXPECT_NEAR(low[2], -std::exp(2.0), 1e-13);
  EXPECT_NEAR(size[0], std::exp(3.0), 1e-13);
}

// Over random series of every number of terms: the least of the sums of the first terms, which no value lies below, and which is never
// below c_0 + Σ min(c_k, 0). All to the rounding of one addition per term.
TEST(Series, ScreenIsTheLeastPartialSum) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(-1, 1);
  std::size_t higher = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t terms = 4 * (1 + static_cast<std::size_t>(trial) % (Series::length / 4)), lanes = 16;
    std::vector<double> c(lanes * terms), low(lanes), size(lanes);
    for (std::size_t i = 0; i < lanes; ++i) {
      const double rate = 12 * anywhere(random);
      double factor = std::pow(10.0, 8 * anywhere(random));
      for (std::size_t k = 0; k < terms; ++k) {
        c[lanes * k + i] = factor * (trial % 2 == 0 ? 1 : anywhere(random));
        factor *= rate / static_cast<double>(k + 1);
      }
    }
    series_screen({c.data(), lanes, terms}, lanes, low.data(), size.data());
    for (std::size_t i = 0; i < lanes; ++i) {
      long double sum = 0, all = 0, least = c[i], falls = c[i];
      for (std::size_t k = 0; k < terms; ++k) {
        const double term = c[lanes * k + i];
        sum += term, all += std::fabs(term), least = std::min(least, sum);
        if (k > 0) falls += std::min(term, 0.0);
      }
      const double rounding = fall_rounding(terms) * static_cast<double>(all);
      ASSERT_NEAR(low[i], static_cast<double>(least), rounding) << trial << " " << i;
      ASSERT_NEAR(size[i], static_cast<double>(all), rounding) << trial << " " << i;
      ASSERT_GE(low[i], static_cast<double>(falls) - rounding) << trial << " " << i;
      higher += low[i] > static_cast<double>(falls) + rounding;
      for (const long double theta : {0.0L, 0.1L, 0.35L, 0.5L, 0.8L, 0.97L, 1.0L}) {
        long double value = 0;
        for (std::size_t k = terms; k-- > 0;) value = value * theta + c[lanes * k + i];
        ASSERT_LE(low[i], static_cast<double>(value) + rounding) << trial << " " << i;
      }
    }
  }
  EXPECT_GT(higher, 20000u);
}

// dx/dt = −exp(−x): exp(x) = 1 − t from x(0) = 0, so x = ln(1 − t).
TEST(Series, FadingProductFollowsItsDifferentialEquation) {
  const std::vector<std::size_t> first{0, 1}, column{8};
  std::vector<double> value(8, 0.0), zero(8, 0.0), c(16 * Series::length, 0.0);
  value[0] = -1;
  const SeriesRecurrence r{{1, first.data(), column.data(), value.data()}, zero.data(), zero.data()};
  std::vector<SeriesProduct> products(1);
  products[0].kind = SeriesProduct::Kind::fading;
  products[0].factor = {1, 0};
  products[0].height = products[0].capacity = 1;
  const double h = 0.25;
  series_expand(r, products, h, {c.data(), 16, Series::length}, 0, Series::length - 1);
  for (std::size_t k = 1; k < Series::length; ++k)
    EXPECT_NEAR(c[16 * k], -std::pow(h, k) / static_cast<double>(k), 1e-15) << k;
}

/// Three states, one of them pushed by a peak over the difference of two; the second product, if there is one, does nothing.
struct PeakRun {
  std::vector<double> coefficients;
  std::vector<SeriesProduct> products;
};
PeakRun peak_run(SeriesInput peak, std::size_t products) {
  const std::vector<std::size_t> first{0, 4}, column{0, 1, 2, 8};
  std::vector<double> value(32, 0.0), constant(8, 0.0), slope(8, 0.0);
  const double matrix[3][3] = {{-3, 2, 0.4}, {1, -5, 7}, {0.3, -8, -1}}, gain[3] = {-30, 12, 0};
  for (std::size_t l = 0; l < 3; ++l) {
    for (std::size_t i = 0; i < 3; ++i) value[8 * i + l] = matrix[l][i];
    value[24 + l] = gain[l];
    constant[l] = 2 - static_cast<double>(l), slope[l] = 5 * static_cast<double>(l) - 3;
  }
  PeakRun run{std::vector<double>(16 * Series::length, 0.0), std::vector<SeriesProduct>(products)};
  static_cast<SeriesInput&>(run.products[0]) = peak;
  run.coefficients[0] = 2.5, run.coefficients[1] = 1.1, run.coefficients[2] = -0.2;
  series_expand({{1, first.data(), column.data(), value.data()}, constant.data(), slope.data()}, run.products, 0.07,
                {run.coefficients.data(), 16, Series::length}, 0, Series::length - 1);
  return run;
}

// One peak alone has an expansion of its own: it must give the orders of the one for any number of products.
TEST(Series, OnePeakIsExpandedLikeAnyNumberOfProducts) {
  for (const auto kind : {SeriesInput::Kind::fading, SeriesInput::Kind::fading_square})
    for (const double slope : {0.0, -2.0}) {
      const SeriesInput peak{kind, {0, 1}, {1.3, -0.7}, 2.0, 0.8, slope};
      const PeakRun alone = peak_run(peak, 1), beside = peak_run(peak, 2);
      for (std::size_t k = 0; k < Series::length; ++k)
        for (const std::size_t lane : {0u, 1u, 2u, 8u}) {
          const double expected = beside.coefficients[16 * k + lane];
          EXPECT_NEAR(alone.coefficients[16 * k + lane], expected, 1e-12 * std::fabs(expected) + 1e-18)
              << k << " " << lane;
        }
      for (std::size_t k = 1; k < 4; ++k)
        EXPECT_NEAR(alone.products[0].power[k], beside.products[0].power[k], 1e-14) << k;
      EXPECT_NE(alone.coefficients[16 * 31 + 8], 0);
    }
}

}  // namespace
}  // namespace stickslip::series_test
