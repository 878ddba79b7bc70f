/// What the subcommands share. Each lives in a file of its own and adds itself to the program with one function.
/// A subcommand throws Error for input it cannot use (exit code 2) and sets its outcome otherwise.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/result_place.hpp"
#include "platform/workers.hpp"
#include "report/progress.hpp"

namespace stickslip {

/// Exit codes: what was asked was done; it was done but failed (a row is off, a run ended early); it could not be read.
enum class Outcome : int { done = 0, failed = 1, bad_input = 2 };

void add_models(CLI::App& app, Outcome& outcome);
void add_simulate(CLI::App& app, Outcome& outcome);
void add_sweep(CLI::App& app, Outcome& outcome);
void add_merge(CLI::App& app, Outcome& outcome);
void add_reproduce(CLI::App& app, Outcome& outcome);
void add_check(CLI::App& app, Outcome& outcome);
void add_inspect(CLI::App& app, Outcome& outcome);
void add_generate(CLI::App& app, Outcome& outcome);
void add_plan(CLI::App& app, Outcome& outcome);
void add_breakaway_test(CLI::App& app, Outcome& outcome);
void add_sine_test(CLI::App& app, Outcome& outcome);
void add_virtual_bench(CLI::App& app, Outcome& outcome);
void add_curve(CLI::App& app, Outcome& outcome);
void add_contact(CLI::App& app, Outcome& outcome);
void add_slider(CLI::App& app, Outcome& outcome);
void add_identify(CLI::App& app, Outcome& outcome);
void add_validate(CLI::App& app, Outcome& outcome);
void add_export(CLI::App& app, Outcome& outcome);
void add_compensate(CLI::App& app, Outcome& outcome);
void add_demo(CLI::App& app, Outcome& outcome);
void add_page(CLI::App& app, Outcome& outcome);

/// All of them.
void add_commands(CLI::App& app, Outcome& outcome);

/// The whole program but its exit: arguments in, exit code out, every problem as one line. Problems go to `fail` and what it returns
/// is the exit code.
int run_commands(int argc, char** argv, const std::function<int(const std::string&)>& fail);

/// Several programs that work together, set once by stickslip-mpi; nullptr: this one alone.
Workers* workers();
void set_workers(Workers* together);
/// True unless another program owns the files and speaks.
bool is_first();
/// 0 stands for all cores, but for one where several programs share them.
unsigned threads_here(unsigned asked);

/// The command as it was typed, quoted for a shell where that is needed; set once by main.
const std::string& command_line();
void set_command_line(int argc, const char* const* argv);

/// Refuses a subcommand or an option that is not there, with the nearest one; CLI11 would only say "not expected".
void check_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

/// "warning: ..." on standard error, in colour on a terminal.
void warn(const std::string& message);

/// How far the work is: the line of a terminal, or of programs that work together a line in ten seconds for their log.
void say_progress(Progress& progress, const std::string& work, double share, const std::string& detail);

/// Characters of a line of text: the terminal's, but no less than 60 and no more than 120.
std::size_t text_width();

/// "wrote FILE (what it is)", one line each below an empty one; nothing if there is none.
void print_written(const std::vector<WrittenFile>& files);

}  // namespace stickslip
