/// From files and options to sets of samples; see recordings_for.hpp.
#include "recordings_for.hpp"

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"

namespace stickslip {
namespace {

/// What was noticed beyond the notes of reading, which come first.
void warn_of_preparation(const Prepared& data, const Recording& read) {
  for (std::size_t i = read.notes.size(); i < data.notes.size(); ++i) warn(to_text(data.notes[i], data.file));
}

/// `turns_force`: the sign that may have been noticed is already dealt with.
Recording read_and_warn(const std::string& file, const ReadOptions& reading, bool turns_force) {
  Recording recording = read_recording(file, reading);
  mark_read(file);
  if (turns_force) drop_sign_note(recording.notes);
  warn_of(recording);
  if (recording.position.empty() && recording.velocity.empty())
    throw Error(one_line(file) + ": no position and no velocity; choose a column with --position or --velocity");
  return recording;
}

Sets sets_by_column(const RecordingArguments& a, const Recording& recording, const Preparation& asked) {
  if (a.files.size() > 1)
    throw Error("--split-by takes one recording; " + std::to_string(a.files.size()) + " were given");
  if (a.split.estimation_values.empty())
    throw Error("--split-by needs --estimation-values, the values of " + in_quotes(a.split.column) +
                " whose rows estimate");
  return split_by_column(recording, asked,
                         {a.split.column, a.split.estimation_values, a.split.validation_values, a.split.test_values});
}

}  // namespace

Prepared read_prepared(const std::string& file, const ReadOptions& reading, const PreparationArguments& arguments,
                       const Preparation& start, Preparation* asked) {
  const bool turns_force = (arguments.drives || start.force_drives) && !arguments.opposes;
  const Recording recording = read_and_warn(file, reading, turns_force);
  const Preparation wanted = preparation(arguments, recording.rotary, start);
  if (asked) *asked = wanted;
  Prepared data = prepare(recording, wanted);
  warn_of_preparation(data, recording);
  return data;
}

void read_recordings(const RecordingArguments& a, IdentifyJob& job, std::vector<SourceFile>& sources) {
  job.reading = reading_options(a.reading);
  job.recording = a.files.front();
  const auto share = shares_of(a.split.shares);
  if (!a.split.column.empty()) {
    const Recording recording = read_and_warn(a.files.front(), job.reading, a.preparation.drives);
    job.preparation = preparation(a.preparation, recording.rotary);
    job.sets = sets_by_column(a, recording, job.preparation);
    sources.push_back({recording.file, recording.fingerprint});
  } else {
    const auto all = [&](const std::vector<std::string>& files) {
      std::vector<Prepared> ready;
      for (const std::string& file : files) {
        ready.push_back(read_prepared(file, job.reading, a.preparation, {}, &job.preparation));
        sources.push_back({ready.back().file, ready.back().fingerprint});
      }
      return ready;
    };
    std::vector<Prepared> estimation = all(a.files), validation = all(a.split.validation), test = all(a.split.test);
    const bool by_time = estimation.size() == 1 && validation.empty() && test.empty();
    if (!by_time && !a.split.shares.empty() && estimation.size() > 1)
      throw Error("--split divides one recording; several are divided by file, with --validation and --test");
    const auto divided = [&](Prepared data) {  // shares that were asked for are taken as they are
      return a.split.shares.empty() ? split_in_rounds(std::move(data), share) : split_by_time(std::move(data), share);
    };
    job.sets = by_time ? divided(std::move(estimation.front()))
                       : split_by_file(std::move(estimation), std::move(validation), std::move(test));
  }
  if (job.sets.pieces.empty()) throw Error(one_line(job.recording) + ": no samples to work on");
  job.motion = job.sets.pieces.front().data.rotary ? MotionKind::rotary : MotionKind::linear;
  for (const Piece& piece : job.sets.pieces)
    if (piece.data.rotary != job.sets.pieces.front().data.rotary)
      throw Error(one_line(piece.data.file) + ": rotary and linear recordings cannot be identified together");
  std::vector<std::string> prints;
  for (const SourceFile& source : sources) prints.push_back(source.fingerprint);
  job.fingerprint = joined(prints, "; ");
}

}  // namespace stickslip
