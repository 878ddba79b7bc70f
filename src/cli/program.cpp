/// The program as arguments see it; see command.hpp.
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "interrupt.hpp"
#include "report/terminal.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline cli {
namespace {

constexpr const char* example = R"(Examples
  stickslip models                      list the friction models
  stickslip models lugre                one model: equations, parameters
  stickslip simulate stick_slip.toml    run a scenario
  stickslip sweep map.toml              run it with many values
  stickslip reproduce --list            list the published experiments
  stickslip check lugre                 measure its properties
  stickslip inspect axis.csv            contents and problems of a recording
  stickslip demo                        generate, identify, validate, report
  stickslip identify axis.csv           find its friction model
  stickslip validate m.toml other.csv   validate a model on another recording
  stickslip generate servo-axis         a recording to try things out
  stickslip plan --help                 plan tests for your sensor and drive
  stickslip curve steady.csv            friction over speed
  stickslip page friction.html          identify and simulate in a browser
  stickslip COMMAND --help              help on a command)";

constexpr const char* no_memory =
    "not enough memory; take fewer samples (a longer sample_interval, a lower rate) or a shorter run";

/// Options by their present name (the words they had before still work), descriptions broken to the width of the terminal.
class HelpText final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional || option->get_lnames().empty()) return CLI::Formatter::make_option_name(option, is_positional);
    std::string name;
    for (const std::string& letter : option->get_snames()) name += "-" + letter + ",";
    return name + "--" + option->get_lnames().front();
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0 && !option->get_type_name().empty()) text += " " + option->get_type_name();
    if (option->get_expected_max() >= CLI::detail::expected_max_vector_size) text += " ...";
    return text + (option->get_required() ? " REQUIRED" : "");
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string lines = wrapped(CLI::Formatter::make_option_desc(option), text_width() - get_column_width(), "");
    if (lines.ends_with('\n')) lines.pop_back();
    return lines;
  }
};

/// `stickslip help` and `stickslip help identify` are what newcomers type: the same as --help.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  return words;
}

/// "--mass: 1 required NUMBER [kg] missing", as the parser says it, is "--mass needs a value, NUMBER [kg]".
std::string plain_words(const std::string& text) {
  const std::string middle = ": 1 required ", end = " missing";
  const auto at = text.find(middle);
  if (at == std::string::npos || !text.ends_with(end)) return text;
  const auto from = at + middle.size();
  return text.substr(0, at) + " needs a value, " + text.substr(from, text.size() - end.size() - from);
}

int run(int argc, char** argv, const std::function<int(const std::string&)>& fail) {
  set_command_line(argc, argv);
  CLI::App app("Friction models, simulation with exact sticking, identification from recordings.", "stickslip");
  app.formatter(std::make_shared<HelpText>());
  app.footer(example);
  app.set_version_flag("--version", "stickslip " + std::string(version()), "Show the version and exit");
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.require_subcommand(0, 1);
  Outcome outcome = Outcome::done;
  add_commands(app, outcome);
  try {
    std::vector<std::string> words = arguments_of(argc, argv);
    check_arguments(app, words);
    std::reverse(words.begin(), words.end());  // as the parser takes them
    app.parse(words);
    if (app.get_subcommands().empty()) std::cout << app.help();
  } catch (const CLI::Success& help) {  // --help and --version
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    return fail(one_line(plain_words(problem.what()), 400) + "; see --help");
  }
  std::cout.flush();
  if (!std::cout) return fail("cannot write to standard output");
  return static_cast<int>(outcome);
}

}  // namespace

int run_commands(int argc, char** argv, const std::function<int(const std::string&)>& fail) {
  const auto interrupted = [](const std::string& line) {
    std::cout.flush();
    std::cerr << line << "\n";
    return static_cast<int>(Outcome::failed);
  };
  try {
    return run(argc, argv, fail);
  } catch (const Interrupted& told) {
    return interrupted(told.what());
  } catch (const Error& problem) {
    // A work that was cut short may fail for that alone.
    return Interrupt::came() ? interrupted("interrupted: " + std::string(problem.what())) : fail(problem.what());
  } catch (const std::bad_alloc&) {
    return fail(no_memory);
  } catch (const std::length_error&) {
    return fail(no_memory);
  } catch (const std::system_error& problem) {  // files, threads: the machine's, not the program's
    return fail("stickslip: " + one_line(problem.what(), 400));
  } catch (const std::exception& problem) {
    return fail("stickslip: internal error, please report: " + one_line(problem.what(), 400));
  }
}

}  // namespace stickslip::inline cli
