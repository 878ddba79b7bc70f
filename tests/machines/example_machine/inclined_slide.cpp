/// A block on an incline.
///   m dv/dt = m g sin(slope) − F,   dx/dt = v, positive downhill                  (1)
/// The worked example of CONTRIBUTING.md. Not modelled: friction that follows the normal force.
#include <cmath>
#include <memory>

#include "files/run_section.hpp"
#include "files/toml_section.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/machine_kind.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

class InclinedSlide final : public BuiltMachine {
 public:
  InclinedSlide(const TomlValue& document, const std::string& file) {
    const Section whole(document, "", file);
    whole.knows({"title", "machine", "friction", "run"});
    if (whole.has("title")) title = whole.text("title", "A block on an incline");
    const Section machine = needed_section(whole, "machine");
    machine.knows({"kind", "mass", "slope"});
    constexpr double gravity = 9.80665;
    body_.mass = machine.positive("mass", "kg");
    body_.drive.input = Signal(body_.mass * gravity * std::sin(machine.quantity("slope", "rad")));
    friction_ = read_friction(needed_section(whole, "friction"), MotionKind::linear).friction;
    read_run(needed_section(whole, "run"), 1e6, options);
    subject = "block on an incline, " + friction_->description().title;
    summary = Json::object({{"scenario", file}, {"machine", "inclined-slide"}});
  }

  MachineRun run(const RunRequest& request) const override {
    const Run found = friction_->simulate(body_, with_request(options, request));
    MachineRun r(found);
    r.samples = samples_table(found, MotionKind::linear);
    r.ledger = {{"work of gravity", found.ledger.work_in}, {"heat of friction", found.ledger.friction_heat}};
    r.view = [found, samples = r.samples] {
      RunView view;
      view.summary = run_summary(found);
      view.events = events_of(found, MotionKind::linear);
      view.figure.panels = {time_panel(samples, "position", {{"position", ""}})};
      return view;
    };
    return r;
  }
  std::unique_ptr<Motion> motion() const override { return friction_->motion(body_, options); }

 private:
  Body body_;
  std::unique_ptr<Friction> friction_;
};

}  // namespace

const MachineKind& machine_inclined_slide() {
  static const MachineKind kind{
      .name = "inclined_slide",
      .words = {"inclined-slide"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<InclinedSlide>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
