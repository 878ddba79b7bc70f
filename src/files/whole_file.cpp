/// Files written whole or not at all; see whole_file.hpp.
#include "files/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot(std::string_view action, const std::string& path, const std::string& reason) {
  throw Error("cannot " + std::string(action) + " " + in_quotes(path) + ": " + reason);
}

std::string reason_of(int error_number) { return std::strerror(error_number); }

/// open(2), again if a signal came in between.
int opened(const char* path, int flags, mode_t mode = 0) {
  int number = -1;
  do number = ::open(path, flags, mode);
  while (number < 0 && errno == EINTR);
  return number;
}
/// fsync(2) likewise: 0 or the error number.
int synced(int file) {
  int result = 0;
  do result = ::fsync(file);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

/// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// 0 or the error number; a full disk may show only here.
  int close() {
    if (!is_open()) return 0;
    const int result = ::close(number_);
    number_ = -1;
    return result == 0 || errno == EINTR ? 0 : errno;  // interrupted: it is closed all the same
  }

 private:
  int number_;
};

/// The new file beside the target; removed unless it took the target's name.
class Draft {
 public:
  explicit Draft(std::string path) : path_(std::move(path)) {}
  ~Draft() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& path() const { return path_; }
  bool take_name(const std::string& target) {
    if (std::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  std::string path_;
};

/// 0 or the error number.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(std::size_t(written));
  }
  return 0;
}

void write_directly(const std::string& path, std::string_view content) {
  Descriptor file(opened(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) cannot("write", path, reason_of(errno));
  if (const int problem = write_all(file.number(), content)) cannot("write", path, reason_of(problem));
}

std::string draft_path(const fs::path& target) {
  static std::atomic<unsigned> count{0};
  const auto name = "." + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".part";
  return (target.parent_path() / name).string();
}

}  // namespace

void write_whole(const std::string& path, std::string_view content) {
  if (path.empty()) throw Error("cannot write a file without a name");
  std::error_code problem;
  fs::path target = path;
  if (fs::is_symlink(target, problem)) {
    target = fs::weakly_canonical(target, problem);
    if (problem) cannot("write", path, problem.message());
  }

  struct stat old;
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) cannot("write", path, "it is a directory; give a file name");
  if (exists && !S_ISREG(old.st_mode)) return write_directly(path, content);
  if (exists && ::access(target.c_str(), W_OK) != 0) cannot("write", path, reason_of(errno));
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, problem))
    cannot("write", path, "there is no directory " + in_quotes(folder.string()) + "; create it first");

  const std::string beside = draft_path(target);
  Descriptor file(opened(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) cannot("write", path, reason_of(errno));
  Draft draft(beside);
  if (exists && ::fchmod(file.number(), old.st_mode & 07777) != 0) cannot("write", path, reason_of(errno));
  if (const int failed = write_all(file.number(), content)) cannot("write", path, reason_of(failed));
  const int not_kept = synced(file.number());
  if (not_kept != 0 && not_kept != EINVAL && not_kept != EROFS) cannot("write", path, reason_of(not_kept));
  if (const int failed = file.close()) cannot("write", path, reason_of(failed));
  if (!draft.take_name(target.string())) cannot("write", path, reason_of(errno));

  // The new name must survive a power cut too; a file system without this is no reason to fail.
  Descriptor directory(opened(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) (void)synced(directory.number());
}

namespace {
struct Identity {
  dev_t device;
  ino_t node;
  bool operator==(const Identity& other) const { return device == other.device && node == other.node; }
};
std::mutex reading;
std::vector<Identity> files_read;
constexpr std::size_t largest_file = std::size_t(1) << 30;
}  // namespace

void mark_read(const std::string& path) {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return;
  const std::lock_guard lock(reading);
  files_read.push_back({found.st_dev, found.st_ino});
}

bool was_read(const std::string& path) {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return false;
  const std::lock_guard lock(reading);
  return std::find(files_read.begin(), files_read.end(), Identity{found.st_dev, found.st_ino}) != files_read.end();
}

std::string read_whole(const std::string& path) {
  Descriptor file(opened(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) cannot("read", path, reason_of(errno));
  struct stat found;
  if (::fstat(file.number(), &found) == 0 && S_ISDIR(found.st_mode)) cannot("read", path, "it is a directory");
  {
    const std::lock_guard lock(reading);
    files_read.push_back({found.st_dev, found.st_ino});
  }
  std::string content;
  std::string block(1 << 16, '\0');
  while (true) {
    const auto got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot("read", path, reason_of(errno));
    if (got == 0) return content;
    content.append(block, 0, std::size_t(got));
    if (content.size() > largest_file) cannot("read", path, "it is larger than 1 GiB");
  }
}

}  // namespace stickslip
