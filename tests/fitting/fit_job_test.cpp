/// Job files: what they say, and what is refused with file and line.
#include "fitting/fit_job.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "fitting/fit_results.hpp"

namespace stickslip::fit_job_test {
namespace {

namespace fs = std::filesystem;

/// A folder with a machine and a log, gone afterwards.
class JobFolder : public testing::Test {
 protected:
  JobFolder() : folder_(fs::temp_directory_path() / ("fit_job_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    write(
        "axis.toml",
        "[machine]\nkind = \"applied-force\"\nmass = \"2 kg\"\n\n[input]\nkind = \"sine\"\namplitude = \"3 N\"\n"
        "frequency = \"1 Hz\"\n\n[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"500 mN\"\n\n[run]\nduration = \"1 "
        "s\"\nsample_interval = \"10 ms\"\n");
    std::string log = "t_s,x_m,u_N\n";
    for (int i = 0; i <= 100; ++i)
      log += std::to_string(0.01 * i) + "," + std::to_string(0.001 * i * i / 100) + "," + std::to_string(i % 7) + "\n";
    write("log.csv", log);
  }
  ~JobFolder() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  FitJob parse(const std::string& text) { return parse_fit_job(text, (folder_ / "job.toml").string()); }
  /// The message without the folder.
  std::string refusal(const std::string& text) {
    try {
      parse(text);
    } catch (const Error& e) {
      std::string message = e.what();
      const std::string prefix = folder_.string() + "/";
      for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
        message.erase(at, prefix.size());
      return message;
    }
    return "";
  }

  fs::path folder_;
};

const std::string start =
    "[recording]\nfile = \"log.csv\"\ntime = \"t_s\"\nposition = \"x_m\"\n[machine]\nfile = \"axis.toml\"\n"
    "[[output]]\nsimulated = \"position\"\nmeasured = \"position\"\n";

TEST_F(JobFolder, ReadsMachineLogAndFreeNumbers) {
  const FitJob job = parse(start +
                           "[[free]]\npath = \"friction.coulomb_force\"\nlow = \"0.1 N\"\nhigh = \"2 N\"\n"
                           "[fit]\nestimation = 0.7\nskip = \"20 ms\"\ndelay = { high = \"5 ms\" }\n");
  ASSERT_EQ(job.machine.candidates.size(), 1u);
  const FreePlace& free = job.machine.candidates[0].free.at(0);
  EXPECT_EQ(free.start, 500);  // in the unit of the file, mN
  EXPECT_NEAR(free.low, 100, 1e-9);
  EXPECT_NEAR(free.high, 2000, 1e-9);
  EXPECT_EQ(job.machine.estimation_share, 0.7);
  EXPECT_EQ(job.machine.skip, 0.02);
  ASSERT_TRUE(job.machine.delay);
  EXPECT_EQ(job.machine.delay->high, 0.005);
  EXPECT_EQ(job.machine.logs.at(0).measured.at(0).size(), 101u);
}

TEST_F(JobFolder, AStarFreesEveryItemOfAList) {
  std::string text;
  {
    std::ifstream file(folder_ / "axis.toml");
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto at = text.find("coulomb_force = \"500 mN\"\n");
  write("axis.toml",
        text.replace(at, 25,
                     "coulomb_force = { over = \"position\", table = [[\"0 m\", \"1 N\"], [\"1 m\", \"2 N\"], "
                     "[\"2 m\", \"3 N\"]] }\n"));
  const FitJob job = parse(start + "[[free]]\npath = \"friction.coulomb_force.table[*][2]\"\nhigh = \"9 N\"\n");
  const auto& free = job.machine.candidates.at(0).free;
  ASSERT_EQ(free.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(free[i].key, "friction.coulomb_force.table[" + std::to_string(i + 1) + "][2]");
    EXPECT_EQ(free[i].start, double(i + 1));
    EXPECT_EQ(free[i].high, 9);
    EXPECT_EQ(free[i].places.size(), 1u);
  }
  const auto refused = [&](const std::string& path) { return refusal(start + "[[free]]\npath = " + path + "\n"); };
  EXPECT_EQ(refused("\"machine.mass[*]\"").find("job.toml:11"), 0u) << refused("\"machine.mass[*]\"");
  EXPECT_NE(refused("\"machine.mass[*]\"").find("every item of a list"), std::string::npos);
  EXPECT_NE(refused("\"friction.coulomb_forse.table[*][2]\"").find("coulomb_force"), std::string::npos);
  EXPECT_NE(refused("[\"friction.coulomb_force.table[*][2]\", \"machine.mass\"]").find("give one path"),
            std::string::npos);
}

TEST_F(JobFolder, AnInputFollowsAColumnOfTheLogAndTheFittedFileKeepsItsOwn) {
  const FitJob job = parse(start + "[[free]]\npath = \"machine.mass\"\n[inputs]\ninput = \"u_N\"\n");
  EXPECT_NE(job.machine.candidates[0].machines.front().text().find("log.csv"), std::string::npos);
  const MachineFit fit = fit_machine(job.machine, {.most_steps = 1});
  const std::string text = fitted_file(job, fit.candidates[0]);
  EXPECT_EQ(text.find("path = "), std::string::npos);
  EXPECT_NE(text.find("kind = \"sine\""), std::string::npos);
  EXPECT_NE(text.find("log.csv (crc32"), std::string::npos);
  EXPECT_EQ(MachineText(text, "fitted.toml").place("machine.mass").value,
            fit.candidates[0].confidence.estimates[0].value);
}

TEST_F(JobFolder, RefusesWithFileAndLine) {
  EXPECT_EQ(refusal(start + "[[free]]\npath = \"friction.coulom_force\"\n"),
            "job.toml:11: axis.toml: path 'friction.coulom_force': no 'coulom_force' in [friction]; did you mean "
            "'coulomb_force'");
  EXPECT_EQ(refusal(start), "job.toml:1: no parameter is free; add [[free]] with a path");
  EXPECT_EQ(refusal(start + "[[free]]\npath = \"machine.mass\"\nlow = \"3 kg\"\n"),
            "job.toml:10: machine.mass: the start 2 kg lies outside 3 to inf");
  EXPECT_NE(refusal(start + "[[free]]\npath = \"machine.mass\"\nlow = \"3 m\"\n").find("job.toml:12: "),
            std::string::npos);
  EXPECT_NE(refusal("[recording]\nfile = \"lag.csv\"\n").find("job.toml:2: lag.csv: "), std::string::npos);
  EXPECT_NE(refusal(start + "[[free]]\npath = \"machine.mass\"\n[inputs]\ninputs = \"u_N\"\n")
                .find("job.toml:13: axis.toml: no table [inputs]; did you mean 'input'"),
            std::string::npos);
  EXPECT_EQ(refusal("method = \"inverse\"\n" + start).substr(0, 11), "job.toml:1:");
}

TEST_F(JobFolder, InverseDynamicsTermsAreChosen) {
  const FitJob job = parse(
      "method = \"inverse-dynamics\"\n[recording]\nfile = \"log.csv\"\ntime = \"t_s\"\nposition = \"x_m\"\nforce = "
      "\"u_N\"\n[inverse_dynamics]\ncutoff = \"20 Hz\"\nfriction = \"per-direction\"\nstribeck = true\nborder = 5\n"
      "position_knots = 3\n");
  EXPECT_TRUE(job.is_inverse);
  EXPECT_EQ(job.regressors.size(), 8u);
  EXPECT_EQ(job.inverse.cutoff_hz, 20);
  EXPECT_EQ(
      refusal("method = \"inverse-dynamics\"\n[recording]\nfile = \"log.csv\"\ntime = \"t_s\"\n[inverse_dynamics]\n"
              "gravity = 1\n")
          .substr(0, 11),
      "job.toml:6:");
}

}  // namespace
}  // namespace stickslip::fit_job_test
