/// Files on POSIX and WASI; see file.hpp. Windows' are in file_windows.cpp.
#if !defined(_WIN32)

#include "platform/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(__wasi__)
#include <sys/file.h>
#endif

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "platform/path.hpp"

namespace stickslip::inline platform {
namespace {

std::string reason_of(int error_number) { return std::strerror(error_number); }

/// open(2), again if a signal came in between.
int opened(const char* path, int flags, mode_t mode = 0) {
  int number = -1;
  do number = ::open(path, flags | O_CLOEXEC, mode);
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
    return result == 0 || errno == EINTR ? 0 : errno;  // interrupted: it is closed anyway
  }

 private:
  int number_;
};

#if defined(__wasi__)
long process_number() { return 1; }  // one program, one sandbox
bool keep_permissions(int, const struct stat&) { return true; }
bool take_lock(int) { return true; }
bool second_name(const std::string&, const std::string&) { return false; }
#else
long process_number() { return ::getpid(); }
bool keep_permissions(int file, const struct stat& old) { return ::fchmod(file, old.st_mode & 07777) == 0; }
bool take_lock(int file) {
  int locked = 0;
  do locked = ::flock(file, LOCK_EX | LOCK_NB);
  while (locked != 0 && errno == EINTR);
  return locked == 0;
}
bool second_name(const std::string& path, const std::string& name) { return ::link(path.c_str(), name.c_str()) == 0; }
#endif

std::atomic<int> drafts{0};  // alive

std::string draft_path(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return beside(target, "." + std::to_string(process_number()) + "-" + std::to_string(count++) + ".part");
}
/// The file at `path` also has, or where a file system knows no second names (FAT) only has, the name `other`.
std::string keep_as(const std::string& path, const std::string& other) {
  if (second_name(path, other) || std::rename(path.c_str(), other.c_str()) == 0) return "";
  return reason_of(errno);
}

/// Follows a chain of links to its end, also if nothing is there yet. False if they lead in a circle.
bool follow_links(std::string& path) {
  for (int links = 0; links < 40; ++links) {  // as many as Linux follows
    std::string led_to(4096, '\0');
    const auto length = ::readlink(path.c_str(), led_to.data(), led_to.size());
    if (length <= 0) return true;
    led_to.resize(std::size_t(length));
    path = beside(path, led_to);
  }
  return false;
}

}  // namespace

FileFacts facts_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  const FileKind kind = S_ISDIR(found.st_mode)   ? FileKind::directory
                        : S_ISREG(found.st_mode) ? FileKind::file
                                                 : FileKind::device;
  const auto size = kind == FileKind::file ? std::uint64_t(found.st_size) : 0;
  return {kind, size, {std::uint64_t(found.st_dev), std::uint64_t(found.st_ino)}};
}

FilePlace final_place(const std::string& path) {
  std::string target = path;
  if (!follow_links(target)) return {{}, path};
  const FileFacts folder = facts_of(folder_of(target));
  if (folder.kind != FileKind::directory) return {{}, target};
  return {folder.identity, file_name_of(target)};
}

std::string write_refusal(const std::string& path) { return ::access(path.c_str(), W_OK) == 0 ? "" : reason_of(errno); }

FileDraft::FileDraft() { ++drafts; }
FileDraft::FileDraft(FileDraft&& other) noexcept
    : draft_(std::move(other.draft_)), target_(std::move(other.target_)), old_(std::move(other.old_)) {
  other.draft_.clear();
  other.old_.clear();
  ++drafts;
}
FileDraft::~FileDraft() {
  for (const std::string& beside_it : {draft_, old_})
    if (!beside_it.empty()) ::unlink(beside_it.c_str());
  --drafts;
}
bool is_writing() { return drafts > 0; }

std::string FileDraft::write(const std::string& path, std::string_view content) {
  target_ = path;
  if (!follow_links(target_)) return reason_of(ELOOP);
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return reason_of(errno);  // a name too long: before anything is written
  if (exists && ::access(target_.c_str(), W_OK) != 0) return reason_of(errno);
  const std::string beside_it = draft_path(target_);
  Descriptor file(opened(beside_it.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666));
  if (!file.is_open()) return reason_of(errno);
  draft_ = beside_it;
  if (exists && !keep_permissions(file.number(), old)) return reason_of(errno);
  if (const int failed = write_all(file.number(), content)) return reason_of(failed);
  const int not_kept = synced(file.number());
  if (not_kept != 0 && not_kept != EINVAL && not_kept != EROFS) return reason_of(not_kept);
  const int failed = file.close();
  return failed ? reason_of(failed) : "";
}

std::string FileDraft::take_name(bool may_return) {
  if (may_return && facts_of(target_).kind == FileKind::file) {
    const std::string beside_it = draft_path(target_);
    if (std::string problem = keep_as(target_, beside_it); !problem.empty()) return problem;
    old_ = beside_it;
  }
  if (std::rename(draft_.c_str(), target_.c_str()) != 0) {
    const std::string problem = reason_of(errno);
    const std::string lost = old_.empty() ? "" : give_back();  // without second names it has lost its own
    return problem + (lost.empty() ? "" : ", and the file that was there could not be put back: " + lost);
  }
  draft_.clear();
  // The new name must survive a power cut too; a file system without this is no reason to fail.
  Descriptor directory(opened(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY));
  if (directory.is_open()) (void)synced(directory.number());
  return "";
}

std::string FileDraft::give_back() {
  if (old_.empty()) return ::unlink(target_.c_str()) == 0 ? "" : reason_of(errno);
  const std::string beside_it = std::exchange(old_, "");
  if (std::rename(beside_it.c_str(), target_.c_str()) != 0) return reason_of(errno) + "; it is " + beside_it;
  ::unlink(beside_it.c_str());  // two names of one file: the system has renamed nothing
  return "";
}

std::string write_to(const std::string& path, std::string_view content) {
  Descriptor file(opened(path.c_str(), O_WRONLY));
  if (!file.is_open()) return reason_of(errno);
  const int problem = write_all(file.number(), content);
  return problem ? reason_of(problem) : "";
}

std::string read_file(const std::string& path, std::uint64_t most, std::string& content, FileIdentity& identity) {
  Descriptor file(opened(path.c_str(), O_RDONLY));
  if (!file.is_open()) return reason_of(errno);
  struct stat found {};
  if (::fstat(file.number(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return "it is a directory";
    identity = {std::uint64_t(found.st_dev), std::uint64_t(found.st_ino)};
  }
  std::string block(1 << 16, '\0');
  while (content.size() <= most) {
    const auto got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return reason_of(errno);
    if (got == 0) break;
    content.append(block, 0, std::size_t(got));
  }
  return "";
}

StreamFile open_to_read(const std::string& path) { return StreamFile(std::fopen(path.c_str(), "rb")); }

LockedFile::~LockedFile() { close(); }

std::string LockedFile::open(const std::string& path) {
  if (&path != &path_) path_ = path;
  file_ = opened(path.c_str(), O_RDWR | O_CREAT, 0666);
  return file_ < 0 ? reason_of(errno) : "";
}
bool LockedFile::lock() {
  for (int tries = 0; tries < 100; ++tries) {
    if (!take_lock(file_)) return false;
    struct stat held {
    }, named{};
    if (::fstat(file_, &held) != 0) return false;
    if (::stat(path_.c_str(), &named) == 0 && held.st_dev == named.st_dev && held.st_ino == named.st_ino) return true;
    close();  // its owner took the name away between open() and here: what is locked is nobody's file
    if (!open(path_).empty()) return false;
  }
  return false;
}
std::string LockedFile::cut(std::uint64_t length) {
  const bool done = ::ftruncate(file_, static_cast<off_t>(length)) == 0 && ::lseek(file_, 0, SEEK_END) >= 0;
  return done ? "" : reason_of(errno);
}
std::string LockedFile::append(std::string_view bytes) {
  const int problem = write_all(file_, bytes);
  return problem ? reason_of(problem) : "";
}
void LockedFile::sync() { (void)synced(file_); }
void LockedFile::close() {
  if (is_open()) ::close(file_);
  file_ = -1;
}
void LockedFile::remove() {  // nobody else may take it in between
  remove_file(path_);
  close();
}

}  // namespace stickslip::inline platform

#endif
