/// Progress of long work on standard error: "identify  42 %  12 s left". Nothing is printed in the first second, nor
/// if standard error is no terminal. The line is erased when the work ends or fails. Between two reports it is shown again every
/// second with the time that has passed: while one long part runs, it advances at the speed so far up to the end of that part.
///   Progress progress("reproduce");
///   for (...) progress.at(double(i) / n);
#pragma once
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "platform/mutex.hpp"
#include "platform/ticker.hpp"

namespace stickslip::inline reports {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// `is_watched` defaults to whether standard error is a terminal; tests say it themselves and pass a file.
  explicit Progress(std::string work);
  Progress(std::string work, bool is_watched, std::FILE* out);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The part done, 0 to 1, and optionally what is being done. Cheap: most calls only read the clock.
  /// `running` is the share of the parts that are being worked on, 0 if unknown.
  void at(double done, const std::string& detail = "", double running = 0);
  /// Wipes the line; further calls print again.
  void finish();

 private:
  void show(Clock::time_point now);

  std::string work_;
  bool is_watched_;
  std::FILE* out_;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(1);
  Mutex telling_;                  // of all below: the ticker has a thread of its own
  double done_ = -1;               // as reported last; negative: nothing yet
  double running_ = 0, told_ = 0;  // of the same report; when it came [s]
  std::string detail_;
  bool is_shown_ = false;
  std::optional<Ticker> ticker_;
};

/// "850 ms", "12 s", "3 min 5 s", "2 h 10 min"
std::string duration_text(double seconds);

/// The part done now: what was `done` after `told` seconds and, at that speed, what of the `running` parts has been done since. A twentieth
/// of these remains until they are reported.
double advanced(double done, double running, double told, double elapsed);

/// The line shown, without control characters: "identify  42 %  12 s left  generation 3".
std::string progress_line(const std::string& work, double done, double elapsed_seconds, const std::string& detail);

}  // namespace stickslip::inline reports
