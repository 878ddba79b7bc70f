/// What every part of the Python module shares: arrays without a copy, options by name, long work that answers Ctrl-C, and
/// what is told to Python as warnings. Nothing here computes.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/range.hpp"
#include "core/run.hpp"
#include "core/table.hpp"
#include "files/json.hpp"
#include "jobs/warn.hpp"
#include "report/table.hpp"

namespace stickslip::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// --- the parts of the module, a file each ------------------------------------------------------------------------------

void add_frictions(py::module_& m);
void add_model_file(py::module_& m);  // before the others, which give model files away
void add_recordings(py::module_& m);
void add_findings(py::module_& m);
void add_identification(py::module_& m);
void add_machines(py::module_& m);
void add_machine_fits(py::module_& m);
void add_studies(py::module_& m);
void add_exports(py::module_& m);

// --- arrays ------------------------------------------------------------------------------------------------------------

/// The numbers as they lie in memory, not to be written to; `owner` is kept while the array lives.
py::array view(const std::vector<double>& values, const py::handle& owner);
/// An array that owns the vector.
py::array owned(std::vector<double>&& values);
/// None where there are none.
py::object view_or_none(const std::vector<double>& values, const py::handle& owner);
std::vector<double> numbers_of(const Array& array);
/// name → array, each without a copy.
py::dict columns_of(const std::vector<Column>& columns, const py::handle& owner);
py::dict units_of(const std::vector<Column>& columns);

/// The same as Python's own lists, texts and numbers.
py::object to_python(const Json& json);

// --- options by name ---------------------------------------------------------------------------------------------------

/// A number as given: SI, or a text with unit. Kept until its unit is known.
struct Number {
  bool is_given = false, is_text = false;
  double value = 0;
  std::string text = {};

  Number() = default;
  /// Throws Error for what is neither a number nor a text.
  Number(const py::handle& given, const std::string& name);
  /// SI. Throws Error that names it.
  double in(const std::string& name, std::string_view unit, Sign sign = Sign::any) const;
  double in(const std::string& name, std::string_view unit, const Range& range) const;
  void take(const std::string& name, std::string_view unit, Sign sign, double& into) const {
    if (is_given) into = in(name, unit, sign);
  }
};

/// Keyword arguments, each looked at once. None stands for "not given".
class Options {
 public:
  explicit Options(py::dict given) : given_(std::move(given)) {}
  bool has(const char* name) const {
    known_.insert(name);
    return given_.contains(name) && !given_[name].is_none();
  }
  /// To be called when all are looked at. Throws Error for one that was given and that nothing has asked for: a misspelt one would
  /// otherwise be dropped in silence.
  void refuse_others() const;
  py::object operator[](const char* name) const { return has(name) ? py::object(given_[name]) : py::none(); }
  Number number(const char* name) const { return has(name) ? Number(given_[name], name) : Number(); }
  void number(const char* name, std::string_view unit, Sign sign, double& into) const {
    number(name).take(name, unit, sign, into);
  }
  bool flag(const char* name) const { return has(name) && py::cast<bool>(given_[name]); }
  std::string text(const char* name, const std::string& otherwise = "") const;
  /// A single text is a list of one.
  std::vector<std::string> texts(const char* name) const;
  template <class Whole>
  void count(const char* name, const Counts& counts, Whole& into) const {
    if (!has(name)) return;
    const std::string problem = refusal_of_count(std::string(py::str(given_[name])), counts);
    if (!problem.empty()) throw Error(std::string(name) + " " + problem);
    into = py::cast<Whole>(given_[name]);
  }

 private:
  py::dict given_;
  mutable std::set<std::string> known_;  // asked for
};

/// Of the type, for messages.
std::string type_name(const py::handle& given);

/// A path as Python has it, a text or an os.PathLike, in the system's bytes.
std::string path_of(const py::handle& path);
/// The same for people: bytes that are not UTF-8 as \xff.
std::string printable(const std::string& path);

/// A dict, or what makes one. Throws Error that names it.
py::dict named_values(const py::object& given, const char* name);

// --- long work ---------------------------------------------------------------------------------------------------------

/// How far it is: told by the work from any thread, looked at by the one that waits.
using Tell = std::function<void(const std::string& what, double share)>;

/// Runs the work in a thread of its own without the interpreter's lock. Meanwhile this thread looks for signals every 50 ms and
/// calls progress(what, share). Ctrl-C, or an exception of that callback, sets `cancel` and is raised when the work has ended.
void run_watched(std::atomic<bool>& cancel, const py::object& progress, const std::function<void(const Tell&)>& work);
/// The same of one run, whose watch says itself how far it is.
void run_watched(RunWatch& watch, double from, double to, const py::object& progress, const std::string& what,
                 const std::function<void()>& work);

/// What a job noticed, told to Python as stickslip.DataWarning when the work has ended.
class Noticed {
 public:
  Warn warn();
  void say(const std::string& message) { messages_.push_back(message); }
  /// Leaves out what was told before.
  void forget(const std::vector<std::string>& told);
  /// Raises what Python's filters turn into an error.
  void tell() const;
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

// --- for people --------------------------------------------------------------------------------------------------------

std::string html_text(const std::string& text);
std::string html_table(const TextTable& table);
std::string html_block(const std::string& title, const std::string& body);
/// Writes `text` where a path is given, and gives it back.
py::str text_or_file(const std::string& text, const py::object& path);

}  // namespace stickslip::python
