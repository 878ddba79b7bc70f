/// stickslip page OUT.html: the program as one page for any browser; a copy of what scripts/page has built.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "platform/path.hpp"
#include "platform/program_path.hpp"

namespace stickslip::inline cli {
namespace {

/// In share/stickslip where the program is installed, in build/page beside its own build folder where it is built.
std::string built_page() {
  const std::string here = folder_of(program_path());
  for (const char* place : {"/../share/stickslip/stickslip.html", "/../page/stickslip.html"})
    if (is_file(here + place)) return normal_path(here + place);
  throw Error(
      "the page has not been built with this program; in a clone of the project `./stickslip page OUT.html` builds it "
      "(scripts/page), which takes some minutes");
}

void page_command(const std::string& output) {
  check_result_place(output);
  const std::string page = read_whole(built_page());
  write_whole(output, page);
  std::cout << "wrote " << output << " (self-contained page; open it in a browser)\n";
}

}  // namespace

void add_page(CLI::App& app, Outcome&) {
  auto output = std::make_shared<std::string>("stickslip.html");
  auto* command = app.add_subcommand("page", "Write a page that identifies in any browser");
  command->add_option("output", *output, "file to write: FILE.html")->capture_default_str();
  command->footer(
      "Example\n  stickslip page friction.html\n\n"
      "The page opens from disk, uploads nothing and needs no installation: drop recordings onto it.");
  command->callback([output] { page_command(*output); });
}

}  // namespace stickslip::inline cli
