/// Out of Python: models and machines for other programs, and from a model to a controller.
#include "border.hpp"
#include "compensate/compensate.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "exports/c_header.hpp"
#include "exports/formats.hpp"
#include "exports/lpv.hpp"
#include "files/whole_file.hpp"
#include "fmu/export_fmu.hpp"
#include "machines/friction/model_file.hpp"
#include "report/svg.hpp"
#include "report/terminal.hpp"

namespace stickslip::python {
namespace {

/// The words of the command's options and the functions behind them.
Export made_as(const std::string& format, const ExportSource& source, const Options& o) {
  const auto unit = [&](std::string_view linear) { return unit_for(source.motion, linear); };
  if (format == "c") {
    CHeaderOptions options;
    o.number("mass", unit("kg"), Sign::positive, options.mass);
    o.number("sampling_time", "s", Sign::positive, options.step);
    return export_c(source, options);
  }
  FormatOptions options;
  o.number("mass", unit("kg"), Sign::positive, options.mass);
  o.number("fastest", unit("m/s"), Sign::positive, options.fastest);
  o.count("knots", {2, 100, "of a table, per direction"}, options.knots);
  using Make = Export (*)(const ExportSource&, const FormatOptions&);
  static const std::vector<std::pair<std::string, Make>> all{
      {"table", export_table}, {"drive", export_drive}, {"modelica", export_modelica}, {"mjcf", export_mjcf},
      {"urdf", export_urdf},   {"sdf", export_sdf},     {"simulink", export_simulink}};
  std::vector<std::string> words{"c", "fmu", "lpv"};
  for (const auto& [word, make] : all) {
    if (word == format) return make(source, options);
    words.push_back(word);
  }
  throw Error("format: " + no_such("format", format, words));
}

Export made_lpv(const std::string& file, const Options& o) {
  LpvOptions options;
  o.number("slowest", "rad/s", Sign::positive, options.slowest);
  o.number("fastest", "rad/s", Sign::positive, options.fastest);
  const std::string path = o.text("path", "clutch_lpv.m");
  return export_lpv(file, program_name(path.ends_with(".m") ? path.substr(0, path.size() - 2) : path), options);
}

Export made_fmu(const std::string& text, const std::string& file, const Options& o) {
  FmuOptions options;
  const bool is_model = is_model_file(text, file);
  const MotionKind motion = is_model ? parse_model_file(text, file).motion : MotionKind::linear;
  o.number("mass", unit_for(motion, "kg"), Sign::positive, options.mass);
  o.count("fmi", {2, 3, "versions of FMI"}, options.version);
  const std::string inputs = o.text("inputs", "file");
  if (inputs != "file" && inputs != "outside") throw Error("inputs: " + no_such("place", inputs, {"file", "outside"}));
  options.inputs_from_file = inputs == "file";
  options.binaries = o.text("binaries");
  FmuFile fmu = export_fmu(text, file, options);
  Export made;
  made.format = "fmu", made.what = std::move(fmu.what), made.content = std::move(fmu.content);
  made.losses = std::move(fmu.losses), made.notes = std::move(fmu.notes);
  return made;
}

std::string export_text(const Export& e) {
  std::string text = e.what + "\n";
  if (!e.measured.rows.empty()) text += to_text(e.measured, {.indent = "  "});
  for (const auto& loss : e.losses) text += "  lost: " + loss + "\n";
  for (const auto& note : e.notes) text += "  " + note + "\n";
  text.pop_back();
  return text;
}

std::string export_html(const Export& e) {
  std::string body = e.measured.rows.empty() ? "" : html_table(e.measured);
  for (const auto& loss : e.losses) body += "<p>lost: " + html_text(loss) + "</p>";
  for (const Figure& figure : e.figures) body += to_svg(figure);
  for (const auto& note : e.notes) body += "<p>" + html_text(note) + "</p>";
  return html_block(e.what, body);
}

void add_export(py::module_& m) {
  py::class_<Export>(m, "Export", "A model or machine for another program, and what it lost against its source.")
      .def_readonly("format", &Export::format)
      .def_readonly("what", &Export::what)
      .def_readonly("lost", &Export::losses, "What the format cannot carry, in plain words with figures.")
      .def_readonly("notes", &Export::notes)
      .def_property_readonly(
          "content", [](const Export& e) { return py::bytes(e.content); }, "The file.")
      .def_property_readonly("data", [](const Export& e) { return to_python(e.details); })
      .def(
          "save", [](const Export& e, const py::object& path) { write_whole(path_of(path), e.content); },
          py::arg("path"))
      .def("text", &export_text)
      .def("__repr__", &export_text)
      .def("_repr_html_", &export_html);
  m.def(
      "export",
      [](const std::string& text, const std::string& file, const std::string& format, const py::kwargs& given) {
        const Options o(given);
        if (format == "fmu") return made_fmu(text, file, o);
        if (format == "lpv") return made_lpv(file, o);
        if (!is_model_file(text, file))
          throw Error(one_line(file) + ": a machine leaves as an FMU only; the other formats carry a model");
        return made_as(format, export_source_of(parse_model_file(text, file)), o);
      },
      py::arg("text"), py::arg("file"), py::arg("format"));
}

void add_compensation(py::module_& m) {
  py::class_<Compensation>(m, "Compensation", "Ways to deal with friction, tried in the closed loop of an axis.")
      .def_property_readonly("recommended", [](const Compensation& c) { return c.results.rivals[c.results.best].name; })
      .def_property_readonly("assumed", [](const Compensation& c) { return c.plan.assumed; })
      .def_property_readonly("findings", &findings, "Gains, stability, hunting and stick-slip in plain sentences.")
      .def_property_readonly(
          "data", [](const Compensation& c) { return to_python(to_json(c)); },
          "What `stickslip compensate --json` says.")
      .def_property_readonly(
          "header", [](const Compensation& c) { return compensation_files(c, {}).header; },
          "C99 with model and controller; '' for a law without C.")
      .def_property_readonly(
          "scenario", [](const Compensation& c) { return compensation_files(c, {}).scenario; },
          "The recommended run as a machine file: stickslip.simulate(c.scenario) repeats it.")
      .def(
          "report",
          [](const Compensation& c, const py::object& path) {
            return text_or_file(compensation_files(c, {"stickslip.compensate", {}}).page, path);
          },
          py::arg("path") = py::none(), "The HTML report; written where a path is given.")
      .def("text", [](const Compensation& c) { return compensation_text(c, 100, false); })
      .def("__repr__", [](const Compensation& c) { return compensation_text(c, 100, false); })
      .def("_repr_html_", [](const Compensation& c) {
        std::string body = html_table(rival_table(c)) + html_table(hunting_table(c));
        for (const auto& line : findings(c)) body += "<p>" + html_text(line) + "</p>";
        return html_block("Recommended: " + c.results.rivals[c.results.best].name, body);
      });
  m.def(
      "compensate",
      [](const std::shared_ptr<ModelFile>& model, const std::string& machine, const py::object& progress,
         const py::kwargs& given) {
        const Options o(given);
        const auto unit = [&](std::string_view linear) { return unit_for(model->motion, linear); };
        AxisNumbers n;
        o.number("mass", unit("kg"), Sign::positive, n.mass);
        o.number("sampling_time", "s", Sign::positive, n.sampling_time);
        o.number("delay", "s", Sign::not_negative, n.delay);
        o.number("lag", "s", Sign::not_negative, n.lag);
        o.number("resolution", unit("m"), Sign::not_negative, n.resolution);
        o.number("limit", unit("N"), Sign::positive, n.limit);
        o.number("amplitude", unit("m"), Sign::positive, n.amplitude);
        o.number("frequency", "Hz", Sign::positive, n.frequency);
        RunWatch watch;
        CompensateOptions options{.watch = &watch};
        o.count("cells", {2, 25, "of the map, each way"}, options.cells);
        o.count("threads", {0, 1024, "more threads than cores only wait for each other"}, options.threads);
        o.refuse_others();
        Compensation made;
        run_watched(watch.cancel, progress, [&](const Tell&) { made = compensate(*model, machine, n, options); });
        return made;
      },
      py::arg("model"), py::arg("machine") = "", py::arg("progress") = py::none());
}

}  // namespace

void add_exports(py::module_& m) {
  add_export(m);
  add_compensation(m);
}

}  // namespace stickslip::python
