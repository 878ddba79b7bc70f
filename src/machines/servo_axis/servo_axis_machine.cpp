/// The servo axis as a machine: its run and how that is shown.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/machine_kind.hpp"
#include "machines/one_body/body_run.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/run_view.hpp"
#include "machines/servo_axis/servo_axis_file.hpp"

namespace stickslip::inline machines {
namespace {

struct AxisRun : RunHead {
  Table samples;
  std::vector<MotionEvent> events;
  std::map<std::string, std::size_t> counts;
  TrackingError tracking;
  std::vector<LedgerRow> ledger;
};

RunEvents events_of(const std::vector<MotionEvent>& events) {
  RunEvents all;
  for (const MotionEvent& e : events) all.list.push_back({.time = e.time, .event = e.what, .mode = e.mode});
  return all;
}

RunView view_of(const ServoAxisFile& file, const AxisRun& run) {
  const std::string length = unit_for(file.motion, "m"), force = file.motion == MotionKind::rotary ? "torque" : "force";
  RunView view;
  Json counts = Json::object(), energies = Json::object();
  for (const auto& [name, count] : run.counts) counts[name] = count;
  for (const auto& row : run.ledger) energies[row.name] = row.joule;
  view.summary = Json::object({{"outcome", name_of(run.stop)},
                               {"message", run.message},
                               {"time_reached_s", run.time},
                               {"samples", run.samples.columns.front().values.size()},
                               {"events", counts},
                               {"all_events_listed", run.events_complete},
                               {"tracking_error", Json::object({{"rms", run.tracking.rms},
                                                                {"largest", run.tracking.largest},
                                                                {"at_reversal", run.tracking.at_reversal},
                                                                {"reversals", run.tracking.reversals}})},
                               {"energy_J", energies}});
  view.events = events_of(run.events);
  Figure& figure = view.figure;
  figure.title = file.title.empty() ? "Servo axis" : file.title;
  figure.subtitle = file.axis.friction->description().title;
  figure.panels = {time_panel(run.samples, "position", {{"position", "axis"}, {"reference", "reference", true}}),
                   time_panel(run.samples, "tracking error", {{"tracking_error", ""}}),
                   time_panel(run.samples, "velocity", {{"velocity", ""}}),
                   time_panel(run.samples, force,
                              {{"applied_" + force, "motor"},
                               {"friction_" + force, "friction"},
                               {"compensation_" + force, "compensation", true}})};
  view.closer_looks = {friction_figure(run.samples, "position", "velocity", "friction_" + force)};
  std::vector<EventCount> listed;
  for (const auto& [name, count] : run.counts) {
    EventCount c{name, count};
    for (const MotionEvent& e : run.events)
      if (e.what == name) {
        if (!c.is_listed) c.first = e.time, c.is_listed = true;
        c.last = e.time;
      }
    listed.push_back(c);
  }
  TextTable followed{.columns = {"tracking error", ""}, .rows = {}};
  followed.rows = {{"rms", with_unit(run.tracking.rms, length, 4)},
                   {"largest", with_unit(run.tracking.largest, length, 4)}};
  if (run.tracking.reversals > 0)
    followed.rows.push_back({"after a reversal, mean of " + std::to_string(run.tracking.reversals),
                             with_unit(run.tracking.at_reversal, length, 4)});
  view.overview = {event_table(listed, run.events_complete), followed};
  return view;
}

class AxisMachine final : public BuiltMachine {
 public:
  AxisMachine(const TomlValue& document, const std::string& file)
      : file_(std::make_shared<const ServoAxisFile>(servo_axis_from(document, file))) {
    title = file_->title;
    subject = "servo axis, " + file_->axis.friction->description().title;
    options = file_->options;
    warnings = file_->warnings;
    Json noted = Json::array();
    for (const auto& warning : warnings) noted.push_back(warning);
    summary = Json::object({{"scenario", file},
                            {"title", title},
                            {"machine", Json::object({{"kind", "servo-axis"}})},
                            {"motion", file_->motion == MotionKind::rotary ? "rotary" : "linear"},
                            {"friction", friction_summary(*file_->axis.friction)},
                            {"method", "event-driven"},
                            {"warnings", noted}});
  }

  MachineRun run(const RunRequest& request) const override {
    const SimulationOptions requested = with_request(options, request);
    const auto motion = servo_axis_motion(file_->axis, requested);
    const auto found = std::make_shared<AxisRun>();
    const std::vector<double> times = sample_times(requested);
    Table& samples = found->samples;
    samples.columns.push_back({"time", "s", {}});
    for (const SignalInfo& output : motion->outputs()) samples.columns.push_back({output.name, output.unit, {}});
    for (Column& column : samples.columns) column.values.reserve(times.size());
    std::vector<double> now(motion->outputs().size());
    RunHead& head = *found;
    const auto take = [&] {
      for (MotionEvent& e : motion->take_events()) {
        ++found->counts[e.what];
        if (found->events.size() < requested.most_events && request.is_watched)
          found->events.push_back(std::move(e));
        else
          found->events_complete = false;
      }
    };
    for (const double t : times) {
      head.stop = motion->advance(t);
      take();
      if (head.stop != Stop::finished) break;
      motion->read(now);
      samples.columns[0].values.push_back(t);
      for (std::size_t i = 0; i < now.size(); ++i) samples.columns[i + 1].values.push_back(now[i]);
    }
    if (head.stop == Stop::finished) head.stop = motion->advance(requested.end);
    take();
    motion->read(now);
    head.time = motion->time();
    const std::string length = unit_for(file_->motion, "m");
    if (head.stop != Stop::finished)
      head.message = std::string(name_of(head.stop)) + " at t = " + significant(head.time, 10) + " s, mode " +
                     std::string(motion->mode()) + ", position " + significant(now[0], 6) + ", velocity " +
                     significant(now[1], 6) + std::string(reason_of(head.stop));
    MachineRun r(head);
    r.ending = "ends at " + with_unit(now[0], length, 9) + ", " + with_unit(now[1], unit_for(file_->motion, "m/s"), 6);
    found->ledger = r.ledger = motion->ledger();
    found->tracking = tracking_error(values_of(samples, "time"), values_of(samples, "reference"),
                                     values_of(samples, "position"), options.start);
    r.totals.events = 0;
    for (const auto& [name, count] : found->counts) r.totals.events += static_cast<double>(count);
    r.samples = samples;
    r.events_complete = found->events_complete || !request.is_watched;
    BodyTrace trace{.stretch = values_of(samples, "tracking_error"), .mass = file_->axis.body.mass};
    r.body = std::move(trace);
    if (request.is_watched) r.view = [file = file_, found] { return view_of(*file, *found); };
    return r;
  }
  std::unique_ptr<Motion> motion() const override { return servo_axis_motion(file_->axis, options); }
  double least_steps() const override { return (options.end - options.start) / file_->axis.gains.sampling_time; }

 private:
  std::shared_ptr<const ServoAxisFile> file_;
};

}  // namespace

const MachineKind& machine_servo_axis() {
  static const MachineKind kind{
      .name = "servo_axis",
      .words = {"servo-axis"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<AxisMachine>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
