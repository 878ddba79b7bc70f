/// What the subcommands share; see command.hpp.
#include "command.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline cli {
namespace {

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : subcommands(app)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options([](const CLI::Option*) { return true; }))
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string typed_command;
Workers* working_together = nullptr;

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=,:+%@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Workers* workers() { return working_together; }
void set_workers(Workers* together) { working_together = together; }
bool is_first() { return !working_together || working_together->is_first(); }
unsigned threads_here(unsigned asked) { return asked == 0 && working_together ? 1 : asked; }

const std::string& command_line() { return typed_command; }

void set_command_line(int argc, const char* const* argv) {
  typed_command = "stickslip";
  for (int i = 1; i < argc; ++i) typed_command += " " + shell_word(argv[i]);
}

void check_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* here = &app;
  for (const auto& argument : arguments) {
    if (argument == "--") return;
    if (argument.size() > 2 && argument.starts_with("--")) {
      const std::string name = argument.substr(0, argument.find('='));
      if (here->get_option_no_throw(name)) continue;
      const std::string whose = here == &app ? "" : " of " + here->get_name();
      throw Error("no option " + in_quotes(name) + whose + "; " + did_you_mean(name, option_names(*here)));
    }
    if (here != &app || argument.starts_with("-")) continue;
    here = nullptr;
    for (const auto* command : subcommands(app))
      if (command->get_name() == argument) here = command;
    if (!here) throw Error(no_such("command", argument, subcommand_names(app)));
  }
}

CLI::Option* repeatable(CLI::Option* option) {
  // CLI11 lets an option of many values take more than it expects unless it is told not to.
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void warn(const std::string& message) {
  if (!is_first()) return;
  std::cout.flush();
  std::cerr << coloured("warning:", Ink::yellow, is_terminal_error() && wants_colour()) << " " << message << "\n";
}

void say_progress(Progress& progress, const std::string& work, double share, const std::string& detail,
                  double running) {
  if (!workers()) return progress.at(share, detail, running);
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  static Clock::time_point next = start + std::chrono::seconds(10);
  if (Clock::now() < next) return;
  next = Clock::now() + std::chrono::seconds(10);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  std::cerr << progress_line(work, share, elapsed, detail) << std::endl;
}

std::size_t text_width() { return std::clamp<std::size_t>(terminal_width(), 60, 120); }

void print_written(const std::vector<WrittenFile>& files) {
  if (!files.empty()) std::cout << "\n";
  for (const auto& [path, what] : files) std::cout << "wrote " << path << " (" << what << ")\n";
}

}  // namespace stickslip::inline cli
