/// The options that say how a recording is prepared and divided, the same for identify and validate.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "number_options.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline cli {

/// Filters and shifts look at a window around each sample.
inline constexpr Range longest_lag{-10, 10, false, "a larger delay belongs to another motion"};

struct PreparationArguments {
  bool operator==(const PreparationArguments&) const = default;
  QuantityOption from{"--from", "s"}, to{"--until,--to", "s"}, lag{"--lag", "s", Sign::any, longest_lag};
  QuantityOption mass{"--mass", "kg", Sign::not_negative}, offset{"--offset", "N"};
  QuantityOption resolution{"--resolution", "m", Sign::not_negative, encoder_step_or_none};
  QuantityOption cogging{"--cogging", "m", Sign::positive};
  double cogging_period() const;  // of either kind of machine [m], [rad]
  std::size_t load_knots = 0;
  bool gravity = false;
  double rate_hz = 0, cutoff_hz = 0, force_cutoff_hz = 0;
  int order = 0;
  bool no_filter = false, use_velocity = false, find_lag = false, find_offset = false, drives = false, opposes = false;
};

/// --mass find.
bool finds_mass(const PreparationArguments& arguments);
/// --gravity, --cogging, --load-knots, for commands that find loads.
void add_load_options(CLI::App& command, PreparationArguments& arguments);

/// --from, --until, --resample, --cutoff, --filter-order, --lag, --find-lag, --mass, --offset, --find-offset, --invert-force, --resolution.
void add_preparation_options(CLI::App& command, PreparationArguments& arguments);

/// `start` changed by the options; units are those of a rotary or of a linear recording. Throws Error.
Preparation preparation(const PreparationArguments& arguments, bool rotary, Preparation start = {});

struct SplitArguments {
  std::string shares;                         // "50,25,25"
  std::vector<std::string> validation, test;  // files
  std::string column;
  std::vector<std::string> estimation_values, validation_values, test_values;
};

/// --split, --validation, --test, --split-by with --estimation-values, --validation-values, --test-values.
void add_split_options(CLI::App& command, SplitArguments& arguments);

/// "50,25,25" as three shares that add up to 1. Throws Error.
std::array<double, 3> shares_of(const std::string& text);

}  // namespace stickslip::inline cli
