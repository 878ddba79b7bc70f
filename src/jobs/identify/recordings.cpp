/// From files to sets of samples; see recordings.hpp.
#include "jobs/identify/recordings.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"

namespace stickslip {
namespace {

/// `turns_force`: the sign that may have been noticed is already dealt with.
Recording read_noticed(const RecordingSource& source, const ReadOptions& reading, bool turns_force, const Warn& warn) {
  Recording recording = source.read(reading);
  if (!source.recording) mark_read(source.file);
  if (turns_force) drop_sign_note(recording.notes);
  for (const Note& note : recording.notes) warn(to_text(note, recording.file));
  if (recording.position.empty() && recording.velocity.empty())
    throw Error(one_line(source.file) + ": no position and no velocity; choose a column with --position or --velocity");
  return recording;
}

Sets sets_by_column(const RecordingsRequest& request, const Recording& recording, const Preparation& asked) {
  const SplitRequest& split = request.split;
  if (request.files.size() > 1)
    throw Error("--split-by takes one recording; " + std::to_string(request.files.size()) + " were given");
  if (split.estimation_values.empty())
    throw Error("--split-by needs --estimation-values, the values of " + in_quotes(split.column) +
                " whose rows estimate");
  return split_by_column(recording, asked,
                         {split.column, split.estimation_values, split.validation_values, split.test_values});
}

/// Divided by time, or by file where there are several.
Sets sets_by_file(const RecordingsRequest& request, IdentifyJob& job, std::vector<SourceFile>& sources,
                  const Warn& warn) {
  const SplitRequest& split = request.split;
  const auto all = [&](const std::vector<RecordingSource>& files) {
    std::vector<Prepared> ready;
    for (const RecordingSource& source : files) {
      ready.push_back(read_prepared(source, request.reading, request.preparation, warn, &job.preparation));
      sources.push_back({ready.back().file, ready.back().fingerprint});
    }
    return ready;
  };
  std::vector<Prepared> estimation = all(request.files), validation = all(split.validation), test = all(split.test);
  const bool by_time = estimation.size() == 1 && validation.empty() && test.empty();
  if (!by_time && split.shares && estimation.size() > 1)
    throw Error("--split divides one recording; several are divided by file, with --validation and --test");
  if (!by_time) return split_by_file(std::move(estimation), std::move(validation), std::move(test));
  // shares that were asked for are taken as they are
  return split.shares ? split_by_time(std::move(estimation.front()), *split.shares)
                      : split_in_rounds(std::move(estimation.front()), {0.5, 0.25, 0.25});
}

}  // namespace

PreparationRequest prepared_as(const Preparation& preparation) {
  return {[preparation](bool) { return preparation; }, preparation.force_drives};
}

Prepared prepare_noticed(const Recording& recording, const Preparation& preparation, const Warn& warn) {
  Prepared data = prepare(recording, preparation);
  // beyond the notes of reading, which come first
  for (std::size_t i = recording.notes.size(); i < data.notes.size(); ++i) warn(to_text(data.notes[i], data.file));
  return data;
}

Prepared read_prepared(const RecordingSource& source, const ReadOptions& reading, const PreparationRequest& preparation,
                       const Warn& warn, Preparation* asked) {
  const Recording recording = read_noticed(source, reading, preparation.turns_force, warn);
  const Preparation wanted = preparation.of(recording.rotary);
  if (asked) *asked = wanted;
  return prepare_noticed(recording, wanted, warn);
}

std::vector<SourceFile> read_recordings(const RecordingsRequest& request, IdentifyJob& job, const Warn& warn) {
  std::vector<SourceFile> sources;
  job.reading = request.reading;
  job.recording = request.files.front().file;
  if (!request.split.column.empty()) {
    const Recording recording =
        read_noticed(request.files.front(), request.reading, request.preparation.turns_force, warn);
    job.preparation = request.preparation.of(recording.rotary);
    job.sets = sets_by_column(request, recording, job.preparation);
    sources.push_back({recording.file, recording.fingerprint});
  } else {
    job.sets = sets_by_file(request, job, sources, warn);
  }
  if (job.sets.pieces.empty()) throw Error(one_line(job.recording) + ": no samples to work on");
  job.motion = job.sets.pieces.front().data.rotary ? MotionKind::rotary : MotionKind::linear;
  for (const Piece& piece : job.sets.pieces)
    if (piece.data.rotary != job.sets.pieces.front().data.rotary)
      throw Error(one_line(piece.data.file) + ": rotary and linear recordings cannot be identified together");
  std::vector<std::string> prints;
  for (const SourceFile& source : sources) prints.push_back(source.fingerprint);
  job.fingerprint = joined(prints, "; ");
  return sources;
}

}  // namespace stickslip
