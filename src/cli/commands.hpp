/// The subcommands as the program sees them. Apart from command.hpp, so that who only starts them need not read the parser of arguments.
#pragma once
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace stickslip::inline cli {

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
void add_film_test(CLI::App& app, Outcome& outcome);
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

}  // namespace stickslip::inline cli
