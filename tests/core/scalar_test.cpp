#include "core/scalar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace stickslip::scalar_test {
namespace {

using D = Dual<2>;

// One expression that uses every operation a model may use; T decides whether derivatives come along.
template <class T>
T everything(const T& x, const T& y) {
  const T a = abs(x - 3.0) * exp(-y) + sqrt(x * y) / (1.0 + x);
  const T b = sin(x) * cos(y) - atan(x / y) + power(x, 0.7) + power(y, x);
  return max(a, b) + min(a, 2.0 * b) * select(x > y, x, y) - sign(x) * 2.0 / y;
}

// Central differences of the plain function are the reference for the derivatives that ride along.
TEST(Dual, GivesTheDerivativesOfTheSameFormula) {
  for (const auto& [x, y] : {std::pair{0.8, 1.7}, std::pair{2.5, 0.4}, std::pair{1.1, 1.2}}) {
    const double h = 1e-6;
    const D d = everything(D::variable(x, 0), D::variable(y, 1));
    EXPECT_DOUBLE_EQ(d.value, everything(x, y));
    EXPECT_NEAR(d.slope[0], (everything(x + h, y) - everything(x - h, y)) / (2 * h), 1e-7);
    EXPECT_NEAR(d.slope[1], (everything(x, y + h) - everything(x, y - h)) / (2 * h), 1e-7);
  }
}

TEST(Dual, CompoundOperatorsAgreeWithTheBinaryOnes) {
  const D x = D::variable(1.5, 0), y = D::variable(-0.5, 1);
  D a = x;
  a += y;
  a *= x;
  a -= 3.0 * y;
  const D b = (x + y) * x - 3.0 * y;
  EXPECT_DOUBLE_EQ(a.value, b.value);
  EXPECT_DOUBLE_EQ(a.slope[0], b.slope[0]);
  EXPECT_DOUBLE_EQ(a.slope[1], b.slope[1]);
}

/// Slopes by many numbers are those by one number at a time, bit for bit: they are only worked out together.
template <std::size_t N>
void expect_slopes_of_one_at_a_time() {
  for (const auto& [x, y] : {std::pair{0.8, 1.7}, std::pair{2.5, 0.4}}) {
    Dual<N> a(x), b(y);
    for (std::size_t i = 0; i < N; ++i) {
      a.slope[i] = std::sin(1.0 + static_cast<double>(i));
      b.slope[i] = std::cos(2.0 * static_cast<double>(i));
    }
    const auto formula = [](const auto& u, const auto& v) {
      auto sum = everything(u, v);
      sum += u * v;
      sum -= 2.0 / v;
      return -sum + 3.0 * u - v / 0.7;
    };
    const Dual<N> together = formula(a, b);
    ASSERT_EQ(together.slope.size(), N);
    ASSERT_EQ(together.slope.end() - together.slope.begin(), static_cast<std::ptrdiff_t>(N));
    for (std::size_t i = 0; i < N; ++i) {
      Dual<1> one(x), other(y);
      one.slope[0] = a.slope[i], other.slope[0] = b.slope[i];
      const Dual<1> alone = formula(one, other);
      EXPECT_EQ(together.value, alone.value) << N;
      EXPECT_EQ(together.slope[i], alone.slope[0]) << "slope " << i << " of " << N;
      EXPECT_EQ(together.slope.begin()[i], alone.slope[0]) << "slope " << i << " of " << N;
    }
  }
}

TEST(Dual, SlopesDoNotDependOnHowManyThereAre) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (expect_slopes_of_one_at_a_time<I + 1>(), ...); }
  (std::make_index_sequence<20>{});
}

TEST(Scalar, ExpOfVeryNegativeArgumentsIsZeroAndNotDenormal) {
  EXPECT_EQ(exp(-1000.0), 0.0);
  EXPECT_EQ(exp(-800000.0), 0.0);
  EXPECT_DOUBLE_EQ(exp(-700.0), std::exp(-700.0));
}

TEST(Scalar, PowerOfZeroHasNoInfiniteSlope) {
  const D p = power(D::variable(0.0, 0), 2.0 / 3);
  EXPECT_EQ(p.value, 0);
  EXPECT_EQ(p.slope[0], 0);
}

}  // namespace
}  // namespace stickslip::scalar_test
