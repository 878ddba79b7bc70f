/// Programs that end where they lack a result and begin anew with more of them, as in the page: here one after the other, with a host
/// that gives tasks in any order. What comes out must be what one program alone finds, to the last digit.
#include "page/page_workers.hpp"

#include <gtest/gtest.h>

#include <map>

#include "identification/identify_recordings.hpp"
#include "jobs/identify/state.hpp"
#include "page/host.hpp"

namespace {

/// What web/engine.js holds for a program.
struct Host {
  std::map<std::pair<unsigned, unsigned>, std::string> results;
  unsigned allowed = 0;  // tasks that the program at work may still do
  bool from_the_end = false;
  unsigned tasks_done = 0, programs = 0;
};
Host host;

/// The program has nothing to do until more is known.
struct Paused {
  unsigned call, tasks;
};

}  // namespace

std::int32_t page_result_size(std::uint32_t call, std::uint32_t task) {
  const auto found = host.results.find({call, task});
  return found == host.results.end() ? -1 : static_cast<std::int32_t>(found->second.size());
}
void page_result_bytes(std::uint32_t call, std::uint32_t task, char* into) {
  const std::string& bytes = host.results.at({call, task});
  std::copy(bytes.begin(), bytes.end(), into);
}
std::uint32_t page_next_task(std::uint32_t call, std::uint32_t tasks) {
  for (std::uint32_t i = 0; host.allowed > 0 && i < tasks; ++i) {
    const std::uint32_t task = host.from_the_end ? tasks - 1 - i : i;
    if (host.results.contains({call, task})) continue;
    --host.allowed;
    return task;
  }
  throw Paused{call, tasks};
}
void page_keep_result(std::uint32_t call, std::uint32_t task, const char* bytes, std::size_t size) {
  host.results[{call, task}] = std::string(bytes, size);
  ++host.tasks_done;
}

namespace stickslip::page_workers_test {
namespace {

const Sets& slides() {
  static const Sets sets = recorded("lugre",
                                    {{"bristle_stiffness", 1e5},
                                     {"bristle_damping", 30.0},
                                     {"viscosity", 40.0},
                                     {"coulomb_force", 5.0},
                                     {"stiction_force", 8.0},
                                     {"stribeck_velocity", 2e-3}},
                                    {.count = 1500}, 0.02);
  return sets;
}

IdentifyOptions options() {
  IdentifyOptions o;
  o.models = {"coulomb-viscous", "dahl", "lugre", "maxwell-slip(3)"};
  o.threads = 1;
  o.to_text = [](const IdentifiedModel& m) { return candidate_text(m, MotionKind::linear); };
  o.from_text = candidate_from;
  return o;
}

/// All that is found, as text.
std::string words_of(const Identification& found) {
  std::string text = found.why + "\n";
  for (const IdentifiedModel& m : found.models) text += candidate_text(m, MotionKind::linear);
  for (const std::string& s : found.skipped) text += s + "\n";
  return text;
}

/// Programs with `portion` tasks each until one comes to the end; `pause` sees where each of the others stopped.
template <class Pause>
Identification found_in_programs(unsigned portion, bool from_the_end, const Pause& pause) {
  host = {};
  host.from_the_end = from_the_end;
  for (host.programs = 1; host.programs < 500; ++host.programs) {
    host.allowed = portion;
    PageWorkers workers;
    IdentifyOptions asked = options();
    asked.workers = &workers;
    try {
      return identify(slides(), asked);
    } catch (const Paused& p) {
      pause(p);
    }
  }
  throw std::runtime_error("no program comes to the end");
}

TEST(PageWorkers, ProgramsThatBeginAnewFindWhatOneFinds) {
  const std::string alone = words_of(identify(slides(), options()));
  for (const unsigned portion : {1u, 3u, 100u})
    for (const bool from_the_end : {false, true}) {
      const Identification found = found_in_programs(portion, from_the_end, [](const Paused&) {});
      EXPECT_EQ(words_of(found), alone) << portion << " tasks a program";
      EXPECT_EQ(host.tasks_done, host.results.size()) << "no task is done twice";
    }
}

TEST(PageWorkers, WhatIsLeftOutIsNamedAndTheRestIsConcluded) {
  const Identification found = found_in_programs(1, true, [](const Paused& p) {
    if (host.programs < 4) return;  // then everything that is open is left out
    for (unsigned task = 0; task < p.tasks; ++task) host.results.try_emplace({p.call, task}, "0");
  });
  ASSERT_FALSE(found.models.empty());
  EXPECT_EQ(found.models.size() + found.skipped.size(), 4u);
  ASSERT_FALSE(found.skipped.empty());
  for (const std::string& s : found.skipped) EXPECT_NE(s.find("stopped before it was fitted"), std::string::npos) << s;
  for (const IdentifiedModel& m : found.models)
    for (const Profile& p : m.profiles) EXPECT_GE(p.points.size(), 2u) << p.key;
}

}  // namespace
}  // namespace stickslip::page_workers_test
