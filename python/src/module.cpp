/// stickslip._core: the library as Python sees it. The package around it (python/stickslip) has the signatures.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "border.hpp"
#include "core/instruction_set.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "stickslip/version.hpp"

namespace stickslip::python {
namespace {

PyObject* data_warning = nullptr;  // stickslip.DataWarning; lives as long as the module

}  // namespace

// --- arrays ------------------------------------------------------------------------------------------------------------

py::array view(const std::vector<double>& values, const py::handle& owner) {
  py::array_t<double> array({values.size()}, {sizeof(double)}, values.data(), owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::array owned(std::vector<double>&& values) {
  auto kept = std::make_unique<std::vector<double>>(std::move(values));
  std::vector<double>* const lives = kept.get();
  const py::capsule owner(lives, [](void* p) { delete static_cast<std::vector<double>*>(p); });
  kept.release();
  return py::array_t<double>({lives->size()}, {sizeof(double)}, lives->data(), owner);
}

py::object view_or_none(const std::vector<double>& values, const py::handle& owner) {
  return values.empty() ? py::object(py::none()) : py::object(view(values, owner));
}

std::vector<double> numbers_of(const Array& array) { return {array.data(), array.data() + array.size()}; }

py::dict columns_of(const std::vector<Column>& columns, const py::handle& owner) {
  py::dict all;
  for (const Column& column : columns) all[py::str(column.name)] = view(column.values, owner);
  return all;
}

py::dict units_of(const std::vector<Column>& columns) {
  py::dict all;
  for (const Column& column : columns) all[py::str(column.name)] = column.unit;
  return all;
}

py::object to_python(const Json& json) { return py::module_::import("json").attr("loads")(json.text(-1)); }

// --- options -----------------------------------------------------------------------------------------------------------

std::string type_name(const py::handle& given) {
  return py::cast<std::string>(py::type::handle_of(given).attr("__name__"));
}

Number::Number(const py::handle& given, const std::string& name) : is_given(true) {
  if (py::isinstance<py::str>(given)) {
    is_text = true;
    text = trimmed(py::cast<std::string>(given));
    return;
  }
  if (!py::isinstance<py::bool_>(given)) {
    value = PyFloat_AsDouble(given.ptr());
    if (!PyErr_Occurred()) return;
    const bool is_too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (is_too_large) throw Error(name + " is not a finite number");
  }
  throw Error(name + " is of type " + type_name(given) + "; a number, or a text with its unit, is needed");
}

double Number::in(const std::string& name, std::string_view unit, const Range& range) const {
  double number = value;
  if (is_text) try {
      number = parse_quantity(text, unit);
    } catch (const Error& problem) {
      throw Error(name + ": " + problem.what());
    }
  const std::string problem = refusal(number, unit, range);
  if (!problem.empty()) throw Error(name + " " + problem);
  return number;
}

double Number::in(const std::string& name, std::string_view unit, Sign sign) const {
  return in(name, unit, range_of(unit, sign));
}

void Options::refuse_others() const {
  for (const auto& [key, value] : given_)
    if (const auto name = py::cast<std::string>(key); !known_.contains(name))
      throw Error(no_such("option", name, {known_.begin(), known_.end()}));
}

std::string Options::text(const char* name, const std::string& otherwise) const {
  return has(name) ? py::cast<std::string>(py::str(given_[name])) : otherwise;
}

std::vector<std::string> Options::texts(const char* name) const {
  if (!has(name)) return {};
  const py::object given = given_[name];
  if (py::isinstance<py::str>(given)) return {py::cast<std::string>(given)};
  if (!py::isinstance<py::iterable>(given))
    throw Error(std::string(name) + " is of type " + type_name(given) + "; a text or a list of texts is needed");
  std::vector<std::string> all;
  for (const py::handle item : given) all.push_back(py::cast<std::string>(py::str(item)));
  return all;
}

std::string path_of(const py::handle& path) {
  return py::cast<std::string>(py::module_::import("os").attr("fsencode")(path));
}

std::string printable(const std::string& path) {
  return py::cast<std::string>(py::bytes(path).attr("decode")("utf-8", "backslashreplace"));
}

py::dict named_values(const py::object& given, const char* name) {
  if (!PyMapping_Check(given.ptr()) || py::isinstance<py::str>(given) || !py::hasattr(given, "items"))
    throw Error(std::string(name) + " is of type " + type_name(given) + "; a dict is needed");
  return py::dict(given);
}

// --- long work ---------------------------------------------------------------------------------------------------------

namespace {

/// Shared between the thread that works and the one that waits.
struct Watched {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false, is_new = false;
  std::string what;
  double share = 0;
  std::exception_ptr problem;
};

/// What Python says meanwhile: nullptr, or the exception that is to be raised.
std::unique_ptr<py::error_already_set> heard(const py::object& progress, bool is_new, const std::string& what,
                                             double share) {
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (is_new && !progress.is_none()) progress(what, share);
  } catch (py::error_already_set& raised) {
    return std::make_unique<py::error_already_set>(std::move(raised));
  }
  return nullptr;
}

/// `look` may fill in how far the work is, where the work itself does not tell.
void wait_for_work(std::atomic<bool>& cancel, const py::object& progress, const std::function<void(const Tell&)>& work,
                   const std::function<void(Watched&)>& look) {
  constexpr auto between_looks = std::chrono::milliseconds(50);
  Watched shared;
  const Tell tell = [&](const std::string& what, double share) {
    const std::lock_guard lock(shared.mutex);
    shared.what = what, shared.share = share, shared.is_new = true;
  };
  std::unique_ptr<py::error_already_set> raised;
  {
    const py::gil_scoped_release free;
    std::thread worker([&] {
      try {
        work(tell);
      } catch (...) {
        shared.problem = std::current_exception();
      }
      const std::lock_guard lock(shared.mutex);
      shared.is_done = true;
      shared.ended.notify_all();
    });
    std::unique_lock lock(shared.mutex);
    while (!shared.ended.wait_for(lock, between_looks, [&] { return shared.is_done; })) {
      if (look) look(shared);
      const bool is_new = std::exchange(shared.is_new, false);
      const std::string what = shared.what;
      const double share = shared.share;
      lock.unlock();
      {
        const py::gil_scoped_acquire hold;
        auto problem = heard(progress, is_new && !raised, what, share);
        if (problem) cancel = true;
        if (problem && !raised) raised = std::move(problem);
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (look) look(shared);
  if (!raised) raised = heard(progress, shared.is_new && !shared.problem, shared.what, shared.share);
  if (raised) throw std::move(*raised);
  if (shared.problem) std::rethrow_exception(shared.problem);
}

}  // namespace

void run_watched(std::atomic<bool>& cancel, const py::object& progress, const std::function<void(const Tell&)>& work) {
  wait_for_work(cancel, progress, work, {});
}

void run_watched(RunWatch& watch, double from, double to, const py::object& progress, const std::string& what,
                 const std::function<void()>& work) {
  const auto look = [&] { return to > from ? std::clamp((watch.reached.load() - from) / (to - from), 0.0, 1.0) : 0.0; };
  wait_for_work(
      watch.cancel, progress, [&](const Tell&) { work(); },
      [&](Watched& shared) { shared.what = what, shared.share = shared.is_done ? 1 : look(), shared.is_new = true; });
}

Warn Noticed::warn() {
  return [this](const std::string& message) { messages_.push_back(message); };
}

void Noticed::forget(const std::vector<std::string>& told) {
  std::erase_if(messages_, [&](const std::string& m) { return std::find(told.begin(), told.end(), m) != told.end(); });
}

void Noticed::tell() const {
  for (const std::string& message : messages_)
    if (PyErr_WarnEx(data_warning, message.c_str(), 2) != 0) throw py::error_already_set();
}

// --- for people --------------------------------------------------------------------------------------------------------

std::string html_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

std::string html_table(const TextTable& table) {
  std::string html = "<table>";
  const auto row = [&](const std::vector<std::string>& cells, const char* kind) {
    html += "<tr>";
    for (const std::string& cell : cells)
      html += std::string("<") + kind + " style=\"text-align:left\">" + html_text(cell) + "</" + kind + ">";
    html += "</tr>";
  };
  if (!table.columns.empty()) row(table.columns, "th");
  for (const auto& cells : table.rows) row(cells, "td");
  return html + "</table>";
}

std::string html_block(const std::string& title, const std::string& body) {
  return "<div class=\"stickslip\"><p><b>" + html_text(title) + "</b></p>" + body + "</div>";
}

py::str text_or_file(const std::string& text, const py::object& path) {
  if (!path.is_none()) {
    const std::string to = path_of(path);
    const py::gil_scoped_release free;
    write_whole(to, text);
  }
  return text;
}

}  // namespace stickslip::python

PYBIND11_MODULE(_core, m) {
  using namespace stickslip;
  using namespace stickslip::python;
  m.doc() = "The compiled part of stickslip. Use the package `stickslip`, which has the same with signatures.";
  static py::exception<Error> error(m, "Error", PyExc_ValueError);
  error.attr("__module__") = "stickslip";
  error.doc() = "Wrong input: one line with location, what was found and a suggested fix.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& problem) {
      error(problem.what());
    }
  });
  data_warning = PyErr_NewExceptionWithDoc(
      "stickslip.DataWarning", "A remark on a recording, a machine or a result: one line.", PyExc_UserWarning, nullptr);
  m.attr("DataWarning") = py::handle(data_warning);
  m.attr("__version__") = std::string(version());
  m.def(
      "instructions", [] { return std::string(name_of(chosen_instruction_set())); },
      "The vector instructions that are used: same set and same C library, same numbers.");
  m.def(
      "si",
      [](const py::object& value, const std::string& unit) {
        return Number(value, "value").in("value", unit, Range{-1e300, 1e300, true, "a number"});
      },
      py::arg("value"), py::arg("unit"), "A quantity such as '14 um' in the SI unit that is needed, 'm'.");
  add_frictions(m);
  add_model_file(m);
  add_recordings(m);
  add_findings(m);
  add_identification(m);
  add_machines(m);
  add_machine_fits(m);
  add_studies(m);
  add_exports(m);
}
