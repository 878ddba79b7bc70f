/// The library for C; see stickslip/c_interface.h. Every exception ends here.
#include "stickslip/c_interface.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "core/text.hpp"
#include "jobs/identify/recordings.hpp"
#include "jobs/identify/run.hpp"
#include "jobs/identify/texts.hpp"
#include "machines/machine.hpp"
#include "recording/take_recording.hpp"
#include "stickslip/version.hpp"

struct stickslip_run {
  stickslip::MachineRun run;
  std::string stop;
};

struct stickslip_motion {
  std::unique_ptr<stickslip::Motion> motion;
  stickslip::Stop stop = stickslip::Stop::finished;
  mutable std::string words = {};  // of the mode, for the caller
};

namespace stickslip::inline jobs {
namespace {

thread_local std::string last_error;

/// What `work` gives, or `otherwise` with the reason kept.
template <class Work, class Otherwise>
auto guarded(const Work& work, Otherwise otherwise) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    last_error = problem.what();
  } catch (...) {
    last_error = "an unknown failure";
  }
  return otherwise;
}

Machine machine_of(const char* machine) {
  const std::string text(machine);
  return text.find('\n') == std::string::npos ? read_machine(text) : parse_machine_text(text, "machine");
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::size_t depth = 0;
  std::string word;
  for (const char c : list + ",") {
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    if (c == ',' && depth == 0) {  // "DNLRX(4,3,2)" is one word
      if (!trimmed(word).empty()) words.emplace_back(trimmed(word));
      word.clear();
    } else {
      word += c;
    }
  }
  return words;
}

}  // namespace
}  // namespace stickslip::inline jobs

using namespace stickslip;

const char* stickslip_library_version(void) { return version().data(); }
const char* stickslip_last_error(void) { return last_error.c_str(); }
void stickslip_free(char* text) { std::free(text); }

char* stickslip_identify(size_t samples, const double* time, const double* position, const double* force, double mass,
                         const char* models, uint64_t seed) {
  return guarded(
      [&]() -> char* {
        std::vector<Column> columns{{"time", "s", {time, time + samples}},
                                    {"position", "m", {position, position + samples}},
                                    {"force", "N", {force, force + samples}}};
        const auto recording = std::make_shared<const Recording>(take_recording(std::move(columns)));
        if (!(mass >= 0)) throw Error("mass is " + shortest(mass) + " kg; it must be zero or positive");
        IdentifyJob job;
        job.command = "stickslip_identify";
        const Warn quiet = [](const std::string&) {};
        read_recordings({.files = {{recording->file, recording}}, .preparation = prepared_as({.mass = mass})}, job,
                        quiet);
        job.options.models = words_of(models);
        job.options.seed = seed;
        const IdentifyRun run = run_identify(job, {}, {.warn = quiet});
        if (run.found.models.empty()) throw Error("no model could be fitted");
        const std::string text = identification_json(job, run.found).text();
        char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
        if (!copy) throw std::bad_alloc();
        return static_cast<char*>(std::memcpy(copy, text.c_str(), text.size() + 1));
      },
      nullptr);
}

stickslip_run* stickslip_simulate(const char* machine) {
  return guarded(
      [&]() -> stickslip_run* {
        auto made = std::make_unique<stickslip_run>(stickslip_run{machine_of(machine).run(), {}});
        made->stop = std::string(name_of(made->run.stop));
        return made.release();
      },
      nullptr);
}
const char* stickslip_run_stop(const stickslip_run* run) { return run->stop.c_str(); }
size_t stickslip_run_rows(const stickslip_run* run) { return rows(run->run.samples); }
size_t stickslip_run_columns(const stickslip_run* run) { return run->run.samples.columns.size(); }
const char* stickslip_run_name(const stickslip_run* run, size_t column) {
  return run->run.samples.columns[column].name.c_str();
}
const char* stickslip_run_unit(const stickslip_run* run, size_t column) {
  return run->run.samples.columns[column].unit.c_str();
}
const double* stickslip_run_values(const stickslip_run* run, size_t column) {
  return run->run.samples.columns[column].values.data();
}
void stickslip_run_close(stickslip_run* run) { delete run; }

stickslip_motion* stickslip_motion_open(const char* machine) {
  return guarded([&]() -> stickslip_motion* { return new stickslip_motion{machine_of(machine).motion()}; }, nullptr);
}
stickslip_motion* stickslip_motion_clone(const stickslip_motion* motion) {
  return guarded(
      [&]() -> stickslip_motion* {
        return new stickslip_motion{motion->motion->clone(), motion->stop};
      },
      nullptr);
}
void stickslip_motion_close(stickslip_motion* motion) { delete motion; }
double stickslip_motion_time(const stickslip_motion* motion) { return motion->motion->time(); }
int stickslip_motion_advance(stickslip_motion* motion, double until) {
  return guarded(
      [&] {
        if (std::isinf(until)) throw Error("a motion cannot be advanced to infinity; name a time");
        motion->stop = motion->motion->advance(until);
        return motion->stop == Stop::finished ? 0 : 1;
      },
      -1);
}
const char* stickslip_motion_stop(const stickslip_motion* motion) { return name_of(motion->stop).data(); }
const char* stickslip_motion_mode(const stickslip_motion* motion) {
  motion->words = std::string(motion->motion->mode());
  return motion->words.c_str();
}
size_t stickslip_motion_inputs(const stickslip_motion* motion) { return motion->motion->inputs().size(); }
const char* stickslip_motion_input_name(const stickslip_motion* motion, size_t input) {
  return motion->motion->inputs()[input].name.c_str();
}
int stickslip_motion_set(stickslip_motion* motion, size_t input, double value, double slope) {
  return guarded(
      [&] {
        if (input >= motion->motion->inputs().size())
          throw Error("input " + std::to_string(input) + "; there are " +
                      std::to_string(motion->motion->inputs().size()));
        motion->motion->set_input(input, value, slope);
        return 0;
      },
      -1);
}
size_t stickslip_motion_outputs(const stickslip_motion* motion) { return motion->motion->outputs().size(); }
const char* stickslip_motion_output_name(const stickslip_motion* motion, size_t output) {
  return motion->motion->outputs()[output].name.c_str();
}
int stickslip_motion_read(const stickslip_motion* motion, double* values) {
  return guarded(
      [&] {
        motion->motion->read({values, motion->motion->outputs().size()});
        return 0;
      },
      -1);
}
