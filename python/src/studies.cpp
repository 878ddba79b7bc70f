/// Many runs: sweeps, batches in lanes, and the scorecard of models.
#include "batch/named_batch.hpp"
#include "border.hpp"
#include "check/scorecard.hpp"
#include "core/budget.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "frictions.hpp"
#include "jobs/check/page.hpp"
#include "jobs/sweep/figure.hpp"
#include "jobs/sweep/page.hpp"
#include "jobs/sweep/texts.hpp"
#include "machines/friction/model_file.hpp"
#include "report/svg.hpp"
#include "sweep/machine_runs.hpp"
#include "sweep/run_sweep.hpp"

namespace stickslip::python {
namespace {

// --- sweep files -------------------------------------------------------------------------------------------------------

struct FinishedSweep {
  Sweep sweep;
  SweepRun run;
  Table table;
};

/// How many values each parameter of a grid has; empty for another plan.
std::vector<std::size_t> shape_of(const FinishedSweep& s) {
  std::vector<std::size_t> shape;
  if (s.sweep.plan.kind == PlanKind::grid)
    for (const SweptParameter& p : s.sweep.plan.parameters) shape.push_back(grid_count(p));
  return shape;
}

std::shared_ptr<FinishedSweep> sweep_file(const py::object& path, const py::object& text, const py::object& progress,
                                          const py::kwargs& given) {
  const Options o(given);
  const std::string file = path_of(path);
  auto kept = std::make_shared<FinishedSweep>();
  RunWatch watch;
  SweepRunOptions options{.journal = o.has("journal") ? path_of(o["journal"]) : "", .watch = &watch};
  o.count("threads", {0, 1024, "more threads than cores gain nothing"}, options.threads);
  const bool is_long = o.flag("long"), in_lanes = !o.has("lanes") || o.flag("lanes");
  o.refuse_others();
  const std::string own = text.is_none() ? "" : py::cast<std::string>(text);
  run_watched(watch.cancel, progress, [&](const Tell& tell) {
    kept->sweep = own.empty() ? read_sweep(file) : parse_sweep(own, file);
    if (!in_lanes) kept->sweep.lanes = false;
    if (const double seconds = is_long ? 0 : expected_seconds(kept->sweep, options.threads); seconds > most_quick_sweep)
      throw Error(one_line(file) + ": " + std::to_string(kept->sweep.plan.runs) + " runs take some " +
                  duration_text(seconds) + "; more than " + duration_text(most_quick_sweep) + " need long=True");
    options.progress = [&](const SweepProgress& p) {
      tell("sweep", static_cast<double>(p.done) / static_cast<double>(std::max<std::size_t>(p.runs, 1)));
    };
    kept->run = run_sweep(kept->sweep, options);
    kept->table = sweep_table(kept->sweep, kept->run);
  });
  Noticed noticed;
  for (const std::string& warning : kept->sweep.warnings) noticed.say(warning);
  if (const std::size_t failed = failures(kept->run); failed > 0) {
    const std::size_t first = first_failure(kept->run);
    noticed.say(std::to_string(failed) + " of " + std::to_string(kept->run.rows.size()) +
                " runs failed; the first is number " + std::to_string(first + 1) + ": " + failure_of(kept->run, first));
  }
  noticed.tell();
  return kept;
}

void add_sweep(py::module_& m) {
  using Shared = std::shared_ptr<FinishedSweep>;
  py::class_<FinishedSweep, Shared>(m, "Sweep", "All runs of a sweep: parameters and outputs as arrays.")
      .def_property_readonly(
          "columns",
          [](const py::object& self) { return columns_of(py::cast<const FinishedSweep&>(self).table.columns, self); },
          "name: array, one value per run; NaN where a run gave none. Not copies.")
      .def_property_readonly("units", [](const FinishedSweep& s) { return units_of(s.table.columns); })
      .def(
          "__getitem__",
          [](const py::object& self, const std::string& name) -> py::object {
            const auto& s = py::cast<const FinishedSweep&>(self);
            std::vector<std::string> names;
            for (const Column& c : s.table.columns) {
              if (c.name == name) return view(c.values, self);
              names.push_back(c.name);
            }
            throw py::key_error(no_such("column", name, names));
          },
          py::arg("column"))
      .def(
          "grid",
          [](const py::object& self, const std::string& name) {
            const auto shape = shape_of(py::cast<const FinishedSweep&>(self));
            if (shape.empty()) throw Error("only a grid has a shape; this plan is not a grid");
            return self[py::str(name)].attr("reshape")(py::cast(shape));
          },
          py::arg("column"), "A column of a grid with one axis per parameter, in the order of the file.")
      .def_property_readonly("shape", &shape_of)
      .def_property_readonly(
          "failures", [](const FinishedSweep& s) { return failures(s.run); }, "How many runs failed.")
      .def_property_readonly("data", [](const FinishedSweep& s) { return to_python(sweep_json(s.sweep, s.run)); })
      .def(
          "csv", [](const FinishedSweep& s) { return sweep_csv(s.sweep, s.run); }, "What `stickslip sweep` writes.")
      .def("text", [](const FinishedSweep& s) { return sweep_text(s.sweep, s.run); })
      .def(
          "figure",
          [](const FinishedSweep& s) { return to_svg(sweep_figure(s.sweep, s.run), sweep_svg_options(s.sweep)); },
          "The figure as SVG.")
      .def(
          "report",
          [](const FinishedSweep& s, const py::object& path) {
            return text_or_file(to_html(sweep_page(s.sweep, s.run, "stickslip.sweep")), path);
          },
          py::arg("path") = py::none(), "The HTML report; written where a path is given.")
      .def("__len__", [](const FinishedSweep& s) { return s.run.rows.size(); })
      .def("__repr__", [](const FinishedSweep& s) { return sweep_text(s.sweep, s.run); })
      .def("_repr_html_", [](const FinishedSweep& s) {
        return html_block(s.sweep.title.empty() ? s.sweep.file : s.sweep.title,
                          html_table(output_table(s.sweep, s.run)) +
                              to_svg(sweep_figure(s.sweep, s.run), sweep_svg_options(s.sweep)));
      });
  m.def("sweep_file", &sweep_file, py::arg("path"), py::arg("text") = py::none(), py::arg("progress") = py::none());
  m.def(
      "run_machines",
      [](const std::shared_ptr<Machine>& machine, const py::dict& values, const std::vector<std::string>& outputs,
         const py::object& progress, const py::kwargs& given) {
        const Options o(given);
        MachineRunsRequest request{.paths = {}, .values = {}, .outputs = outputs};
        std::vector<std::vector<double>> columns;
        for (const auto& [path, array] : values) {
          request.paths.push_back(py::cast<std::string>(path));
          columns.push_back(numbers_of(py::cast<Array>(array)));
          if (columns.back().size() != columns.front().size())
            throw Error(request.paths.back() + " has " + std::to_string(columns.back().size()) + " values, " +
                        request.paths.front() + " has " + std::to_string(columns.front().size()) +
                        "; all need the same number");
        }
        for (std::size_t i = 0; !columns.empty() && i < columns.front().size(); ++i)
          for (const auto& column : columns) request.values.push_back(column[i]);
        o.number("observe_from", "s", Sign::any, request.observation.from);
        o.number("slip_speed", "m/s", Sign::positive, request.observation.slip_speed);
        o.count("threads", {0, 1024, "more threads than cores gain nothing"}, request.threads);
        o.refuse_others();
        RunWatch watch;
        request.watch = &watch;
        MachineRuns found;
        run_watched(watch.cancel, progress, [&](const Tell& tell) {
          request.progress = [&](std::size_t done, std::size_t runs) {
            tell("sweep", static_cast<double>(done) / static_cast<double>(runs));
          };
          found = run_machines(*machine, request);
        });
        py::dict all;
        for (Column& c : found.outputs) all[py::str(c.name)] = owned(std::move(c.values));
        return py::make_tuple(all, units_of(found.outputs), found.failures);
      },
      py::arg("machine"), py::arg("values"), py::arg("outputs"), py::arg("progress") = py::none());
}

// --- batches -----------------------------------------------------------------------------------------------------------

struct BodyField {
  const char *name, *unit;
  double BatchBody::*member;
};
constexpr BodyField body_fields[] = {
    {"mass", "kg", &BatchBody::mass},          {"stiffness", "N/m", &BatchBody::stiffness},
    {"damping", "N s/m", &BatchBody::damping}, {"pull_speed", "m/s", &BatchBody::pull_speed},
    {"force", "N", &BatchBody::force},         {"force_rate", "N/s", &BatchBody::force_rate},
    {"position", "m", &BatchBody::position},   {"velocity", "m/s", &BatchBody::velocity}};

struct ResultField {
  const char* name;
  double BatchResult::*member;
};
constexpr ResultField result_fields[] = {{"time", &BatchResult::time},
                                         {"position", &BatchResult::position},
                                         {"velocity", &BatchResult::velocity},
                                         {"slips", &BatchResult::slips},
                                         {"first_slip", &BatchResult::first_slip},
                                         {"last_slip", &BatchResult::last_slip},
                                         {"period", &BatchResult::period},
                                         {"largest_velocity", &BatchResult::largest_velocity},
                                         {"least_velocity", &BatchResult::least_velocity},
                                         {"largest_stretch", &BatchResult::largest_stretch},
                                         {"least_stretch", &BatchResult::least_stretch},
                                         {"amplitude", &BatchResult::amplitude},
                                         {"work_in", &BatchResult::work_in},
                                         {"friction_work", &BatchResult::friction_work},
                                         {"damper_heat", &BatchResult::damper_heat},
                                         {"steps", &BatchResult::steps}};

/// Numbers that differ from case to case are arrays of one length; the others hold for all.
class Cases {
 public:
  explicit Cases(const py::dict& given) {
    for (const auto& [key, value] : given) {
      if (py::isinstance<py::str>(value)) continue;
      if (!py::isinstance<py::array>(value) && !py::isinstance<py::sequence>(value)) continue;
      const auto name = py::cast<std::string>(key);
      const auto array = Array::ensure(value);
      if (!array) throw Error(name + " holds something that is no number");
      if (array.ndim() == 0) continue;
      if (array.ndim() > 1) throw Error(name + " has " + std::to_string(array.ndim()) + " dimensions; one is needed");
      if (!count_) first_ = name;
      if (count_ && *count_ != static_cast<std::size_t>(array.size()))
        throw Error(name + " has " + std::to_string(array.size()) + " values, " + first_ + " has " +
                    std::to_string(*count_) + "; all need the same number");
      count_ = static_cast<std::size_t>(array.size());
      arrays_.emplace_back(name, numbers_of(array));
    }
  }
  std::size_t count() const { return count_.value_or(1); }
  const std::vector<double>* find(const std::string& name) const {
    for (const auto& [key, values] : arrays_)
      if (key == name) return &values;
    return nullptr;
  }

 private:
  std::vector<std::pair<std::string, std::vector<double>>> arrays_;
  std::optional<std::size_t> count_;
  std::string first_;
};

py::dict batch(const std::string& model, const py::dict& body, const py::dict& friction, const py::kwargs& given) {
  const Options o(given);
  py::dict together = body.attr("copy")();
  for (const auto& [key, value] : friction) together[key] = value;
  const Cases cases(together);
  const std::size_t count = cases.count();
  std::vector<BatchBody> bodies(count);
  const Options scalars(body);
  for (const BodyField& field : body_fields) {
    const auto* values = cases.find(field.name);
    double one = BatchBody{}.*field.member;
    if (!values && scalars.has(field.name))
      one = scalars.number(field.name).in(field.name, field.unit, Range{-1e300, 1e300, true, "a number"});
    for (std::size_t i = 0; i < count; ++i) bodies[i].*field.member = values ? (*values)[i] : one;
  }
  NamedBatch runs{.model = model, .values = {}, .varied = {}, .varied_values = {}, .bodies = bodies};
  py::dict shared;
  std::vector<const std::vector<double>*> varied;
  for (const auto& [key, value] : friction) {
    const auto name = py::cast<std::string>(key);
    if (const auto* values = cases.find(name))
      runs.varied.push_back(name), varied.push_back(values);
    else
      shared[key] = value;
  }
  runs.values = values_of(model, shared);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i)
    for (const auto* values : varied) numbers.push_back((*values)[i]);
  runs.varied_values = numbers;
  BatchOptions options{.threads = 0};
  o.number("end", "s", Sign::positive, options.end);
  o.number("relative_tolerance", "1", Sign::positive, options.relative_tolerance);
  o.number("observe_from", "s", Sign::any, options.observe_from);
  o.number("slip_speed", "m/s", Sign::positive, options.slip_speed);
  o.count("threads", {0, 1024, "more threads than cores gain nothing"}, options.threads);
  o.refuse_others();
  std::vector<BatchResult> results(count);
  {
    const py::gil_scoped_release free;
    simulate_batch(runs, options, results);
  }
  py::dict all;
  for (const ResultField& field : result_fields) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = results[i].*field.member;
    all[field.name] = owned(std::move(values));
  }
  py::list stops;
  for (const BatchResult& r : results) stops.append(std::string(name_of(r.stop)));
  all["stop"] = stops;
  return all;
}

// --- the scorecard -----------------------------------------------------------------------------------------------------

void add_check(py::module_& m) {
  py::class_<Scorecard>(m, "Scorecard", "Which properties of real friction models have, measured by simulation.")
      .def_property_readonly("data", [](const Scorecard& c) { return to_python(to_json(c)); })
      .def_property_readonly(
          "models",
          [](const Scorecard& c) {
            py::dict all;
            for (const ModelScore& model : c.models) {
              py::dict row;
              for (const PropertyScore& p : model.properties) row[py::str(p.key)] = std::string(name_of(p.verdict));
              all[py::str(model.model)] = row;
            }
            return all;
          },
          "model: {property: 'yes', 'no' or 'n/a'}")
      .def("text",
           [](const Scorecard& c) { return to_text(c.models.size() == 1 ? table_of(c.models.front()) : table_of(c)); })
      .def(
          "report",
          [](const Scorecard& c, const py::object& path) {
            return text_or_file(to_html(scorecard_page(c, {"stickslip.check"})), path);
          },
          py::arg("path") = py::none(), "The HTML report of models by name; written where a path is given.")
      .def("__repr__",
           [](const Scorecard& c) { return to_text(c.models.size() == 1 ? table_of(c.models.front()) : table_of(c)); })
      .def("_repr_html_", [](const Scorecard& c) {
        return html_table(c.models.size() == 1 ? table_of(c.models.front()) : table_of(c));
      });
  m.def(
      "check",
      [](std::vector<std::string> names, const std::shared_ptr<Friction>& friction, const py::object& progress) {
        Scorecard card;
        std::atomic<bool> cancel{false};
        if (names.empty())
          for (const auto* model : registered_models()) names.push_back(model->description().name);
        for (const std::string& name : names) find_model(name);
        run_watched(cancel, progress, [&](const Tell& tell) {
          Progress silent("check", false, stderr);
          if (friction) {
            card.models.push_back(measure_set(*friction, silent).score);
            return;
          }
          for (std::size_t i = 0; i < names.size() && !cancel; ++i) {
            tell(names[i], static_cast<double>(i) / static_cast<double>(names.size()));
            card.models.push_back(measure({names[i]}, silent).models.front());
          }
        });
        return card;
      },
      py::arg("models"), py::arg("friction") = py::none(), py::arg("progress") = py::none());
}

}  // namespace

void add_studies(py::module_& m) {
  add_sweep(m);
  m.def("batch", &batch, py::arg("model"), py::arg("body"), py::arg("friction"));
  m.def("batch_models", [] {
    std::vector<std::string> names;
    for (const std::string_view name : batch_models()) names.emplace_back(name);
    return names;
  });
  add_check(m);
}

}  // namespace stickslip::python
