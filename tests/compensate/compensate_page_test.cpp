/// What `compensate --json` gives is what its tables show, cell by cell.
#include "compensate/compensate_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cli/program.hpp"
#include "compensate/compensate.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "support/places.hpp"

namespace stickslip::compensate_page_test {
namespace {

Rival rival(const std::string& name) {
  Rival r;
  r.name = name;
  r.tracking = {.rms = 1.2345e-6, .largest = 5e-6, .at_reversal = 2.3456e-6, .reversals = 9};
  r.rest = {.hunts = false, .swing = 1e-9, .period = 0, .error = 3.4567e-7, .duration = 4};
  r.presliding_radius = 0.98765, r.sliding_radius = 0.87654;
  return r;
}

/// Every way in which a rival can end.
Compensation all_endings() {
  Compensation c;
  c.results.rivals = {rival("rests"),       rival("hunts"),      rival("dithers"),
                      rival("not run"),     rival("diverges"),   rival("diverges at rest"),
                      rival("no reversal"), rival("no bristles")};
  auto& r = c.results.rivals;
  r[1].rest.hunts = r[2].rest.hunts = true;
  r[1].rest.swing = r[2].rest.swing = 4.5678e-5;
  r[1].rest.period = r[2].rest.period = 0.1234;
  r[2].axis.gains.dither_amplitude = 3;
  r[3].was_run = false, r[3].presliding_radius = 1.2345;
  r[4].trace.stop = Stop::not_finite;
  r[5].rest.swing = std::numeric_limits<double>::infinity();
  r[6].tracking.reversals = 0;
  r[7].presliding_radius = 0;
  c.results.best = 1;
  c.map.speeds = {1e-3, 1e-2};
  c.map.checks = {{1.234e-3, 0.12345, 0.12355}, {2e-3, 0.5, std::nan("")}};
  return c;
}

std::string length(double value, int digits = 3) { return with_unit(value, "m", digits); }

TEST(CompensatePage, JsonGivesWhatTheTableOfRivalsShows) {
  const Compensation c = all_endings();
  const TextTable table = rival_table(c);
  const JsonValue json = JsonReader::read(to_json(c).text());
  const auto& rivals = json["rivals"].items;
  ASSERT_EQ(rivals.size(), table.rows.size());
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    const JsonValue& one = rivals[i];
    const auto& row = table.rows[i];
    SCOPED_TRACE(row[1]);
    EXPECT_EQ(one["name"].text, row[1]);
    EXPECT_EQ(json["recommended"].text == row[1], row[0] == ">");
    const bool has_tracking = one.members.count("tracking_error") > 0;
    EXPECT_EQ(has_tracking, row[2] != "-");
    EXPECT_EQ(one["was_run"].boolean, row[4].find("not run") == std::string::npos);
    EXPECT_EQ(one["diverges"].boolean, row[4] == "diverges");
    if (!has_tracking) continue;
    EXPECT_EQ(length(one["tracking_error"]["rms"].number), row[2]);
    EXPECT_EQ(one["tracking_error"].members.count("at_reversal") > 0, row[3] != "-");
    if (row[3] != "-") {
      EXPECT_EQ(length(one["tracking_error"]["at_reversal"].number), row[3]);
    }
    const JsonValue& rest = one["at_rest"];
    if (one["diverges"].boolean) continue;
    if (rest["hunts"].boolean) {
      EXPECT_NE(
          row[4].find("± " + length(rest["swing"].number) + " every " + with_unit(rest["period_s"].number, "s", 3)),
          std::string::npos)
          << row[4];
    } else {
      EXPECT_EQ(row[4], "rests, off by " + length(rest["error"].number));
    }
  }
  EXPECT_EQ(rivals[7]["spectral_radius"].members.count("presliding"), 0u);  // "-" in the findings
  EXPECT_EQ(rivals[0]["spectral_radius"]["presliding"].number, 0.98765);
}

TEST(CompensatePage, JsonGivesWhatTheTablesOfHuntingAndStairsShow) {
  for (int which = 0; which < 8; ++which) {
    Compensation c = all_endings();
    HuntingFound& h = c.results.hunting;
    if (which & 1) h.predicted = Hunting{.amplitude = 6.6923e-2, .period = 23.7256};
    if (which & 2) h.seen = {.hunts = true, .swing = 6.7e-2, .period = 23.7, .error = 0, .duration = 100};
    if (which & 4) h.is_dead_zone_found = true, h.dead_zone_seen = 1.23e-6;
    const JsonValue json = JsonReader::read(to_json(c).text());
    const TextTable table = hunting_table(c);
    const char* columns[] = {"", "predicted", "seen"};
    for (const std::size_t k : {1u, 2u}) {
      const bool is_given = json["hunting"].members.count(columns[k]) > 0;
      EXPECT_EQ(is_given, table.rows[0][k] != "none") << which;
      if (!is_given) continue;
      EXPECT_EQ(with_unit(json["hunting"][columns[k]]["period_s"].number, "s", 4), table.rows[0][k]);
      EXPECT_EQ(length(json["hunting"][columns[k]]["amplitude"].number, 4), table.rows[1][k]);
    }
    if (table.rows.size() > 2 && (which & 4)) {
      EXPECT_EQ(length(json["hunting"]["dead_zone_that_ends_it"].number), table.rows[2][2]);
    }
    const TextTable stairs = boundary_table(c);
    const auto& checked = json["stairs"]["checked"].items;
    ASSERT_EQ(checked.size(), stairs.rows.size());
    for (std::size_t i = 0; i < checked.size(); ++i) {
      EXPECT_EQ(with_unit(checked[i]["speed"].number, "m/s", 3), stairs.rows[i][0]);
      EXPECT_EQ(significant(checked[i]["predicted"].number, 4), stairs.rows[i][1]);
      const bool is_seen = checked[i].members.count("seen") > 0;
      EXPECT_EQ(is_seen ? significant(checked[i]["seen"].number, 4) : "not found", stairs.rows[i][2]);
    }
  }
}

// The program's own words: one run, printed twice.
TEST(CompensatePage, ProgramPrintsTheSameNumbersBothWays) {
  const Folder folder;
  folder.write("axis.model.toml",
               "[friction]\nmodel = \"stribeck\"\ncoulomb_force = \"20 N\"\nstiction_force = \"30 N\"\n"
               "stribeck_velocity = \"8 mm/s\"\nviscosity = \"50 N s/m\"\n");
  const std::string command =
      "compensate axis.model.toml --mass '20 kg' --rate '250 Hz' --frequency '5 Hz' --cells 2 --no-files";
  const Answer words = run_program(folder, command), json = run_program(folder, command + " --json");
  ASSERT_EQ(words.exit_code, 0) << words.err;
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const JsonValue all = JsonReader::read(json.out);
  for (const JsonValue& one : all["rivals"].items) {
    const std::string name = "  " + one["name"].text + "  ";
    const auto from = words.out.find(name);
    ASSERT_NE(from, std::string::npos) << name;
    const std::string line = words.out.substr(from, words.out.find('\n', from) - from);
    EXPECT_NE(line.find(length(one["tracking_error"]["rms"].number)), std::string::npos) << line;
    EXPECT_NE(line.find(length(one["tracking_error"]["at_reversal"].number)), std::string::npos) << line;
    if (!one["at_rest"]["hunts"].boolean) {
      EXPECT_NE(line.find(length(one["at_rest"]["error"].number)), std::string::npos) << line;
    }
  }
  EXPECT_NE(words.out.find("Recommended: " + all["recommended"].text), std::string::npos);
}

// A model that was identified with a mass describes the axis: nothing more must be said.
TEST(CompensatePage, TheMassOfTheIdentificationIsTheAxis) {
  const Folder folder;
  const std::string law =
      "[friction]\nmodel = \"coulomb-viscous\"\ncoulomb_force = \"20 N\"\nviscosity = \"50 N s/m\"\n";
  folder.write("found.model.toml", law + "\n[preparation]\nmass = \"20 kg\"\n");
  folder.write("bare.model.toml", law);
  const std::string rest = " --rate '250 Hz' --frequency '5 Hz' --cells 2 --no-files --json";
  const Answer found = run_program(folder, "compensate found.model.toml" + rest),
               stated = run_program(folder, "compensate bare.model.toml --mass '20 kg'" + rest);
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.out.find("mass 20 kg, as in the identification of the model"), std::string::npos) << found.out;
  EXPECT_EQ(JsonReader::read(found.out)["rivals"].items.at(0)["tracking_error"]["rms"].number,
            JsonReader::read(stated.out)["rivals"].items.at(0)["tracking_error"]["rms"].number);
  const Answer bare = run_program(folder, "compensate bare.model.toml" + rest);
  EXPECT_EQ(bare.exit_code, 2);
  EXPECT_NE(bare.err.find("no axis is given"), std::string::npos) << bare.err;
}

// An encoder that sees nothing of the reference kept the searches busy for minutes.
TEST(Compensate, EncoderCoarserThanTheReferenceIsRefused) {
  const ModelFile model = read_model_file(source_dir() + "/examples/models/axis.model.toml");
  AxisNumbers numbers;
  numbers.mass = 20;
  numbers.amplitude = 8e-3;
  numbers.resolution = 1;
  try {
    compensate(model, "", numbers, {});
    FAIL() << "nothing can be controlled with it";
  } catch (const Error& problem) {
    EXPECT_EQ(std::string(problem.what()),
              "the encoder's resolution is 1 m, but the reference moves by 16 mm only; use a finer encoder or a longer "
              "stroke "
              "(--amplitude)");
  }
}

}  // namespace
}  // namespace stickslip::compensate_page_test
