/// Recordings: read, looked at, prepared, generated.
#include "recordings.hpp"

#include "core/text.hpp"
#include "core/uncertain_text.hpp"
#include "core/units.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "generate/generate.hpp"
#include "jobs/inspect/finding.hpp"
#include "jobs/inspect/texts.hpp"
#include "jobs/validate/validation.hpp"
#include "recording/take_recording.hpp"
#include "report/svg.hpp"
#include "stickslip/version.hpp"

namespace stickslip::python {
namespace {

char one_character(const std::string& text, const char* name) {
  if (text == "tab") return '\t';
  if (text == "blank") return ' ';
  if (text.size() > 1)
    throw Error(std::string(name) + " is " + in_quotes(text) + "; one character, tab or blank is needed");
  return text.empty() ? '\0' : text[0];
}

}  // namespace

ReadOptions read_options_of(const Options& options) {
  ReadOptions read;
  std::vector<std::string> roles;
  for (const Role role : all_roles) {
    roles.emplace_back(role_name(role));
    of(read.columns, role) = options.text(roles.back().c_str());
  }
  const auto role_of = [&](const std::string& name, const char* where) {
    for (const Role role : all_roles)
      if (role_name(role) == name) return role;
    throw Error(std::string(where) + ": " + no_such("role", name, roles));
  };
  if (options.has("gains"))
    for (const auto& [key, value] : named_values(options["gains"], "gains"))
      of(read.gains, role_of(py::cast<std::string>(py::str(key)), "gains")) = py::cast<std::string>(py::str(value));
  const auto pairs = [&](const char* name, std::vector<std::pair<std::string, std::string>>& into) {
    if (!options.has(name)) return;
    for (const auto& [key, value] : named_values(options[name], name))
      into.emplace_back(py::cast<std::string>(py::str(key)), py::cast<std::string>(py::str(value)));
  };
  pairs("let", read.numbers);
  read.drive = {.torque_constant = options.text("torque_constant"),
                .gear = options.text("gear"),
                .pitch = options.text("pitch"),
                .counts_per_turn = options.text("counts_per_turn"),
                .resistance = options.text("resistance"),
                .back_emf = options.text("back_emf"),
                .encoder = options.text("encoder")};
  options.number("rate", "Hz", Sign::positive, read.rate);
  read.names = options.texts("names");
  pairs("where", read.where);
  const std::string missing = options.text("missing", "refuse");
  if (missing != "refuse" && missing != "drop" && missing != "interpolate")
    throw Error("missing: " + no_such("way", missing, {"refuse", "drop", "interpolate"}));
  read.missing = missing == "drop" ? Missing::drop : missing == "interpolate" ? Missing::interpolate : Missing::refuse;
  read.delimiter = one_character(options.text("delimiter"), "delimiter");
  read.decimal = one_character(options.text("decimal"), "decimal");
  options.count("skip_lines", {0, 1e9, "no file that can be read has more lines"}, read.skip_lines);
  if (options.has("need")) {
    read.needed.clear();
    for (const std::string& name : options.texts("need")) read.needed.push_back(role_of(name, "need"));
  }
  if (options.has("like")) return reading_as(*py::cast<std::shared_ptr<ModelFile>>(options["like"]), read);
  return read;
}

/// The same where nothing else may be asked.
ReadOptions only_read_options_of(const py::kwargs& given) {
  const Options options(given);
  const ReadOptions read = read_options_of(options);
  options.refuse_others();
  return read;
}

PreparationRequest preparation_of(const Options& o, const Preparation& start) {
  const Number from = o.number("start"), to = o.number("stop"), rate = o.number("rate_hz"),
               cutoff = o.number("cutoff_hz"), force_cutoff = o.number("force_cutoff_hz"), lag = o.number("lag"),
               mass = o.number("mass"), offset = o.number("offset"), resolution = o.number("resolution");
  const bool is_to_be_found = mass.text == "find";
  Preparation fixed = start;
  if (mass.is_given) fixed.mass_error = 0;
  if (is_to_be_found) fixed.mass = 0;
  fixed.use_velocity = fixed.use_velocity || o.flag("use_velocity");
  o.count("filter_order", {1, 20, "a steeper filter rings"}, fixed.order);
  if (lag.is_given) fixed.find_lag = false;
  if (o.flag("find_lag")) fixed.find_lag = true;
  if (offset.is_given) fixed.find_offset = false;
  if (o.flag("find_offset")) fixed.find_offset = true;
  if (o.has("invert_force")) fixed.force_drives = o.flag("invert_force");
  const auto of = [=](bool is_rotary) {
    const auto unit = [&](const char* linear) { return is_rotary ? rotary(linear) : std::string(linear); };
    Preparation p = fixed;
    from.take("start", "s", Sign::any, p.from);
    to.take("stop", "s", Sign::any, p.to);
    if (!(p.to > p.from)) throw Error("stop must come after start");
    rate.take("rate_hz", "Hz", Sign::positive, p.rate_hz);
    if (cutoff.is_given && std::isinf(cutoff.value) && cutoff.value > 0)
      p.cutoff_hz = cutoff.value;  // no filter
    else
      cutoff.take("cutoff_hz", "Hz", Sign::positive, p.cutoff_hz);
    force_cutoff.take("force_cutoff_hz", "Hz", Sign::positive, p.force_cutoff_hz);
    if (lag.is_given) p.lag = lag.in("lag", "s", Range{-10, 10, false, "a larger delay belongs to another motion"});
    if (const auto both = uncertain_text(mass.text)) {
      Number value = mass, error = mass;
      value.text = both->value, error.text = both->error;
      p.mass = value.in("mass", unit("kg"), Sign::not_negative);
      p.mass_error = error.in("mass", unit("kg"), Sign::not_negative);
    } else if (!is_to_be_found) {
      mass.take("mass", unit("kg"), Sign::not_negative, p.mass);
    }
    offset.take("offset", unit("N"), Sign::any, p.offset);
    if (resolution.is_given)
      p.resolution =
          resolution.in("resolution", unit("m"), Range{1e-15, 1, true, "from below an atom to a coarse switch"});
    return p;
  };
  PreparationRequest request{of, fixed.force_drives};
  request.mass = is_to_be_found ? MassFrom::recording : MassFrom::stated;
  LoadSearch& loads = request.loads;
  loads.gravity = o.flag("gravity");
  o.count("load_knots", {2, 100, "a finer table follows the noise"}, loads.knots);
  if (const Number period = o.number("cogging"); period.is_given) {
    try {
      loads.cogging_period = period.in("cogging", "m", Sign::positive);
    } catch (const Error&) {
      loads.cogging_period = period.in("cogging", "rad", Sign::positive);
    }
  }
  return request;
}

std::vector<RecordingSource> sources_of(const py::object& recordings) {
  std::vector<RecordingSource> sources;
  if (recordings.is_none()) return sources;
  for (const py::handle item : recordings) {
    const auto held = py::cast<SharedRecording>(item);
    sources.push_back({held->file, held});
  }
  return sources;
}

ReadOptions reading_of(const py::object& recordings) {
  for (const py::handle item : recordings) return py::cast<SharedRecording>(item)->reading;
  return {};
}

std::vector<std::string> told_of(const std::vector<RecordingSource>& sources) {
  std::vector<std::string> all;
  for (const RecordingSource& source : sources)
    for (const Note& note : source.recording->notes) all.push_back(to_text(note, source.file));
  return all;
}

namespace {

py::list notes_of(const std::vector<Note>& notes, const std::string& file) {
  py::list all;
  for (const Note& note : notes) all.append(to_text(note, file));
  return all;
}

/// Remarks made while reading, which the command line prints as warnings.
SharedRecording told(Recording&& recording, const ReadOptions& reading) {
  Noticed noticed;
  for (const Note& note : recording.notes) noticed.say(to_text(note, recording.file));
  noticed.tell();
  return std::make_shared<HeldRecording>(HeldRecording{std::move(recording), reading});
}

std::vector<Column> columns_in(const Recording& r) {
  std::vector<Column> all;
  for (const Role role : all_roles)
    if (!signal(r, role).empty())
      all.push_back({std::string(role_name(role)), std::string(si_unit(role, r.rotary)), {}});
  return all;
}

SharedRecording read_file(const py::object& path, const py::kwargs& options) {
  const std::string file = path_of(path);
  const ReadOptions read = only_read_options_of(options);
  Recording recording;
  {
    const py::gil_scoped_release free;
    recording = read_recording(file, read);
  }
  mark_read(file);
  recording.file = printable(file);
  return told(std::move(recording), read);
}

SharedRecording read_bytes(const py::bytes& bytes, const std::string& name, const py::kwargs& options) {
  const std::string_view text = bytes;
  const ReadOptions read = only_read_options_of(options);
  Recording recording;
  {
    const py::gil_scoped_release free;
    recording = read_recording(text, name, read);
  }
  return told(std::move(recording), read);
}

SharedRecording read_arrays(const py::dict& arrays, const py::dict& units, const std::string& name,
                            const py::kwargs& options) {
  std::vector<Column> columns;
  for (const auto& [key, value] : arrays) {
    const auto refuse = [&](const std::string& why) {
      throw Error(one_line(name) + ": column " + in_quotes(py::cast<std::string>(py::str(key))) + why);
    };
    const auto given = py::array::ensure(value);
    if (given && given.dtype().kind() == 'c') refuse(" holds complex numbers; real ones are needed");
    const auto array = given ? Array::ensure(given) : Array();
    if (!given || !array) refuse(" holds something that is no number");
    Column column{py::cast<std::string>(py::str(key)), {}, numbers_of(array)};
    if (array.ndim() != 1)
      throw Error(one_line(name) + ": column " + in_quotes(column.name) + " has " + std::to_string(array.ndim()) +
                  " dimensions; one is needed");
    if (units.contains(key)) column.unit = py::cast<std::string>(py::str(units[key]));
    columns.push_back(std::move(column));
  }
  if (!columns.empty() &&
      std::all_of(columns.begin(), columns.end(), [](const Column& c) { return c.values.size() < 2; }))
    throw Error(one_line(name) + ": " + (columns.front().values.empty() ? "no sample" : "one sample") +
                " in the arrays; a recording needs more");
  const ReadOptions read = only_read_options_of(options);
  Recording recording;
  {
    const py::gil_scoped_release free;
    recording = take_recording(std::move(columns), read, name);
  }
  return told(std::move(recording), read);
}

void add_recording(py::module_& m) {
  auto recording = py::class_<HeldRecording, SharedRecording>(
      m, "Recording", "A measured recording in SI units, with the remarks made while reading it.");
  for (const Role role : all_roles)
    recording.def_property_readonly(
        std::string(role_name(role)).c_str(),
        [role](const py::object& self) {
          return view_or_none(signal(py::cast<const HeldRecording&>(self), role), self);
        },
        "SI; None if the recording has none. Not a copy.");
  recording
      .def_property_readonly(
          "columns",
          [](const py::object& self) {
            const Recording& r = py::cast<const HeldRecording&>(self);
            py::dict all;
            for (const Column& c : columns_in(r))
              for (const Role role : all_roles)
                if (role_name(role) == c.name) all[py::str(c.name)] = view(signal(r, role), self);
            for (const Column& c : r.others)
              if (!all.contains(c.name.c_str())) all[py::str(c.name)] = view(c.values, self);
            return all;
          },
          "Every column as an array, roles first. Not copies.")
      .def_property_readonly("units",
                             [](const HeldRecording& r) {
                               py::dict all = units_of(columns_in(r));
                               for (const Column& c : r.others)
                                 if (!all.contains(c.name.c_str())) all[py::str(c.name)] = c.unit;
                               return all;
                             })
      .def_property_readonly("rotary", [](const HeldRecording& r) { return r.rotary; })
      .def_property_readonly("file", [](const HeldRecording& r) { return r.file; })
      .def_property_readonly("fingerprint", [](const HeldRecording& r) { return r.fingerprint; })
      .def_property_readonly(
          "constants",
          [](const HeldRecording& r) {
            py::dict all;
            for (const auto& [name, value] : r.constants) all[py::str(name)] = value;
            return all;
          },
          "Single numbers of a .mat or .npz.")
      .def_property_readonly(
          "notes", [](const HeldRecording& r) { return notes_of(r.notes, r.file); },
          "Remarks on the recording, made while reading it.")
      .def_property_readonly(
          "data", [](const HeldRecording& r) { return to_python(recording_json(r)); },
          "The same results as `stickslip inspect --json`.")
      .def(
          "text", [](const HeldRecording& r) { return recording_text(r); }, "The text printed by `stickslip inspect`.")
      .def(
          "figure", [](const HeldRecording& r) { return to_svg(recording_finding(r).figure); },
          "The signals over time, as SVG.")
      .def(
          "report",
          [](const HeldRecording& r, const py::object& path) {
            const TestFinding found = recording_finding(r);
            return text_or_file(
                to_html(finding_page(found, {"stickslip.inspect(" + in_quotes(r.file) + ")", found.files})), path);
          },
          py::arg("path") = py::none(), "The HTML report of `stickslip inspect`; written where a path is given.")
      .def("__len__", [](const HeldRecording& r) { return r.size(); })
      .def("__repr__",
           [](const HeldRecording& r) {
             std::vector<std::string> names;
             for (const Column& c : columns_in(r)) names.push_back(c.name + " [" + c.unit + "]");
             return "<Recording " + in_quotes(r.file) + ": " + std::to_string(r.size()) + " samples, " + joined(names) +
                    ">";
           })
      .def("_repr_html_", [](const HeldRecording& r) { return "<pre>" + html_text(recording_text(r)) + "</pre>"; });
  m.def("read_file", &read_file, py::arg("path"));
  m.def("read_bytes", &read_bytes, py::arg("bytes"), py::arg("name"));
  m.def("read_arrays", &read_arrays, py::arg("arrays"), py::arg("units"), py::arg("name"));
}

void add_prepared(py::module_& m) {
  auto prepared = py::class_<Prepared, std::shared_ptr<Prepared>>(
      m, "Prepared", "A prepared recording: uniform grid, motion with derivatives, and friction force.");
  const auto column = [&](const char* name, std::vector<double> Prepared::*member, const char* what) {
    prepared.def_property_readonly(
        name, [member](const py::object& self) { return view_or_none(py::cast<const Prepared&>(self).*member, self); },
        what);
  };
  column("time", &Prepared::time, "[s]");
  column("position", &Prepared::position, "[m] or [rad], smoothed");
  column("measured_position", &Prepared::measured_position, "as read");
  column("velocity", &Prepared::velocity, "[m/s] or [rad/s]");
  column("acceleration", &Prepared::acceleration, "[m/s^2] or [rad/s^2]");
  column("force", &Prepared::force, "friction, positive against positive velocity [N] or [N m]");
  column("load", &Prepared::load, "[N]; None if there is none");
  column("pressure", &Prepared::pressure, "[Pa]; None if there is none");
  column("temperature", &Prepared::temperature, "[K]; None if there is none");
  prepared.def_readonly("sampling_time", &Prepared::sampling_time, "[s]")
      .def_readonly("resolution", &Prepared::resolution, "of the position; 0: none seen")
      .def_readonly("rotary", &Prepared::rotary)
      .def_readonly("file", &Prepared::file)
      .def_readonly("steps", &Prepared::steps, "The steps of the preparation, in order, with numbers.")
      .def_property_readonly("notes", [](const Prepared& p) { return notes_of(p.notes, p.file); })
      .def_property_readonly(
          "resting",
          [](const Prepared& p) {
            const std::vector<bool> rest = resting(p);
            py::array_t<bool> array(static_cast<py::ssize_t>(rest.size()));
            for (std::size_t i = 0; i < rest.size(); ++i) array.mutable_data()[i] = rest[i];
            return array;
          },
          "Which samples are at rest.")
      .def("__len__", &Prepared::size)
      .def("__repr__", [](const Prepared& p) {
        return "<Prepared " + in_quotes(p.file) + ": " + std::to_string(p.size()) + " samples every " +
               with_unit(p.sampling_time, "s", 4) + ">";
      });
  m.def(
      "prepare",
      [](const SharedRecording& recording, const py::kwargs& options) {
        const Options o(options);
        const PreparationRequest request = preparation_of(o);
        o.refuse_others();
        if (request.mass == MassFrom::recording)
          throw Error("mass: 'find' is for identify; prepare needs the mass, or none");
        Noticed noticed;
        auto made = std::make_shared<Prepared>();
        {
          const py::gil_scoped_release free;
          *made = prepare_noticed(*recording, request.of(recording->rotary), noticed.warn());
        }
        noticed.tell();
        return made;
      },
      py::arg("recording"));
}

// --- generated recordings ----------------------------------------------------------------------------------------------

bool is_scenario(const std::string& what) { return what.ends_with(".toml") || what.find('/') != std::string::npos; }

GenerateOptions generate_options(const std::string& what, const Options& o) {
  GenerateOptions options;
  Sensor sensor;
  for (const KnownMachine& known : known_machines())
    if (known.name == what) sensor = known.sensor;
  o.count("seed", {0, 18446744073709551615.0, "a seed has 64 bits"}, options.seed);
  sensor.seed = options.seed;
  o.number("noise", "N", Sign::not_negative, sensor.noise);
  o.number("position_noise", "m", Sign::not_negative, sensor.position_noise);
  o.number("resolution", "m", Sign::not_negative, sensor.resolution);
  o.number("force_resolution", "N", Sign::not_negative, sensor.force_resolution);
  o.number("lag", "s", Sign::not_negative, sensor.lag);
  o.number("offset", "N", Sign::any, sensor.offset);
  options.sensor = sensor;
  const auto optional = [&](const char* name, const char* unit, std::optional<double>& into) {
    if (const Number n = o.number(name); n.is_given) into = n.in(name, unit, Sign::positive);
  };
  optional("rate", "Hz", options.rate);
  optional("duration", "s", options.duration);
  optional("half_range", "m", options.half_range);
  if (o.flag("long")) options.most_samples = most_long_samples, options.most_steps = most_long_steps;
  if (o.has("friction")) options.friction = *py::cast<std::shared_ptr<ModelFile>>(o["friction"]);
  options.friction_force = o.flag("friction_force");
  return options;
}

void add_generated(py::module_& m) {
  py::class_<Generated, std::shared_ptr<Generated>>(m, "Generated", "A generated recording with its true friction.")
      .def_property_readonly(
          "columns",
          [](const py::object& self) { return columns_of(py::cast<const Generated&>(self).table.columns, self); },
          "Arrays in SI units. Not copies.")
      .def_property_readonly("units", [](const Generated& g) { return units_of(g.table.columns); })
      .def_readonly("story", &Generated::story, "Description of the recording, in lines.")
      .def_readonly("mass", &Generated::mass,
                    "mass whose inertial force is in the force column; 0: the force is friction itself")
      .def_property_readonly(
          "truth", [](const Generated& g) { return std::make_shared<ModelFile>(g.truth); },
          "The true friction, as a model file.")
      .def_property_readonly(
          "recording",
          [](const Generated& g) {
            return std::make_shared<HeldRecording>(HeldRecording{make_recording(g.table.columns, {}, "generated"), {}});
          },
          "As a sensor would have recorded it.")
      .def(
          "csv", [](const Generated& g) { return recording_csv(g); }, "As `stickslip generate` writes it.")
      .def(
          "save",
          [](const Generated& g, const py::object& path) {
            const std::string to = path_of(path);
            const py::gil_scoped_release free;
            write_whole(to, to.ends_with(".npz") ? to_npz(g.table) : recording_csv(g));
          },
          py::arg("path"), "Writes .csv or .npz.")
      .def("__len__", [](const Generated& g) { return rows(g.table); })
      .def("__repr__", [](const Generated& g) {
        return "<Generated: " + std::to_string(rows(g.table)) + " samples, " + g.truth.model + ">";
      });
  m.def("known_machines", [] {
    py::dict all;
    for (const KnownMachine& known : known_machines()) all[py::str(known.name)] = known.what;
    return all;
  });
  m.def(
      "generate",
      [](const std::string& what, const py::object& progress, const py::kwargs& given) {
        const Options o(given);
        GenerateOptions options = generate_options(what, o);
        const std::string command = o.text("command", "stickslip.generate");
        o.refuse_others();
        RunWatch watch;
        options.watch = &watch;
        auto made = std::make_shared<Generated>();
        run_watched(watch, 0, options.duration.value_or(0), progress, "generate", [&] {
          *made = is_scenario(what) ? generate_from_scenario(what, options) : generate(what, options);
        });
        made->story.insert(made->story.begin(),
                           "generated, not measured, by stickslip " + std::string(version()) + ": " + command);
        return made;
      },
      py::arg("what"), py::arg("progress") = py::none());
}

}  // namespace

void add_recordings(py::module_& m) {
  add_recording(m);
  add_prepared(m);
  add_generated(m);
}

}  // namespace stickslip::python
