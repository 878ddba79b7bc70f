/// Identification: models fitted to recordings, and their likelihood.
#include <cmath>
#include <mutex>

#include "border.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "frictions.hpp"
#include "identification.hpp"
#include "identification/judging/likelihood.hpp"
#include "jobs/identify/job.hpp"
#include "jobs/identify/options.hpp"
#include "jobs/identify/page.hpp"
#include "jobs/identify/run.hpp"
#include "jobs/identify/texts.hpp"
#include "jobs/identify/together.hpp"
#include "machines/friction/model_file.hpp"
#include "parameters.hpp"
#include "recordings.hpp"
#include "report/svg.hpp"

namespace stickslip::python {
namespace {

// --- parameters --------------------------------------------------------------------------------------------------------

Parameter parameter_of(const ParameterRow& row) {
  Parameter p{row.key, row.symbol, row.unit, row.meaning, row.value};
  if (const Estimate* e = row.estimate) {
    p.is_estimated = true;
    p.standard_error = e->standard_error, p.low = e->low, p.high = e->high;
    p.verdict = std::string(name_of(e->verdict)), p.partner = plain_key(e->partner);
  }
  return p;
}

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
  if (r.run.together) report["together"] = together_json(*r.run.together);
  report["written"] = Json::array();
  for (const std::string& path : r.written) report["written"].push_back(printable(path));
  return report.text() + "\n";
}

std::string result_html(const Result& r) {
  const Identification& found = r.run.found;
  const IdentifiedModel& best = found.models.at(found.recommended);
  const Piece& piece = r.job.sets.pieces.front();
  const Figure figure = time_figure(piece, {{best.label, predicted_force(best, piece)}});
  const bool explains = found.explanation.verdict != Explained::not_at_all;
  std::string body;
  for (const std::string& line : {found.explanation.headline, found.why})
    if (!line.empty()) body += "<p>" + html_text(line) + "</p>";
  return html_block(explains ? "Recommended: " + best.label : "No model explains this recording",
                    body + html_table(parameter_text_table(best, r.job.motion)) + to_svg(figure));
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
  RecordingsRequest request;  // one by one: g++ 12 frees the first members twice if a later one of a list throws
  request.files = sources_of(recordings);
  request.preparation = preparation_of(o);
  if (request.files.empty()) throw Error("no recording to identify");
  const bool together = o.flag("together"), resume = o.flag("resume");  // the work itself may not ask Python
  if (together && request.files.size() < 2) throw Error("together compares recordings; one was given: name several");
  request.preparation.fits_lag = o.flag("fit_lag") || o.has("lag");
  const std::vector<std::string> own = private_names(o.texts("private"));
  if (!own.empty() && request.files.size() < 2) throw Error("private is for several recordings; one was given");
  if (!o.has("mass")) request.preparation.mass = MassFrom::recording_where_visible;
  const bool is_long = o.flag("long");
  request.most_samples = most_fitted(is_long);
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
  job.options.own = own;
  IdentifyFiles files;
  if (o.has("output")) files.model = path_of(o["output"]), files.keeps_unexplained = true;
  if (o.has("csv")) files.residuals = path_of(o["csv"]);
  if (o.has("mat")) files.mat = path_of(o["mat"]);
  if (o.has("report")) files.report = path_of(o["report"]);
  o.refuse_others();
  check_budget(job, is_long);
  check_places(files);
  IdentifyWatch watch;
  run_watched(watch.cancel, progress, [&](const Tell& tell) {
    watch.progress = tell;
    result->run = run_identify(job, files, {.resume = resume, .watch = &watch, .warn = noticed.warn()});
    IdentifyFiles without_state = files;  // a state would belong to the mass and the forces of before
    without_state.model.clear();
    result->run = settled_again(
        request, job, std::move(result->run),
        [&] { return run_identify(job, without_state, {.watch = &watch, .warn = noticed.warn()}); }, noticed.warn());
    const auto is_whole = [&] { return result->run.is_complete && !result->run.found.models.empty(); };
    if (!together || !is_whole()) return;
    result->run.together = examine_together(job, result->run.found, &watch);
    result->run.is_complete = result->run.together.has_value();
  });
  if (result->run.together)
    for (const RecordingAlone& one : result->run.together->recordings)
      if (!one.problem.empty()) noticed.say(one.name + ": " + one.problem);
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
  py::class_<HeldLikelihood>(m, "Likelihood",
                             "Likelihood of a recording under a model as a function of its parameters (SI, in the "
                             "order of `keys`), with its gradient: for any sampler or optimiser.")
      .def(py::init([](const Fitted& fitted, const py::object& noise, const py::object& correlation) {
             LikelihoodOptions options;
             if (!noise.is_none()) options.noise = Number(noise, "noise").in("noise", "N", Sign::positive);
             if (!correlation.is_none())
               options.correlation = Number(correlation, "correlation").in("correlation", "1", Sign::positive);
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
          "number of samples per independent error")
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

void add_fitted(py::module_& m) {
  py::class_<Fitted>(m, "Fitted", "One model of an identification, with its parameters and errors.")
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
          "unexplained", [](const Fitted& f) { return judged_set(f.get()).quality.noe; },
          "[%] of the force's variance, on the samples that judge: test, or validation, or estimation")
      .def_property_readonly(
          "unexplained_in_motion", [](const Fitted& f) { return f.get().unexplained; },
          "[%], validation and test samples in motion")
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
          "key: (values, costs), where requested")
      .def_property_readonly("remarks", [](const Fitted& f) { return f.get().remarks; })
      .def_property_readonly("advice", [](const Fitted& f) { return f.get().advice; })
      .def_property_readonly("complete", [](const Fitted& f) { return f.get().complete; })
      .def_property_readonly(
          "friction",
          [](const Fitted& f) { return std::shared_ptr<Friction>(make_friction(f.get().model, f.get().settings)); },
          "The model with its values.")
      .def(
          "predicted",
          [](const Fitted& f, py::ssize_t number) {
            const auto pieces = static_cast<py::ssize_t>(f.result->job.sets.pieces.size());
            if (number < 0 || number >= pieces)
              throw py::index_error("piece " + std::to_string(number) + "; there are " + std::to_string(pieces));
            const auto piece = static_cast<std::size_t>(number);
            std::vector<double> force;
            {
              const py::gil_scoped_release free;
              const auto friction = make_friction(f.get().model, f.get().settings);
              force = predicted_force(*friction, f.get().chain, f.result->job.sets.pieces.at(piece).data);
            }
            return owned(std::move(force));
          },
          py::arg("piece") = 0, "Its predicted force along the recording [N], including offset, lag and backlash.")
      .def("model_file", [](const Fitted& f) { return std::make_shared<ModelFile>(model_file_of_fitted(f)); })
      .def(
          "likelihood",
          [](const Fitted& f, const py::object& noise, const py::object& correlation) {
            return py::module_::import("stickslip._core").attr("Likelihood")(f, noise, correlation);
          },
          py::arg("noise") = py::none(), py::arg("correlation") = py::none(),
          "Likelihood of the recording as a function of the parameters.")
      .def("__repr__",
           [](const Fitted& f) {
             return f.get().label + "\n" + to_text(parameter_text_table(f.get(), f.result->job.motion));
           })
      .def("_repr_html_", [](const Fitted& f) {
        return html_block(f.get().label, html_table(parameter_text_table(f.get(), f.result->job.motion)));
      });
}

void add_result(py::module_& m) {
  py::class_<Result, SharedResult>(m, "Identification", "Result of an identification, with its data.")
      .def_property_readonly(
          "models",
          [](const SharedResult& r) {
            std::vector<Fitted> all;
            for (std::size_t i = 0; i < r->run.found.models.size(); ++i) all.push_back({r, i});
            return all;
          },
          "All fitted models, best on the validation samples first.")
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
          "unexplained",
          [](const Result& r) {
            const Identification& found = r.run.found;
            return found.models.empty() ? std::nan("") : judged_set(found.models[found.recommended]).quality.noe;
          },
          "[%] of the force's variance, on the samples that judge: test, or validation, or estimation")
      .def_property_readonly(
          "unexplained_in_motion", [](const Result& r) { return r.run.found.explanation.unexplained; },
          "[%], validation and test samples in motion; decides `verdict`")
      .def_property_readonly("headline", [](const Result& r) { return r.run.found.explanation.headline; })
      .def_property_readonly("reasons", [](const Result& r) { return r.run.found.explanation.reasons; })
      .def_property_readonly("why", [](const Result& r) { return r.run.found.why; })
      .def_property_readonly(
          "together",
          [](const Result& r) {
            return r.run.together ? to_python(together_json(*r.run.together)) : py::object(py::none());
          },
          "With together=True: what each of several recordings says of the law of all.")
      .def_property_readonly("skipped", [](const Result& r) { return r.run.found.skipped; })
      .def_property_readonly("warnings", [](const Result& r) { return r.noticed; })
      .def_property_readonly("complete", [](const Result& r) { return r.run.is_complete; })
      .def_property_readonly(
          "written",
          [](const Result& r) {
            std::vector<std::string> all;
            for (const std::string& path : r.written) all.push_back(printable(path));
            return all;
          },
          "Files that were written.")
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
          "The same results as `stickslip identify --json`.")
      .def("json", &json_text, "The same JSON as text, byte for byte.")
      .def(
          "text",
          [](const Result& r, std::size_t most) { return identification_text(r.job, r.run.found, {.most = most}); },
          py::arg("most") = 12, "The text printed by `stickslip identify`.")
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
              *table = residual_table(r.job.sets, best, r.job.motion);
            }
            py::dict all;
            for (Column& c : table->columns) all[py::str(c.name)] = owned(std::move(c.values));
            return all;
          },
          "Measured, predicted and residual force of the recommended model, and the set of each sample.")
      .def("__repr__", [](const Result& r) { return identification_text(r.job, r.run.found); })
      .def("_repr_html_", &result_html);
  m.def("identify", &identify_recordings, py::arg("recordings"), py::arg("validation") = py::none(),
        py::arg("test") = py::none(), py::arg("progress") = py::none());
}

}  // namespace

py::object identified(const py::object& recordings, const py::object& progress, const py::kwargs& given) {
  return py::cast(identify_recordings(recordings, py::none(), py::none(), progress, given));
}

void add_identification(py::module_& m) {
  add_fitted(m);
  add_result(m);
  add_lists(m);
  add_validation(m);
  add_likelihood(m);
}

}  // namespace stickslip::python
