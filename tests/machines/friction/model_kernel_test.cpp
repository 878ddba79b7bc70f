/// The kernels of all models: forces bit for bit those of the model by name, slopes those of differences, refusals the same,
/// and rows marked `solved` truly linear.
#include "machines/friction/model_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "models/random_models.hpp"

namespace stickslip::model_kernel_test {
namespace {

using random_models::Random;
using random_models::uniform;

/// All numbers of a set, free.
struct FreeSet {
  KernelSettings settings;
  std::vector<double> numbers;
  std::vector<std::string> keys;
  std::vector<Fit> fits;
};

FreeSet free_set(const ModelDescription& d, const ParameterValues& values) {
  FreeSet out;
  out.settings.base.values = values;
  for (const auto& [key, value] : values)
    for (std::size_t row = 0; row < d.parameters.size(); ++row) {
      const auto& p = d.parameters[row];
      if (p.key != key) continue;
      const auto add = [&](double number, std::size_t entry, const std::string& name) {
        out.settings.places.push_back({NumberPlace::Where::value, row, entry});
        out.numbers.push_back(number);
        out.keys.push_back(name);
        out.fits.push_back(p.fit);
      };
      if (const auto* number = std::get_if<double>(&value)) add(*number, 0, key);
      if (const auto* list = std::get_if<std::vector<double>>(&value))
        for (std::size_t i = 0; i < list->size(); ++i) add((*list)[i], i, key + "[" + std::to_string(i + 1) + "]");
    }
  return out;
}

/// Strokes with reversals, a rest, and uneven sampling now and then.
PrescribedMotion strokes(Random& random, std::size_t samples) {
  PrescribedMotion m;
  const double size = random_models::logarithmic(random, 1e-6, 1e-2), period = uniform(random, 0.2, 2);
  const double other = uniform(random, 0.2, 0.9), phase = uniform(random, 0, 6);
  for (std::size_t i = 0; i < samples; ++i) {
    const double t = 1e-3 * static_cast<double>(i) + (i % 7 == 3 ? 2e-4 : 0);
    const double moving = i % 400 < 360 ? t : m.time[i - i % 400 + 359];  // rests at the end of every 400 samples
    m.time.push_back(t);
    m.position.push_back(size * (std::sin(6.28 * moving / period) + other * std::sin(17.3 * moving / period + phase)));
  }
  return m;
}

/// The force by the model's name, without the inertia that a body carries.
std::vector<double> by_name(const RegisteredModel& model, const ParameterValues& values, const PrescribedMotion& m) {
  return model.make({values, {}, {}})->respond(m);
}

class EveryKernel : public testing::TestWithParam<const RegisteredModel*> {};

TEST_P(EveryKernel, ForcesAreThoseOfTheModelByName) {
  const auto& model = *GetParam();
  Random random(11);
  for (int i = 0; i < 5; ++i) {
    auto values = random_models::with(random_models::draw(random, model), "viscous_lag", 0);
    const FreeSet set = free_set(model.description(), values);
    const auto kernel = make_kernel(model.description().name, set.settings);
    const PrescribedMotion motion = strokes(random, 1500);
    ASSERT_TRUE(kernel->place(set.numbers));
    std::vector<double> force(motion.time.size());
    kernel->respond(motion, force);
    const auto expected = by_name(model, values, motion);
    // Some laws have a quicker step for fits (hold_quickly): with a film its last digits differ, elastoplastic's agrees to 1e-8 a step.
    const std::string& name = model.description().name;
    const double quicker = name.ends_with("modified-lugre") ? 1e-12 : name == "elastoplastic" ? 1e-6 : 0;
    double largest = 0;
    for (const double f : expected) largest = std::max(largest, std::fabs(f));
    const double rounding = quicker * largest;
    for (std::size_t k = 0; k < force.size(); ++k)
      ASSERT_LE(std::fabs(force[k] - expected[k]), rounding) << "draw " << i << " sample " << k;
  }
}

// A difference over 2 h sees every switch within it, a slope none: single samples may differ. Steps that are chosen to agree
// to 1e-8 leave 1e-8/h in a difference.
TEST_P(EveryKernel, SlopesAreThoseOfDifferences) {
  const auto& model = *GetParam();
  Random random(12);
  for (int i = 0; i < 6; ++i) {
    const auto values = random_models::draw(random, model);
    const FreeSet set = free_set(model.description(), values);
    const auto kernel = make_kernel(model.description().name, set.settings);
    const PrescribedMotion motion = strokes(random, 1500);
    const std::size_t n = motion.time.size(), p = set.numbers.size();
    ASSERT_TRUE(kernel->place(set.numbers));
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < p; ++k)
      if (set.fits[k] != Fit::fixed) which.push_back(k);
    std::vector<std::vector<double>> slopes(which.size(), std::vector<double>(n));
    std::vector<double*> columns;
    for (auto& s : slopes) columns.push_back(s.data());
    for (const std::size_t k : which) ASSERT_TRUE(kernel->has_slopes(k)) << set.keys[k];
    kernel->slopes(motion, n, which, columns);
    for (std::size_t j = 0; j < which.size(); ++j) {
      const std::size_t k = which[j];
      auto up = set.numbers, down = set.numbers;
      const double h = 1e-5 * (set.numbers[k] != 0 ? std::fabs(set.numbers[k]) : 1);
      up[k] += h, down[k] -= h;
      std::vector<double> above(n), below(n);
      if (!kernel->place(up)) continue;
      kernel->respond(motion, above);
      if (!kernel->place(down)) continue;
      kernel->respond(motion, below);
      double largest = 0, size = 0;
      std::vector<double> difference(n);
      for (std::size_t s = 0; s < n; ++s) {
        difference[s] = (above[s] - below[s]) / (2 * h);
        largest = std::max(largest, std::fabs(slopes[j][s]));
        size = std::max(size, std::fabs(above[s]));
      }
      std::size_t off = 0, worst = 0;
      double worst_error = 0;
      for (std::size_t s = 0; s < n; ++s) {
        const double error = std::fabs(difference[s] - slopes[j][s]);
        off += error > 2e-3 * largest + 3e-9 * size / h;
        if (error > worst_error) worst_error = error, worst = s;
      }
      EXPECT_LE(off, n / 50) << set.keys[k] << " draw " << i << ": " << off << " samples; worst at " << worst << ": "
                             << difference[worst] << " by differences, " << slopes[j][worst] << " exactly, largest "
                             << largest;
    }
  }
}

// Two nodes over temperature, level 20 N at the last and 1.5 times that at the first: force and slopes by the formula.
TEST(Kernel, SlopesOfALevelOverTemperatureAreItsNodes) {
  KernelSettings settings;
  settings.base.values = {{"coulomb_force", 20.0}, {"viscosity", 0.0}};
  settings.places = {{NumberPlace::Where::value, 0, 0}, {NumberPlace::Where::node, 0, 0}};
  NodeLaw law;
  law.rows = {0};
  law.over = Quantity::temperature;
  law.nodes = {293.15, 333.15};
  law.factor = true;
  law.reference = 293.15;
  law.basis = {{1, -1.0 / 40}, {0, 1.0 / 40}};
  settings.laws = {law};
  const auto kernel = make_kernel("coulomb-viscous", settings);
  PrescribedMotion motion{{0, 1, 2, 3}, {0, 1, 2, 3}, {}, {}, {293.15, 303.15, 323.15, 333.15}};
  ASSERT_TRUE(kernel->place(std::vector<double>{20, 1.5}));
  std::vector<double> force(4), by_level(4), by_node(4);
  kernel->respond(motion, force);
  const std::vector<std::size_t> which{0, 1};
  const std::vector<double*> columns{by_level.data(), by_node.data()};
  kernel->slopes(motion, 4, which, columns);
  for (std::size_t i = 1; i < 4; ++i) {
    const double share = (motion.temperature[i] - 293.15) / 40;
    EXPECT_NEAR(force[i], 20 * (1.5 - 0.5 * share), 1e-11);
    EXPECT_NEAR(by_level[i], 1.5 - 0.5 * share, 1e-11);
    EXPECT_NEAR(by_node[i], 20 * (1 - share), 1e-11);
  }
}

// F(p + q) − F(p) is the sum of what each solved number does alone, whatever the step.
TEST_P(EveryKernel, RowsMarkedSolvedEnterTheForceLinearly) {
  const auto& model = *GetParam();
  Random random(13);
  for (int i = 0; i < 3; ++i) {
    const FreeSet set = free_set(model.description(), random_models::draw(random, model));
    const auto kernel = make_kernel(model.description().name, set.settings);
    const PrescribedMotion motion = strokes(random, 1000);
    const std::size_t n = motion.time.size();
    const auto force_at = [&](const std::vector<double>& numbers, std::vector<double>& force) {
      force.resize(n);
      if (!kernel->place(numbers)) return false;
      kernel->respond(motion, force);
      return true;
    };
    std::vector<double> base, alone, together, sum(n, 0.0);
    ASSERT_TRUE(force_at(set.numbers, base));
    auto all = set.numbers;
    for (std::size_t k = 0; k < set.numbers.size(); ++k) {
      if (set.fits[k] != Fit::solved) continue;
      ASSERT_TRUE(kernel->enters_force_only(k)) << set.keys[k];
      auto moved = all;
      moved[k] *= 1.001;
      auto one = set.numbers;
      one[k] *= 1.001;
      if (!force_at(one, alone) || !force_at(moved, together)) continue;
      all = moved;
      for (std::size_t s = 0; s < n; ++s) sum[s] += alone[s] - base[s];
    }
    ASSERT_TRUE(force_at(all, together));
    double size = 0, change = 0;
    for (std::size_t s = 0; s < n; ++s)
      size = std::max(size, std::fabs(base[s])), change = std::max(change, std::fabs(sum[s]));
    for (std::size_t s = 0; s < n; ++s)
      ASSERT_NEAR(together[s] - base[s], sum[s], 1e-6 * change + 1e-11 * size) << "sample " << s << " draw " << i;
  }
}

// Asked for together, numbers that enter the force only may go along with those that change the states; asked for one at a time,
// each goes its own way.
TEST_P(EveryKernel, SlopesDoNotDependOnWhatElseIsAskedFor) {
  const auto& model = *GetParam();
  Random random(17);
  for (int i = 0; i < 4; ++i) {
    const FreeSet set = free_set(model.description(), random_models::draw(random, model));
    const auto kernel = make_kernel(model.description().name, set.settings);
    const PrescribedMotion motion = strokes(random, 900);
    const std::size_t n = motion.time.size();
    ASSERT_TRUE(kernel->place(set.numbers));
    std::vector<std::size_t> free;
    for (std::size_t k = 0; k < set.numbers.size(); ++k)
      if (set.fits[k] != Fit::fixed) free.push_back(k);
    std::vector<std::vector<double>> alone(free.size(), std::vector<double>(n));
    for (std::size_t j = 0; j < free.size(); ++j) {
      double* const to = alone[j].data();
      kernel->slopes(motion, n, std::span(free).subspan(j, 1), std::span(&to, 1));
    }
    for (std::size_t first = 0; first < free.size(); ++first)  // any number of them, from any one on
      for (std::size_t count = 2; first + count <= free.size(); ++count) {
        std::vector<std::vector<double>> together(count, std::vector<double>(n));
        std::vector<double*> columns;
        for (auto& column : together) columns.push_back(column.data());
        kernel->slopes(motion, n, std::span(free).subspan(first, count), columns);
        for (std::size_t j = 0; j < count; ++j) {
          const auto& expected = alone[first + j];
          double largest = 0;
          for (const double x : expected) largest = std::max(largest, std::fabs(x));
          for (std::size_t s = 0; s < n; ++s)
            ASSERT_LE(std::fabs(together[j][s] - expected[s]), 1e-9 * largest)
                << set.keys[free[first + j]] << " of " << count << " from " << first << ", sample " << s << ", draw "
                << i;
        }
      }
  }
}

/// With levels of its own for the other direction, here the same ones, a kernel takes dual numbers: the way of every model that does
/// not hold the factors of its numbers (extended-maxwell-slip does).
void expect_slopes_of_dual_numbers(const RegisteredModel& model, const ParameterValues& values, Random& random) {
  const FreeSet set = free_set(model.description(), values);
  KernelSettings both_ways = set.settings;
  both_ways.base.backward = both_ways.base.values;
  const auto plain = make_kernel(model.description().name, set.settings);
  const auto directional = make_kernel(model.description().name, both_ways);
  ASSERT_TRUE(plain->place(set.numbers) && directional->place(set.numbers));
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < set.numbers.size(); ++k)
    if (set.fits[k] == Fit::solved) which.push_back(k);
  const PrescribedMotion motion = strokes(random, 700);
  const std::size_t n = motion.time.size();
  std::vector<std::vector<double>> one(which.size(), std::vector<double>(n)), other = one;
  std::vector<double*> to_one, to_other;
  for (auto& column : one) to_one.push_back(column.data());
  for (auto& column : other) to_other.push_back(column.data());
  plain->slopes(motion, n, which, to_one);
  directional->slopes(motion, n, which, to_other);
  for (std::size_t j = 0; j < which.size(); ++j)
    for (std::size_t s = 0; s < n; ++s) ASSERT_EQ(one[j][s], other[j][s]) << set.keys[which[j]] << " sample " << s;
}

TEST_P(EveryKernel, SlopesOfSolvedNumbersAreThoseOfDualNumbers) {
  Random random(15);
  for (int i = 0; i < 5; ++i)
    expect_slopes_of_dual_numbers(*GetParam(), random_models::draw(random, *GetParam()), random);
}

// Every order: operators, lags of their deflections, positions.
TEST(ExtendedMaxwellSlipKernel, FactorsAreSlopes) {
  Random random(16);
  for (std::size_t operators = 1; operators <= 6; ++operators)
    for (std::size_t lags = 0; lags <= 3; ++lags)
      for (std::size_t positions = 0; positions <= 4; ++positions) {
        const auto drawn = [&](std::size_t count, double low, double high) {
          std::vector<double> list(count);
          for (double& x : list) x = uniform(random, low, high);
          return list;
        };
        ParameterValues values{{"thresholds", drawn(operators, 1e-6, 1e-3)}};
        for (std::size_t r = 0; r <= lags; ++r)
          values.emplace_back("deflection_coefficients_" + std::to_string(r), drawn(operators, -1e6, 1e6));
        if (positions > 0) values.emplace_back("position_coefficients", drawn(positions, -1e5, 1e5));
        values.emplace_back("offset", uniform(random, -5, 5));
        values.emplace_back("sampling_time", uniform(random, 4e-4, 3e-3));  // also other than the motion's
        expect_slopes_of_dual_numbers(find_model("extended-maxwell-slip"), values, random);
      }
}

TEST_P(EveryKernel, RefusesWhatTheModelByNameRefuses) {
  const auto& model = *GetParam();
  Random random(14);
  const auto values = random_models::draw(random, model);
  const FreeSet set = free_set(model.description(), values);
  const auto kernel = make_kernel(model.description().name, set.settings);
  for (std::size_t k = 0; k < set.numbers.size(); ++k)
    for (const double factor : {-1.0, 0.0, 1e-3, 1e3, 1e9}) {
      auto numbers = set.numbers;
      numbers[k] *= factor;
      ParameterValues changed = values;
      std::size_t at = 0;
      for (auto& [key, value] : changed) {
        if (auto* number = std::get_if<double>(&value)) *number = numbers[at++];
        if (auto* list = std::get_if<std::vector<double>>(&value))
          for (double& x : *list) x = numbers[at++];
      }
      bool makes_sense = true;
      try {
        model.make({changed, {}, {}});
      } catch (const Error&) {
        makes_sense = false;
      }
      EXPECT_EQ(kernel->place(numbers), makes_sense) << set.keys[k] << " times " << factor;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryKernel, testing::ValuesIn(registered_models()), [](const auto& info) {
  std::string name = info.param->description().name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace stickslip::model_kernel_test
