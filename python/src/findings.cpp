/// Tests on recordings and what they find: friction over speed, breakaway, sinusoidal speeds, film, springs that slip; plans of tests.
#include "findings.hpp"

#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "jobs/bench_tests/breakaway.hpp"
#include "jobs/bench_tests/contact.hpp"
#include "jobs/bench_tests/film.hpp"
#include "jobs/bench_tests/sine.hpp"
#include "jobs/bench_tests/slider.hpp"
#include "jobs/curve/curve.hpp"
#include "jobs/plan/texts.hpp"
#include "recordings.hpp"
#include "report/svg.hpp"

namespace stickslip::python {
namespace {

struct HeldCurve : HeldFinding {
  std::vector<double> speed, force;
};
struct HeldPlan : HeldFinding {};

constexpr std::size_t text_columns = 100;

std::string text_of(const HeldFinding& h) {
  return h.text.empty() ? finding_text(h.found, text_columns, false) : h.text;
}

std::string html_of(const HeldFinding& h) {
  std::string body = "<p>" + html_text(h.found.summary) + "</p>";
  for (const FindingTable& part : h.found.tables) {
    if (!part.heading.empty()) body += "<p>" + html_text(part.heading) + "</p>";
    body += html_table(part.table);
    if (!part.text.empty()) body += "<p>" + html_text(part.text) + "</p>";
  }
  return html_block(h.found.title, body + to_svg(h.found.figure));
}

void add_finding(py::module_& m) {
  py::class_<HeldFinding, std::shared_ptr<HeldFinding>>(
      m, "Finding", "What a test on recordings found. bool(result) is False where there was nothing to find.")
      .def_property_readonly(
          "data", [](const HeldFinding& h) { return to_python(h.found.json); },
          "The same results as the command's --json, SI.")
      .def("text", &text_of, "The text printed by the command.")
      .def_property_readonly("title", [](const HeldFinding& h) { return h.found.title; })
      .def_property_readonly("summary", [](const HeldFinding& h) { return h.found.summary; })
      .def_property_readonly("warnings", [](const HeldFinding& h) { return h.found.warnings; })
      .def_property_readonly(
          "columns",
          [](const py::object& self) {
            return columns_of(py::cast<const HeldFinding&>(self).found.points.columns, self);
          },
          "The points: one row per stretch, cycle, ramp or swing. Not copies.")
      .def_property_readonly("units", [](const HeldFinding& h) { return units_of(h.found.points.columns); })
      .def_property_readonly(
          "model",
          [](const HeldFinding& h) -> py::object {
            if (!h.found.model) return py::none();
            ModelFile model = *h.found.model;
            model.command = h.call;
            return py::cast(std::make_shared<ModelFile>(std::move(model)));
          },
          "The friction as a model file; None if there is none.")
      .def(
          "figure", [](const HeldFinding& h) { return to_svg(h.found.figure); }, "The figure as SVG.")
      .def(
          "report",
          [](const HeldFinding& h, const py::object& path) {
            return text_or_file(to_html(finding_page(h.found, {h.call, h.found.files})), path);
          },
          py::arg("path") = py::none(), "The HTML report; written where a path is given.")
      .def(
          "save",
          [](const HeldFinding& h, const py::object& path) {
            const std::string to = path_of(path);
            const auto kind = finding_file_kind(to);
            if (!kind) throw Error(in_quotes(one_line(to, 100)) + ": " + std::string(finding_file_endings));
            write_whole(to, finding_file(h.found, *kind, to, h.call).text);
          },
          py::arg("path"),
          "Writes what the ending says: .toml the model, .csv the points, .svg the figure, .html the report, .json the "
          "results.")
      .def("__bool__", [](const HeldFinding& h) { return h.found.is_found; })
      .def("__repr__", &text_of)
      .def("_repr_html_", &html_of);
  py::class_<HeldCurve, HeldFinding, std::shared_ptr<HeldCurve>>(
      m, "Curve", "Friction over speed, per direction, from recordings at constant speed.")
      .def_property_readonly(
          "speed", [](const py::object& self) { return view(py::cast<const HeldCurve&>(self).speed, self); },
          "of every steady stretch, with sign [m/s] or [rad/s]")
      .def_property_readonly(
          "force", [](const py::object& self) { return view(py::cast<const HeldCurve&>(self).force, self); },
          "mean friction of every steady stretch [N] or [N m]");
  py::class_<HeldPlan, HeldFinding, std::shared_ptr<HeldPlan>>(
      m, "Plan", "What can be identified with a sensor and a drive, and which tests to run.");
}

// --- what every test is asked ------------------------------------------------------------------------------------------

/// Recordings in hand, or files that the test reads itself.
std::vector<RecordingSource> sources_of(const py::object& recordings, const py::object& files) {
  std::vector<RecordingSource> all = python::sources_of(recordings);
  for (const py::handle file : files) all.push_back({path_of(file)});
  if (all.empty()) throw Error("no recording to look at");
  return all;
}

ReadOptions reading_of(const py::object& recordings, const py::object& files, const Options& o) {
  return py::len(files) > 0 ? read_options_of(o) : python::reading_of(recordings);
}

TimeWindow window_of(const Options& o) {
  TimeWindow window;
  o.number("start", "s", Sign::any, window.from);
  o.number("stop", "s", Sign::any, window.until);
  if (!(window.until > window.from)) throw Error("stop must come after start");
  return window;
}

/// A number whose unit depends on whether the machine is rotary, which the first recording tells.
struct Later {
  const char *name, *unit;
  Sign sign;
  Number number;
  Later(const Options& o, const char* called, const char* linear_unit, Sign which)
      : name(called), unit(linear_unit), sign(which), number(o.number(called)) {}
  void take(double& into, bool is_rotary) const {
    number.take(name, is_rotary ? rotary(unit) : std::string(unit), sign, into);
  }
};

std::optional<ModelFile> friction_of(const Options& o) {
  if (!o.has("friction")) return std::nullopt;
  return *py::cast<std::shared_ptr<ModelFile>>(o["friction"]);
}

/// Runs `work(warn)`, which may not ask Python, and tells what it noticed.
template <class Held, class Work>
std::shared_ptr<Held> found_by(const Options& o, Work work) {
  auto held = std::make_shared<Held>();
  held->call = o.text("command");
  o.refuse_others();
  Noticed noticed;
  forget_files_read();
  std::atomic<bool> cancel{false};
  run_watched(cancel, py::none(), [&](const Tell&) { work(*held, noticed.warn()); });
  for (const std::string& warning : held->found.warnings) noticed.say(warning);
  noticed.tell();
  return held;
}

// --- the tests ---------------------------------------------------------------------------------------------------------

std::shared_ptr<HeldCurve> curve(const py::object& recordings, const py::object& files, const py::kwargs& given) {
  const Options o(given);
  CurveRequest request;
  request.recordings = sources_of(recordings, files);
  request.reading = reading_of(recordings, files, o);
  request.window = window_of(o);
  request.each = o.text("each");
  request.steady.whole = o.flag("whole");
  request.steady.force_drives = o.flag("invert_force");
  if (const Number n = o.number("tolerance"); n.is_given)
    request.steady.tolerance = n.in("tolerance", "1", Range{0.001, 1, false, "a fraction of the speed"});
  o.number("shortest", "s", Sign::positive, request.steady.shortest);
  if (const Number n = o.number("slowest"); n.is_given)
    request.steady.slowest = n.in("slowest", "1", Range{1e-6, 1, false, "a fraction of the fastest speed"});
  if (o.has("offset")) request.constant_load = o.flag("offset") ? ConstantLoad::subtracted : ConstantLoad::kept;
  request.over = o.text("over");
  if (!request.over.empty() && request.over != "load" && request.over != "pressure" && request.over != "temperature")
    throw Error("over: " + no_such("quantity", request.over, {"load", "pressure", "temperature"}));
  o.count("degree", {1, 4, "a higher degree oscillates between the points"}, request.degree);
  request.forms = o.texts("forms");
  for (const std::string& form : request.forms)
    if (form != "constant" && form != "line" && form != "exponential" && form != "rational")
      throw Error("forms: " + no_such("curve", form, {"constant", "line", "exponential", "rational"}));
  return found_by<HeldCurve>(o, [&](HeldCurve& held, const Warn& warn) {
    const CurveResult result = find_curve(request, warn);
    for (const SteadyPoint& p : result.points) held.speed.push_back(p.speed), held.force.push_back(p.force);
    held.found = curve_finding(request, result);
  });
}

std::shared_ptr<HeldFinding> breakaway_test(const py::object& recordings, const py::object& files,
                                            const py::kwargs& given) {
  const Options o(given);
  const Later mass(o, "mass", "kg", Sign::positive), coulomb(o, "coulomb", "N", Sign::not_negative),
      stribeck_velocity(o, "stribeck_velocity", "m/s", Sign::not_negative),
      resolution(o, "resolution", "m", Sign::positive), backlash(o, "backlash", "m", Sign::not_negative),
      rest_time(o, "rest_time", "s", Sign::positive);
  BreakawayRequest request;
  request.recordings = sources_of(recordings, files);
  request.reading = reading_of(recordings, files, o);
  request.window = window_of(o);
  request.friction = friction_of(o);
  request.list_ramps = o.flag("points");
  request.options = [=](bool is_rotary) {
    BreakawayOptions options;
    mass.take(options.mass, is_rotary), coulomb.take(options.coulomb, is_rotary);
    stribeck_velocity.take(options.stribeck_velocity, is_rotary), resolution.take(options.resolution, is_rotary);
    backlash.take(options.play, is_rotary), rest_time.take(options.quiet, false);
    return options;
  };
  return found_by<HeldFinding>(
      o, [&](HeldFinding& held, const Warn& warn) { held.found = breakaway_finding(request, warn); });
}

std::shared_ptr<HeldFinding> sine_test(const py::object& recordings, const py::object& files, const py::kwargs& given) {
  const Options o(given);
  const Later mass(o, "mass", "kg", Sign::positive), stiction(o, "stiction", "N", Sign::not_negative),
      resolution(o, "resolution", "m", Sign::positive);
  SinusoidOptions fixed;
  o.number("frequency", "Hz", Sign::positive, fixed.frequency_hz);
  o.count("settling_periods", {0, 1e6, "no recording has more periods"}, fixed.settling_periods);
  fixed.force_sample = o.flag("instant") ? ForceSample::instant : ForceSample::held;
  SineRequest request;
  request.recordings = sources_of(recordings, files);
  request.reading = reading_of(recordings, files, o);
  request.window = window_of(o);
  request.by = o.text("each");
  request.options = [=](bool is_rotary) {
    SinusoidOptions options = fixed;
    mass.take(options.mass, is_rotary), stiction.take(options.stiction, is_rotary);
    resolution.take(options.resolution, is_rotary);
    return options;
  };
  return found_by<HeldFinding>(o,
                               [&](HeldFinding& held, const Warn& warn) { held.found = sine_finding(request, warn); });
}

std::shared_ptr<HeldFinding> film_test(const py::object& recordings, const py::object& files, const py::object& speeds,
                                       const py::object& test, const py::kwargs& given) {
  const Options o(given);
  const PreparationRequest preparation = preparation_of(o);
  if (preparation.mass == MassFrom::recording) throw Error("mass: 'find' is for identify; film_test needs the mass");
  FilmRequest request;
  request.recordings = sources_of(recordings, files);
  const auto others = [](const py::object& them) {
    std::vector<RecordingSource> all;
    for (const py::handle item : them)
      if (py::isinstance<HeldRecording>(item))
        all.push_back({py::cast<SharedRecording>(item)->file, py::cast<SharedRecording>(item)});
      else
        all.push_back({path_of(item)});
    return all;
  };
  request.speeds = others(speeds), request.test = others(test);
  request.reading = reading_of(recordings, files, o);
  request.friction = friction_of(o);
  request.free = o.texts("free");
  if (o.has("fix"))
    for (const auto& [key, value] : named_values(o["fix"], "fix"))
      request.fixed.push_back(py::cast<std::string>(key) + "=" + py::cast<std::string>(py::str(value)));
  request.preparation = preparation.of;
  return found_by<HeldFinding>(o,
                               [&](HeldFinding& held, const Warn& warn) { held.found = film_finding(request, warn); });
}

PulledBody body_of(const Options& o, const PulledBody& otherwise) {
  PulledBody body = otherwise;
  o.number("speed", "m/s", Sign::positive, body.speed);
  o.number("mass", "kg", Sign::positive, body.mass);
  o.number("stiffness", "N/m", Sign::positive, body.stiffness);
  return body;
}

std::shared_ptr<HeldFinding> slider(const py::object& recordings, const py::object& files, const py::object& compare,
                                    const py::kwargs& given) {
  const Options o(given);
  SliderRequest request;
  request.recordings = sources_of(recordings, files);
  request.reading = reading_of(recordings, files, o);
  request.window = window_of(o);
  request.body = body_of(o, {});
  o.number("cutoff_hz", "Hz", Sign::positive, request.options.cutoff_hz);
  o.number("least_drop", "N", Sign::positive, request.options.least_drop);
  for (const py::handle item : compare) {
    const auto pair = py::cast<py::tuple>(item);
    const auto held = py::cast<SharedRecording>(pair[0]);
    request.compare.push_back({{held->file, held}, body_of(Options(py::cast<py::dict>(pair[1])), request.body)});
  }
  return found_by<HeldFinding>(
      o, [&](HeldFinding& held, const Warn& warn) { held.found = slider_finding(request, warn); });
}

std::shared_ptr<HeldFinding> contact(const py::object& recordings, const py::object& files, const py::kwargs& given) {
  const Options o(given);
  ContactRequest request;
  request.recordings = sources_of(recordings, files);
  request.reading = reading_of(recordings, files, o);
  request.window = window_of(o);
  o.count("elements", {1, 16, "more springs are not separable"}, request.fit.elements);
  o.count("knots", {0, 30, "a finer table would fit the noise"}, request.fit.knots);
  if (const Number n = o.number("share"); n.is_given)
    request.fit.share = n.in("share", "1", Range{0.05, 1, false, "less leaves too little to fit"});
  request.fit.per_direction = o.flag("per_direction"), request.fit.backlash = o.flag("backlash");
  request.fit.asymmetry = o.flag("asymmetry"), request.fit.force_drives = o.flag("invert_force");
  if (const std::string over = o.text("over"); !over.empty()) {
    if (over != "load") throw Error("over: " + no_such("quantity", over, {"load"}));
    request.fit.over_load = true;
  }
  return found_by<HeldFinding>(
      o, [&](HeldFinding& held, const Warn& warn) { held.found = contact_finding(request, warn); });
}

std::shared_ptr<HeldPlan> plan(const py::kwargs& given) {
  const Options o(given);
  const bool is_rotary = o.flag("rotary");
  PlanInput in;
  const auto take = [&](const char* name, const char* unit, Sign sign, double& into) {
    o.number(name, is_rotary ? rotary(unit) : unit, sign, into);
  };
  take("mass", "kg", Sign::positive, in.mass);
  take("resolution", "m", Sign::positive, in.resolution);
  o.number("sampling_time", "s", Sign::positive, in.sampling_time);
  take("force_limit", "N", Sign::positive, in.force_limit);
  take("stiction", "N", Sign::positive, in.stiction);
  take("coulomb", "N", Sign::positive, in.coulomb);
  take("viscosity", "N s/m", Sign::not_negative, in.viscosity);
  take("stribeck_velocity", "m/s", Sign::not_negative, in.stribeck_velocity);
  take("stroke", "m", Sign::positive, in.stroke);
  o.number("mass_known", "1", Sign::positive, in.mass_known);
  o.number("wanted", "1", Sign::positive, in.wanted);
  auto held = std::make_shared<HeldPlan>();
  held->call = o.text("command");
  o.refuse_others();
  const Plan made = plan_tests(in);
  held->found = plan_finding(made, is_rotary);
  held->text = plan_text(made, is_rotary);
  return held;
}

}  // namespace

void add_findings(py::module_& m) {
  add_finding(m);
  m.def("curve", &curve, py::arg("recordings"), py::arg("files"));
  m.def("breakaway_test", &breakaway_test, py::arg("recordings"), py::arg("files"));
  m.def("sine_test", &sine_test, py::arg("recordings"), py::arg("files"));
  m.def("film_test", &film_test, py::arg("recordings"), py::arg("files"), py::arg("speeds"), py::arg("test"));
  m.def("slider", &slider, py::arg("recordings"), py::arg("files"), py::arg("compare"));
  m.def("contact", &contact, py::arg("recordings"), py::arg("files"));
  m.def("plan", &plan);
}

}  // namespace stickslip::python
