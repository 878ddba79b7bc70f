/// Machines: read or declared, changed by path, run to their end, or held and stepped.
#include <cmath>

#include "border.hpp"
#include "core/budget.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/mat.hpp"
#include "files/npz.hpp"
#include "files/whole_file.hpp"
#include "jobs/simulate/page.hpp"
#include "machines/friction/friction.hpp"
#include "machines/machine.hpp"
#include "machines/run_view.hpp"
#include "machines/saved_motion.hpp"
#include "platform/path.hpp"
#include "report/how_to_repeat.hpp"
#include "report/svg.hpp"

namespace stickslip::python {
namespace {

// --- declarations ------------------------------------------------------------------------------------------------------

TomlValue document_of(const py::handle& given);

/// A friction as the table of a file: its model and its values, SI.
TomlValue friction_table(const Friction& friction) {
  const auto word = [](const std::string& text) {
    TomlValue v;
    v.kind = TomlValue::Kind::text, v.text = text;
    return v;
  };
  const auto table_of = [&](const ParameterValues& values) {
    TomlValue table;
    for (const auto& [key, value] : values) {
      TomlValue v;
      if (const auto* number = std::get_if<double>(&value)) v = quantity(*number, "");
      if (const auto* text = std::get_if<std::string>(&value)) v = word(*text);
      if (const auto* list = std::get_if<std::vector<double>>(&value)) {
        v.kind = TomlValue::Kind::list;
        for (const double number : *list) v.items.push_back(quantity(number, ""));
      }
      table.members.push_back({key, std::move(v)});
    }
    return table;
  };
  TomlValue table = table_of(friction.settings().values);
  table.members.insert(table.members.begin(), {"model", word(friction.description().name)});
  if (!friction.settings().backward.empty())
    table.members.push_back({"backward", table_of(friction.settings().backward)});
  return table;
}

/// dict, list, text, number (SI), bool or Friction as a value of a machine file.
TomlValue document_of(const py::handle& given) {
  TomlValue value;
  if (py::isinstance<py::dict>(given)) {
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(given))
      value.members.push_back({py::cast<std::string>(py::str(key)), document_of(item)});
  } else if (py::isinstance<Friction>(given)) {
    value = friction_table(py::cast<const Friction&>(given));
  } else if (py::isinstance<py::str>(given)) {
    value.kind = TomlValue::Kind::text, value.text = py::cast<std::string>(given);
  } else if (py::isinstance<py::bool_>(given)) {
    value.kind = TomlValue::Kind::boolean, value.is_true = py::cast<bool>(given);
  } else if (py::isinstance<py::sequence>(given) || py::isinstance<py::array>(given)) {
    value.kind = TomlValue::Kind::list;
    for (const py::handle item : py::reinterpret_borrow<py::object>(given)) value.items.push_back(document_of(item));
  } else {
    value = quantity(Number(given, "a value of the machine").value, "");
    value.is_whole = py::isinstance<py::int_>(given);
  }
  return value;
}

std::vector<std::pair<std::string, double>> numbers_by_path(const Machine& machine, const py::dict& given) {
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [key, item] : given) {
    const auto path = py::cast<std::string>(key);
    double value = 0;
    if (py::isinstance<py::str>(item)) {
      std::string unit;
      machine.number(path);  // says what is nearest if there is none
      for (const MachineNumber& n : machine.numbers())
        if (n.path == path) unit = n.unit;
      try {
        value = parse_quantity(py::cast<std::string>(item), unit);
      } catch (const Error& problem) {
        throw Error(path + ": " + problem.what());
      }
    } else {
      value = py::float_(py::reinterpret_borrow<py::object>(item));
    }
    values.emplace_back(path, value);
  }
  return values;
}

// --- runs --------------------------------------------------------------------------------------------------------------

/// A run with the machine it was made of; what people look at is made when asked for.
struct FinishedRun {
  std::shared_ptr<Machine> machine;
  MachineRun run;
  std::optional<RunView> made;

  const RunView& view() {
    if (!made) made = run.view();
    return *made;
  }
};
using SharedRun = std::shared_ptr<FinishedRun>;

const Column& column_of(const FinishedRun& r, const std::string& name) {
  std::vector<std::string> names;
  for (const Column& c : r.run.samples.columns) {
    if (c.name == name) return c;
    names.push_back(c.name);
  }
  throw py::key_error(no_such("column", name, names));
}

/// The list of events, one dict each, numbers as numbers.
py::list events_of(const RunEvents& events) {
  const std::vector<std::string> names = event_headings(events);
  py::list all;
  for (const RunEvent& e : events.list) {
    py::dict event;
    event[py::str(names[0])] = e.time, event[py::str(names[1])] = e.event;
    event[py::str(names[2])] = e.part, event[py::str(names[3])] = e.mode;
    for (std::size_t i = 0; i < e.values.size(); ++i) event[py::str(names[4 + i])] = e.values[i];
    all.append(event);
  }
  return all;
}

std::string run_text(FinishedRun& r) {
  const BuiltMachine& machine = r.machine->built();
  std::string text = (machine.title.empty() ? r.machine->file() : machine.title) + "\n" + machine.subject + ", " +
                     with_unit(machine.options.start, "s", 6) + " to " + with_unit(r.run.time, "s", 9) + "; " +
                     r.run.ending + "\n";
  if (r.run.stop != Stop::finished) text += "ended early: " + r.run.message + "\n";
  for (const TextTable& table : r.view().overview)
    if (!table.rows.empty()) text += "\n" + to_text(table);
  return text;
}

/// The report of a machine that was declared in code: there is no file to show.
Page page_of(FinishedRun& r) {
  const BuiltMachine& machine = r.machine->built();
  Page page{.title = machine.title.empty() ? r.machine->file() : machine.title,
            .subtitle = machine.subject + "; " + r.run.ending};
  if (!r.run.message.empty()) page.blocks.push_back(Warnings{{r.run.message}});
  page.blocks.push_back(FigureBlock{r.view().figure, "run"});
  for (const Figure& figure : r.view().closer_looks) page.blocks.push_back(FigureBlock{figure, "friction"});
  for (const TextTable& table : r.view().overview) page.blocks.push_back(page_table(table));
  page.blocks.push_back(page_table(energy_table(r.run.ledger), "Energy"));
  add_how_to_repeat(page, {"stickslip.simulate"});
  return page;
}

SharedRun run_machine(const std::shared_ptr<Machine>& machine, const py::object& until, bool is_long,
                      const py::object& progress) {
  const std::size_t most_steps = is_long ? most_long_steps : most_quick_steps;
  const double steps = machine->built().least_steps();
  if (steps > static_cast<double>(most_steps))
    throw Error(one_line(machine->file()) + ": the run takes " + significant(steps, 3) + " steps; at most " +
                significant(static_cast<double>(most_steps), 3) +
                (is_long ? " are possible; use longer steps or a shorter duration"
                         : " are allowed without long=True: use longer steps or a shorter duration"));
  auto kept = std::make_shared<FinishedRun>();
  kept->machine = std::make_shared<Machine>(*machine);  // as it is now
  RunWatch watch;
  RunRequest request{.watch = &watch, .most_steps = most_steps};
  const SimulationOptions& options = machine->options();
  if (!until.is_none()) request.until = Number(until, "until").in("until", "s", Sign::any);
  run_watched(watch, options.start, std::min(options.end, request.until), progress, "simulate",
              [&] { kept->run = kept->machine->run(request); });
  Noticed noticed;
  for (const std::string& warning : machine->built().warnings) noticed.say(warning);
  for (const std::string& warning : kept->run.warnings) noticed.say(warning);
  if (kept->run.stop != Stop::finished) noticed.say("the run ended early: " + kept->run.message);
  noticed.tell();
  return kept;
}

void add_run(py::module_& m) {
  py::class_<FinishedRun, SharedRun>(m, "Run", "A run of a machine: columns as arrays, events, where the energy went.")
      .def(
          "__getitem__",
          [](const py::object& self, const std::string& name) {
            return view(column_of(py::cast<const FinishedRun&>(self), name).values, self);
          },
          py::arg("column"), "A column as an array. Not a copy.")
      .def_property_readonly(
          "columns",
          [](const py::object& self) {
            return columns_of(py::cast<const FinishedRun&>(self).run.samples.columns, self);
          },
          "name: array. Not copies.")
      .def_property_readonly("units", [](const FinishedRun& r) { return units_of(r.run.samples.columns); })
      .def_property_readonly(
          "stop", [](const FinishedRun& r) { return std::string(name_of(r.run.stop)); },
          "'finished', or what ended it early")
      .def_property_readonly("finished", [](const FinishedRun& r) { return r.run.stop == Stop::finished; })
      .def_property_readonly(
          "time", [](const FinishedRun& r) { return r.run.time; }, "reached [s]")
      .def_property_readonly("message", [](const FinishedRun& r) { return r.run.message; })
      .def_property_readonly(
          "events", [](FinishedRun& r) { return events_of(r.view().events); },
          "Every stick, release and switch, located: one dict each.")
      .def_property_readonly(
          "ledger",
          [](const FinishedRun& r) {
            py::dict all;
            for (const LedgerRow& row : r.run.ledger) all[py::str(row.name)] = row.joule;
            return all;
          },
          "Where the energy went [J].")
      .def_property_readonly(
          "work",
          [](const FinishedRun& r) {
            py::dict all;
            all["steps"] = r.run.work.steps;
            all["rejected"] = r.run.work.rejected;
            all["evaluations"] = r.run.work.evaluations;
            return all;
          },
          "Solver statistics.")
      .def_property_readonly("warnings", [](const FinishedRun& r) { return r.run.warnings; })
      .def_property_readonly(
          "data",
          [](FinishedRun& r) {
            Json report = r.machine->built().summary;
            report["run"] = r.view().summary;
            return to_python(report);
          },
          "The same results as `stickslip simulate --json`.")
      .def("csv", [](const FinishedRun& r) { return to_csv(r.run.samples); })
      .def(
          "figure", [](FinishedRun& r) { return to_svg(r.view().figure); }, "The figure as SVG.")
      .def(
          "report",
          [](FinishedRun& r, const py::object& path) {
            const bool has_file = is_file(r.machine->file());
            return text_or_file(to_html(has_file ? simulation_page(r.machine->file(), r.machine->built(), r.run,
                                                                   r.view(), "stickslip.simulate")
                                                 : page_of(r)),
                                path);
          },
          py::arg("path") = py::none(), "The HTML report; written where a path is given.")
      .def(
          "save",
          [](const FinishedRun& r, const py::object& path) {
            const std::string to = path_of(path);
            const py::gil_scoped_release free;
            if (to.ends_with(".csv"))
              write_whole(to, to_csv(r.run.samples));
            else if (to.ends_with(".npz"))
              write_whole(to, to_npz(r.run.samples));
            else if (to.ends_with(".mat"))
              write_whole(to, to_mat(r.run.samples));
            else
              throw Error(in_quotes(to) + ": samples are written as .csv, .npz or .mat");
          },
          py::arg("path"), "Writes the samples as .csv, .npz or .mat.")
      .def("text", &run_text)
      .def("__len__", [](const FinishedRun& r) { return rows(r.run.samples); })
      .def("__repr__", &run_text)
      .def("_repr_html_", [](FinishedRun& r) {
        std::string tables;
        for (const TextTable& table : r.view().overview) tables += html_table(table);
        const BuiltMachine& machine = r.machine->built();
        return html_block(machine.title.empty() ? r.machine->file() : machine.title, tables + to_svg(r.view().figure));
      });
}

// --- a machine that is held --------------------------------------------------------------------------------------------

std::size_t index_of(const std::vector<SignalInfo>& signals, const py::handle& which, const char* what) {
  if (PyLong_Check(which.ptr())) {
    const auto number = py::cast<py::ssize_t>(which);
    if (number < 0 || static_cast<std::size_t>(number) >= signals.size())
      throw py::index_error(std::string(what) + " " + std::to_string(number) + "; there are " +
                            std::to_string(signals.size()));
    return static_cast<std::size_t>(number);
  }
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(which.ptr(), &length);
  if (!text) throw py::error_already_set();
  const std::string_view name(text, static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (signals[i].name == name) return i;
  std::vector<std::string> names;
  for (const SignalInfo& s : signals) names.push_back(s.name);
  throw py::key_error(no_such(what, std::string(name), names));
}

py::dict described(const std::vector<SignalInfo>& signals) {
  py::dict all;
  for (const SignalInfo& s : signals) all[py::str(s.name)] = s.unit;
  return all;
}

/// A motion with room for its outputs; it keeps what it is made of. While one thread advances it, without the interpreter's lock, no
/// other may touch it.
struct HeldMotion {
  std::unique_ptr<Motion> motion;
  std::vector<double> room;
  std::uint32_t structure;  // of its machine
  Stop stop = Stop::finished;
  bool is_advancing = false;  // read and set with the interpreter's lock

  HeldMotion(std::unique_ptr<Motion> held, std::uint32_t of)
      : motion(std::move(held)), room(motion->outputs().size()), structure(of) {}
  HeldMotion copy() const { return {operator->()->clone(), structure}; }
  Motion* operator->() const {
    if (is_advancing)
      throw Error("another thread advances this motion just now; clone() gives each thread a motion of its own");
    return motion.get();
  }
  bool advance(double until) {
    if (std::isinf(until)) throw Error("a motion cannot be advanced to " + shortest(until) + " s; name a time");
    Motion* const mine = operator->();
    const struct Advancing {
      bool& is;
      explicit Advancing(bool& flag) : is(flag) { is = true; }
      ~Advancing() { is = false; }
    } advancing(is_advancing);
    const py::gil_scoped_release free;
    stop = mine->advance(until);
    return stop == Stop::finished;
  }
  double output(const py::handle& which) {
    Motion* const mine = operator->();
    const std::size_t i = index_of(mine->outputs(), which, "output");
    mine->read(room);
    return room[i];
  }
};

std::span<double> span_of(py::array_t<double>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

void add_motion(py::module_& m) {
  py::class_<MotionEvent>(m, "Event", "Kind of event, where it happened, and the resulting mode.")
      .def_readonly("time", &MotionEvent::time, "[s]")
      .def_property_readonly("kind", [](const MotionEvent& e) { return std::string(name_of(e.kind)); })
      .def_readonly("what", &MotionEvent::what)
      .def_readonly("mode", &MotionEvent::mode)
      .def("__repr__", [](const MotionEvent& e) { return "<" + shortest(e.time) + " s: " + e.what + ">"; });
  py::class_<HeldMotion>(m, "Motion",
                         "A machine in motion: advanced with live inputs, inspected, saved, restored and copied.")
      .def_property_readonly(
          "time", [](const HeldMotion& h) { return h->time(); }, "[s]")
      .def("advance", &HeldMotion::advance, py::arg("until"),
           "Advances to this time [s]; every stick and slip is located. False if it stopped early: see `stop`.")
      .def(
          "step", [](HeldMotion& h, double duration) { return h.advance(h->time() + duration); }, py::arg("duration"),
          "Advances by a duration [s].")
      .def_property_readonly(
          "stop", [](const HeldMotion& h) { return std::string(name_of(h.stop)); },
          "'finished', or what stopped the last call.")
      .def_property_readonly("mode", [](const HeldMotion& h) { return std::string(h->mode()); })
      .def_property_readonly(
          "inputs", [](const HeldMotion& h) { return described(h->inputs()); }, "name: unit")
      .def_property_readonly(
          "outputs", [](const HeldMotion& h) { return described(h->outputs()); }, "name: unit")
      .def(
          "set",
          [](HeldMotion& h, const py::handle& which, double value, double slope) {
            h->set_input(index_of(h->inputs(), which, "input"), value, slope);
          },
          py::arg("input"), py::arg("value"), py::arg("slope") = 0.0,
          "An input by name or number; it holds from now on, as value + slope (t - now).")
      .def(
          "input",
          [](const HeldMotion& h, const py::handle& which) { return h->input(index_of(h->inputs(), which, "input")); },
          py::arg("input"))
      .def("__getitem__", &HeldMotion::output, py::arg("output"), "An output by name or number, now.")
      .def(
          "read",
          [](const HeldMotion& h) {
            py::array_t<double> all(static_cast<py::ssize_t>(h->outputs().size()));
            h->read(span_of(all));
            return all;
          },
          "All outputs now, in the order of `outputs`.")
      .def(
          "take_events", [](HeldMotion& h) { return h->take_events(); }, "Those since the last call.")
      .def_property_readonly(
          "ledger",
          [](const HeldMotion& h) {
            py::dict all;
            for (const LedgerRow& row : h->ledger()) all[py::str(row.name)] = row.joule;
            return all;
          },
          "Where the energy went since the start [J].")
      .def("clone", &HeldMotion::copy)
      .def("__copy__", &HeldMotion::copy)
      .def(
          "__deepcopy__", [](const HeldMotion& h, const py::dict&) { return h.copy(); }, py::arg("memo"))
      .def(
          "save",
          [](const HeldMotion& h) {
            const std::vector<std::byte> saved = sealed(h->save(), h.structure);
            return py::bytes(reinterpret_cast<const char*>(saved.data()), saved.size());
          },
          "The complete state, bit for bit.")
      .def(
          "load",
          [](HeldMotion& h, const py::bytes& saved) {
            const std::string_view text = saved;
            const std::span bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
            h->load(unsealed(bytes, h.structure));
            h.stop = Stop::finished;
          },
          py::arg("saved"),
          "Restores what save() returned, in a motion of the same machine; its numbers may have changed.")
      .def_property_readonly(
          "states", [](const HeldMotion& h) { return described(h->states()); }, "name: unit")
      .def("state",
           [](const HeldMotion& h) {
             py::array_t<double> all(static_cast<py::ssize_t>(h->states().size()));
             h->state(span_of(all));
             return all;
           })
      .def(
          "set_state",
          [](HeldMotion& h, double time, const Array& values) {
            if (static_cast<std::size_t>(values.size()) != h->states().size())
              throw Error("a motion of " + std::to_string(h->states().size()) + " states was given " +
                          std::to_string(values.size()));
            h->set_state(time, {values.data(), static_cast<std::size_t>(values.size())});
          },
          py::arg("time"), py::arg("values"),
          "Sets the states reached by an external integrator; the mode is unchanged.")
      .def("rates",
           [](const HeldMotion& h) {
             py::array_t<double> all(static_cast<py::ssize_t>(h->states().size()));
             h->rates(span_of(all));
             return all;
           })
      .def(
          "indicators",
          [](const HeldMotion& h) {
            py::array_t<double> all(static_cast<py::ssize_t>(h->indicator_count()));
            h->indicators(span_of(all));
            return all;
          },
          "Each positive while the mode holds.")
      .def_property_readonly(
          "next_time_event", [](const HeldMotion& h) { return h->next_time_event(); }, "[s]")
      .def(
          "settle", [](HeldMotion& h) { return h->settle(); },
          "Handles events that are due now. True if the mode changed.")
      .def("__repr__", [](const HeldMotion& h) {
        return "<Motion at " + shortest(h->time()) + " s, " + std::string(h->mode()) + ">";
      });
}

void add_machine(py::module_& m) {
  py::class_<Machine, std::shared_ptr<Machine>>(
      m, "Machine", "A machine as a value: numbers by path (SI); run to its end, or stepped as a Motion.")
      .def_property_readonly("file", &Machine::file)
      .def_property_readonly("title", &Machine::title)
      .def_property_readonly("kind", [](const Machine& machine) { return std::string(machine.kind().name); })
      .def_property_readonly(
          "numbers",
          [](const Machine& machine) {
            py::dict all;
            for (const MachineNumber& n : machine.numbers()) all[py::str(n.path)] = n.value;
            return all;
          },
          "path: value (SI), all numbers of the machine")
      .def_property_readonly(
          "units",
          [](const Machine& machine) {
            py::dict all;
            for (const MachineNumber& n : machine.numbers()) all[py::str(n.path)] = n.unit;
            return all;
          },
          "path: SI unit")
      .def_property_readonly("warnings", [](const Machine& machine) { return machine.built().warnings; })
      .def(
          "__getitem__", [](const Machine& machine, const std::string& path) { return machine.number(path); },
          py::arg("path"))
      .def(
          "__setitem__",
          [](Machine& machine, const std::string& path, const py::object& value) {
            py::dict one;
            one[py::str(path)] = value;
            machine.set(numbers_by_path(machine, one));
          },
          py::arg("path"), py::arg("value"))
      .def(
          "set", [](Machine& machine, const py::dict& values) { machine.set(numbers_by_path(machine, values)); },
          py::arg("values"), "Several numbers at once: {path: value}. A machine that refuses them stays as it was.")
      .def("copy", [](const Machine& machine) { return Machine(machine); })
      .def("__copy__", [](const Machine& machine) { return Machine(machine); })
      .def("run", &run_machine, py::arg("until") = py::none(), py::arg("long") = false,
           py::arg("progress") = py::none(), "Runs to the end, or until a time [s].")
      .def(
          "motion", [](const Machine& machine) { return HeldMotion(machine.motion(), structure_of(machine)); },
          "The machine as a Motion, to be stepped.")
      .def("__repr__", [](const Machine& machine) {
        return "<Machine " + in_quotes(machine.title().empty() ? machine.file() : machine.title()) + ", " +
               machine.built().subject + ">";
      });
  m.def(
      "read_machine",
      [](const py::object& path) {
        const std::string file = path_of(path);
        const py::gil_scoped_release free;
        return std::make_shared<Machine>(read_machine(file));
      },
      py::arg("path"));
  m.def(
      "parse_machine",
      [](const std::string& text, const std::string& name) {
        return std::make_shared<Machine>(parse_machine_text(text, name));
      },
      py::arg("text"), py::arg("name"));
  m.def(
      "make_machine",
      [](const py::dict& declaration, const std::string& name) {
        return std::make_shared<Machine>(document_of(declaration), name);
      },
      py::arg("declaration"), py::arg("name"));
}

}  // namespace

void add_machines(py::module_& m) {
  add_run(m);
  add_motion(m);
  add_machine(m);
}

}  // namespace stickslip::python
