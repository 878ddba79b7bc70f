/// Many identifications: each recording of a list by itself, each axis of one file.
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "identification.hpp"
#include "jobs/identify/axes.hpp"
#include "jobs/identify/list.hpp"
#include "jobs/identify/options.hpp"
#include "platform/path.hpp"
#include "recordings.hpp"

namespace stickslip::python {
namespace {

// --- a list of recordings ----------------------------------------------------------------------------------------------

struct IdentifiedList {
  std::vector<ListedResult> results;
};

IdentifiedList identify_each(const std::vector<std::string>& files, const py::object& folder,
                             const py::object& progress, const py::kwargs& given) {
  const Options o(given);
  if (files.empty()) throw Error("no recording to identify");
  const std::string place = path_of(folder);
  ListedPlaces places(files, place);
  RecordingsRequest all;
  for (const std::string& file : files) all.files.push_back({file});
  all.reading = read_options_of(o);
  all.preparation = preparation_of(o);
  all.preparation.fits_lag = o.flag("fit_lag") || o.has("lag");
  if (!o.has("mass")) all.preparation.mass = MassFrom::recording_where_visible;
  const bool is_long = o.flag("long"), resume = o.flag("resume");
  all.most_samples = most_fitted(is_long);
  const std::string command = o.text("command", "stickslip.identify_each");
  forget_files_read();  // what earlier calls read may be written again; files to start from, read next, may not
  identify_options(o, MotionKind::linear);  // marks all of them as known
  o.refuse_others();
  const AskedOfAll asked = asked_of_all(
      std::move(all), [&](MotionKind motion) { return identify_options(o, motion); }, is_long);
  places.make();
  const auto prepare = [&](const std::string& file) {
    ListedJob listed;
    listed.job.command = command;
    RecordingsRequest request = asked.request;
    request.files = {{file}};
    listed.sources = read_recordings(request, listed.job, [](const std::string&) {});
    {
      const py::gil_scoped_acquire hold;  // options are Python's
      listed.job.options = identify_options(o, listed.job.motion);
    }
    check_budget(listed.job, is_long);
    listed.files = places.files_of(file);
    return listed;
  };
  IdentifiedList list;
  IdentifyWatch watch;
  Noticed noticed;
  run_watched(watch.cancel, progress, [&](const Tell& tell) {
    watch.progress = tell;
    list.results = identify_list(
        files, prepare,
        {.state = places.state(), .resume = resume, .watch = &watch, .command = command, .warn = noticed.warn()});
    if (!watch.cancel) places.conclude(list.results);
  });
  noticed.tell();
  return list;
}

// --- axes of one file --------------------------------------------------------------------------------------------------

py::dict identify_axes(const py::object& path, const std::string& asked, const py::dict& reading_given,
                       const py::object& progress, const py::kwargs& given) {
  const std::string file = path_of(path);
  const Options read_as(reading_given);
  const ReadOptions reading = read_options_of(read_as);
  read_as.refuse_others();
  std::vector<std::string> axes;
  {
    const py::gil_scoped_release free;
    axes = axes_in(file, reading, asked);
  }
  py::dict found;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    py::kwargs own(given.attr("copy")());
    if (given.contains("mass") && py::isinstance<py::str>(given["mass"]))
      own["mass"] = part_of_axis(py::cast<std::string>(given["mass"]), k, axes.size(), "mass");
    for (const char* name : {"output", "csv", "mat", "report"})
      if (given.contains(name) && !given[name].is_none())
        own[name] = py::module_::import("os").attr("fsdecode")(py::bytes(path_of_axis(path_of(given[name]), axes[k])));
    const ReadOptions one = reading_of_axis(reading, axes, k);
    auto recording = std::make_shared<HeldRecording>();
    {
      const py::gil_scoped_release free;
      static_cast<Recording&>(*recording) = read_recording(file, one);
    }
    recording->reading = one, recording->file = printable(file);
    mark_read(file);
    py::list held;
    held.append(SharedRecording(recording));
    try {
      found[py::str(axes[k])] = identified(held, progress, own);
    } catch (const Error& problem) {
      throw Error("axis " + axes[k] + ": " + problem.what() +
                  (k > 0 ? "; files asked for of the axes before it are written" : ""));
    }
  }
  return found;
}

}  // namespace

void add_lists(py::module_& m) {
  py::class_<IdentifiedList>(m, "IdentifiedList", "One result per recording of a list.")
      .def_property_readonly(
          "data", [](const IdentifiedList& l) { return to_python(list_json(l.results)); },
          "The same results as `stickslip identify --each --json`.")
      .def(
          "csv", [](const IdentifiedList& l) { return list_csv(l.results); }, "As identified.csv has it.")
      .def("text", [](const IdentifiedList& l) { return to_text(list_table(l.results)); })
      .def("__len__", [](const IdentifiedList& l) { return l.results.size(); })
      .def("__repr__", [](const IdentifiedList& l) { return to_text(list_table(l.results)); })
      .def("_repr_html_", [](const IdentifiedList& l) { return html_table(list_table(l.results)); });
  m.def("identify_each", &identify_each, py::arg("files"), py::arg("folder"), py::arg("progress") = py::none());
  m.def("identify_axes", &identify_axes, py::arg("path"), py::arg("axes"), py::arg("reading"),
        py::arg("progress") = py::none());
}

}  // namespace stickslip::python
