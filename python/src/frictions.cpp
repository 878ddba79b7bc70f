/// Friction models by name: what there is, with which parameters, along a motion and in a control loop.
#include "frictions.hpp"

#include <cmath>

#include "border.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::python {
namespace {

std::string_view nature_words(Nature nature) {
  return nature == Nature::sticks ? "truly sticks" : nature == Nature::bristles ? "bristle states" : "modes";
}

py::object preset_of(const ParameterDescription& p) {
  if (p.is_required()) return py::none();
  if (p.kind == ParameterKind::choice) return py::str(p.choices[static_cast<std::size_t>(p.preset)]);
  if (p.kind == ParameterKind::list) return py::list();
  return py::float_(p.preset);
}

std::string_view kind_of(const ParameterDescription& p) {
  return p.kind == ParameterKind::number ? "number" : p.kind == ParameterKind::list ? "list" : "choice";
}

std::string allowed(const ParameterDescription& p) {
  if (p.kind == ParameterKind::choice) return joined(p.choices, " or ");
  return (p.kind == ParameterKind::list ? "list, each " : "") + std::string(allowed_range(p.domain));
}

const ParameterDescription* find_parameter(const ModelDescription& model, const std::string& key) {
  for (const auto& p : model.parameters)
    if (p.key == key) return &p;
  return nullptr;
}

ParameterValue value_of(const py::handle& given, const ParameterDescription* p) {
  const bool is_choice = p && p->kind == ParameterKind::choice;
  const std::string unit = p && !p->unit.empty() ? p->unit : "1";
  if (py::isinstance<py::str>(given)) {
    const auto text = py::cast<std::string>(given);
    if (is_choice || !p) return text;
    try {
      if (p->kind == ParameterKind::list) return parse_quantities(text, unit);
      return parse_quantity(text, unit);
    } catch (const Error& problem) {
      throw Error(p->key + ": " + problem.what());
    }
  }
  if (py::isinstance<py::sequence>(given) || py::isinstance<py::array>(given)) {
    const auto array = Array::ensure(given);
    if (!array) throw Error((p ? p->key : std::string("a value")) + " holds something that is no number");
    if (array.ndim() > 0) return numbers_of(array);
  }
  return static_cast<double>(py::float_(py::reinterpret_borrow<py::object>(given)));
}

}  // namespace

ParameterValues values_of(const std::string& model, const py::dict& given) {
  const ModelDescription& description = find_model(model).description();
  ParameterValues values;
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    values.emplace_back(name, value_of(value, find_parameter(description, name)));
  }
  return values;
}

py::dict to_python(const ParameterValues& values) {
  py::dict all;
  for (const auto& [key, value] : values) {
    const py::str name(key);
    if (const auto* number = std::get_if<double>(&value)) all[name] = *number;
    if (const auto* list = std::get_if<std::vector<double>>(&value)) all[name] = *list;
    if (const auto* word = std::get_if<std::string>(&value)) all[name] = *word;
  }
  return all;
}

namespace {

std::string friction_text(const Friction& friction) {
  std::vector<std::string> words;
  for (const auto& [key, value] : friction.settings().values)
    words.push_back(key + "=" +
                    py::cast<std::string>(py::repr(to_python(ParameterValues{{key, value}})[py::str(key)])));
  return "Friction('" + friction.description().name + "'" + (words.empty() ? "" : ", " + joined(words)) + ")";
}

py::bytes bytes_of(const std::vector<std::byte>& saved) {
  return {reinterpret_cast<const char*>(saved.data()), saved.size()};
}

std::span<const std::byte> bytes_in(const py::bytes& saved) {
  const std::string_view text = saved;
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

void add_descriptions(py::module_& m) {
  py::class_<ParameterDescription>(m, "ParameterInfo", "One parameter of a friction model, as its table declares it.")
      .def_readonly("key", &ParameterDescription::key)
      .def_readonly("symbol", &ParameterDescription::symbol)
      .def_readonly("unit", &ParameterDescription::unit, "SI")
      .def_readonly("meaning", &ParameterDescription::meaning)
      .def_property_readonly("kind", [](const ParameterDescription& p) { return std::string(kind_of(p)); })
      .def_property_readonly("allowed", &allowed)
      .def_property_readonly("required", &ParameterDescription::is_required)
      .def_property_readonly("preset", &preset_of, "The default value; None if the parameter is required.")
      .def_readonly("choices", &ParameterDescription::choices)
      .def("__repr__", [](const ParameterDescription& p) {
        return "<" + p.key + (p.unit.empty() ? "" : " [" + p.unit + "]") + ": " + p.meaning + ">";
      });
  py::class_<ModelDescription>(m, "ModelInfo", "A friction model: equations, parameters, sources.")
      .def_readonly("name", &ModelDescription::name)
      .def_readonly("title", &ModelDescription::title)
      .def_readonly("equations", &ModelDescription::equations)
      .def_readonly("source", &ModelDescription::source)
      .def_readonly("captures", &ModelDescription::captures)
      .def_readonly("lacks", &ModelDescription::lacks)
      .def_readonly("parameters", &ModelDescription::parameters)
      .def_readonly("states", &ModelDescription::states)
      .def_property_readonly("kind", [](const ModelDescription& d) { return std::string(nature_words(d.nature)); })
      .def("__repr__", [](const ModelDescription& d) { return "<" + d.name + ": " + d.title + ">"; });
  m.def(
      "model_infos",
      [] {
        std::vector<ModelDescription> all;
        for (const auto* model : registered_models()) all.push_back(model->description());
        return all;
      },
      "All friction models.");
}

}  // namespace

void add_frictions(py::module_& m) {
  add_descriptions(m);
  py::class_<FixedStepper>(m, "Stepper", "A body advanced by fixed steps, the friction of each step exact.")
      .def("step", &FixedStepper::step, py::arg("applied"), py::arg("h"),
           "One step of length h [s] under a force held over it [N]; returns the friction [N].")
      .def("follow", &FixedStepper::follow, py::arg("velocity"), py::arg("h"),
           "One step at a given velocity; returns the friction at its end [N].")
      .def("set_load", &FixedStepper::set_load, py::arg("load"))
      .def("set_pressure", &FixedStepper::set_pressure, py::arg("pressure"))
      .def("set_temperature", &FixedStepper::set_temperature, py::arg("temperature"),
           "For levels that follow the temperature [K]; 20 degC until it is set.")
      .def("reset", &FixedStepper::reset, py::arg("position") = 0.0, py::arg("velocity") = 0.0)
      .def_property_readonly("position", &FixedStepper::position)
      .def_property_readonly("velocity", &FixedStepper::velocity, "Exactly 0.0 while stuck.")
      .def_property_readonly("states", &FixedStepper::states)
      .def(
          "save", [](const FixedStepper& s) { return bytes_of(s.save()); }, "The complete state, bit for bit.")
      .def(
          "load", [](FixedStepper& s, const py::bytes& saved) { s.load(bytes_in(saved)); }, py::arg("saved"));
  py::class_<Friction, std::shared_ptr<Friction>>(
      m, "Friction",
      "A friction model with its values: Friction('lugre', coulomb_force=20, ...). SI, or texts with units.")
      .def(py::init([](const std::string& model, const py::object& backward, const py::kwargs& values) {
             const ParameterValues own = values_of(model, values);
             const ParameterValues back = backward.is_none() ? ParameterValues{} : values_of(model, backward);
             return std::shared_ptr<Friction>(make_friction(model, own, back));
           }),
           py::arg("model"), py::kw_only(), py::arg("backward") = py::none())
      .def_property_readonly("model", [](const Friction& f) { return f.description().name; })
      .def_property_readonly("title", [](const Friction& f) { return f.description().title; })
      .def_property_readonly("info", [](const Friction& f) { return f.description(); })
      .def_property_readonly(
          "values", [](const Friction& f) { return to_python(f.settings().values); }, "SI")
      .def_property_readonly(
          "backward", [](const Friction& f) { return to_python(f.settings().backward); },
          "Parameters that differ for backward sliding.")
      .def(
          "respond",
          [](const Friction& f, const Array& time, const Array& position, const std::optional<Array>& load,
             const std::optional<Array>& pressure, const std::optional<Array>& temperature) {
            PrescribedMotion motion{numbers_of(time), numbers_of(position), {}, {}};
            if (load) motion.load = numbers_of(*load);
            if (pressure) motion.pressure = numbers_of(*pressure);
            if (temperature) motion.temperature = numbers_of(*temperature);
            if (!temperature && follows(f, Quantity::temperature))
              throw Error("a level follows the temperature; give temperature, an array [K]");
            for (const auto* other : {&motion.position, &motion.load, &motion.pressure, &motion.temperature})
              if (other->size() != motion.time.size() && !(other != &motion.position && other->empty()))
                throw Error("time has " + std::to_string(motion.time.size()) + " values, another array " +
                            std::to_string(other->size()) + "; all need the same number");
            const std::pair<const char*, const std::vector<double>*> columns[] = {{"time", &motion.time},
                                                                                  {"position", &motion.position},
                                                                                  {"load", &motion.load},
                                                                                  {"pressure", &motion.pressure},
                                                                                  {"temperature", &motion.temperature}};
            for (const auto& [name, values] : columns)
              for (std::size_t i = 0; i < values->size(); ++i)
                if (!std::isfinite((*values)[i]))
                  throw Error(std::string(name) + ", value " + std::to_string(i + 1) + ", is " +
                              shortest((*values)[i]) + "; numbers must be finite");
            for (std::size_t i = 1; i < motion.time.size(); ++i)
              if (motion.time[i] < motion.time[i - 1])
                throw Error("time, value " + std::to_string(i + 1) + ", is " + shortest(motion.time[i]) + " after " +
                            shortest(motion.time[i - 1]) + "; it must not go back");
            std::vector<double> force;
            {
              const py::gil_scoped_release free;
              force = f.respond(motion);
            }
            return owned(std::move(force));
          },
          py::arg("time"), py::arg("position"), py::arg("load") = py::none(), py::arg("pressure") = py::none(),
          py::arg("temperature") = py::none(),
          "Friction along a prescribed motion [N], velocity held between samples; a model with true sticking gives 0 "
          "at rest.")
      .def(
          "stepper",
          [](const Friction& f, double mass, double position, double velocity) {
            return f.fixed_stepper(mass, position, velocity);
          },
          py::arg("mass") = 1.0, py::arg("position") = 0.0, py::arg("velocity") = 0.0, py::keep_alive<0, 1>(),
          "A body with this friction in a loop with a fixed period: one exact friction step per call.")
      .def("__repr__", &friction_text);
}

}  // namespace stickslip::python
