/// Every published experiment gives its numbers within the tolerances its rows state, and something to look at.

#include "experiments/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "report/svg.hpp"

namespace stickslip::experiment_test {
namespace {

class PublishedExperiment : public testing::TestWithParam<const Experiment*> {};

TEST_P(PublishedExperiment, GivesItsNumbersFiguresAndTables) {
  const Experiment& experiment = *GetParam();
  Progress progress(experiment.name, false, stderr);
  const Reproduction result = experiment.run(progress);

  EXPECT_FALSE(result.rows.empty());
  std::set<std::string> quantities;
  for (const ComparedRow& row : result.rows) {
    EXPECT_TRUE(row.ok()) << row.quantity << ": reference " << row.reference << ", ours " << row.ours << ", tolerance "
                          << row.tolerance << " " << row.unit;
    EXPECT_TRUE(quantities.insert(row.quantity).second) << "two rows are called " << row.quantity;
  }

  EXPECT_FALSE(result.figures.empty());
  for (const NamedFigure& named : result.figures) {
    EXPECT_FALSE(named.figure.title.empty()) << named.name;
    EXPECT_FALSE(named.figure.panels.empty()) << named.name;
    for (const Panel& panel : named.figure.panels) {
      EXPECT_FALSE(panel.x.label.empty() || panel.y.label.empty()) << named.name;
      EXPECT_FALSE(panel.series.empty()) << named.name;
      for (const DataSeries& series : panel.series) {
        EXPECT_GE(series.x.size(), 2u) << named.name << ", " << series.name;
        EXPECT_EQ(series.x.size(), series.y.size()) << named.name << ", " << series.name;
        // A value that is not finite is a gap in the line; most of a line must be there.
        const auto there = std::count_if(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); });
        EXPECT_GT(2 * there, static_cast<std::ptrdiff_t>(series.y.size())) << named.name << ", " << series.name;
      }
    }
    EXPECT_EQ(to_svg(named.figure).find("no data"), std::string::npos) << named.name;
  }

  EXPECT_FALSE(result.tables.empty());
  for (const NamedTable& named : result.tables) {
    EXPECT_GT(rows(named.table), 1u) << named.name;
    for (const Column& column : named.table.columns)
      EXPECT_EQ(column.values.size(), rows(named.table)) << named.name << ", " << column.name;
  }
  for (const std::string& remark : result.remarks) EXPECT_EQ(remark.find('\n'), std::string::npos) << remark;
}

INSTANTIATE_TEST_SUITE_P(All, PublishedExperiment, testing::ValuesIn(all_experiments()), [](const auto& tested) {
  std::string name = tested.param->name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(PublishedExperiments, HaveDifferentNamesAndFiles) {
  std::set<std::string> names;
  for (const Experiment* experiment : all_experiments()) {
    EXPECT_TRUE(names.insert(experiment->name).second) << experiment->name;
    EXPECT_FALSE(experiment->title.empty() || experiment->paper.empty()) << experiment->name;
  }
  for (const char* name : {"stick-slip", "pid-limit-cycle", "presliding", "no-drift", "bristle-energy",
                           "bristle-stick-slip", "lugre-bristle", "bristle-equilibria"})
    EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace stickslip::experiment_test
