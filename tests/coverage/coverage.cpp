/// coverage [--seeds N] [--first N] [--machine WORD]... [--encoder TIMES]... [--mass exact|stated]... [--lag-stated]
///   [--ranking] [--each]
/// How often the truth lies inside the 95 % intervals of `identify`, per parameter: four machines, four encoders, a mass that is
/// exact, or 5 % off and stated so. A line of the table of docs/coverage.md each. scripts/coverage runs it.
#include "coverage/coverage_machines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <vector>

#include "core/text.hpp"
#include "identification/candidates.hpp"
#include "identification/identify.hpp"
#include "jobs/identify/recordings.hpp"
#include "jobs/identify/run.hpp"

namespace stickslip::test {
namespace {

struct Machine {
  std::string name, law;
  Recorder record;
  bool has_mass;
};

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{
      {"servo-axis", "lugre", known_machine("servo-axis"), true},
      {"presliding-rig", "maxwell-slip(3)", known_machine("presliding", 1e-9), false},
      {"pid-stage", "stribeck", scenario("pid_stage.toml"), true},
      {"pid-steps", "stribeck", pid_steps(), true},
      {"pid-stage-cv", "coulomb-viscous",
       scenario("pid_stage.toml", law("coulomb-viscous", {{"coulomb_force", 8.0}, {"viscosity", 40.0}})), true},
      {"pulled-slide", "coulomb-viscous", scenario("pulled_slide.toml"), true},
      {"pulled-slide-s", "stribeck",
       scenario(
           "pulled_slide.toml",
           law("stribeck",
               {{"coulomb_force", 15.0}, {"stiction_force", 22.0}, {"stribeck_velocity", 10e-3}, {"viscosity", 60.0}})),
       true}};
  return all;
}

struct Request {
  std::uint64_t first = 1, seeds = 20;
  std::vector<std::string> machines;
  std::vector<double> encoders;
  std::vector<std::string> masses;
  bool ranking = false, each = false, is_lag_stated = false;
};

Request parsed(int count, char** words) {
  Request r;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto next = [&] {
      if (i + 1 == count) throw std::runtime_error(word + " needs a value");
      return std::string(words[++i]);
    };
    if (word == "--seeds")
      r.seeds = std::stoul(next());
    else if (word == "--first")
      r.first = std::stoul(next());
    else if (word == "--machine")
      r.machines.push_back(next());
    else if (word == "--encoder")
      r.encoders.push_back(std::stod(next()));
    else if (word == "--mass")
      r.masses.push_back(next());
    else if (word == "--ranking")
      r.ranking = true;
    else if (word == "--each")
      r.each = true;
    else if (word == "--lag-stated")
      r.is_lag_stated = true;
    else
      throw std::runtime_error("no option " + word);
  }
  if (r.machines.empty())
    for (const Machine& m : machines()) r.machines.push_back(m.name);
  if (r.encoders.empty()) r.encoders = {0.1, 1, 10, 100};
  if (r.masses.empty()) r.masses = {"exact", "stated"};
  return r;
}

struct Count {
  std::size_t inside = 0, all = 0, undetermined = 0;
  double truth = 0, squares = 0;   // squares: of the errors over those that the interval promises
  std::vector<double> reach, off;  // half the interval and the error, over the truth
};

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// What the file of a recording says of the mass: exact, or 5 % off (sign by the seed) and stated so.
struct StatedMass {
  double value = 0, error = 0;
};
StatedMass stated_mass(const Generated& g, const std::string& word, std::uint64_t seed) {
  if (word == "exact") return {g.mass, 0};
  return {g.mass * (seed % 2 == 0 ? 1.05 : 0.95), 0.05 * g.mass};
}

/// As the command does it: a mass that is stated with an error, and the lag of the force, are settled again where the law would have
/// them elsewhere.
Identification identified(const Generated& g, IdentifyOptions options, StatedMass mass, bool is_lag_stated) {
  options.threads = 1;
  IdentifyJob job;
  job.options = std::move(options);
  job.preparation = {.mass = mass.value, .mass_error = mass.error};
  RecordingsRequest request;
  request.files = {{"generated", std::make_shared<const Recording>(recording_of(g))}};
  request.preparation = prepared_as(job.preparation);
  request.preparation.fits_lag = is_lag_stated;
  const auto quiet = [](const std::string&) {};
  read_recordings(request, job, quiet);
  IdentifyRun run = run_identify(job, {});
  run = settled_again(
      request, job, std::move(run), [&] { return run_identify(job, {}); }, quiet);
  return run.found;
}

void cover(const Machine& machine, double coarseness, const std::string& mass, const Request& request) {
  std::map<std::string, Count> counts;
  std::vector<std::string> order;
  Count total;
  const std::clock_t begin = std::clock();
  for (std::uint64_t seed = request.first; seed < request.first + request.seeds; ++seed) {
    const Generated g = machine.record(seed, coarseness);
    Identification found;
    try {
      IdentifyOptions options;
      options.models = {machine.law};
      found = identified(g, std::move(options), stated_mass(g, mass, seed), request.is_lag_stated);
    } catch (const std::exception& e) {
      std::printf("  seed %d: %s\n", static_cast<int>(seed), e.what());
      continue;
    }
    const IdentifiedModel& m = found.models[found.recommended];
    for (const Estimate& e : m.confidence.estimates) {
      if (counts.find(e.key) == counts.end()) order.push_back(e.key);
      Count& c = counts[e.key];
      c.truth = truth_of(g, e.key);
      const bool inside = e.low <= c.truth && c.truth <= e.high;
      c.inside += inside, total.inside += inside;
      ++c.all, ++total.all;
      c.squares += std::pow(1.96 * (e.value - c.truth) / std::max(0.5 * (e.high - e.low), 1e-300), 2);
      c.undetermined += e.verdict == Determination::not_separable || e.verdict == Determination::at_bound;
      const double scale = c.truth != 0 ? std::fabs(c.truth) : 1;
      c.reach.push_back(0.5 * (e.high - e.low) / scale);
      c.off.push_back((e.value - c.truth) / scale);
      if (request.each)
        std::printf("  seed %d %s %.6g in [%.6g, %.6g] true %.6g %s\n", static_cast<int>(seed), e.key.c_str(), e.value,
                    e.low, e.high, c.truth, inside ? "" : "OUT");
    }
    if (request.each)
      for (const std::string& remark : m.remarks) std::printf("    %s\n", remark.c_str());
  }
  std::printf("| %s | %g | %s | %.1f %% of %zu |", machine.name.c_str(), coarseness, mass.c_str(),
              100 * static_cast<double>(total.inside) / static_cast<double>(std::max<std::size_t>(total.all, 1)),
              total.all);
  for (const std::string& key : order) {
    const Count& c = counts[key];
    std::printf(" %s %zu/%zu%s (off %+.2g, +-%.2g, errors %.2f of promised);", key.c_str(), c.inside, c.all,
                c.undetermined > 0 ? (" [" + std::to_string(c.undetermined) + " not told]").c_str() : "", median(c.off),
                median(c.reach), std::sqrt(c.squares / static_cast<double>(c.all)));
  }
  std::printf(" %.2f s each |\n",
              static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(request.seeds));
  std::fflush(stdout);
}

/// Whether the law that acted is recommended, among the usual ones and itself.
void rank_laws(const Machine& machine, double coarseness, const std::string& mass, const Request& request) {
  const std::string truth = machine.law == "maxwell-slip(3)" ? "NLR(3)" : machine.law;
  IdentifyOptions options;
  options.models = usual_laws();
  if (std::find(options.models.begin(), options.models.end(), machine.law) == options.models.end())
    options.models.push_back(machine.law);
  options.twins = 0, options.all_profiles = false;
  std::size_t same = 0, said = 0, all = 0;
  std::map<std::string, std::size_t> others;
  const std::clock_t begin = std::clock();
  for (std::uint64_t seed = request.first; seed < request.first + request.seeds; ++seed) {
    const Generated g = machine.record(seed, coarseness);
    const Identification found = identified(g, options, stated_mass(g, mass, seed), request.is_lag_stated);
    const auto has = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), truth) != list.end();
    };
    const std::string& taken = found.models[found.recommended].label;
    ++all;
    if (taken == truth || has(found.equivalent))
      ++same;
    else if (has(found.not_separable))
      ++said, ++others[taken];
    else
      ++others[taken + " (wrong)"];
    if (request.each) std::printf("  seed %d: %s\n", static_cast<int>(seed), taken.c_str());
  }
  std::printf("| %s | %g | %s | %s | %zu of %zu | %zu |", machine.name.c_str(), coarseness, mass.c_str(), truth.c_str(),
              same, all, said);
  for (const auto& [label, count] : others) std::printf(" %s %zu", label.c_str(), count);
  std::printf(" | %.1f s each\n",
              static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(request.seeds));
  std::fflush(stdout);
}

int run(const Request& request) {
  for (const std::string& name : request.machines) {
    const auto machine =
        std::find_if(machines().begin(), machines().end(), [&](const Machine& m) { return m.name == name; });
    if (machine == machines().end()) throw std::runtime_error("no machine " + name);
    for (const double encoder : request.encoders)
      for (const std::string& mass : request.masses) {
        if (!machine->has_mass && mass != "exact") continue;
        (request.ranking ? rank_laws : cover)(*machine, encoder, mass, request);
      }
  }
  return 0;
}

}  // namespace
}  // namespace stickslip::test

int main(int count, char** words) {
  try {
    return stickslip::test::run(stickslip::test::parsed(count, words));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
