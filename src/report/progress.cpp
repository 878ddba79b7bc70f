/// Progress of long work on standard error; see progress.hpp.
#include "report/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/text.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline reports {

Progress::Progress(std::string work) : Progress(std::move(work), is_terminal_error(), stderr) {}

Progress::Progress(std::string work, bool is_watched, std::FILE* out)
    : work_(std::move(work)), is_watched_(is_watched), out_(out) {}

void Progress::at(double done, const std::string& detail, double running) {
  if (!is_watched_) return;
  const Lock lock(telling_);
  const auto now = Clock::now();
  done_ = done, detail_ = detail, running_ = running;
  told_ = std::chrono::duration<double>(now - start_).count();
  if (now >= next_) {
    next_ = now + std::chrono::milliseconds(100);  // ten times a second is as fast as anyone reads
    show(now);
  }
  if (!ticker_)
    ticker_.emplace([this](int) {
      const Lock here(telling_);
      if (const auto then = Clock::now(); done_ >= 0 && then >= next_) show(then);
    });
}

void Progress::show(Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::fprintf(out_, "\r\x1b[K%s",
               progress_line(work_, advanced(done_, running_, told_, elapsed), elapsed, detail_).c_str());
  std::fflush(out_);
  is_shown_ = true;
}

void Progress::finish() {
  ticker_.reset();  // outside the lock: it waits for its thread
  const Lock lock(telling_);
  done_ = -1;
  if (is_shown_) std::fputs("\r\x1b[K", out_), std::fflush(out_);
  is_shown_ = false;
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || std::isinf(seconds)) return "unknown";
  if (seconds < 1) return significant(std::round(seconds * 1000), 3) + " ms";
  const auto whole = std::int64_t(std::min(std::round(seconds), 1e15));
  const auto two = [](std::int64_t large, const char* name, std::int64_t small, const char* small_name) {
    return std::to_string(large) + " " + name + (small ? " " + std::to_string(small) + " " + small_name : "");
  };
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return two(whole / 60, "min", whole % 60, "s");
  return two(whole / 3600, "h", whole % 3600 / 60, "min");
}

double advanced(double done, double running, double told, double elapsed) {
  if (!(running > 0 && done > 0 && told > 0 && elapsed > told)) return done;
  return done + std::min(0.95 * running, done / told * (elapsed - told));
}

std::string progress_line(const std::string& work, double done, double elapsed_seconds, const std::string& detail) {
  const double part = std::isfinite(done) ? std::clamp(done, 0.0, 1.0) : 0.0;
  std::string line = one_line(work, 30) + "  " + std::to_string(int(100 * part)) + " %";
  if (part > 0.01) line += "  " + duration_text(elapsed_seconds * (1 - part) / part) + " left";
  if (!detail.empty()) line += "  " + one_line(detail, 40);
  return line;
}

}  // namespace stickslip::inline reports
