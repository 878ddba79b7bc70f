/// Files as the operating system has them. Nothing here throws: a function that may fail returns the reason in words, and ""
/// if it worked. Messages with the file's name are made by the caller (files/whole_file.hpp).
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace stickslip::inline platform {

enum class FileKind { none, file, directory, device };  // device: also a pipe

/// Two names of one file have one identity.
struct FileIdentity {
  std::uint64_t device = 0, number = 0;
  bool operator==(const FileIdentity& other) const { return device == other.device && number == other.number; }
};

struct FileFacts {
  FileKind kind = FileKind::none;
  std::uint64_t size = 0;  // [bytes]
  FileIdentity identity = {};
};
/// Links are followed.
FileFacts facts_of(const std::string& path);

/// Where a result of some name ends, links followed: two names of one place are equal, also while there is no file yet.
struct FilePlace {
  FileIdentity folder;
  std::string name;  // in that folder; the whole path where there is no folder
  bool operator==(const FilePlace& other) const { return folder == other.folder && name == other.name; }
};
FilePlace final_place(const std::string& path);

/// The reason why a file or a directory may not be written to; "" if it may.
std::string write_refusal(const std::string& path);

/// A file to be written whole or not at all: the content goes to a new file beside it, reaches the disk, and takes its name and
/// permissions. A link stays a link. Until then, and on failure, the file is as it was; a draft that takes no name is removed.
/// The functions return the reason of a failure, "" without one.
class FileDraft {
 public:
  FileDraft();
  FileDraft(FileDraft&& other) noexcept;
  FileDraft& operator=(FileDraft&&) = delete;
  ~FileDraft();

  std::string write(const std::string& path, std::string_view content);
  /// `may_return`: the file that had the name stays beside it, so that give_back() is possible while the draft lives.
  std::string take_name(bool may_return = false);
  /// The name means again what it meant before take_name(true). If that fails, the reason says where the old file is.
  std::string give_back();

 private:
  std::string draft_, target_, old_;
};
/// True while a FileDraft lives: files are being written, and the program should not end in between.
bool is_writing();
/// Writes to what exists and cannot be replaced: a device or a pipe.
std::string write_to(const std::string& path, std::string_view content);

/// Appends the content of a file to `content`; stops after more than `most` bytes. `identity` is the file's.
std::string read_file(const std::string& path, std::uint64_t most, std::string& content, FileIdentity& identity);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using StreamFile = std::unique_ptr<std::FILE, CloseFile>;
/// nullptr and errno if it cannot be opened.
StreamFile open_to_read(const std::string& path);

/// A file that grows and belongs to one program at a time. WASI has no locks: there it belongs to everybody.
class LockedFile {
 public:
  LockedFile() = default;
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  /// Opens or makes the file.
  std::string open(const std::string& path);
  bool is_open() const { return file_ >= 0; }
  /// False if another program holds it. The file that is locked is the one its name means now.
  bool lock();
  /// Cuts the file after `length` bytes; what is appended follows there.
  std::string cut(std::uint64_t length);
  std::string append(std::string_view bytes);
  /// What was appended survives a power cut.
  void sync();
  void close();
  /// Closes it and takes its name away.
  void remove();

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace stickslip::inline platform
