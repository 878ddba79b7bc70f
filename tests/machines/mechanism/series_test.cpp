/// The kernels of power series against sums written out and against functions whose series is known.
#include "machines/mechanism/series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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
  series_sums(lanes, end.data(), integral.data());
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
  series_moments(lanes, integral.data(), moment.data());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double r = rates[i], e = std::exp(r);
    EXPECT_NEAR(moment[i], r == 0 ? 0.5 : (e * (r - 1) + 1) / (r * r), 1e-14);
  }
  series_stretch(lanes, 0.5);
  series_sums(lanes, end.data(), integral.data());
  for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(end[i], std::exp(0.5 * rates[i]), 1e-14);
}

// The bound holds at every place, and is met by a series that only falls.
TEST(Series, ScreenBoundsFromBelow) {
  auto c = exponentials({-3, 2});
  for (std::size_t k = 0; k < Series::length; ++k) c[8 * k + 2] = -c[8 * k + 1];
  const SeriesLanes lanes{c.data(), 8, Series::length};
  std::vector<double> low(8), size(8);
  series_screen(lanes, low.data(), size.data());
  EXPECT_LE(low[0], std::exp(-3.0));
  EXPECT_NEAR(low[1], 1, 1e-15);
  EXPECT_NEAR(low[2], -std::exp(2.0), 1e-13);
  EXPECT_NEAR(size[0], std::exp(3.0), 1e-13);
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

}  // namespace
}  // namespace stickslip::series_test
