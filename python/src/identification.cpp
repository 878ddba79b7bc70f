/// Identification: models fitted to recordings, model files, validation, likelihood.
#include <mutex>

#include "border.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "frictions.hpp"
#include "identification/judging/likelihood.hpp"
#include "jobs/identify/options.hpp"
#include "jobs/identify/page.hpp"
#include "jobs/identify/run.hpp"
#include "jobs/identify/texts.hpp"
#include "jobs/validate/validation.hpp"
#include "machines/friction/model_file.hpp"
#include "recordings.hpp"
#include "report/svg.hpp"

namespace stickslip::python {
namespace {

// --- parameters --------------------------------------------------------------------------------------------------------

/// A number with what is known of it.
struct Parameter {
  std::string key, symbol, unit, meaning;
  double value = 0;
  bool is_estimated = false;
  double standard_error = 0, low = 0, high = 0;
  std::string verdict = {}, partner = {};
};

py::object if_estimated(const Parameter& p, double value) {
  return p.is_estimated ? py::object(py::float_(value)) : py::object(py::none());
}

std::string parameter_text(const Parameter& p) {
  std::string text = p.key + " = " + with_unit(p.value, p.unit, 6);
  if (!p.is_estimated) return text;
  return text + ", 95 % from " + with_unit(p.low, p.unit, 5) + " to " + with_unit(p.high, p.unit, 5) + ", " +
         p.verdict + (p.partner.empty() ? "" : " from " + p.partner);
}

Parameter parameter_of(const ParameterRow& row) {
  Parameter p{row.key, row.symbol, row.unit, row.meaning, row.value};
  if (const Estimate* e = row.estimate) {
    p.is_estimated = true;
    p.standard_error = e->standard_error, p.low = e->low, p.high = e->high;
    p.verdict = std::string(name_of(e->verdict)), p.partner = plain_key(e->partner);
  }
  return p;
}

/// One set of samples: how far a model is off.
struct Quality {
  double noe = 0, largest_error = 0, rms = 0;
};

// --- results -----------------------------------------------------------------------------------------------------------

/// A finished identification with the data it was made of; everything else looks into it.
struct Result {
  IdentifyJob job;
  IdentifyRun run;
  std::vector<SourceFile> sources;
  std::vector<std::string> written, noticed;

  const IdentifiedModel& model(std::size_t number) const { return run.found.models.at(number); }
};
using SharedResult = std::shared_ptr<Result>;

/// One model of a result.
struct Fitted {
  SharedResult result;
  std::size_t number = 0;
  const IdentifiedModel& get() const { return result->model(number); }
};

py::dict parameters_of(const Fitted& f) {
  py::dict all;
  for (const ParameterRow& row : parameter_rows(f.get(), f.result->job.motion))
    all[py::str(row.key)] = parameter_of(row);
  return all;
}

ModelFile model_file_of_fitted(const Fitted& f) {
  Identification chosen = f.result->run.found;
  if (f.number != chosen.recommended) chosen.explanation.headline.clear();  // it speaks of the recommended one
  chosen.recommended = f.number;
  return model_file_of(f.result->job, chosen);
}

std::string json_text(const Result& r) {
  Json report = identification_json(r.job, r.run.found);
  report["complete"] = r.run.is_complete;
  report["written"] = Json::array();
  for (const std::string& path : r.written) report["written"].push_back(path);
  return report.text() + "\n";
}

std::string result_html(const Result& r) {
  const Identification& found = r.run.found;
  const IdentifiedModel& best = found.models.at(found.recommended);
  const Piece& piece = r.job.sets.pieces.front();
  const auto friction = make_friction(best.model, best.settings);
  const Figure figure = time_figure(piece, {{best.label, predicted_force(*friction, best.chain, piece.data)}});
  const bool explains = found.explanation.verdict != Explained::not_at_all;
  std::string body;
  for (const std::string& line : {found.explanation.headline, found.why})
    if (!line.empty()) body += "<p>" + html_text(line) + "</p>";
  return html_block(explains ? "Recommended: " + best.label : "No model explains this recording",
                    body + html_table(parameter_text_table(best, r.job.motion)) + to_svg(figure));
}

IdentifyOptions identify_options(const Options& o, MotionKind motion) {
  IdentifyOptions options;
  options.models = o.texts("models");
  const std::string search = o.text("search", "standard");
  if (search != "standard" && search != "paper")
    throw Error("search: " + no_such("way", search, {"standard", "paper"}));
  options.search = search == "paper" ? SearchMethod::published : SearchMethod::standard;
  o.count("seed", {0, 18446744073709551615.0, "a seed has 64 bits"}, options.seed);
  o.count("threads", {0, 1024, "more threads than cores only wait for each other"}, options.threads);
  options.per_direction = o.flag("per_direction");
  options.find_backlash = o.flag("backlash");
  options.find_lag = o.flag("fit_lag");
  options.find_offset = !o.has("fit_offset") || o.flag("fit_offset");
  o.count("most_operators", {1, 16, "more operators than that cannot be told apart"}, options.most_operators);
  o.count("bootstrap", {0, 1e6, "each repetition is a fit, and a thousand give an interval to a few percent"},
          options.bootstrap);
  options.profile = o.texts("profile");
  for (const std::string& text : o.texts("over")) options.variations.push_back(parse_variation(text));
  if (o.has("fix"))
    for (const auto& [key, value] : py::cast<py::dict>(o["fix"])) {
      const auto name = py::cast<std::string>(key);
      if (py::isinstance<py::str>(value))
        options.fixed.push_back(parse_fixed(name + "=" + py::cast<std::string>(value), motion));
      else
        options.fixed.emplace_back(name, static_cast<double>(py::float_(py::reinterpret_borrow<py::object>(value))));
    }
  options.force_unit = unit_for(motion, "N");
  return options;
}

SplitRequest split_of(const py::object& validation, const py::object& test, const Options& o) {
  SplitRequest split;
  split.validation = sources_of(validation);
  split.test = sources_of(test);
  if (o.has("split")) {
    const auto shares = numbers_of(py::cast<Array>(o["split"]));
    if (shares.size() != 3 || !(shares[0] > 0 && shares[1] >= 0 && shares[2] >= 0))
      throw Error("split: three shares are needed, as in (50, 25, 25), the first above zero");
    const double sum = shares[0] + shares[1] + shares[2];
    split.shares = {shares[0] / sum, shares[1] / sum, shares[2] / sum};
  }
  split.column = o.text("split_by");
  split.estimation_values = o.texts("estimation_values");
  split.validation_values = o.texts("validation_values");
  split.test_values = o.texts("test_values");
  return split;
}

SharedResult identify_recordings(const py::object& recordings, const py::object& validation, const py::object& test,
                                 const py::object& progress, const py::kwargs& given) {
  const Options o(given);
  auto result = std::make_shared<Result>();
  IdentifyJob& job = result->job;
  job.command = o.text("command", "stickslip.identify");
  RecordingsRequest request{
      .files = sources_of(recordings), .reading = {}, .preparation = preparation_of(o), .split = {}};
  if (request.files.empty()) throw Error("no recording to identify");
  request.split = split_of(validation, test, o);
  request.reading = reading_of(recordings);
  forget_files_read();  // what earlier calls read may be written again, this call's recordings may not
  for (const auto* sources : {&request.files, &request.split.validation, &request.split.test})
    for (const RecordingSource& source : *sources) mark_read(source.file);
  Noticed noticed;
  {
    const py::gil_scoped_release free;
    result->sources = read_recordings(request, job, noticed.warn());
  }
  job.options = identify_options(o, job.motion);
  check_budget(job, o.flag("long"));
  IdentifyFiles files;
  if (o.has("output")) files.model = path_of(o["output"]), files.keeps_unexplained = true;
  if (o.has("csv")) files.residuals = path_of(o["csv"]);
  if (o.has("mat")) files.mat = path_of(o["mat"]);
  if (o.has("report")) files.report = path_of(o["report"]);
  check_places(files);
  IdentifyWatch watch;
  run_watched(watch.cancel, progress, [&](const Tell& tell) {
    watch.progress = tell;
    result->run = run_identify(job, files, {.resume = o.flag("resume"), .watch = &watch, .warn = noticed.warn()});
  });
  for (const std::string& warning : result->run.found.warnings) noticed.say(warning);
  if (result->run.found.models.empty()) throw Error(one_line(job.recording) + ": no model could be fitted");
  {
    const py::gil_scoped_release free;
    for (const WrittenFile& file : write_identified(job, result->run, files, {job.command, result->sources}))
      result->written.push_back(file.path);
  }
  result->noticed = noticed.messages();
  for (const auto* sources : {&request.files, &request.split.validation, &request.split.test})
    noticed.forget(told_of(*sources));
  noticed.tell();
  return result;
}

// --- likelihood --------------------------------------------------------------------------------------------------------

/// The library's own, one caller at a time.
struct HeldLikelihood {
  HeldLikelihood(const Fitted& fitted, const LikelihoodOptions& options)
      : likelihood(fitted.result->job.sets, fitted.get(), options) {}
  Likelihood likelihood;
  std::mutex mutex;
};

void add_likelihood(py::module_& m) {
  py::class_<HeldLikelihood>(
      m, "Likelihood",
      "How likely a recording is under a model, as a function of the model's parameters (SI, in the "
      "order of `keys`), with its gradient: for any sampler or optimiser.")
      .def(py::init([](const Fitted& fitted, const py::object& noise, const py::object& correlation) {
             LikelihoodOptions options;
             if (!noise.is_none()) options.noise = Number(noise).in("noise", "N", Sign::positive);
             if (!correlation.is_none())
               options.correlation = Number(correlation).in("correlation", "1", Sign::positive);
             const py::gil_scoped_release free;
             return std::make_unique<HeldLikelihood>(fitted, options);
           }),
           py::arg("fitted"), py::arg("noise") = py::none(), py::arg("correlation") = py::none())
      .def_property_readonly("keys",
                             [](const HeldLikelihood& h) {
                               std::vector<std::string> all;
                               for (const auto& p : h.likelihood.parameters()) all.push_back(plain_key(p.key));
                               return all;
                             })
      .def_property_readonly("units",
                             [](const HeldLikelihood& h) {
                               std::vector<std::string> all;
                               for (const auto& p : h.likelihood.parameters()) all.push_back(p.unit);
                               return all;
                             })
      .def_property_readonly(
          "fitted",
          [](const HeldLikelihood& h) {
            std::vector<double> all;
            for (const auto& p : h.likelihood.parameters()) all.push_back(p.value);
            return owned(std::move(all));
          },
          "The values of the fit.")
      .def_property_readonly("low",
                             [](const HeldLikelihood& h) {
                               std::vector<double> all;
                               for (const auto& p : h.likelihood.parameters()) all.push_back(p.low);
                               return owned(std::move(all));
                             })
      .def_property_readonly("high",
                             [](const HeldLikelihood& h) {
                               std::vector<double> all;
                               for (const auto& p : h.likelihood.parameters()) all.push_back(p.high);
                               return owned(std::move(all));
                             })
      .def_property_readonly(
          "noise", [](const HeldLikelihood& h) { return h.likelihood.noise(); },
          "standard deviation of the force's errors [N]")
      .def_property_readonly(
          "correlation", [](const HeldLikelihood& h) { return h.likelihood.correlation(); },
          "how many samples carry one independent error")
      .def_property_readonly("samples", [](const HeldLikelihood& h) { return h.likelihood.samples(); })
      .def(
          "log_likelihood",
          [](HeldLikelihood& h, const Array& values) {
            const std::vector<double> p = numbers_of(values);
            const py::gil_scoped_release free;
            const std::lock_guard lock(h.mutex);
            return h.likelihood.value(p);
          },
          py::arg("values"), "-inf outside the bounds and where the model refuses the values.")
      .def(
          "gradient",
          [](HeldLikelihood& h, const Array& values) {
            const std::vector<double> p = numbers_of(values);
            std::vector<double> slopes(h.likelihood.parameters().size());
            {
              const py::gil_scoped_release free;
              const std::lock_guard lock(h.mutex);
              h.likelihood.value(p, slopes);
            }
            return owned(std::move(slopes));
          },
          py::arg("values"), "Of the log-likelihood; NaN where that is -inf.")
      .def(
          "value_and_gradient",
          [](HeldLikelihood& h, const Array& values) {
            const std::vector<double> p = numbers_of(values);
            std::vector<double> slopes(h.likelihood.parameters().size());
            double value = 0;
            {
              const py::gil_scoped_release free;
              const std::lock_guard lock(h.mutex);
              value = h.likelihood.value(p, slopes);
            }
            return py::make_tuple(value, owned(std::move(slopes)));
          },
          py::arg("values"))
      .def(
          "__call__",
          [](HeldLikelihood& h, const Array& values) {
            const std::vector<double> p = numbers_of(values);
            const py::gil_scoped_release free;
            const std::lock_guard lock(h.mutex);
            return h.likelihood.value(p);
          },
          py::arg("values"));
}

// --- classes -----------------------------------------------------------------------------------------------------------

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

void add_fitted(py::module_& m) {
  py::class_<Fitted>(m, "Fitted",
                     "One model of an identification, with its parameters and how well it follows the data.")
      .def_property_readonly("model", [](const Fitted& f) { return f.get().model; })
      .def_property_readonly("label", [](const Fitted& f) { return f.get().label; })
      .def_property_readonly("parameters", &parameters_of, "key: Parameter")
      .def(
          "__getitem__",
          [](const Fitted& f, const std::string& key) {
            std::vector<std::string> keys;
            for (const ParameterRow& row : parameter_rows(f.get(), f.result->job.motion)) {
              if (row.key == key) return parameter_of(row);
              keys.push_back(row.key);
            }
            throw py::key_error(no_such("parameter", key, keys));
          },
          py::arg("key"))
      .def_property_readonly(
          "estimation",
          [](const Fitted& f) {
            return Quality{f.get().estimation.noe, f.get().estimation.largest_error, f.get().estimation_rms};
          })
      .def_property_readonly(
          "validation",
          [](const Fitted& f) {
            return Quality{f.get().validation.noe, f.get().validation.largest_error, f.get().validation_rms};
          })
      .def_property_readonly("test",
                             [](const Fitted& f) {
                               return Quality{f.get().test.noe, f.get().test.largest_error, f.get().test_rms};
                             })
      .def_property_readonly(
          "unexplained", [](const Fitted& f) { return f.get().unexplained; }, "[%], while moving")
      .def_property_readonly(
          "whiteness", [](const Fitted& f) { return f.get().whiteness; },
          "p-value of the residuals: below 0.05 they are not white")
      .def_property_readonly(
          "noise", [](const Fitted& f) { return f.get().confidence.noise; }, "[N]")
      .def_property_readonly(
          "covariance",
          [](const Fitted& f) {
            const Covariance& c = f.get().confidence.covariance;
            const auto n = static_cast<py::ssize_t>(c.size());
            py::array_t<double> matrix({n, n});
            for (py::ssize_t i = 0; i < n; ++i)
              for (py::ssize_t j = 0; j < n; ++j)
                matrix.mutable_at(i, j) = c(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            return matrix;
          },
          "of the estimated parameters, in the order of `estimated`")
      .def_property_readonly("estimated",
                             [](const Fitted& f) {
                               std::vector<std::string> keys;
                               for (const Estimate& e : f.get().confidence.estimates) keys.push_back(plain_key(e.key));
                               return keys;
                             })
      .def_property_readonly(
          "profiles",
          [](const Fitted& f) {
            py::dict all;
            for (const Profile& p : f.get().profiles) {
              std::vector<double> value, cost;
              for (const ProfilePoint& at : p.points) value.push_back(at.value), cost.push_back(at.cost);
              all[py::str(plain_key(p.key))] = py::make_tuple(owned(std::move(value)), owned(std::move(cost)));
            }
            return all;
          },
          "key: (values, costs), where they were asked for")
      .def_property_readonly("remarks", [](const Fitted& f) { return f.get().remarks; })
      .def_property_readonly("advice", [](const Fitted& f) { return f.get().advice; })
      .def_property_readonly("complete", [](const Fitted& f) { return f.get().complete; })
      .def_property_readonly(
          "friction",
          [](const Fitted& f) { return std::shared_ptr<Friction>(make_friction(f.get().model, f.get().settings)); },
          "The model with its values.")
      .def(
          "predicted",
          [](const Fitted& f, std::size_t piece) {
            std::vector<double> force;
            {
              const py::gil_scoped_release free;
              const auto friction = make_friction(f.get().model, f.get().settings);
              force = predicted_force(*friction, f.get().chain, f.result->job.sets.pieces.at(piece).data);
            }
            return owned(std::move(force));
          },
          py::arg("piece") = 0, "Its force along the recording [N], what lies between contact and sensor included.")
      .def("model_file", [](const Fitted& f) { return std::make_shared<ModelFile>(model_file_of_fitted(f)); })
      .def(
          "likelihood",
          [](const Fitted& f, const py::object& noise, const py::object& correlation) {
            return py::module_::import("stickslip._core").attr("Likelihood")(f, noise, correlation);
          },
          py::arg("noise") = py::none(), py::arg("correlation") = py::none(),
          "How likely the recording is as a function of the parameters: a Likelihood.")
      .def("__repr__",
           [](const Fitted& f) {
             return f.get().label + "\n" + to_text(parameter_text_table(f.get(), f.result->job.motion));
           })
      .def("_repr_html_", [](const Fitted& f) {
        return html_block(f.get().label, html_table(parameter_text_table(f.get(), f.result->job.motion)));
      });
}

void add_result(py::module_& m) {
  py::class_<Result, SharedResult>(m, "Identification", "What an identification found, with the data it was made of.")
      .def_property_readonly(
          "models",
          [](const SharedResult& r) {
            std::vector<Fitted> all;
            for (std::size_t i = 0; i < r->run.found.models.size(); ++i) all.push_back({r, i});
            return all;
          },
          "All that were fitted, best on the validation samples first.")
      .def(
          "__getitem__",
          [](const SharedResult& r, const std::string& label) {
            std::vector<std::string> labels;
            for (std::size_t i = 0; i < r->run.found.models.size(); ++i) {
              const IdentifiedModel& model = r->model(i);
              if (model.label == label || model.model == label) return Fitted{r, i};
              labels.push_back(model.label);
            }
            throw py::key_error(no_such("model", label, labels));
          },
          py::arg("label"))
      .def_property_readonly(
          "best",
          [](const SharedResult& r) {
            return Fitted{r, r->run.found.recommended};
          },
          "The simplest within the noise of the best; see `verdict` before using it.")
      .def_property_readonly(
          "recommended",
          [](const SharedResult& r) -> std::optional<Fitted> {
            if (r->run.found.explanation.verdict == Explained::not_at_all) return {};
            return Fitted{r, r->run.found.recommended};
          },
          "`best`, or None where no model explains the recording.")
      .def_property_readonly(
          "verdict", [](const Result& r) { return std::string(name_of(r.run.found.explanation.verdict)); },
          "'explained', 'weak', or 'no model explains this recording'")
      .def_property_readonly(
          "unexplained", [](const Result& r) { return r.run.found.explanation.unexplained; }, "[%]")
      .def_property_readonly("headline", [](const Result& r) { return r.run.found.explanation.headline; })
      .def_property_readonly("reasons", [](const Result& r) { return r.run.found.explanation.reasons; })
      .def_property_readonly("why", [](const Result& r) { return r.run.found.why; })
      .def_property_readonly("skipped", [](const Result& r) { return r.run.found.skipped; })
      .def_property_readonly("warnings", [](const Result& r) { return r.noticed; })
      .def_property_readonly("complete", [](const Result& r) { return r.run.is_complete; })
      .def_property_readonly(
          "written", [](const Result& r) { return r.written; }, "Files that were written.")
      .def_property_readonly(
          "pieces",
          [](const SharedResult& r) {
            py::list all;
            for (Piece& piece : r->job.sets.pieces)
              all.append(std::shared_ptr<Prepared>(r, &piece.data));  // lives with the result
            return all;
          },
          "The recordings as they were prepared.")
      .def_property_readonly(
          "data", [](const Result& r) { return py::module_::import("json").attr("loads")(json_text(r)); },
          "What `stickslip identify --json` says.")
      .def("json", &json_text, "The same as text, byte for byte.")
      .def(
          "text",
          [](const Result& r, std::size_t most) { return identification_text(r.job, r.run.found, {.most = most}); },
          py::arg("most") = 12, "What `stickslip identify` says.")
      .def(
          "model_file",
          [](const SharedResult& r) { return std::make_shared<ModelFile>(model_file_of(r->job, r->run.found)); },
          "The recommended model as a file.")
      .def(
          "save",
          [](const Result& r, const py::object& path) {
            text_or_file(model_file_text(model_file_of(r.job, r.run.found)), path);
          },
          py::arg("path"), "Writes the model file of the recommended model.")
      .def(
          "report",
          [](const Result& r, const py::object& path) {
            std::string html;
            {
              const py::gil_scoped_release free;
              html = to_html(identification_page(r.run.found, r.job.sets, {r.job.command, r.sources}));
            }
            return text_or_file(html, path);
          },
          py::arg("path") = py::none(), "The HTML report; written where a path is given.")
      .def(
          "residuals",
          [](const Result& r) {
            const IdentifiedModel& best = r.run.found.models.at(r.run.found.recommended);
            auto table = std::make_shared<Table>();
            {
              const py::gil_scoped_release free;
              const auto friction = make_friction(best.model, best.settings);
              *table = residual_table(r.job.sets, *friction, best.chain, r.job.motion);
            }
            py::dict all;
            for (Column& c : table->columns) all[py::str(c.name)] = owned(std::move(c.values));
            return all;
          },
          "Measured, predicted and residual force of the recommended model, and which set each sample serves.")
      .def("__repr__", [](const Result& r) { return identification_text(r.job, r.run.found); })
      .def("_repr_html_", &result_html);
  m.def("identify", &identify_recordings, py::arg("recordings"), py::arg("validation") = py::none(),
        py::arg("test") = py::none(), py::arg("progress") = py::none());
}

// --- model files and validation ----------------------------------------------------------------------------------------

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
  if (file.measurement.backlash != 0) add("backlash", file.measurement.backlash, "", "free play before the contact");
  return all;
}

struct Validated {
  std::shared_ptr<ModelFile> model;
  std::shared_ptr<Prepared> data;
  ValidationResult result;
  std::string model_name;
};

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
      .def("__repr__", [](const Validated& v) { return validation_text(*v.model, v.result, *v.data); });
  m.def(
      "validate",
      [](const std::shared_ptr<ModelFile>& model, const SharedRecording& recording, const py::kwargs& given) {
        const PreparationRequest preparation = preparation_of(Options(given), model->preparation);
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
  m.def(
      "reading_of",
      [](const ModelFile& model) {
        const ReadOptions reading = reading_as(model);
        py::dict all, gains;
        for (const Role role : all_roles) {
          const std::string name(role_name(role));
          if (!of(reading.columns, role).empty()) all[py::str(name)] = of(reading.columns, role);
          if (!of(reading.gains, role).empty()) gains[py::str(name)] = of(reading.gains, role);
        }
        if (py::len(gains) > 0) all["gains"] = gains;
        return all;
      },
      py::arg("model"), "Columns and gains of the model's own recording, as read() takes them.");
}

}  // namespace

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
           [](const ModelFile& f) { return "<ModelFile " + in_quotes(f.title.empty() ? f.model : f.title) + ">"; });
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

void add_identification(py::module_& m) {
  add_fitted(m);
  add_result(m);
  add_validation(m);
  add_likelihood(m);
}

}  // namespace stickslip::python
