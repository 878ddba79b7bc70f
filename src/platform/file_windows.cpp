/// Files on Windows; see file.hpp. Names are UTF-8 in the program and UTF-16 in the system.
#if defined(_WIN32)

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "platform/file.hpp"
#include "platform/path.hpp"
#include "platform/wide_path.hpp"

namespace stickslip::inline platform {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error_number) { return std::strerror(error_number); }
std::string reason_of_windows(DWORD code) { return std::error_code(int(code), std::system_category()).message(); }

int opened(const std::string& path, int flags, int mode = 0) {
  return ::_wopen(wide_path(path).c_str(), flags | _O_BINARY | _O_NOINHERIT, mode);
}

/// 0 or the error number.
int write_all(int file, std::string_view content) {
  constexpr std::size_t most = std::size_t(1) << 30;
  while (!content.empty()) {
    const int written = ::_write(file, content.data(), static_cast<unsigned>(std::min(content.size(), most)));
    if (written < 0) return errno;
    content.remove_prefix(std::size_t(written));
  }
  return 0;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  int close() {
    if (!is_open()) return 0;
    const int result = ::_close(number_);
    number_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int number_;
};

std::string moved(const std::string& path, const std::string& to) {
  const DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (::MoveFileExW(wide_path(path).c_str(), wide_path(to).c_str(), how)) return "";
  return reason_of_windows(::GetLastError());
}

std::atomic<int> drafts{0};  // alive

std::string draft_path(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return beside(target, "." + std::to_string(::GetCurrentProcessId()) + "-" + std::to_string(count++) + ".part");
}

FileIdentity identity_of(const std::string& path) {
  const HANDLE file = ::CreateFileW(wide_path(path).c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                    nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return {};
  BY_HANDLE_FILE_INFORMATION about{};
  const bool known = ::GetFileInformationByHandle(file, &about) != 0;
  ::CloseHandle(file);
  if (!known) return {};
  return {about.dwVolumeSerialNumber, (std::uint64_t(about.nFileIndexHigh) << 32) | about.nFileIndexLow};
}

}  // namespace

FileFacts facts_of(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(wide_path(path), problem);
  if (!fs::exists(status)) return {};
  if (fs::is_directory(status)) return {FileKind::directory, 0, identity_of(path)};
  if (!fs::is_regular_file(status)) return {FileKind::device, 0, {}};
  const auto size = fs::file_size(wide_path(path), problem);
  return {FileKind::file, problem ? 0 : std::uint64_t(size), identity_of(path)};
}

FilePlace final_place(const std::string& path) {
  std::error_code problem;
  std::string target = path;
  if (fs::is_symlink(wide_path(path), problem)) target = plain_path(fs::weakly_canonical(wide_path(path), problem));
  std::string name = file_name_of(target);
  for (char& c : name)  // M.toml is m.toml
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  if (!is_directory(folder_of(target))) return {{}, target};
  return {identity_of(folder_of(target)), name};
}

std::string write_refusal(const std::string& path) {
  constexpr int to_write = 2;
  return ::_waccess(wide_path(path).c_str(), to_write) == 0 ? "" : reason_of(errno);
}

FileDraft::FileDraft() { ++drafts; }
FileDraft::FileDraft(FileDraft&& other) noexcept
    : draft_(std::move(other.draft_)), target_(std::move(other.target_)), old_(std::move(other.old_)) {
  other.draft_.clear();
  other.old_.clear();
  ++drafts;
}
FileDraft::~FileDraft() {
  for (const std::string& beside_it : {draft_, old_})
    if (!beside_it.empty()) remove_file(beside_it);
  --drafts;
}
bool is_writing() { return drafts > 0; }

std::string FileDraft::write(const std::string& path, std::string_view content) {
  std::error_code problem;
  target_ = path;
  if (fs::is_symlink(wide_path(path), problem)) {
    target_ = plain_path(fs::weakly_canonical(wide_path(path), problem));
    if (problem) return problem.message();
  }
  if (exists(target_))
    if (std::string refusal = write_refusal(target_); !refusal.empty()) return refusal;
  const std::string beside_it = draft_path(target_);
  Descriptor file(opened(beside_it, _O_WRONLY | _O_CREAT | _O_EXCL, _S_IREAD | _S_IWRITE));
  if (!file.is_open()) return reason_of(errno);
  draft_ = beside_it;
  if (const int failed = write_all(file.number(), content)) return reason_of(failed);
  if (::_commit(file.number()) != 0) return reason_of(errno);
  const int failed = file.close();
  return failed ? reason_of(failed) : "";
}

std::string FileDraft::take_name(bool may_return) {
  if (may_return && facts_of(target_).kind == FileKind::file) {
    const std::string beside_it = draft_path(target_);
    if (std::string problem = moved(target_, beside_it); !problem.empty()) return problem;
    old_ = beside_it;
  }
  if (const std::string problem = moved(draft_, target_); !problem.empty()) {
    const std::string lost = old_.empty() ? "" : give_back();
    return problem + (lost.empty() ? "" : ", and the file that was there could not be put back: " + lost);
  }
  draft_.clear();
  return "";
}

std::string FileDraft::give_back() {
  if (old_.empty()) {
    remove_file(target_);
    return exists(target_) ? "it is in use" : "";
  }
  const std::string beside_it = std::exchange(old_, "");
  const std::string problem = moved(beside_it, target_);
  return problem.empty() ? "" : problem + "; it is " + beside_it;
}

std::string write_to(const std::string& path, std::string_view content) {
  Descriptor file(opened(path, _O_WRONLY));
  if (!file.is_open()) return reason_of(errno);
  const int failed = write_all(file.number(), content);
  return failed ? reason_of(failed) : "";
}

std::string read_file(const std::string& path, std::uint64_t most, std::string& content, FileIdentity& identity) {
  if (is_directory(path)) return "it is a directory";
  Descriptor file(opened(path, _O_RDONLY));
  if (!file.is_open()) return reason_of(errno);
  identity = identity_of(path);
  std::string block(1 << 16, '\0');
  while (content.size() <= most) {
    const int got = ::_read(file.number(), block.data(), static_cast<unsigned>(block.size()));
    if (got < 0) return reason_of(errno);
    if (got == 0) break;
    content.append(block, 0, std::size_t(got));
  }
  return "";
}

StreamFile open_to_read(const std::string& path) { return StreamFile(::_wfopen(wide_path(path).c_str(), L"rb")); }

LockedFile::~LockedFile() { close(); }

std::string LockedFile::open(const std::string& path) {
  path_ = path;
  file_ = opened(path, _O_RDWR | _O_CREAT, _S_IREAD | _S_IWRITE);
  return file_ < 0 ? reason_of(errno) : "";
}
bool LockedFile::lock() {
  // A lock on bytes keeps others from reading them, so a byte far beyond the end represents the file.
  OVERLAPPED place{};
  place.OffsetHigh = 0x40000000;
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file_));
  return ::LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place) != 0;
}
std::string LockedFile::cut(std::uint64_t length) {
  const int failed = ::_chsize_s(file_, static_cast<__int64>(length));
  if (failed != 0) return reason_of(failed);
  return ::_lseeki64(file_, 0, SEEK_END) < 0 ? reason_of(errno) : "";
}
std::string LockedFile::append(std::string_view bytes) {
  const int failed = write_all(file_, bytes);
  return failed ? reason_of(failed) : "";
}
void LockedFile::sync() { (void)::_commit(file_); }
void LockedFile::close() {
  if (is_open()) ::_close(file_);
  file_ = -1;
}
void LockedFile::remove() {  // an open file cannot go
  close();
  remove_file(path_);
}

}  // namespace stickslip::inline platform

#endif
