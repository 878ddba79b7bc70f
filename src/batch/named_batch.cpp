#include "batch/named_batch.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/friction/register_model.hpp"
#include "models/coulomb.hpp"
#include "models/hybrid.hpp"

namespace stickslip::inline batch {

namespace {

/// The model whose kernel runs model M; most are their own.
template <class M>
const M& in_kernel_terms(const M& m) {
  return m;
}
const stribeck::Model<double>& in_kernel_terms(const hybrid::Model<double>& m) { return m; }
coulomb_viscous::Model<double> in_kernel_terms(const coulomb::Model<double>& m) { return {{m.coulomb_force}, 0}; }

/// A number of the model by its key: a row's member, or an Error.
template <template <class> class Model>
double Model<double>::*varied_member(std::string_view key) {
  double Model<double>::*found = nullptr;
  const auto look = [&](const auto& row) {
    if constexpr (std::remove_cvref_t<decltype(row)>::kind == ParameterKind::number)
      if (row.info.key == key) found = row.member;
  };
  std::apply([&](const auto&... row) { (look(row), ...); }, Model<double>::parameters());
  if (!found)
    throw Error("batch: " + std::string(Model<double>::text.name) + " has no number '" + std::string(key) +
                "' that could differ from case to case");
  return found;
}

/// The shared values, completed by the first case's own so that nothing required is missing.
ParameterValues values_of_first(const NamedBatch& b) {
  ParameterValues values;
  for (const auto& value : b.values)
    if (std::find(b.varied.begin(), b.varied.end(), value.first) == b.varied.end()) values.push_back(value);
  for (std::size_t k = 0; k < b.varied.size(); ++k) values.emplace_back(b.varied[k], b.varied_values[k]);
  return values;
}

template <template <class> class Model, template <class> class Kernel = Model>
void run_named(const NamedBatch& b, const BatchOptions& options, std::span<BatchResult> results) {
  const ModelDescription description = described<Model>();
  const std::size_t width = b.varied.size();
  std::vector<double Model<double>::*> members;
  for (const auto& key : b.varied) members.push_back(varied_member<Model>(key));
  const ParameterValues values = values_of_first(b);
  check_keys(description, values);
  Model<double> model;
  assign(description, values, model, false);
  std::vector<BatchCase<Kernel>> cases(b.bodies.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t k = 0; k < width; ++k) model.*members[k] = b.varied_values[i * width + k];
    if constexpr (requires { refusal(model); })
      refuse_senseless(model, "batch, case " + std::to_string(i) + ": " + description.name);
    cases[i] = {in_kernel_terms(model), b.bodies[i]};
  }
  simulate_batch(std::span<const BatchCase<Kernel>>(cases), options, results);
}

struct Entry {
  std::string_view model;
  void (*run)(const NamedBatch&, const BatchOptions&, std::span<BatchResult>);
};
template <template <class> class Model, template <class> class Kernel = Model>
constexpr Entry entry() {
  return {Model<double>::text.name, run_named<Model, Kernel>};
}
constexpr std::array entries{entry<coulomb::Model, coulomb_viscous::Model>(),
                             entry<coulomb_viscous::Model>(),
                             entry<stribeck::Model>(),
                             entry<hybrid::Model, stribeck::Model>(),
                             entry<dahl::Model>(),
                             entry<lugre::Model>(),
                             entry<elastoplastic::Model>(),
                             entry<lugre_bristle::Model>()};

const Entry* find_entry(std::string_view model) {
  for (const Entry& e : entries)
    if (e.model == model) return &e;
  return nullptr;
}

struct Line {
  double start, slope;
};
/// The signal from 0 to `end`, if it is a straight line there.
std::optional<Line> straight(const Signal& s, double end) {
  const std::size_t segment = s.segment_at(0);
  if (s.end_of(segment) < end || !std::isinf(s.longest_step(segment, 0))) return std::nullopt;
  return Line{s.value(segment, 0.0), s.slope(segment, 0.0)};
}

}  // namespace

std::vector<std::string_view> batch_models() {
  std::vector<std::string_view> names;
  for (const Entry& e : entries) names.push_back(e.model);
  return names;
}
bool can_batch(std::string_view model) { return find_entry(model) != nullptr; }

std::optional<BatchBody> batch_body(const Body& body, double end) {
  const Drive& d = body.drive;
  const auto input = straight(d.input, end);
  if (!input || d.integral != 0 || body.state.size() > 1) return std::nullopt;
  BatchBody b;
  b.mass = body.mass;
  b.stiffness = d.stiffness;
  b.damping = d.damping;
  b.position = body.position;
  b.velocity = body.velocity;
  b.state = body.state.empty() ? 0 : body.state[0];
  switch (d.kind) {
    case DriveKind::pulled_spring:
      if (input->start != 0) return std::nullopt;
      b.pull_speed = input->slope;
      return b;
    case DriveKind::applied_force:
    case DriveKind::wall_spring:
      b.force = input->start;
      b.force_rate = input->slope;
      return b;
    default:
      return std::nullopt;
  }
}

void simulate_batch(const NamedBatch& batch, const BatchOptions& options, std::span<BatchResult> results) {
  const Entry* found = find_entry(batch.model);
  if (!found) {
    std::string known;
    for (const Entry& e : entries) known += (known.empty() ? "" : ", ") + std::string(e.model);
    throw Error("batch: '" + batch.model + "' cannot run in lanes; " + known + " can");
  }
  if (batch.varied_values.size() != batch.bodies.size() * batch.varied.size())
    throw Error("batch: " + std::to_string(batch.varied_values.size()) + " varied values for " +
                std::to_string(batch.bodies.size()) + " cases of " + std::to_string(batch.varied.size()));
  if (batch.bodies.empty()) return;
  found->run(batch, options, results);
}

}  // namespace stickslip::inline batch
