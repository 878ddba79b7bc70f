/// A tree of 300 clutches for 10 s, every torque held for 50 ms and then drawn anew: stickslip's closed form against SUNDIALS CVODE and
/// Boost.odeint (rivals/held_rivals.hpp), which use the same kernel for what is locked together, around the change only. What is counted is
/// that of friction_chain.cpp.
#include <benchmark/benchmark.h>

#include <vector>

#include "held_race.hpp"
#include "rivals/held_rivals.hpp"
#include "solver/resting_tree.hpp"

namespace {

using namespace stickslip;
using namespace stickslip::bench;

void ours(benchmark::State& state) { race_exact(state, tree_of(static_cast<std::size_t>(state.range(0)))); }
BENCHMARK(ours)->Name("stickslip exact")->Arg(300)->Unit(benchmark::kMillisecond);
void ours_different(benchmark::State& state) {
  race_different(state, tree_of, [](const Mechanism& m) { return run_with(m).time; });
}
BENCHMARK(ours_different)
    ->Name("different: stickslip exact")
    ->Arg(10)
    ->Arg(100)
    ->Arg(300)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

/// Accelerations between two events. The bodies that are locked together are decided as one tree from any of them.
struct Rig {
  std::vector<double> inertia, torque, level;
  std::vector<int> motion;  // of each clutch: 0 locked, else the sign of its slip

  explicit Rig(const Mechanism& m)
      : torque(m.bodies.size()), joints_(m.bodies.size()), acceleration_(m.bodies.size()), is_seen_(m.bodies.size()) {
    for (const auto& b : m.bodies) inertia.push_back(b.inertia);
    for (std::size_t i = 0; i < m.joints.size(); ++i) {
      const auto& j = m.joints[i];
      level.push_back(j.law->breakaway_force({}, Direction::forward));
      ends_.push_back({j.a.body, j.b.body});
      motion.push_back(m.bodies[j.a.body].speed > m.bodies[j.b.body].speed ? 1 : -1);
      joints_[j.a.body].push_back(i), joints_[j.b.body].push_back(i);
    }
    tree_.reserve(m.bodies.size());
  }
  const std::vector<double>& acceleration() const { return acceleration_; }
  double slip(std::size_t i, const double* w) const { return w[ends_[i].a] - w[ends_[i].b]; }

  void solve_all() {
    std::fill(is_seen_.begin(), is_seen_.end(), 0);
    for (std::size_t body = 0; body < torque.size(); ++body) {
      if (is_seen_[body]) continue;
      collect(body);
      for (const Member& member : members_) is_seen_[member.body] = 1;
      solve();
    }
  }
  /// A clutch has come to rest: it and all that are locked to its bodies share one speed and decide together.
  void arrive(std::size_t i, double* w) {
    motion[i] = 0;
    collect(ends_[i].a);
    double momentum = 0, mass = 0;
    for (const Member& member : members_)
      momentum += inertia[member.body] * w[member.body], mass += inertia[member.body];
    for (const Member& member : members_) w[member.body] = momentum / mass;
    solve();
  }

 private:
  struct Ends {
    std::size_t a, b;
  };
  struct Member {
    std::size_t body, joint, parent;  // parent: its place among the members
  };

  void collect(std::size_t body) {
    members_.assign(1, {body, RestingTree::none, RestingTree::none});
    for (std::size_t place = 0; place < members_.size(); ++place)
      for (const std::size_t joint : joints_[members_[place].body])
        if (motion[joint] == 0 && joint != members_[place].joint) {
          const Ends& e = ends_[joint];
          members_.push_back({e.a == members_[place].body ? e.b : e.a, joint, place});
        }
  }
  void solve() {
    tree_.clear();
    for (const Member& member : members_) {
      double load = torque[member.body];
      for (const std::size_t joint : joints_[member.body])
        load -= (ends_[joint].a == member.body ? 1 : -1) * motion[joint] * level[joint];
      const double limit = member.joint == RestingTree::none ? 0 : level[member.joint];
      tree_.body.push_back({member.parent, inertia[member.body], load, -limit, limit});
    }
    tree_.solve();
    for (std::size_t place = 0; place < members_.size(); ++place) {
      const auto& [body, joint, parent] = members_[place];
      acceleration_[body] = tree_.body[place].acceleration;
      if (joint != RestingTree::none && tree_.body[place].parts != 0)
        motion[joint] = (ends_[joint].a == body ? 1 : -1) * tree_.body[place].parts;
    }
  }

  std::vector<Ends> ends_;
  std::vector<std::vector<std::size_t>> joints_;  // of each body
  std::vector<double> acceleration_;
  std::vector<char> is_seen_;
  std::vector<Member> members_;
  RestingTree tree_;
};

#ifdef STICKSLIP_WITH_SUNDIALS
void cvode(benchmark::State& state, bool offers_all) {
  const Mechanism m = tree_of(static_cast<std::size_t>(state.range(0)));
  race_rival(state, m, [&] { return rivals::cvode_held<Rig>(m, offers_all); });
}
void cvode_different(benchmark::State& state, bool offers_all) {
  race_different(state, tree_of, [&](const Mechanism& m) { return rivals::cvode_held<Rig>(m, offers_all).arrivals; });
}
BENCHMARK_CAPTURE(cvode, own, false)->Name("CVODE Adams")->Arg(300)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cvode, offered, true)->Name("CVODE Adams, first step given")->Arg(300)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cvode_different, own, false)
    ->Name("different: CVODE Adams")
    ->Arg(10)
    ->Arg(100)
    ->Arg(300)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cvode_different, offered, true)
    ->Name("different: CVODE Adams, first step given")
    ->Arg(10)
    ->Arg(100)
    ->Arg(300)
    ->Unit(benchmark::kMillisecond);
#endif

#ifdef STICKSLIP_WITH_BOOST
void odeint(benchmark::State& state) {
  const Mechanism m = tree_of(static_cast<std::size_t>(state.range(0)));
  race_rival(state, m, [&] { return rivals::odeint_held<Rig>(m); });
}
void odeint_different(benchmark::State& state) {
  race_different(state, tree_of, [](const Mechanism& m) { return rivals::odeint_held<Rig>(m).arrivals; });
}
BENCHMARK(odeint)->Name("Boost.odeint dopri5, first step given")->Arg(300)->Unit(benchmark::kMillisecond);
BENCHMARK(odeint_different)
    ->Name("different: Boost.odeint dopri5, first step given")
    ->Arg(10)
    ->Arg(100)
    ->Arg(300)
    ->Unit(benchmark::kMillisecond);
#endif

}  // namespace
