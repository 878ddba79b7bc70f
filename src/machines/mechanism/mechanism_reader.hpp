/// The reader of a machine file, part by part: what its sources share. mechanism_file.cpp has bodies, springs, joints and controllers,
/// mechanism_elements.cpp ties, lossy gears, one-way joints, stops, drives and belts.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/toml_section.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::inline machines {

/// A ratio of either sign. A larger one leaves nothing of the smaller inertia beside the other.
double ratio_at(const Section& s, const TomlValue& value, const std::string& unit);

/// A part of the machine and its line in the file, for later error messages.
struct Placed {
  std::string kind, name;  // as check_mechanism names it
  int line;
};

class MachineReader {
 public:
  explicit MachineReader(const Section& file) : file_(file) {}

  Mechanism read();
  void begin_drives(Mechanism& m, double start) const;
  /// Warnings of the laws of the joints about their parameters, after read().
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct End {
    BodyEnd end;
    MotionKind motion = MotionKind::rotary;
    bool is_ground = false;
  };
  struct ReadSensor {
    MechanismSensor sensor;
    double delay = 0;
    MotionKind motion = MotionKind::rotary;
    int line = 0;
  };

  template <class Read>
  void each(const char* key, const Read& read) {
    const TomlValue* found = file_.table().find(key);
    if (!found) return;
    if (found->kind != TomlValue::Kind::list)
      file_.fail(*found, std::string(key) + " must be a list of tables, each begun by [[" + key + "]]");
    for (const TomlValue& item : found->items) read(Section(item, key, file_.file()));
  }

  /// The part's name: a word, since columns of results are named after it; it must be unique.
  std::string name_of_part(const Section& s, const std::string& kind) {
    const std::string name = s.text("name", s.name() + "_1");
    const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!is_word || name == "ground")
      s.fail(s.value("name"), "name " + in_quotes(name) + " must be a word of letters, digits and _, and not ground");
    if (const auto [other, is_new] = line_of_name_.try_emplace(name, s.line()); !is_new)
      s.fail(s.value("name"),
             "there is another part named " + in_quotes(name) + " (line " + std::to_string(other->second) + ")");
    placed_.push_back({kind, name, s.line()});
    return name;
  }

  MotionKind motion_of(std::size_t body) const {
    return m_.bodies[body].is_rotary ? MotionKind::rotary : MotionKind::linear;
  }

  std::size_t body_named(const Section& s, const TomlValue& value, const std::string& name, bool may_be_ground) const {
    if (may_be_ground && name == "ground") return ground;
    if (const auto known = body_of_name_.find(name); known != body_of_name_.end()) return known->second;
    std::vector<std::string> names;
    for (const auto& body : m_.bodies) names.push_back(body.name);
    if (may_be_ground) names.push_back("ground");
    s.fail(value, no_such("body", name, names));
  }
  std::size_t body_at(const Section& s, const char* key) const {
    return body_named(s, s.value(key, "\"engine\""), s.text(key, "engine"), false);
  }
  std::size_t joint_named(const Section& s, const char* key) const {
    const std::string name = s.text(key, "clutch_1");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m_.joints.size(); ++i) {
      if (m_.joints[i].name == name) return i;
      names.push_back(m_.joints[i].name);
    }
    for (std::size_t k = 0; k < m_.stateful_joints.size(); ++k) {
      if (m_.stateful_joints[k].name == name) return m_.joints.size() + k;
      names.push_back(m_.stateful_joints[k].name);
    }
    s.fail(s.value(key), no_such("clutch or brake", name, names));
  }

  /// "shaft", or { body = "shaft", ratio = 8 }. The element's motion is that of its first body; a body of the other kind needs a
  /// ratio with unit (a pinion's radius).
  End end_at(const Section& s, const char* key, const MotionKind* motion) const {
    const TomlValue& value = s.value(key, "\"shaft\"");
    End found;
    std::string name;
    const TomlValue *ratio = nullptr, *at = &value;
    if (value.kind == TomlValue::Kind::table) {
      const Section inner(value, s.name() + "." + key, s.file());
      inner.knows({"body", "ratio"});
      name = inner.text("body", "shaft");
      at = &inner.value("body");
      if (inner.has("ratio")) ratio = &inner.value("ratio");
    } else {
      name = s.text(key, "shaft");
    }
    found.end.body = body_named(s, *at, name, true);
    if (found.end.body == ground) {
      if (ratio) s.fail(*ratio, "the ground does not move and has no ratio");
      found.is_ground = true;
      return found;
    }
    found.motion = motion_of(found.end.body);
    const bool is_same = !motion || *motion == found.motion;
    const std::string unit = is_same ? "1" : *motion == MotionKind::linear ? "m/rad" : "rad/m";
    if (!is_same && !ratio)
      s.fail(*at, in_quotes(name) + " moves " +
                      (found.motion == MotionKind::linear ? "along a line" : "about an axis") +
                      ", the other end does not; give { body = \"" + name + "\", ratio = \"0.01 " + unit + "\" }");
    if (ratio) found.end.ratio = ratio_at(s, *ratio, unit);
    // Angles are plain numbers to the units, a length is none: a radius must be written as one.
    if (ratio && !is_same && ratio->kind == TomlValue::Kind::number) s.fail(*ratio, "ratio needs a unit here: " + unit);
    return found;
  }
  struct Ends {
    BodyEnd a, b;
    MotionKind motion;
  };
  Ends ends_of(const Section& s) const {
    const End a = end_at(s, "a", nullptr);
    const End b = end_at(s, "b", a.is_ground ? nullptr : &a.motion);
    if (a.is_ground && b.is_ground) s.fail(s.value("b"), "both ends are the ground");
    return {a.end, b.end, a.is_ground ? b.motion : a.motion};
  }

  void read_body(const Section& s);

  void read_gear(const Section& s);

  void read_spring(const Section& s);

  void read_law(const Section& s, FrictionJoint& joint, MotionKind motion);
  void read_side_inputs(const Section& s, const Section& friction, FrictionJoint& joint, const std::string& load_unit);
  void find_loads();
  void finish_joint(const Section& s, FrictionJoint joint, MotionKind motion);
  void read_clutch(const Section& s);
  void read_brake(const Section& s);

  void read_torque(const Section& s);
  /// −m g sin(slope) on a body along a line.
  void read_weight(const Section& s);
  void read_drag(const Section& s);
  void read_one_way(const Section& s);
  void read_planetary(const Section& s);
  void read_tie(const Section& s);
  void read_lossy_gear(const Section& s);
  void read_belt(const Section& s);
  void read_stop(const Section& s);
  void read_drive(const Section& s);
  LossyGear gear_of(const Section& s, const std::string& kind);
  static void press(FrictionJoint& joint, const Section& s, MotionKind motion);
  static JointTemperature read_temperature(const Section& s, const std::string& change);
  std::size_t against_at(const Section& s) const;
  void read_engine(const Section& s);

  void read_sensor(const Section& s);

  void read_controller(const Section& s);

  const Section& file_;
  Mechanism m_;
  std::vector<Placed> placed_;
  std::unordered_map<std::string, int> line_of_name_;  // of every part
  std::unordered_map<std::string, std::size_t> body_of_name_;
  std::vector<MotionKind> joint_motion_, stateful_motion_;
  std::vector<char> has_position_,
      has_speed_;  // of each body: its file gives it
  struct WantedLoad {
    std::string element, joint;
    int line;
  };
  std::vector<WantedLoad> loads_;
  std::vector<ReadSensor> sensors_;
  std::vector<std::string> warnings_;
};

}  // namespace stickslip::inline machines
