/// The program `stickslip-mpi`: `stickslip sweep` and `stickslip identify` on the ranks of an MPI job, with the same options, files
/// and bytes.
///   mpirun -n 64 stickslip-mpi sweep map.toml -o results/
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/safe_output.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/terminal.hpp"
#include "ranks.hpp"
#include "stickslip/version.hpp"

namespace {

using namespace stickslip;

constexpr const char* help = R"(stickslip-mpi sweep SWEEP.toml ...       as stickslip sweep, its runs on all ranks
stickslip-mpi identify RECORDING ...     as stickslip identify, candidates or repetitions on all ranks
stickslip-mpi identify --each A.csv B.csv ...    a list of recordings, one model each

Options are those of stickslip; stickslip COMMAND --help tells them. Start one rank per core.
  --common-instructions    vector instructions that every machine has, where they differ
  --version                show the version and exit

Example
  mpirun -n 64 stickslip-mpi sweep map.toml -o results/

Results are the same bytes as those of stickslip on one machine. All ranks must be the same program and compute the
same numbers; a difference is reported, with exit code 2. A signal or a rank that dies ends all of them; the same command
resumes from the journal (identify: with --resume), on any number of ranks or without MPI. docs/guides/cluster.md)";

int run(int argc, char** argv, Ranks& ranks) {
  const auto fail = [&](const std::string& message) {
    ranks.refuse(message);
    if (ranks.is_first()) std::cerr << (ranks.disagreement().empty() ? message : ranks.disagreement()) << "\n";
    return static_cast<int>(Outcome::bad_input);
  };
  std::vector<char*> words(argv, argv + argc);
  try {
    ranks.have_one_command({argv + 1, argv + argc});
    const auto common = std::find(words.begin(), words.end(), std::string("--common-instructions"));
    if (common != words.end()) {
      words.erase(common);
      ranks.take_narrowest_instructions();
    }
  } catch (const Error& problem) {
    return fail(problem.what());
  }
  const std::string command = words.size() > 1 ? words[1] : "--help";
  if (command == "--help" || command == "-h" || command == "--version") {
    if (ranks.is_first())
      std::cout << (command == "--version" ? "stickslip-mpi " + std::string(version()) : help) << "\n";
    return 0;
  }
  if (command != "sweep" && command != "identify")
    return fail("stickslip-mpi does sweep and identify, not " + in_quotes(command) + "; stickslip has the others");
  words.push_back(nullptr);
  return run_commands(static_cast<int>(words.size()) - 1, words.data(), fail);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NO_COLOR", "1", 0);
  ignore_terminal();  // what looks like one belongs to mpirun
  int threads = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  int exit_code = 0;
  {
    const SafeOutput safe;
    Ranks ranks;
    if (!ranks.is_first()) std::cout.setstate(std::ios::failbit), std::cerr.setstate(std::ios::failbit);
    set_workers(&ranks);
    try {
      exit_code = run(argc, argv, ranks);
    } catch (const FirstHasEnded&) {
    }
    ranks.finish();
    if (!ranks.is_first()) exit_code = 0;  // one rank says how it ended
  }
  MPI_Finalize();
  return exit_code;
}
