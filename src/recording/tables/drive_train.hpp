/// The numbers of a drive as gains: from what a motor's column says to what happens at the axis. recording.hpp's (1), (2).
#pragma once
#include <string>

#include "core/units.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline recordings {

/// What is known of a column's unit before the drive train counts.
struct ColumnUnit {
  Unit unit = {};
  bool is_stated = false;  // false: none, or an unknown one
  std::string text = {};   // as found: "Inkr"
  bool has_gain = false;   // it was converted by a separate gain
};

class DriveGains {
 public:
  /// Throws Error for a number that makes no sense: "--pitch: ...".
  explicit DriveGains(const DriveTrain& drive);

  bool is_given() const { return is_given_; }
  /// The unit with which a column of this role is that of the axis, in place. What was done is added to said().
  /// Throws Error for a column that the numbers cannot be applied to, "" in front.
  void apply(Role role, ColumnUnit& column);
  const std::string& said() const { return said_; }
  /// The force lost per speed at the axis [N s/m]; 0: the column is no voltage.
  double back_emf() const { return back_emf_; }
  /// Throws Error that names a number which nothing took.
  void check_used() const;

 private:
  struct Number {
    double value = 0;
    Unit unit = {};
    bool is_there = false, is_used = false;
  };
  static Number read(const std::string& text, const char* option, const std::vector<const char*>& units);
  double take(Number& number, double otherwise);
  void say(const std::string& text) { said_ += (said_.empty() ? "" : "; ") + text; }
  void move(ColumnUnit& column, bool is_counts);

  Number torque_constant_, gear_, pitch_, counts_, resistance_, emf_;
  std::string encoder_, said_;
  bool is_given_ = false;
  double back_emf_ = 0;
};

}  // namespace stickslip::inline recordings
