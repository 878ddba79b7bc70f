/// What an identification has done so far, beside its result: written whole after every candidate, so that Ctrl-C, kill -9
/// or a power cut loses one candidate at most. `--resume` takes it up again.
#pragma once
#include <string>
#include <vector>

#include "files/toml_section.hpp"
#include "jobs/identify/job.hpp"
#include "platform/file.hpp"

namespace stickslip::inline jobs {

/// Where the state of a result lies: "axis.model.toml" has "axis.model.toml.state".
std::string state_path(const std::string& output);

/// While it lives, no other program identifies into the same result: it holds "axis.model.toml.state.lock", which goes with it. The
/// state itself cannot be held, since it is replaced after every candidate.
class StateLock {
 public:
  /// Throws Error while another program holds it. "" holds nothing.
  explicit StateLock(const std::string& state);
  ~StateLock();
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;

 private:
  LockedFile file_;
};

/// What --resume is told that has no state.
std::string nothing_to_resume(const std::string& state);

/// Before long work: refuses a state or a lock that would replace what this run reads. Throws Error.
void check_state_place(const std::string& state);

/// A word that changes with the data and with every option that changes an answer; the number of threads does not.
std::string state_key(const IdentifyJob& job);

std::string state_text(const std::string& key, const std::vector<IdentifiedModel>& done, MotionKind motion);

/// One candidate as text, and back. Throws Error for a text that is none.
std::string candidate_text(const IdentifiedModel& model, MotionKind motion);
IdentifiedModel candidate_from(const std::string& text);

/// Throws Error if a state is of a machine whose last digits are others; its `machine` says which.
void check_numbers(const Section& state);

/// Throws Error if the state belongs to other data or options, or to a machine whose last digits are others
/// (core/number_signature.hpp).
std::vector<IdentifiedModel> read_state(const std::string& path, const std::string& key);
std::vector<IdentifiedModel> parse_state(const std::string& text, const std::string& path, const std::string& key);

}  // namespace stickslip::inline jobs
