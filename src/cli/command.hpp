/// Shared by the subcommands. Each has its own file and adds itself to the program with one function.
/// A subcommand throws Error for input it cannot use (exit code 2) and sets its outcome otherwise.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "jobs/result_place.hpp"
#include "platform/workers.hpp"
#include "report/progress.hpp"

namespace stickslip::inline cli {

/// Several programs that work together, set once by stickslip-mpi; nullptr: this one alone.
Workers* workers();
void set_workers(Workers* together);
/// True unless another program owns the files and speaks.
bool is_first();
/// 0 means all cores, except one if several programs share them.
unsigned threads_here(unsigned asked);

/// The command as it was typed, quoted for a shell where that is needed; set once by main.
const std::string& command_line();
void set_command_line(int argc, const char* const* argv);

/// Refuses a subcommand or an option that is not there, with the nearest one; CLI11 would only say "not expected".
void check_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

/// An option with one value each time it is given: it takes nothing of what follows, such as the recording.
CLI::Option* repeatable(CLI::Option* option);

/// "warning: ..." on standard error, in colour on a terminal.
void warn(const std::string& message);

/// How far the work is: the line of a terminal, or of programs that work together a line in ten seconds for their log.
void say_progress(Progress& progress, const std::string& work, double share, const std::string& detail,
                  double running = 0);

/// Characters of a line of text: the terminal's, but no less than 60 and no more than 120.
std::size_t text_width();

/// "wrote FILE (what it is)", one line each below an empty one; nothing if there is none.
void print_written(const std::vector<WrittenFile>& files);

}  // namespace stickslip::inline cli
