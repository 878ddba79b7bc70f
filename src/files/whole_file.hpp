/// Files written whole or not at all: the content goes to a new file beside the target, reaches the disk, and then
/// takes the target's name. A reader, a full disk or an interrupted run never meets half a result.
/// Devices and pipes (/dev/stdout) are written to directly, since they cannot be replaced.
#pragma once
#include <string>
#include <string_view>

namespace stickslip::inline files {

/// Throws Error naming the path and the reason; the target is then as it was and nothing is left beside it.
void write_whole(const std::string& path, std::string_view content);

/// The content of a file. Throws Error naming the path and the reason.
std::string read_whole(const std::string& path);
/// True if this file was read by `read_whole` in this run of the program: results must not replace an input.
bool was_read(const std::string& path);
/// Says so of a file that another reader opened.
void mark_read(const std::string& path);
/// Clears the list, for programs that run several jobs and read what an earlier job wrote.
void forget_files_read();

}  // namespace stickslip::inline files
