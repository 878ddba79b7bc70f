/// Files written whole or not at all; see whole_file.hpp.
#include "files/whole_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/mutex.hpp"
#include "platform/path.hpp"

namespace stickslip::inline files {
namespace {

[[noreturn]] void cannot(std::string_view action, const std::string& path, const std::string& reason) {
  throw Error("cannot " + std::string(action) + " " + in_quotes(path) + ": " + reason);
}

Mutex reading;
std::vector<FileIdentity> files_read;
constexpr std::size_t largest_file = std::size_t(1) << 30;
constexpr std::size_t most_from_device = std::size_t(64) << 20;  // which may have no end

void remember(const FileIdentity& file) {
  const Lock lock(reading);
  files_read.push_back(file);
}

[[noreturn]] void refuse_second(const std::string& path, const std::string& earlier) {
  const std::string name = one_line(path, 100), other = one_line(earlier, 100);
  throw Error((name == other ? name + " is" : in_quotes(other) + " and " + in_quotes(name) + " are one file,") +
              " named for two results; give each its own file");
}

}  // namespace

void WholeFiles::add(const std::string& path, std::string_view content) {
  if (path.empty()) throw Error("cannot write a file without a name");
  const FileKind kind = facts_of(path).kind;
  if (kind == FileKind::directory) cannot("write", path, "it is a directory; give a file name");
  if (kind == FileKind::none && !is_directory(folder_of(path)))
    cannot("write", path, "there is no directory " + in_quotes(folder_of(path)) + "; create it first");
  if (kind == FileKind::device) {
    devices_.push_back({path, std::string(content)});
    return;
  }
  File file{.path = path, .place = final_place(path), .draft = {}};
  for (const File& other : files_)
    if (other.place == file.place) refuse_second(path, other.path);
  if (const std::string problem = file.draft.write(path, content); !problem.empty()) cannot("write", path, problem);
  files_.push_back(std::move(file));
}

void WholeFiles::keep() {
  for (const Device& device : devices_)  // what may fail for many reasons comes first
    if (const std::string problem = write_to(device.path, device.content); !problem.empty())
      cannot("write", device.path, problem);
  take_names();
  files_.clear();
  devices_.clear();
}

/// A file alone needs no way back: its name means the old file or the new one.
void WholeFiles::take_names() {
  for (std::size_t k = 0; k < files_.size(); ++k) {
    const bool is_last = k + 1 == files_.size();
    const std::string problem = files_[k].draft.take_name(!is_last);
    if (problem.empty()) continue;
    std::string lost;
    for (std::size_t j = k; j-- > 0;)
      if (const std::string reason = files_[j].draft.give_back(); !reason.empty())
        lost += "; " + in_quotes(files_[j].path) +
                " is already the new one, what was there could not be put back: " + reason;
    cannot("write", files_[k].path, problem + lost);
  }
}

void write_whole(const std::string& path, std::string_view content) {
  WholeFiles files;
  files.add(path, content);
  files.keep();
}

void check_distinct(const std::vector<std::string>& results) {
  std::vector<std::pair<std::string, FilePlace>> seen;
  for (const std::string& path : results) {
    if (path.empty() || facts_of(path).kind == FileKind::device) continue;
    const FilePlace place = final_place(path);
    for (const auto& [earlier, its_place] : seen)
      if (its_place == place) refuse_second(path, earlier);
    seen.emplace_back(path, place);
  }
}

void mark_read(const std::string& path) {
  const FileFacts found = facts_of(path);
  if (found.kind != FileKind::none) remember(found.identity);
}

void forget_files_read() {
  const Lock lock(reading);
  files_read.clear();
}

bool was_read(const std::string& path) {
  const FileFacts found = facts_of(path);
  if (found.kind == FileKind::none) return false;
  const Lock lock(reading);
  return std::find(files_read.begin(), files_read.end(), found.identity) != files_read.end();
}

std::string read_whole(const std::string& path) {
  std::string content;
  FileIdentity identity;
  const bool is_device = facts_of(path).kind == FileKind::device;
  const std::size_t largest = is_device ? most_from_device : largest_file;
  if (const std::string problem = read_file(path, largest, content, identity); !problem.empty())
    cannot("read", path, problem);
  remember(identity);
  if (content.size() > largest)
    cannot("read", path,
           is_device ? "it is a device or a pipe with more than 64 MiB; save it to a file first"
                     : "it is larger than 1 GiB");
  return content;
}

}  // namespace stickslip::inline files
