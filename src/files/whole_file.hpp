/// Files written whole or not at all: the content goes to a new file beside the target, reaches the disk, and then
/// takes the target's name. A reader, a full disk or an interrupted run never meets half a result.
/// Devices and pipes (/dev/stdout) are written to directly, since they cannot be replaced.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "platform/file.hpp"

namespace stickslip::inline files {

/// Files that belong together: all of them are new afterwards, or none. All are on the disk, each beside its target, before the
/// first takes its name; if a later name cannot be taken (a directory made in between, a file that is mounted, a folder that is
/// not ours), those before it get their old files back. Throws Error naming the path and the reason.
/// What no POSIX system offers: several names change one after the other, so a reader in between, or a kill or a power cut in
/// that moment, meets some new files and some old ones (each of them whole). What a device or a pipe has taken is gone.
class WholeFiles {
 public:
  /// A file may be added once, whatever names lead to it.
  void add(const std::string& path, std::string_view content);
  void keep();

 private:
  void take_names();

  struct File {
    std::string path;
    FilePlace place;
    FileDraft draft;
  };
  struct Device {  // nothing can be replaced there
    std::string path, content;
  };
  std::vector<File> files_;
  std::vector<Device> devices_;
};

/// The same for one.
void write_whole(const std::string& path, std::string_view content);

/// Refuses a file that is named for two results, by whatever names: one of them would be lost. For places that are checked before
/// the work. Devices take any number; "" is none. Throws Error.
void check_distinct(const std::vector<std::string>& results);

/// The content of a file. Throws Error naming the path and the reason.
std::string read_whole(const std::string& path);
/// True if this file was read by `read_whole` in this run of the program: results must not replace an input.
bool was_read(const std::string& path);
/// Says so of a file that another reader opened.
void mark_read(const std::string& path);
/// Clears the list, for programs that run several jobs and read what an earlier job wrote.
void forget_files_read();

}  // namespace stickslip::inline files
