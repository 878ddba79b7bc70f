/// Recordings and how they are read and prepared, between Python and the library.
#pragma once
#include "border.hpp"
#include "jobs/identify/recordings.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::python {

/// A recording that Python holds, and how it was read; arrays of its columns keep it alive.
struct HeldRecording : Recording {
  ReadOptions reading;
};
using SharedRecording = std::shared_ptr<HeldRecording>;

ReadOptions read_options_of(const Options& options);

/// Preparation as asked for: numbers with units wait until it is known whether the machine is rotary.
PreparationRequest preparation_of(const Options& options, const Preparation& start = {});

/// Recordings in hand, and how the first of them was read.
std::vector<RecordingSource> sources_of(const py::object& recordings);
ReadOptions reading_of(const py::object& recordings);
/// Remarks made while reading, already passed to Python.
std::vector<std::string> told_of(const std::vector<RecordingSource>& sources);

}  // namespace stickslip::python
