/// A model file: a friction model with its values, their uncertainty, how well it fits its recording, and its
/// origin. TOML with units, to be read and edited by people; docs/model_files.md is its reference.
///   [friction]      the model as in a scenario; the only table that is needed
///   [measurement]   what lies between contact and recording: offset, lag, backlash
///   [uncertainty]   per parameter: standard error, 95 % interval, verdict
///   [quality]       NOE, MAX and rms error of each set of samples
///   [recording]     the file, its fingerprint, and how it was read: columns, gains, a drive's numbers, rows
///   [preparation]   how it was prepared, to be repeated on another recording
///   [provenance]    program, command, seed, split, steps
/// Written and read back, every number is the same bit for bit. The same run writes the same bytes: no date, no host.
/// `[friction] file = "axis.model.toml"` in any machine file takes the model from here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machines/friction/friction_section.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline machines {

std::string_view motion_name(MotionKind motion);  // "linear", "rotary"

struct Uncertainty {
  std::string key;  // "coulomb_force", "thresholds[2]", "backward.viscosity", "offset"
  double standard_error = 0, low = 0, high = 0;
  std::string verdict;                // "well determined", "weak", ...
  std::string partner;                // not separable from this one
  double prior = 0, prior_error = 0;  // what was known beforehand: mean and standard deviation; an error of 0: nothing
};

struct SetQuality {
  std::string set;                    // "estimation", "validation", "test"
  double noe = 0;                     // [%]
  double largest_error = 0, rms = 0;  // [N]
};

struct Measurement {
  double offset = 0;    // added to the friction force [N]
  double lag = 0;       // of the force behind the motion [s]
  double backlash = 0;  // [m]
};

struct ModelFile {
  std::string file = {};  // where it was read from
  std::string title = {}, label = {};
  MotionKind motion = MotionKind::linear;
  std::string model = {};  // registered name
  FrictionSettings settings = {};
  Measurement measurement = {};
  std::vector<Uncertainty> uncertainty = {};
  std::vector<SetQuality> quality = {};
  // [recording]
  std::string recording = {}, fingerprint = {};
  ReadOptions reading = {};  // all that says how it was read
  // [preparation]: as requested; values derived from a recording are derived again for another one
  Preparation preparation = {};
  // [provenance]
  std::string program = {}, command = {}, split = {};
  std::optional<std::uint64_t> seed = {};
  std::vector<std::string> steps = {}, remarks = {};
};

/// Throws Error "axis.model.toml:12: ...".
ModelFile read_model_file(const std::string& path);
ModelFile parse_model_file(std::string_view text, const std::string& file);
std::string model_file_text(const ModelFile& model);

/// The tables alone, under a common name ("candidate" gives [candidate.friction]; "" gives [friction]), and back.
std::string model_tables(const ModelFile& model, const std::string& under);
/// `further` names keys that the caller reads itself.
ModelFile read_model_tables(const Section& section, const std::vector<std::string>& further = {});

/// True for a text that has a [friction] and no machine around it.
bool is_model_file(std::string_view text, const std::string& file);

/// The unit of "coulomb_force", "coulomb_force@2", "thresholds[2]", "backward.viscosity", "offset", ... ; "" where the key says no more.
std::string unit_of_key(const ModelDescription& model, const std::string& key, MotionKind motion);

}  // namespace stickslip::inline machines
