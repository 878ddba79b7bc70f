/// Recordings: read from CSV, .mat and .npz with notes on all problems, prepared for a fit, split, or generated.
///   const Recording raw = read_recording("axis.csv");
///   const Sets sets = split_by_time(prepare(raw, {.cutoff_hz = 50}));
///   const Generated axis = generate("servo-axis", {.seed = 7});
#pragma once

#include "core/error.hpp"
#include "generate/generate.hpp"
#include "generate/sensor.hpp"
#include "recording/preparation/prepare.hpp"
#include "recording/recording.hpp"
