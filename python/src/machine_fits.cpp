/// Jobs of machines, whose parameters come from their logs, and the virtual bench.
#include "border.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "fitting/fit_results.hpp"
#include "jobs/bench_tests/virtual_bench.hpp"
#include "jobs/identify/machine_job.hpp"
#include "jobs/identify/machine_page.hpp"
#include "jobs/result_place.hpp"
#include "parameters.hpp"
#include "platform/path.hpp"
#include "report/svg.hpp"

namespace stickslip::python {
namespace {

// --- a machine from its logs -------------------------------------------------------------------------------------------

/// Arrays of its columns keep it alive.
struct HeldFit {
  MachineJobRun run;
  Table columns;
  std::string call;
};

py::dict numbers_of_fit(const HeldFit& h) {
  const Confidence& found = machine_job_numbers(h.run);
  const std::vector<std::string> units = machine_job_units(h.run);
  py::dict all;
  for (std::size_t i = 0; i < found.estimates.size(); ++i) {
    const Estimate& e = found.estimates[i];
    Parameter p{e.key, "", i < units.size() ? units[i] : "", "", e.value};
    p.is_estimated = true;
    p.standard_error = e.standard_error, p.low = e.low, p.high = e.high;
    p.verdict = std::string(name_of(e.verdict)), p.partner = e.partner;
    all[py::str(e.key)] = p;
  }
  return all;
}

std::string fitted_text(const HeldFit& h) {
  if (!h.run.fit) throw Error("inverse dynamics fits no machine file; see `parameters`");
  return fitted_file(h.run.job, h.run.best());
}

std::string fit_html(const HeldFit& h) {
  std::string body;
  if (h.run.fit)
    body = html_table(quality_table(*h.run.fit)) + "<p>" + html_text(h.run.fit->why) + "</p>" +
           html_table(number_table(machine_job_numbers(h.run), machine_job_units(h.run))) +
           to_svg(machine_log_figure(h.run.job, h.run.best(), 0));
  else
    body = html_table(number_table(machine_job_numbers(h.run), machine_job_units(h.run)));
  return html_block(h.run.job.title.empty() ? h.run.job.file : h.run.job.title, body);
}

std::shared_ptr<HeldFit> identify_machine(const py::object& job, const std::vector<std::string>& recordings,
                                          const py::object& progress, const py::kwargs& given) {
  const Options o(given);
  MachineJobRequest request{.file = path_of(job), .recordings = recordings};
  o.count("threads", {0, 1024, "more threads than cores gain nothing"}, request.threads);
  if (o.has("output")) request.result_file = path_of(o["output"]);
  auto held = std::make_shared<HeldFit>();
  held->call = o.text("command", "stickslip.identify_machine");
  o.refuse_others();
  FitWatch watch;
  request.watch = &watch;
  Noticed noticed;
  forget_files_read();
  run_watched(watch.cancel, progress, [&](const Tell& tell) {
    request.progress = tell;
    held->run = run_machine_job(request, noticed.warn());
    held->columns = machine_job_columns(held->run);
  });
  noticed.tell();
  return held;
}

void add_machine_fit(py::module_& m) {
  py::class_<HeldFit, std::shared_ptr<HeldFit>>(m, "MachineFit", "Parameters of a machine from its logs.")
      .def_property_readonly("parameters", &numbers_of_fit, "path: Parameter, of the recommended candidate")
      .def(
          "__getitem__",
          [](const HeldFit& h, const std::string& path) -> py::object {
            const py::dict all = numbers_of_fit(h);
            if (all.contains(path)) return all[py::str(path)];
            throw py::key_error(no_such("number", path, py::cast<std::vector<std::string>>(py::list(all))));
          },
          py::arg("path"))
      .def_property_readonly(
          "recommended",
          [](const HeldFit& h) { return h.run.fit ? h.run.best().name : std::string("inverse dynamics"); },
          "Name of the candidate.")
      .def_property_readonly("why", [](const HeldFit& h) { return h.run.fit ? h.run.fit->why : std::string(); })
      .def_property_readonly("complete", [](const HeldFit& h) { return h.run.is_complete(); })
      .def_property_readonly(
          "columns",
          [](const py::object& self) { return columns_of(py::cast<const HeldFit&>(self).columns.columns, self); },
          "time, and per output what was measured, predicted and left over. Not copies.")
      .def_property_readonly("units", [](const HeldFit& h) { return units_of(h.columns.columns); })
      .def_property_readonly(
          "machine",
          [](const HeldFit& h) {
            return py::module_::import("stickslip._core").attr("parse_machine")(fitted_text(h), h.run.job.file);
          },
          "The machine with the numbers found.")
      .def_property_readonly(
          "data", [](const HeldFit& h) { return to_python(machine_job_json(h.run)); },
          "The same results as `stickslip identify JOB.toml --json`.")
      .def(
          "json", [](const HeldFit& h) { return machine_job_json(h.run).text() + "\n"; },
          "The same JSON as text, byte for byte.")
      .def(
          "text", [](const HeldFit& h) { return machine_job_text(h.run); },
          "The text printed by `stickslip identify JOB.toml`.")
      .def("machine_file", &fitted_text, "The machine file with the numbers found.")
      .def(
          "save", [](const HeldFit& h, const py::object& path) { text_or_file(fitted_text(h), path); }, py::arg("path"),
          "Writes the machine file with the numbers found.")
      .def(
          "csv", [](const HeldFit& h, const py::object& path) { return text_or_file(to_csv(h.columns), path); },
          py::arg("path") = py::none(), "The columns as CSV; written where a path is given.")
      .def(
          "report",
          [](const HeldFit& h, const py::object& path) {
            return text_or_file(to_html(machine_job_page(h.run, h.call)), path);
          },
          py::arg("path") = py::none(), "The HTML report of a fit by simulation; written where a path is given.")
      .def("__repr__", [](const HeldFit& h) { return machine_job_text(h.run); })
      .def("_repr_html_", &fit_html);
  m.def("identify_machine", &identify_machine, py::arg("job"), py::arg("recordings"), py::arg("progress") = py::none());
}

// --- virtual bench -----------------------------------------------------------------------------------------------------

std::shared_ptr<VirtualBench> bench_of(const py::kwargs& given) {
  const Options o(given);
  VirtualBenchRequest r;
  const auto positive = [&](const char* name, const char* unit, double& into) {
    o.number(name, unit, Sign::positive, into);
  };
  positive("mass", "kg", r.mass);
  if (const Number n = o.number("resolution"); n.is_given)
    r.resolution = n.in("resolution", "m", Range{1e-15, 1, false, "from below an atom to a coarse switch"});
  if (const Number n = o.number("rate"); n.is_given)
    r.sampling_time = 1 / n.in("rate", "Hz", Range{1, 1e6, false, "the motion takes ten steps in between"});
  positive("stiction", "N", r.stiction), positive("coulomb", "N", r.coulomb);
  o.number("viscosity", "N s/m", Sign::not_negative, r.viscosity);
  positive("stribeck_velocity", "m/s", r.stribeck_velocity);
  positive("ramp", "N/s", r.ramp), positive("travel", "m", r.travel);
  if (o.has("speeds")) {
    r.speeds.clear();
    for (const py::handle speed : o["speeds"])
      r.speeds.push_back(Number(speed, "speeds").in("speeds", "m/s", Sign::positive));
    if (r.speeds.empty()) throw Error("speeds is empty; one speed or more is needed");
  }
  positive("proportional", "N/m", r.proportional), positive("derivative", "N s/m", r.derivative);
  positive("force_limit", "N", r.force_limit), positive("frequency", "Hz", r.frequency_hz);
  o.count("periods", {1, 1e6, "a million periods are days"}, r.periods);
  r.is_long = o.flag("long");
  r.command = o.text("command", "stickslip.virtual_bench");
  o.refuse_others();
  auto made = std::make_shared<VirtualBench>();
  std::atomic<bool> cancel{false};
  run_watched(cancel, py::none(), [&](const Tell&) { *made = virtual_bench(r); });
  return made;
}

void add_bench(py::module_& m) {
  py::class_<VirtualBench, std::shared_ptr<VirtualBench>>(
      m, "VirtualBench", "Recordings of a breakaway test and of a sinusoidal test of a body with known friction.")
      .def_property_readonly(
          "breakaway",
          [](const py::object& self) {
            return columns_of(py::cast<const VirtualBench&>(self).breakaway.columns, self);
          },
          "Force ramps as arrays in SI units, for breakaway_test(). Not copies.")
      .def_property_readonly(
          "sines",
          [](const py::object& self) { return columns_of(py::cast<const VirtualBench&>(self).sines.columns, self); },
          "Sinusoidal motion as arrays in SI units, with its column speed_wanted. Not copies.")
      .def_property_readonly("truth", [](const VirtualBench& b) { return std::make_shared<ModelFile>(b.truth); })
      .def(
          "figure", [](const VirtualBench& b) { return to_svg(virtual_bench_figure(b)); }, "The figure as SVG.")
      .def(
          "report",
          [](const VirtualBench& b, const py::object& path) {
            return text_or_file(to_html(virtual_bench_page(b)), path);
          },
          py::arg("path") = py::none(), "The HTML report; written where a path is given.")
      .def(
          "save",
          [](const VirtualBench& b, const py::object& path) {
            const std::string folder = path_of(path);
            const py::gil_scoped_release free;
            make_directory(folder);
            write_whole(joined_path(folder, "breakaway.csv"), to_csv(b.breakaway));
            write_whole(joined_path(folder, "sine.csv"), to_csv(b.sines));
          },
          py::arg("folder"), "Writes breakaway.csv and sine.csv, as `stickslip virtual-bench` does.")
      .def("__repr__",
           [](const VirtualBench& b) {
             return "<VirtualBench: " + std::to_string(rows(b.breakaway)) + " samples of force ramps, " +
                    std::to_string(rows(b.sines)) + " of sinusoidal motion>";
           })
      .def("_repr_html_",
           [](const VirtualBench& b) { return html_block("Virtual bench", to_svg(virtual_bench_figure(b))); });
  m.def("virtual_bench", &bench_of);
}

}  // namespace

void add_machine_fits(py::module_& m) {
  add_machine_fit(m);
  add_bench(m);
}

}  // namespace stickslip::python
