/// A recording: the sensor signals of a machine in SI units, with remarks made while it was read.
///   const Recording r = read_recording("cylinder.csv");
///   const Recording e = read_recording("DATA_EMPS.mat", {.columns = {.time = "t", .position = "qm", .force = "vir"},
///                                                        .gains = {.force = "35.15065 N/V"}});
/// Formats: CSV and other text tables, MATLAB .mat (versions 5 and 7.3), NumPy .npz. docs/recordings.md states the policy for
/// every kind of damage; nothing is clipped, skipped or defaulted without a note.
/// Not here: filtering, differentiation, resampling.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/table.hpp"

namespace stickslip::inline recordings {

/// Role of a column.
enum class Role { time, position, velocity, force, load, pressure, temperature };
inline constexpr std::array all_roles{Role::time, Role::position, Role::velocity,   Role::force,
                                      Role::load, Role::pressure, Role::temperature};
std::string_view role_name(Role role);

/// One text per role, filled by name: {.time = "t_s", .force = "F"}.
struct ColumnMap {
  std::string time = {}, position = {}, velocity = {}, force = {}, load = {}, pressure = {}, temperature = {};
};
/// Heading or gain given for a role.
const std::string& of(const ColumnMap& map, Role role);
std::string& of(ColumnMap& map, Role role);

/// Drive train between motor and axis: texts with units. Empty: none.
///   torque of the motor  τ = k_t i,  i = (u − k_e ω)/R where the force column is a voltage u                      (1)
///   at the axis  N τ, or  N τ 2π/p with a screw; an angle of the motor is divided by N, and p/2π times that is travel (2)
struct DriveTrain {
  std::string torque_constant = {};  // k_t, '0.05 N m/A'; of a linear motor '12 N/A'
  std::string gear = {};             // N, turns of the motor per turn of the output: '50'
  std::string pitch = {};            // p, travel per turn of the output: '5 mm'
  std::string counts_per_turn = {};  // of the encoder, for a position in counts: '4096'
  std::string resistance = {};       // R, '1.2 ohm'
  std::string back_emf = {};         // k_e, '0.05 V s/rad'; otherwise k_t
  std::string encoder = {};  // "motor" or "load"; "": counts, and any angle where there is a pitch, are the motor's
  bool operator==(const DriveTrain&) const = default;
  bool is_given() const { return !(*this == DriveTrain{}); }
};

/// Treatment of a sample with a missing or non-finite value in a column that has a role.
enum class Missing { refuse, drop, interpolate };

struct ReadOptions {
  ColumnMap columns = {};  // headings; "q_meas [mm]" also states the unit; or expressions: "p1*A1 - p2*A2"
                           // (tables/expression.hpp). Empty: found by name and unit
  ColumnMap gains = {};    // "35.15 N/V": role = gain · column; a plain number keeps the column's unit
  DriveTrain drive = {};
  std::vector<std::pair<std::string, std::string>> numbers = {};  // {"A1", "12.3 cm^2"}: for expressions
  std::vector<Role> needed = {Role::time, Role::force};
  bool only_named = false;              // roles go to the columns named above and to no other
  double rate = 0;                      // samples per second for a file without time [Hz]
  std::vector<std::string> names = {};  // headings for a file without any: "time_s", "force_N"
  char delimiter = 0, decimal = 0;      // 0: sniffed
  std::size_t skip_lines = 0;           // preamble of a text file
  Missing missing = Missing::refuse;
  std::vector<std::pair<std::string, std::string>> where = {};  // keep rows with {"log_id", "3"} only
};

/// A remark made while reading. Lines and columns count from 1 as a text editor shows them; for binary files the
/// line is the row. 0: the note belongs to no single one.
struct Note {
  std::string code = {};  // a word for programs: "jitter"
  std::size_t line = 0, column = 0;
  std::string text = {};
};

/// Where a role's values came from.
struct Source {
  Role role = Role::time;
  std::string heading = {};  // as in the file
  std::string unit = {};     // as found; "" if SI was assumed
  std::size_t column = 0;    // from 1; 0: calculated from several, `heading` says how
  double factor = 1;         // SI value = factor · number in the file + offset
  double offset = 0;         // of degC and degF
};

/// Words of a column that holds text; row i says words[index[i]].
struct Labels {
  std::string name = {};
  std::vector<std::string> words = {};
  std::vector<std::uint32_t> index = {};
};

struct Recording {
  // SI: [s], [m] or [rad], [m/s] or [rad/s], [N] or [N m], [N], [Pa], [K]. Empty where the file has none.
  std::vector<double> time = {}, position = {}, velocity = {}, force = {}, load = {}, pressure = {}, temperature = {};
  bool rotary = false;              // angles and torques
  std::vector<Column> others = {};  // columns without a role, numbers and units as found; see other()
  std::vector<Labels> labels = {};  // columns of words
  std::vector<std::pair<std::string, double>> constants = {};  // single numbers of a .mat or .npz
  std::vector<Source> sources = {};
  std::vector<Note> notes = {};
  std::string file = {}, fingerprint = {};  // "crc32 0f3a99c1, 8892 bytes": identifies the content
  double back_emf = 0;                      // the force is this times the velocity too high: a voltage's [N s/m]
  double time_offset = 0;                   // removed from every time stamp [s]
  std::size_t first_line = 0;               // line (or row) of the first sample

  std::size_t size() const { return time.size(); }
};

/// Samples of a role [SI]; empty where the recording has none.
const std::vector<double>& signal(const Recording& recording, Role role);
std::vector<double>& signal(Recording& recording, Role role);
/// "m/s" or "rad/s": the SI unit of a role.
std::string_view si_unit(Role role, bool rotary);
/// Where a role came from, or nullptr.
const Source* source_of(const Recording& recording, Role role);
/// A column without a role, converted to `unit`'s SI. Throws Error if there is none or its unit does not fit.
std::vector<double> other(const Recording& recording, const std::string& name, std::string_view unit);

/// Throws Error, one line "file:line:column: what was found; suggested fix" of at most 200 bytes.
Recording read_recording(const std::string& path, const ReadOptions& options = {});

/// The same from the bytes of a file in memory. `name` is used in messages, and its ending gives the format: "log.mat",
/// "log.npz", anything else is a text table.
Recording read_recording(std::string_view bytes, const std::string& name, const ReadOptions& options);

/// A recording of arrays in memory, all of one length: {{"time", "s", t}, {"force", "N", f}}. Roles, units, gains and all
/// checks are those of a file whose headings are the columns' names. Throws Error; `name` is used in messages.
Recording make_recording(const std::vector<Column>& columns, const ReadOptions& options = {},
                         const std::string& name = "recording");

/// "file:line:column: warning text", as a user sees a note.
std::string to_text(const Note& note, const std::string& file);

}  // namespace stickslip::inline recordings
