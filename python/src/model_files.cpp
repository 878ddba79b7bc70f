/// Model files with their parameters, and validation of a stored model.
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "frictions.hpp"
#include "jobs/identify/page.hpp"
#include "jobs/validate/validation.hpp"
#include "machines/friction/model_file.hpp"
#include "parameters.hpp"
#include "recordings.hpp"
#include "report/svg.hpp"

namespace stickslip::python {
namespace {

py::object if_estimated(const Parameter& p, double value) {
  return p.is_estimated ? py::object(py::float_(value)) : py::object(py::none());
}

std::string parameter_text(const Parameter& p) {
  std::string text = p.key + " = " + with_unit(p.value, p.unit, 6);
  if (!p.is_estimated) return text;
  return text + ", 95 % from " + with_unit(p.low, p.unit, 5) + " to " + with_unit(p.high, p.unit, 5) + ", " +
         p.verdict + (p.partner.empty() ? "" : " from " + p.partner);
}

void add_parameters(py::module_& m) {
  py::class_<Parameter>(m, "Parameter", "A number of a model with what is known of it; float(parameter) is its value.")
      .def_readonly("key", &Parameter::key)
      .def_readonly("symbol", &Parameter::symbol)
      .def_readonly("unit", &Parameter::unit, "SI")
      .def_readonly("meaning", &Parameter::meaning)
      .def_readonly("value", &Parameter::value, "SI")
      .def_readonly("estimated", &Parameter::is_estimated, "False: a preset, or fixed.")
      .def_property_readonly("standard_error", [](const Parameter& p) { return if_estimated(p, p.standard_error); })
      .def_property_readonly(
          "low", [](const Parameter& p) { return if_estimated(p, p.low); }, "95 % interval")
      .def_property_readonly(
          "high", [](const Parameter& p) { return if_estimated(p, p.high); }, "95 % interval")
      .def_property_readonly(
          "interval",
          [](const Parameter& p) -> py::object {
            if (!p.is_estimated) return py::none();
            return py::make_tuple(p.low, p.high);
          },
          "95 %: (low, high); None if it was not estimated")
      .def_readonly("verdict", &Parameter::verdict, "'well determined', 'weak', 'at its bound', 'not separable'")
      .def_readonly("partner", &Parameter::partner, "not separable from this one")
      .def("__float__", [](const Parameter& p) { return p.value; })
      .def("__repr__", &parameter_text);
  py::class_<Quality>(m, "Quality", "How far a model is off on a set of samples.")
      .def_readonly("noe", &Quality::noe, "share of the force's variance that is not explained [%]")
      .def_readonly("largest_error", &Quality::largest_error, "[N]")
      .def_readonly("rms", &Quality::rms, "[N]")
      .def("__repr__", [](const Quality& q) {
        return "<NOE " + significant(q.noe, 4) + " %, rms " + significant(q.rms, 4) + ", at most " +
               significant(q.largest_error, 4) + ">";
      });
}

py::dict parameters_in(const ModelFile& file) {
  py::dict all;
  const ModelDescription& model = find_model(file.model).description();
  const auto add = [&](const std::string& key, double value, const std::string& symbol, const std::string& meaning) {
    Parameter p{key, symbol, unit_of_key(model, key, file.motion), meaning, value};
    for (const Uncertainty& u : file.uncertainty)
      if (u.key == key)
        p.is_estimated = true, p.standard_error = u.standard_error, p.low = u.low, p.high = u.high,
        p.verdict = u.verdict, p.partner = u.partner;
    all[py::str(key)] = p;
  };
  const auto add_all = [&](const ParameterValues& values, const std::string& before) {
    for (const auto& [key, value] : values)
      for (const auto& d : model.parameters) {
        if (d.key != key) continue;
        if (const auto* number = std::get_if<double>(&value)) add(before + key, *number, d.symbol, d.meaning);
        if (const auto* list = std::get_if<std::vector<double>>(&value))
          for (std::size_t i = 0; i < list->size(); ++i)
            add(before + key + "[" + std::to_string(i + 1) + "]", (*list)[i], d.symbol, d.meaning);
      }
  };
  add_all(file.settings.values, "");
  add_all(file.settings.backward, "backward.");
  if (file.measurement.offset != 0) add("offset", file.measurement.offset, "", "of the measured force");
  if (file.measurement.lag != 0) add("lag", file.measurement.lag, "", "of the force behind the motion");
  if (file.measurement.backlash != 0) add("backlash", file.measurement.backlash, "", "backlash before the contact");
  return all;
}

struct Validated {
  std::shared_ptr<ModelFile> model;
  std::shared_ptr<Prepared> data;
  ValidationResult result;
  std::string model_name;
};

/// The verdict over the forces, measured and predicted.
std::string validation_html(const Validated& v) {
  const Validation& r = v.result.validation;
  const auto friction = make_friction(r.model, r.settings);
  const Piece piece{.data = *v.data, .estimation = {}, .validation = {}, .test = {}};
  const Figure figure = time_figure(piece, {{r.model, predicted_force(*friction, r.chain, *v.data)}});
  return html_block(r.title, "<p>" + html_text(r.verdict) + "</p>" + to_svg(figure));
}

/// The parameters as a table.
std::string model_file_html(const ModelFile& file) {
  TextTable table{.columns = {"parameter", "symbol", "value", "95 % interval", "verdict"}, .rows = {}};
  for (const auto& [key, given] : parameters_in(file)) {
    const auto& p = py::cast<const Parameter&>(given);
    const auto text = [&](double value) { return with_unit(value, p.unit, 5); };
    table.rows.push_back(
        {p.key, p.symbol, text(p.value), p.is_estimated ? text(p.low) + " to " + text(p.high) : "", p.verdict});
  }
  return html_block(file.title.empty() ? file.model : file.title, html_table(table));
}

}  // namespace

void add_validation(py::module_& m) {
  py::class_<Validated>(m, "Validation", "How well a stored model follows another recording.")
      .def_property_readonly("holds", [](const Validated& v) { return v.result.holds; })
      .def_property_readonly("verdict", [](const Validated& v) { return v.result.validation.verdict; })
      .def_property_readonly("quality",
                             [](const Validated& v) {
                               const Validation& r = v.result.validation;
                               return Quality{r.quality.noe, r.quality.largest_error, r.rms};
                             })
      .def_property_readonly("warnings", [](const Validated& v) { return v.result.validation.warnings; })
      .def_property_readonly(
          "data", [](const Validated& v) { return to_python(validation_json(v.model_name, v.result, *v.data)); },
          "What `stickslip validate --json` says.")
      .def("text", [](const Validated& v) { return validation_text(*v.model, v.result, *v.data); })
      .def(
          "report",
          [](const Validated& v, const py::object& path) {
            const Provenance provenance{"stickslip.validate", {{v.data->file, v.data->fingerprint}}};
            return text_or_file(to_html(validation_page(v.result.validation, *v.data, provenance)), path);
          },
          py::arg("path") = py::none(), "The HTML report; written where a path is given.")
      .def("__bool__", [](const Validated& v) { return v.result.holds; })
      .def("__repr__", [](const Validated& v) { return validation_text(*v.model, v.result, *v.data); })
      .def("_repr_html_", &validation_html);
  m.def(
      "validate",
      [](const std::shared_ptr<ModelFile>& model, const SharedRecording& recording, const py::kwargs& given) {
        const Options o(given);
        const PreparationRequest preparation = preparation_of(o, model->preparation);
        o.refuse_others();
        if (preparation.mass == MassFrom::recording)
          throw Error("mass: 'find' is for identify; validate uses the mass of the model file or the one given");
        Noticed noticed;
        Validated validated{model, std::make_shared<Prepared>(), {}, model->file};
        {
          const py::gil_scoped_release free;
          *validated.data = read_prepared({recording->file, recording}, {}, preparation, [](const std::string&) {});
          if (validated.data->rotary != (model->motion == MotionKind::rotary))
            throw Error(one_line(recording->file) + " is " + (validated.data->rotary ? "rotary" : "linear") +
                        "; the model is of " + std::string(motion_name(model->motion)) + " motion");
          validated.result = validate_model(*model, *validated.data);
        }
        for (const std::string& warning : validated.result.validation.warnings) noticed.say(warning);
        noticed.tell();
        return validated;
      },
      py::arg("model"), py::arg("recording"));
}

void add_model_file(py::module_& m) {
  add_parameters(m);
  py::class_<ModelFile, std::shared_ptr<ModelFile>>(
      m, "ModelFile", "A friction model with what is known of it and where it comes from.")
      .def_readonly("file", &ModelFile::file)
      .def_readonly("title", &ModelFile::title)
      .def_readonly("label", &ModelFile::label)
      .def_readonly("model", &ModelFile::model)
      .def_readonly("recording", &ModelFile::recording)
      .def_readonly("fingerprint", &ModelFile::fingerprint)
      .def_readonly("command", &ModelFile::command)
      .def_readonly("remarks", &ModelFile::remarks)
      .def_property_readonly("rotary", [](const ModelFile& f) { return f.motion == MotionKind::rotary; })
      .def_property_readonly("parameters", &parameters_in, "key: Parameter")
      .def_property_readonly(
          "quality",
          [](const ModelFile& f) {
            py::dict all;
            for (const SetQuality& q : f.quality) all[py::str(q.set)] = Quality{q.noe, q.largest_error, q.rms};
            return all;
          },
          "set of samples: Quality")
      .def_property_readonly(
          "friction", [](const ModelFile& f) { return std::shared_ptr<Friction>(make_friction(f.model, f.settings)); })
      .def("text", &model_file_text, "The file, byte for byte.")
      .def(
          "save", [](const ModelFile& f, const py::object& path) { text_or_file(model_file_text(f), path); },
          py::arg("path"))
      .def("__repr__",
           [](const ModelFile& f) { return "<ModelFile " + in_quotes(f.title.empty() ? f.model : f.title) + ">"; })
      .def("_repr_html_", &model_file_html);
  m.def(
      "read_model", [](const py::object& path) { return std::make_shared<ModelFile>(read_model_file(path_of(path))); },
      py::arg("path"), "A model file as `stickslip identify` writes it.");
  m.def(
      "parse_model",
      [](const std::string& text, const std::string& name) {
        return std::make_shared<ModelFile>(parse_model_file(text, name));
      },
      py::arg("text"), py::arg("name") = "model");
}

}  // namespace stickslip::python
