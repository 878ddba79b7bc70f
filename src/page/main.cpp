/// The program inside the page: the commands of `stickslip` that make sense in a browser, with the same arguments, files and messages.
/// The page gives it files and takes those it writes (web/files.js); sliders have their own calls (live.cpp).
#include <iostream>
#include <string_view>

#include "cli/command.hpp"
#include "cli/safe_output.hpp"
#include "page/page_workers.hpp"

namespace stickslip::inline page {

void add_commands(CLI::App& app, Outcome& outcome) {
  add_models(app, outcome);
  add_simulate(app, outcome);
  add_check(app, outcome);
  add_inspect(app, outcome);
  add_generate(app, outcome);
  add_identify(app, outcome);
  add_validate(app, outcome);
  add_export(app, outcome);
}

}  // namespace stickslip::inline page

/// One command; returns its exit code. `argv` is as main has it.
extern "C" __attribute__((export_name("page_command"))) int page_command(int argc, char** argv) {
  using namespace stickslip;
  const SafeOutput safe;
  PageWorkers together;
  const bool shares = argc > 1 && std::string_view(argv[1]) == "identify";
  if (shares) set_workers(&together);
  const int code = run_commands(argc, argv, [](const std::string& message) {
    std::cout.flush();
    std::cerr << message << "\n";
    return static_cast<int>(Outcome::bad_input);
  });
  set_workers(nullptr);
  return code;
}
