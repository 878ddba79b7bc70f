/// A drive's numbers as gains; see drive_train.hpp.
#include "recording/tables/drive_train.hpp"

#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/number.hpp"
#include "recording/tables/unit_algebra.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr double turn_of_a_shaft = 2 * std::numbers::pi;  // [rad]

const Unit& current_unit() {
  static const Unit unit = parse_unit("A");
  return unit;
}
const Unit& voltage_unit() {
  static const Unit unit = parse_unit("V");
  return unit;
}
const Unit& torque_unit() {
  static const Unit unit = parse_unit("N m");
  return unit;
}

bool is_angle(const Unit& unit) { return has_no_dimension(unit) && unit.angle == 1; }
bool is_angular_velocity(const Unit& unit) {
  return unit.dimension == Dimension{0, 0, -1} && unit.angle == 1 && unit.cycle == 0;
}

}  // namespace

DriveGains::Number DriveGains::read(const std::string& text, const char* option,
                                    const std::vector<const char*>& units) {
  Number number;
  if (trimmed(text).empty()) return number;
  const std::string_view whole = trimmed(text);
  const char* const end = whole.data() + whole.size();
  const auto [after, problem] = read_number(whole.data(), end, number.value);
  const auto refuse = [&](const std::string& why) {
    throw Error(std::string(option) + " is " + in_quotes(one_line(text, 40)) + "; " + why);
  };
  if (problem != std::errc() || !std::isfinite(number.value)) refuse("a number is needed");
  if (!(std::fabs(number.value) > 1e-12 && std::fabs(number.value) < 1e12)) refuse("between 1e-12 and 1e12 is needed");
  const std::string_view unit_text = trimmed({after, std::size_t(end - after)});
  try {
    number.unit = parse_unit(unit_text);
  } catch (const Error& unknown) {
    refuse(unknown.what());
  }
  bool does_fit = false;
  for (const char* unit : units) does_fit = does_fit || fits(number.unit, parse_unit(unit));
  if (!does_fit || (unit_text.empty() && std::string_view(units.front()) != "1"))
    refuse(std::string("it needs the unit ") +
           (std::string_view(units.front()) == "1" ? "of a plain number" : units.front()));
  number.value *= number.unit.factor;
  number.unit.factor = 1;
  number.is_there = true;
  return number;
}

DriveGains::DriveGains(const DriveTrain& drive)
    : torque_constant_(read(drive.torque_constant, "--torque-constant", {"N m/A", "N/A"})),
      gear_(read(drive.gear, "--gear", {"1"})),
      pitch_(read(drive.pitch, "--pitch", {"m", "m/rad"})),
      counts_(read(drive.counts_per_turn, "--counts-per-turn", {"1"})),
      resistance_(read(drive.resistance, "--resistance", {"ohm"})),
      emf_(read(drive.back_emf, "--back-emf", {"V s/rad", "V s/m"})),
      encoder_(drive.encoder),
      is_given_(drive.is_given()) {
  if (counts_.is_there && !(counts_.value > 0)) throw Error("--counts-per-turn must be positive");
  if (resistance_.is_there && !(resistance_.value > 0)) throw Error("--resistance must be positive");
  // '0.8 mm/rad' is a pitch of 5.03 mm.
  if (pitch_.is_there && pitch_.unit.angle != 0) pitch_.value *= turn_of_a_shaft;
  if (!encoder_.empty() && encoder_ != "motor" && encoder_ != "load")
    throw Error("--encoder is " + in_quotes(one_line(encoder_, 20)) + "; motor or load is needed");
  if (resistance_.is_there && !torque_constant_.is_there)
    throw Error("--resistance needs --torque-constant: torque = k_t (u - k_e w)/R");
}

double DriveGains::take(Number& number, double otherwise) {
  if (!number.is_there) return otherwise;
  number.is_used = true;
  return number.value;
}

/// An angle (or its speed) of the encoder becomes motion of the axis.
void DriveGains::move(ColumnUnit& column, bool is_counts) {
  const bool is_motors = encoder_.empty() ? is_counts || pitch_.is_there : encoder_ == "motor";
  if (is_motors && gear_.is_there) column.unit.factor /= take(gear_, 1);
  if (!pitch_.is_there) return;
  column.unit = product_of(column.unit, parse_unit("m/rad"));
  column.unit.factor *= take(pitch_, 1) / turn_of_a_shaft;
}

void DriveGains::apply(Role role, ColumnUnit& column) {
  if (!is_given_) return;
  if (role == Role::position || role == Role::velocity) {
    const bool is_speed = role == Role::velocity;
    const bool plain =
        !column.is_stated || (has_no_dimension(column.unit) && column.unit.angle == 0) ||
        (is_speed && column.unit.dimension == Dimension{0, 0, -1} && column.unit.angle == 0 && column.unit.cycle == 0);
    const bool is_counts = counts_.is_there && plain && !column.has_gain;
    if (is_counts) {
      if (is_speed && !column.text.empty() && !column.is_stated && !column.text.ends_with("/s"))
        throw Error("the velocity is in counts; define them with --velocity-gain, as in '0.1 rpm/" +
                    one_line(column.text, 20) + "'");
      const double factor = column.is_stated ? column.unit.factor : 1;
      column.unit = parse_unit(is_speed ? "rad/s" : "rad");
      column.unit.factor = factor * turn_of_a_shaft / take(counts_, 1);
      column.is_stated = true;
    }
    if (is_speed ? is_angular_velocity(column.unit) : is_angle(column.unit)) move(column, is_counts);
    return;
  }
  if (role != Role::force) return;
  const bool is_voltage = column.is_stated && column.unit.dimension == voltage_unit().dimension;
  const bool is_current = column.is_stated && column.unit.dimension == current_unit().dimension;
  if (resistance_.is_there && (is_voltage || (!column.is_stated && !column.has_gain))) {
    const double k_t = take(torque_constant_, 1), r = take(resistance_, 1), k_e = take(emf_, k_t);
    const double factor = column.is_stated ? column.unit.factor : 1;
    column.unit = product_of(torque_constant_.unit, current_unit());
    column.unit.factor = factor * k_t / r;
    back_emf_ = k_t * k_e / r;
    column.is_stated = true;
    say("torque = k_t (u - k_e w)/R");
  } else if (torque_constant_.is_there && (is_current || (!column.is_stated && !column.has_gain))) {
    if (!column.is_stated) say("force column read as a current in A");
    column.unit = product_of(column.is_stated ? column.unit : current_unit(), torque_constant_.unit);
    column.unit.factor *= take(torque_constant_, 1);
    column.is_stated = true;
  } else if (!column.is_stated) {
    return;
  }
  if (!fits(column.unit, torque_unit())) return;  // a linear motor, or a force already
  const double n = gear_.is_there ? take(gear_, 1) : 1;
  column.unit.factor *= n;
  back_emf_ *= n * n;
  if (!pitch_.is_there) return;
  const double per_travel = turn_of_a_shaft / take(pitch_, 1);
  column.unit = product_of(column.unit, parse_unit("rad/m"));
  column.unit.factor *= per_travel;
  column.unit.angle = 0;
  back_emf_ *= per_travel * per_travel;
}

void DriveGains::check_used() const {
  const auto refuse = [](const Number& number, const char* option, const char* why) {
    if (number.is_there && !number.is_used) throw Error(std::string(option) + " does not apply: " + why);
  };
  refuse(torque_constant_, "--torque-constant",
         "the force column is neither a current nor a voltage with --resistance");
  refuse(resistance_, "--resistance", "the force column is no voltage");
  refuse(emf_, "--back-emf", "the force column is no voltage with --resistance");
  refuse(counts_, "--counts-per-turn", "the position column has a unit of its own");
  refuse(gear_, "--gear", "there is no torque and no angle of the motor");
  refuse(pitch_, "--pitch", "there is no torque and no angle to convert");
}

}  // namespace stickslip::inline recordings
