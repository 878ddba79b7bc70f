/// The targets that read the program's own files: machines, sweeps, models, jobs, journals and states.
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/checksum.hpp"
#include "core/number_signature.hpp"
#include "fitting/fit_job.hpp"
#include "fuzz/targets.hpp"
#include "jobs/identify/state.hpp"
#include "machines/friction/model_file.hpp"
#include "machines/machine.hpp"
#include "support/places.hpp"
#include "sweep/sweep_file.hpp"
#include "sweep/sweep_journal.hpp"

namespace stickslip::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_steps = 500;  // of a run: the targets are how it is read and how it ends

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

/// The examples of a folder.
std::vector<std::string> examples(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(source_dir()) / "examples" / folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(bytes_of(file));
  return texts;
}

void take_machine(std::string_view text, const char* folder) {
  reads_or_refuses([&] {
    const Machine machine = parse_machine_text(text, source_dir() + "/examples/" + folder + "/fuzzed.toml");
    const MachineRun run = machine.run({.until = 1, .most_steps = most_steps, .is_watched = false});
    if (!std::isfinite(run.time)) throw BrokenPromise("a run that ends at no time");
    if (run.stop != Stop::finished && run.message.empty()) throw BrokenPromise("an outcome without a reason");
  });
}

/// A folder with what sweeps and jobs name: a scenario that is quick, an axis and its log.
const fs::path& folder() {
  static const fs::path made = [] {
    fs::path place = fs::temp_directory_path() / ("stickslip_fuzz_" + std::to_string(getpid()));
    fs::create_directories(place);
    std::ofstream(place / "body.toml") << R"([machine]
kind = "pulled-spring"
mass = "1 kg"
stiffness = "2 N/m"
[input]
kind = "ramp"
rate = "0.1 m/s"
[friction]
model = "stribeck"
coulomb_force = "1 N"
stiction_force = "1.5 N"
stribeck_velocity = "1 mm/s"
[run]
duration = "2 s"
sample_interval = "0.05 s"
)";
    std::ofstream(place / "axis.toml") << R"([machine]
kind = "position-loop"
mass = "5 kg"
position_gain = "40 1/s"
velocity_gain = "300 N s/m"
sampling_time = "2 ms"
[input]
kind = "sine"
amplitude = "20 mm"
frequency = "1.3 Hz"
[friction]
model = "coulomb-viscous"
coulomb_force = "8 N"
viscosity = "25 N s/m"
[run]
duration = "0.1 s"
sample_interval = "2 ms"
)";
    std::ofstream log(place / "axis.csv");
    log << "time_s,position_m,force_N\n";
    for (int i = 0; i < 60; ++i) {
      const double t = 0.002 * i, x = 0.01 * std::sin(12 * t);
      log << t << "," << x << "," << -3000 * x + (std::cos(12 * t) > 0 ? 20 : -20) << "\n";
    }
    return place;
  }();
  return made;
}

void take_sweep(std::string_view text) {
  reads_or_refuses([&] {
    const Sweep sweep = parse_sweep(text, (folder() / "fuzzed.toml").string());
    if (sweep.places.size() != sweep.plan.parameters.size()) throw BrokenPromise("a parameter without a place");
  });
}
std::vector<std::string> sweep_seeds() {
  return {R"(scenario = "body.toml"
outputs = ["max velocity", "period", "sticks"]
[plan]
kind = "sobol"
runs = 4
seed = 3
[[parameter]]
path = "machine.stiffness"
from = "1 N/m"
to = "3 N/m"
spacing = "log"
[run]
observe_from = "1 s"
slip_speed = "1 mm/s"
relative_tolerance = 1e-6
)",
          R"(scenario = "body.toml"
outputs = ["max velocity"]
[plan]
kind = "grid"
[[parameter]]
path = "machine.stiffness"
from = "1 N/m"
to = "3 N/m"
count = 2
[[parameter]]
path = "friction.coulomb_force"
values = "[0.5, 1] N"
)"};
}

/// What was read is written so that it can be read again.
void take_model(std::string_view text) {
  reads_or_refuses([&] {
    const std::string once = model_file_text(parse_model_file(text, "fuzzed.toml"));
    std::string twice;
    try {
      twice = model_file_text(parse_model_file(once, "again.toml"));
    } catch (const Error& problem) {
      throw BrokenPromise(std::string("a model that is written and not read again: ") + problem.what());
    }
    if (once != twice) throw BrokenPromise("a model that changes when it is written and read");
  });
}
std::vector<std::string> model_seeds() {
  std::vector<std::string> all = examples("models");
  all.push_back(
      "[friction]\nmodel = \"lugre\"\nbristle_stiffness = \"1e6 N/m\"\nbristle_damping = \"1e3 N s/m\"\nviscosity = "
      "\"100 N s/m\"\ncoulomb_force = \"20 N\"\nstiction_force = \"30 N\"\nstribeck_velocity = \"5 mm/s\"\n"
      "[measurement]\noffset = \"0.5 N\"\nlag = \"1 ms\"\nbacklash = \"1 um\"\n[preparation]\nmass = \"20 kg\"\n");
  all.push_back(
      "[friction]\nmodel = \"stribeck\"\ncoulomb_force = { table = [[0, 10], [1, 20]], over = \"position\", unit = "
      "\"N\" "
      "}\nstiction_force = \"30 N\"\nstribeck_velocity = \"5 mm/s\"\nviscosity = \"1 N s/m\"\n"
      "backward.coulomb_force = \"9 N\"\n");
  return all;
}

void take_job(std::string_view text) {
  reads_or_refuses([&] {
    const FitJob job = parse_fit_job(text, (folder() / "fuzzed.toml").string());
    for (const FitCandidate& candidate : job.machine.candidates)
      if (candidate.machines.size() != job.machine.logs.size()) throw BrokenPromise("a log without a machine");
  });
}
std::vector<std::string> job_seeds() {
  return {R"([recording]
file = "axis.csv"
time = "time_s"
position = "position_m"
force = "force_N"
[machine]
file = "axis.toml"
[inputs]
input = "position_m"
[[output]]
simulated = "command_force"
measured = "force"
weight = 2
[fit]
estimation = 0.5
[[free]]
path = "machine.mass"
start = "4 kg"
low = "1 kg"
high = "50 kg"
[[free]]
path = "friction.coulomb_force"
prior = "8 +- 2 N"
)",
          R"(method = "inverse-dynamics"
[recording]
file = "axis.csv"
time = "time_s"
position = "position_m"
force = "force_N"
force_gain = "1.5 N/N"
[inverse_dynamics]
cutoff = "50 Hz"
decimation = 2
friction = "symmetric"
)"};
}

constexpr std::size_t journal_runs = 12, journal_width = 3;

/// The bytes as blocks of a journal. A fuzzer does not find checksums: that of the first block is put right.
void take_journal(std::string_view bytes) {
  std::string right(bytes);
  if (bytes.size() >= 32) {
    std::uint64_t count = 0, remarks = 0;
    std::memcpy(&count, bytes.data() + 8, 8), std::memcpy(&remarks, bytes.data() + 16, 8);
    if (count <= journal_runs && remarks <= bytes.size()) {
      const std::size_t length = 24 + count * journal_width * 8 + remarks;
      if (length + 8 <= bytes.size()) {
        const std::uint64_t sum = crc32(bytes.substr(0, length));
        std::memcpy(right.data() + length, &sum, 8);
      }
    }
  }
  for (const std::string_view taken : {bytes, std::string_view(right)})
    reads_or_refuses([&] {
      SweepRows rows(journal_runs, journal_width);
      for (std::size_t at = 0, length = 1; length > 0; at += length) {
        length = take_sweep_block(taken.substr(at), rows);
        if (length > taken.size() - at) throw BrokenPromise("a block longer than its journal");
      }
      for (const auto& [run, remark] : rows.remarks)
        if (run >= journal_runs || !rows.is_done[run]) throw BrokenPromise("a remark on a run that is not there");
    });
  const std::string path = (folder() / "fuzzed.journal").string();
  std::ofstream(path, std::ios::binary | std::ios::trunc) << right;
  reads_or_refuses([&] {
    SweepRows rows(journal_runs, journal_width);
    take_sweep_journal(path, 7, 9, rows);
  });
}
std::vector<std::string> journal_seeds() {
  const std::vector<double> values(journal_runs * journal_width, 0.25);
  const std::string head = std::string("stickslip sweep journal 2\n") + std::string("\7\0\0\0\0\0\0\0", 8) +
                           std::string("\3\0\0\0\0\0\0\0", 8) + std::string("\11\0\0\0\0\0\0\0", 8);
  const std::string first = sweep_block(0, 4, journal_width, values.data(), {{2, "too many steps"}}),
                    second = sweep_block(4, 8, journal_width, values.data(), {});
  return {first + second, second, head + first + second, head};
}

/// The state of an identification; `@machine@` is replaced by this machine's own numbers.
void take_state(std::string_view text) {
  std::string here(text);
  if (const auto at = here.find("@machine@"); at != std::string::npos) here.replace(at, 9, number_signature());
  reads_or_refuses([&] { parse_state(here, "axis.model.toml.state", "key-1"); });
}
std::vector<std::string> state_seeds() {
  IdentifiedModel m;
  const ModelFile file = parse_model_file(
      "[friction]\nmodel = \"coulomb-viscous\"\ncoulomb_force = \"20 N\"\nviscosity = \"100 N s/m\"\n", "m.toml");
  m.model = file.model, m.label = "coulomb-viscous", m.settings = file.settings;
  m.parameters = 2, m.whiteness = 1;
  m.remarks = {"a remark"}, m.advice = {"an advice"};
  m.confidence.estimates = {{"coulomb_force", 20, 1, 18, 22, static_cast<Determination>(0), ""},
                            {"viscosity", 100, 9, 80, 120, static_cast<Determination>(1), "coulomb_force"}};
  m.confidence.covariance = Covariance(2);
  m.profiles.push_back({"viscosity", {{90, 1.5}, {100, 1}, {110, 1.5}}, 85, 115});
  std::string text = state_text("key-1", {m}, MotionKind::linear);
  if (const auto at = text.find(number_signature()); at != std::string::npos)
    text.replace(at, number_signature().size(), "@machine@");
  return {text, "key = \"key-1\"\nmachine = \"@machine@\"\n"};
}

}  // namespace

const std::vector<Target>& file_targets() {
  static const std::vector<Target> all{
      {"scenario", [](std::string_view b) { take_machine(b, ""); }, [] { return examples(""); }},
      {"machine", [](std::string_view b) { take_machine(b, "machines"); }, [] { return examples("machines"); }},
      {"sweep", take_sweep, sweep_seeds},
      {"model", take_model, model_seeds},
      {"job", take_job, job_seeds},
      {"journal", take_journal, journal_seeds},
      {"state", take_state, state_seeds}};
  return all;
}

std::vector<Target> all_targets() {
  std::vector<Target> all = recording_targets();
  all.insert(all.end(), file_targets().begin(), file_targets().end());
  return all;
}

}  // namespace stickslip::fuzz
