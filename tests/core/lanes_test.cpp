#include "core/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/instruction_set.hpp"
#include "core/scalar.hpp"
#include "core/stribeck.hpp"
#include "lane_values.hpp"

namespace stickslip::lanes_test {
namespace {

struct LaneFunctions {
  InstructionSet set;
  decltype(&baseline::exp_of) exp_of, log_of, sin_of, cos_of;
  decltype(&baseline::power_of) power_of;
  decltype(&baseline::level_of) level_of;
  decltype(&baseline::level_slope_of) level_slope_of;
};
std::vector<LaneFunctions> available() {
  std::vector<LaneFunctions> all{{InstructionSet::baseline, baseline::exp_of, baseline::log_of, baseline::sin_of,
                                  baseline::cos_of, baseline::power_of, baseline::level_of, baseline::level_slope_of}};
#if defined(__x86_64__)
  all.push_back({InstructionSet::avx2, avx2::exp_of, avx2::log_of, avx2::sin_of, avx2::cos_of, avx2::power_of,
                 avx2::level_of, avx2::level_slope_of});
  all.push_back({InstructionSet::avx512, avx512::exp_of, avx512::log_of, avx512::sin_of, avx512::cos_of,
                 avx512::power_of, avx512::level_of, avx512::level_slope_of});
#endif
  std::erase_if(all, [](const auto& f) { return !is_available(f.set); });
  return all;
}

/// Distance in units of the last place of the exact value.
double ulps(double found, long double exact) {
  const double near = std::fabs(static_cast<double>(exact));
  const double unit = std::nextafter(near, HUGE_VAL) - near;
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / unit);
}
/// 16 000 numbers from low to high.
std::vector<double> evenly(double low, double high) {
  std::vector<double> out(16000);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = low + (high - low) * (static_cast<double>(i) + 0.37) / 16000;
  return out;
}

// The 64-bit mantissa of long double is the reference: 2048 times finer than the last place asked for.
TEST(Lanes, ExpIsWithinTwoUnitsOfTheLastPlace) {
  for (const auto& f : available())
    for (const auto& [low, high] : {std::pair{-708.0, 709.0}, std::pair{-1.0, 1.0}, std::pair{-1e-9, 1e-9}}) {
      const auto x = evenly(low, high);
      std::vector<double> y(x.size());
      f.exp_of(x.data(), y.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(ulps(y[i], std::exp(static_cast<long double>(x[i]))), 2) << name_of(f.set) << ": exp " << x[i];
    }
}

TEST(Lanes, ExpOfVeryNegativeNumbersIsThatOf708AndNeverDenormal) {
  for (const auto& f : available()) {
    std::vector<double> x(16, -1e6), y(16);
    f.exp_of(x.data(), y.data(), 16);
    for (const double e : y) EXPECT_LE(ulps(e, std::exp(-708.0L)), 2);
  }
}

TEST(Lanes, LogIsWithinTwoUnitsOfTheLastPlace) {
  for (const auto& f : available())
    for (const auto& [low, high] : {std::pair{1e-300, 1e-3}, std::pair{0.5, 2.0}, std::pair{1.0, 1e9}}) {
      const auto x = evenly(low, high);
      std::vector<double> y(x.size());
      f.log_of(x.data(), y.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(ulps(y[i], std::log(static_cast<long double>(x[i]))), 2) << name_of(f.set) << ": log " << x[i];
    }
}

// Wide ranges, and the neighbourhood of multiples of π/2, where one of the two is small.
TEST(Lanes, SineAndCosineAreWithinThreeUnitsOfTheLastPlace) {
  const double quarter = std::acos(0.0);
  for (const auto& f : available())
    for (const auto& [low, high] :
         {std::pair{-1e5, 1e5}, std::pair{-7.0, 7.0}, std::pair{-1e-6, 1e-6}, std::pair{quarter - 1e-6, quarter + 1e-6},
          std::pair{20002 * quarter - 1e-6, 20002 * quarter + 1e-6}}) {
      const auto x = evenly(low, high);
      std::vector<double> sine(x.size()), cosine(x.size());
      f.sin_of(x.data(), sine.data(), x.size());
      f.cos_of(x.data(), cosine.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_LE(ulps(sine[i], std::sin(static_cast<long double>(x[i]))), 3) << name_of(f.set) << ": sin " << x[i];
        ASSERT_LE(ulps(cosine[i], std::cos(static_cast<long double>(x[i]))), 3) << name_of(f.set) << ": cos " << x[i];
      }
    }
}

TEST(Lanes, PowersKeepTheStatedErrorAndTakeZero) {
  for (const auto& f : available()) {
    auto x = evenly(1e-6, 40);
    std::vector<double> a(x.size()), y(x.size());
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = i % 5 == 0 ? 2 : i % 5 == 1 ? 1 : 0.3 + 1e-4 * double(i % 31000);
    x[3] = 0;
    f.power_of(x.data(), a.data(), y.data(), x.size());
    EXPECT_EQ(y[3], 0) << name_of(f.set);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i == 3) continue;
      const long double exact = std::pow(static_cast<long double>(x[i]), static_cast<long double>(a[i]));
      ASSERT_LE(ulps(y[i], exact), 2 + 2 * std::fabs(a[i] * std::log(x[i]))) << name_of(f.set) << ": " << x[i];
    }
  }
}

// A model's own source on lanes gives what it gives on one number; dividing by a parameter is a product there, so the
// last digits may differ.
TEST(Lanes, TheStribeckCurveIsTheSameOnLanesAndOnNumbers) {
  const auto v = evenly(-5e-3, 5e-3);
  for (const auto& f : available())
    for (const double exponent : {0.7, 1.0, 2.0})
      for (const bool rational : {false, true}) {
        const Stribeck<double> s{1, 1.5, 1e-3, exponent, rational ? StribeckForm::rational : StribeckForm::exponential};
        std::vector<double> y(v.size());
        f.level_of(v.data(), exponent, rational, y.data(), v.size());
        for (std::size_t i = 0; i < v.size(); ++i)
          ASSERT_NEAR(y[i], level(s, v[i]), 2e-15) << name_of(f.set) << " at " << v[i];
      }
}

TEST(Lanes, DerivativesAgreeWithThoseOfDuals) {
  const auto v = evenly(-5e-3, 5e-3);
  for (const auto& f : available())
    for (const double exponent : {0.7, 1.0, 2.0}) {
      const Stribeck<double> s{1, 1.5, 1e-3, exponent, StribeckForm::exponential};
      std::vector<double> y(v.size());
      f.level_slope_of(v.data(), exponent, y.data(), v.size());
      for (std::size_t i = 0; i < v.size(); ++i) {
        const double exact = level(s, Dual<1>::variable(v[i], 0)).slope[0];
        ASSERT_NEAR(y[i], exact, 1e-13 * std::fabs(exact) + 1e-12) << name_of(f.set) << " at " << v[i];
      }
    }
}

TEST(InstructionSet, EmptyMeansTheWidestAndANameMeansThatOne) {
  EXPECT_EQ(instruction_set_named(""), widest_instruction_set());
  EXPECT_EQ(instruction_set_named("baseline"), InstructionSet::baseline);
  EXPECT_TRUE(is_available(widest_instruction_set()));
}

TEST(InstructionSet, AnUnknownNameSaysWhatThereIs) {
  try {
    instruction_set_named("sse9");
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("STICKSLIP_INSTRUCTIONS: no instruction set 'sse9' here; this processor has "
                                         "baseline"),
              0u)
        << e.what();
  }
}

}  // namespace
}  // namespace stickslip::lanes_test
