/// Every option of every command, as the commands themselves declare them, and every number of the example files, with values
/// that make no sense: each run ends soon and in little memory, with an answer or with one line that says what is wrong.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cmath>
#include <set>

#include "cli/command.hpp"
#include "cli/program.hpp"
#include "support/cases.hpp"
#include "support/places.hpp"

namespace stickslip::hostile_values_test {
namespace {

#ifdef STICKSLIP_SANITIZED
constexpr rlim_t most_seconds = 600;  // which makes programs many times slower
#else
constexpr rlim_t most_seconds = 60;
#endif
constexpr rlim_t most_bytes = rlim_t(3) << 30;

/// The program with these arguments, without a shell, bounded in time and memory.
Answer run_bounded(const Folder& folder, const std::vector<std::string>& arguments) {
  const std::string out = folder.path().string() + ".out", err = folder.path().string() + ".err";
  std::vector<char*> words;
  std::string program = program_file();
  words.push_back(program.data());
  std::vector<std::string> kept = arguments;
  for (std::string& word : kept) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit time{most_seconds, most_seconds}, memory{most_bytes, most_bytes};
    setrlimit(RLIMIT_CPU, &time);
#if !defined(STICKSLIP_SANITIZED)  // the sanitizer's shadow needs terabytes of addresses
    setrlimit(RLIMIT_AS, &memory);
#endif
    (void)memory;
    const auto stream = [](const std::string& path, int number) {
      dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), number);
    };
    if (chdir(folder.path().c_str()) != 0) _exit(99);
    dup2(open("/dev/null", O_RDONLY), 0);
    stream(out, 1), stream(err, 2);
    execv(program.c_str(), words.data());
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(out), text_of(err)};
  fs::remove(out), fs::remove(err);
  return answer;
}

/// Whether the text contains nan or inf as a word.
bool has_no_number(const std::string& text) {
  for (const std::string word : {"nan", "inf"})
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const auto is_letter = [&](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
      };
      if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + word.size())) return true;
    }
  return false;
}

/// One line that is no warning.
std::size_t error_lines(const std::string& text) {
  std::size_t lines = 0;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines += !line.starts_with("warning:");
  return lines;
}

/// What is wrong with an answer, "" if nothing is. `before` are the files that were there.
std::string complaint(const Answer& a, const Folder& folder, const std::vector<std::string>& before) {
  if (a.exit_code < 0) return "ended by signal " + std::to_string(-a.exit_code);
  if (a.exit_code > 2) return "exit code " + std::to_string(a.exit_code);
  if (a.err.find("internal error") != std::string::npos) return "an internal error";
  if (a.exit_code == 2 && error_lines(a.err) != 1) return "not one line of error";
  if (a.err.size() > 2000) return "an error of " + std::to_string(a.err.size()) + " characters";
  if (has_no_number(a.out)) return "nan or inf in the output";
  std::string wrong;
  for (const std::string& name : folder.files()) {
    if (std::find(before.begin(), before.end(), name) != before.end()) continue;
    if (a.exit_code == 2) wrong = "refused, but " + name + " was written";
    if (name.ends_with(".csv") && has_no_number(text_of(folder / name))) wrong = "nan or inf in " + name;
    std::error_code ignored;
    fs::remove_all(folder / name, ignored);
  }
  return wrong;
}

const std::vector<std::string>& hostile_numbers() {
  static const std::vector<std::string> all{"0",
                                            "-1",
                                            "-0.0",
                                            "1e-320",
                                            "1e-18",
                                            "1e308",
                                            "-1e308",
                                            "1e999",
                                            "inf",
                                            "nan",
                                            "4294967296",
                                            "-2147483649",
                                            "9223372036854775808",
                                            "18446744073709551616",
                                            "1e18",
                                            "3.5",
                                            std::string(400, '9'),
                                            "0." + std::string(400, '0') + "1"};
  return all;
}
const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> all{
      "",   " ",    "1 banana", "1e308 kg", "1e308 m/s", "0x10",  "1e",
      "--", "1,5",  " 5",       "5 ",       "[1, 2",     "=5",    "5=",
      "%s", "\xff", "1/0",      "1e5 Hz/0", "+-1",       "1_000", std::string(5000, 'x')};
  return all;
}

// --- options ---------------------------------------------------------------------------------------------------------

/// A command that works and is quick; the tests change one option at a time.
struct Usual {
  std::string command;
  std::vector<std::string> places;
  std::vector<std::pair<std::string, std::string>> options;
  std::size_t stride = 6;  // ./test tries one pair of option and value of so many
};

std::vector<Usual> usual_commands() {
  return {
      {"inspect", {"axis.csv"}, {}},
      {"generate", {"presliding"}, {{"--duration", "0.2 s"}}},
      {"generate", {"servo-axis"}, {{"--duration", "0.2 s"}}},
      {"plan",
       {},
       {{"--mass", "1 kg"}, {"--resolution", "1 mm"}, {"--sampling-time", "1 ms"}, {"--force-limit", "20 N"}}},
      {"virtual-bench",
       {"bench"},
       {{"--travel", "2 mm"}, {"--periods", "1"}, {"--speeds", "1 m/s"}, {"--ramp", "1 N/s"}}},
      {"simulate", {"body.toml"}, {}},
      {"sweep", {"sweep.toml"}, {{"--threads", "1"}}},
      {"merge", {"sweep.toml", "part.journal"}, {}},
      {"identify", {"axis.csv"}, {{"--model", "coulomb-viscous"}, {"--mass", "20 kg"}, {"--threads", "1"}}},
      {"validate", {"model.toml", "axis.csv"}, {}},
      {"curve", {"slow.csv", "fast.csv", "--whole"}, {}},
      {"contact", {"contact.csv"}, {}},
      {"slider", {"slider.csv"}, {{"--speed", "0.1"}, {"--mass", "1"}, {"--stiffness", "2"}}},
      {"breakaway-test", {"ramps.csv"}, {{"--mass", "1 kg"}, {"--coulomb", "1 N"}}},
      {"sine-test", {"swings.csv", "faster.csv"}, {{"--mass", "1 kg"}}},
      {"film-test", {"slow.csv"}, {{"--friction", "film.toml"}, {"--mass", "1 kg"}}},
      {"check", {"coulomb"}, {}},
      {"export", {"model.toml"}, {{"--c", "out.h"}}},
      {"compensate",
       {"model.toml"},
       {{"--mass", "20 kg"},
        {"--cells", "2"},
        {"--frequency", "5 Hz"},
        {"--sampling-time", "4 ms"},
        {"--threads", "1"}},
       12},
      {"models", {"lugre"}, {}},
      {"reproduce", {"--list"}, {}},
  };
}

constexpr const char* body_scenario = R"([machine]
kind = "pulled-spring"
mass = "1 kg"
stiffness = "2 N/m"
[input]
kind = "ramp"
rate = "0.1 m/s"
[friction]
model = "stribeck"
coulomb_force = "1 N"
stiction_force = "1.5 N"
stribeck_velocity = "1 mm/s"
[run]
duration = "30 s"
sample_interval = "0.05 s"
)";
constexpr const char* small_sweep = R"(scenario = "body.toml"
outputs = ["max velocity"]
[plan]
kind = "grid"
[[parameter]]
path = "machine.stiffness"
from = "1 N/m"
to = "3 N/m"
count = 3
)";
constexpr const char* model_file = R"([friction]
model = "coulomb-viscous"
coulomb_force = "20 N"
viscosity = "100 N s/m"
[preparation]
mass = "20 kg"
)";

/// Recordings that the commands can use, some hundred samples each.
void write_inputs(const Folder& folder) {
  folder.write("body.toml", body_scenario);
  folder.write("sweep.toml", small_sweep);
  folder.write("film.toml", R"([friction]
model = "new-modified-lugre"
coulomb_force = "1 N"
stiction_force = "2 N"
stribeck_velocity = "10 mm/s"
film_velocity = "50 mm/s"
viscosity = "1 N s/m"
viscous_lag = "0.1 s"
bristle_stiffness = "100 kN/m"
growing_time = "0.2 s"
thinning_time = "1 s"
rest_time = "10 s"
)");
  folder.write("model.toml", model_file);
  std::string axis = "time_s,position_m,force_N\n", slow = axis, fast = axis, contact = axis,
              slider = "time_s,force_N\n", ramps = axis, swings = axis, faster = axis;
  for (int i = 0; i < 800; ++i) {
    const double t = 0.002 * i, w = 12.0, x = 0.01 * std::sin(w * t), v = 0.01 * w * std::cos(w * t);
    const auto row = [](double time, double position, double force) {
      return std::to_string(time) + "," + std::to_string(position) + "," + std::to_string(force) + "\n";
    };
    axis += row(t, x, -20 * w * w * x + (v > 0 ? 20 : -20) + 100 * v);
    slow += row(t, 0.01 * t, 5.2 + 0.01 * std::sin(700.0 * i));
    fast += row(t, 0.02 * t, 5.4 + 0.01 * std::sin(700.0 * i));
    contact += row(t, x, std::max(-8.0, std::min(8.0, 3000 * x)));
    const int phase = i % 80;
    slider +=
        std::to_string(t) + "," + std::to_string(phase < 70 ? 0.5 + phase / 70.0 : 1.5 - (phase - 70) / 10.0) + "\n";
    ramps += row(t, 0.001 * (i / 40), 0.05 * (i % 40));
    faster += row(t, 0.001 * std::round(20 * std::sin(w * t)), -w * w * 0.02 * std::sin(w * t) + (v > 0 ? 1 : -1));
    swings += row(t, 0.001 * std::round(10 * std::sin(w * t)), -w * w * 0.01 * std::sin(w * t) + (v > 0 ? 1 : -1));
  }
  folder.write("axis.csv", axis), folder.write("slow.csv", slow), folder.write("fast.csv", fast),
      folder.write("contact.csv", contact);
  folder.write("slider.csv", slider), folder.write("ramps.csv", ramps), folder.write("swings.csv", swings),
      folder.write("faster.csv", faster);
}

std::vector<std::string> arguments_of(const Usual& usual, const std::string& changed, const std::string& value) {
  std::vector<std::string> words{usual.command};
  for (const auto& place : usual.places) words.push_back(place);
  for (const auto& [name, text] : usual.options)
    if (name != changed) words.push_back(name + "=" + text);
  if (!changed.empty()) words.push_back(changed + "=" + value);
  return words;
}

/// The values for an option: plain ones, texts, and those with its own unit where it has one.
std::vector<std::string> values_for(const CLI::Option& option) {
  std::vector<std::string> values = hostile_texts();
  const std::string type = option.get_type_name();
  const auto open = type.find('['), close = type.find(']');
  const std::string unit = open == std::string::npos ? "" : " " + type.substr(open + 1, close - open - 1);
  const bool is_number = type.starts_with("NUMBER") || type.starts_with("COUNT");
  for (const std::string& number : hostile_numbers())
    if (is_number || (number != "nan" && number != "inf"))
      values.push_back(number + unit);  // a file may have that name
  if (!unit.empty()) values.push_back("5");
  return values;
}

/// ./test tries some pairs of option and value, in turns, a third unless a command takes its time; scripts/properties tries all.
bool is_drawn(std::size_t number, std::size_t stride = 10) { return test::cases(1) > 1 || number % stride == 0; }

class HostileOptions : public testing::TestWithParam<std::size_t> {};

TEST_P(HostileOptions, EachEndsSoonWithAnAnswerOrOneLine) {
  const std::vector<Usual> all = usual_commands();
  const Usual& usual = all[GetParam()];
  CLI::App app;
  Outcome outcome = Outcome::done;
  add_commands(app, outcome);
  // Options that several commands share are tried with the first of them.
  std::set<std::string> tried;
  for (std::size_t i = 0; i < GetParam(); ++i)
    for (const auto* option : app.get_subcommand(all[i].command)->get_options())
      if (all[i].command == usual.command ? all[i].places == usual.places : !option->get_group().starts_with("Options"))
        tried.insert(option->get_single_name());
  const Folder folder;
  write_inputs(folder);
  if (usual.command == "merge") {
    ASSERT_EQ(run_bounded(folder, {"sweep", "sweep.toml", "--shard", "1/1"}).exit_code, 0);
    fs::rename(folder / "sweep.shard-1-of-1.journal", folder / "part.journal");
  }
  const auto before = folder.files();
  const Answer fine = run_bounded(folder, arguments_of(usual, "", ""));
  ASSERT_LT(fine.exit_code, 2) << usual.command << ": " << fine.err;
  ASSERT_GE(fine.exit_code, 0) << usual.command << ": " << fine.err;
  EXPECT_EQ(complaint(fine, folder, before), "") << usual.command << "\n" << fine.out << fine.err;
  std::size_t runs = 0, options = 0, drawn = 0;
  for (const auto* option : app.get_subcommand(usual.command)->get_options()) {
    const bool takes_value = option->get_items_expected_max() > 0;
    if (!takes_value || option->get_lnames().empty() || tried.contains(option->get_single_name())) continue;
    const std::string name = "--" + option->get_lnames().front();
    ++options;
    for (const std::string& value : values_for(*option)) {
      if (!is_drawn(++drawn + options, usual.stride)) continue;
      const Answer answer = run_bounded(folder, arguments_of(usual, name, value));
      const std::string wrong = complaint(answer, folder, before);
      ++runs;
      EXPECT_EQ(wrong, "") << usual.command << " " << name << "='" << value.substr(0, 60) << "'\n"
                           << answer.out.substr(0, 400) << answer.err.substr(0, 400);
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
}

std::string name_of_command(const testing::TestParamInfo<std::size_t>& info) {
  const Usual usual = usual_commands()[info.param];
  std::string name;
  for (const char c : usual.command + (usual.command == "generate" ? usual.places.front() : ""))
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Commands, HostileOptions, testing::Range<std::size_t>(0, usual_commands().size()),
                         name_of_command);

// A command that is not in the list above is not tried: the list must have all of them.
TEST(HostileOptionsList, HasEveryCommand) {
  CLI::App app;
  Outcome outcome = Outcome::done;
  add_commands(app, outcome);
  // demo and page have no number; the demo takes its time.
  std::set<std::string> listed{"demo", "page"};
  for (const Usual& usual : usual_commands()) listed.insert(usual.command);
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    EXPECT_TRUE(listed.contains(command->get_name())) << command->get_name();
}

// --- keys of files ---------------------------------------------------------------------------------------------------

/// The places of numbers in a TOML text, outside of comments, titles and names.
struct Number {
  std::size_t at, length;
};
std::vector<Number> numbers_in(const std::string& text) {
  std::vector<Number> found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, std::min(end, text.find('#', begin)) - begin);
    const std::size_t equals = line.find('=');
    const bool is_words = line.starts_with("title") || line.starts_with("file") || line.starts_with("path") ||
                          line.starts_with("name") || line.starts_with("outputs");
    for (std::size_t i = equals; !is_words && i < line.size(); ++i) {
      const auto is_digit = [&](std::size_t k) {
        return k < line.size() && std::isdigit(static_cast<unsigned char>(line[k]));
      };
      const bool follows_word = std::isalnum(static_cast<unsigned char>(line[i - 1])) || line[i - 1] == '_' ||
                                line[i - 1] == '^' || line[i - 1] == '.';
      if (!is_digit(i) || follows_word) continue;
      std::size_t last = i;
      while (is_digit(last) || (last < line.size() && line[last] == '.') ||
             (last < line.size() && line[last] == 'e' &&
              (is_digit(last + 1) || (last + 2 < line.size() && line[last + 1] == '-' && is_digit(last + 2)))) ||
             (last < line.size() && line[last] == '-' && line[last - 1] == 'e'))
        ++last;
      const std::size_t from = line[i - 1] == '-' ? i - 1 : i;
      found.push_back({begin + from, last - from});
      i = last;
    }
    begin = end + 1;
  }
  return found;
}

/// A run of so few steps that each ends in milliseconds, whatever the numbers.
std::string shortened(std::string text) {
  if (text.find("kind = \"servo-pendulum\"") != std::string::npos || text.find("fixed-step") != std::string::npos)
    return text;
  const auto solver = text.find("\n[solver]\n");
  if (solver == std::string::npos) return text + "\n[solver]\nmost_steps = 5000\n";
  return text.insert(solver + 10, "most_steps = 5000\n");
}

class HostileKeys : public testing::TestWithParam<const char*> {};

TEST_P(HostileKeys, EachEndsSoonWithAnAnswerOrOneLine) {
  const fs::path source = fs::path(source_dir()) / "examples" / GetParam();
  const std::string text = shortened(text_of(source));
  const Folder folder;
  for (const auto& entry : fs::directory_iterator(source.parent_path()))  // what the file names lies beside it
    if (entry.is_regular_file()) fs::copy_file(entry.path(), folder / entry.path().filename().string());
  folder.write("changed.toml", text);
  const auto before = folder.files();
  const Answer fine = run_bounded(folder, {"simulate", "changed.toml", "--no-files", "--json"});
  ASSERT_TRUE(fine.exit_code == 0 || fine.exit_code == 1) << fine.err;
  std::size_t runs = 0;
  for (const auto& [at, length] : numbers_in(text)) {
    for (const std::string& value : hostile_numbers()) {
      std::string changed = text;
      changed.replace(at, length, value);
      folder.write("changed.toml", changed);
      const Answer answer = run_bounded(folder, {"simulate", "changed.toml", "--no-files", "--ledger"});
      ++runs;
      const auto line_begin = text.rfind('\n', at) + 1;
      EXPECT_EQ(complaint(answer, folder, before), "")
          << text.substr(line_begin, text.find('\n', at) - line_begin) << " with " << value.substr(0, 40) << "\n"
          << answer.out.substr(0, 400) << answer.err.substr(0, 600);
    }
  }
  EXPECT_GT(runs, 50u);
  RecordProperty("runs", static_cast<int>(runs));
}
INSTANTIATE_TEST_SUITE_P(Examples, HostileKeys,
                         testing::Values("stick_slip_lugre.toml", "pid_limit_cycle.toml", "load_dependent.toml",
                                         "fixed_step.toml", "machines/winch.toml", "machines/hydraulic_cylinder.toml",
                                         "machines/clutch_by_wire_play.toml", "machines/servo_pendulum.toml",
                                         "machines/dual_clutch_controlled.toml"),
                         [](const auto& info) {
                           std::string name = fs::path(info.param).stem().string();
                           return name;
                         });

// --- keys of sweeps, models and jobs ---------------------------------------------------------------------------------

/// A file of numbers, what lies beside it, and a command that uses it and is quick.
struct KeyedFile {
  const char* name;
  const char* text;
  std::vector<std::string> command;
};

constexpr const char* axis_machine = R"([machine]
kind = "position-loop"
mass = "5 kg"
position_gain = "40 1/s"
velocity_gain = "300 N s/m"
sampling_time = "2 ms"
[input]
kind = "sine"
amplitude = "20 mm"
frequency = "1.3 Hz"
[friction]
model = "coulomb-viscous"
coulomb_force = "8 N"
viscosity = "25 N s/m"
[run]
duration = "0.2 s"
sample_interval = "2 ms"
[solver]
most_steps = 5000
)";

std::vector<KeyedFile> keyed_files() {
  return {
      {"sweep",
       "scenario = \"body.toml\"\noutputs = [\"max velocity\", \"period\"]\n[plan]\nkind = \"sobol\"\nruns = 2\n"
       "seed = 3\n[[parameter]]\npath = \"machine.stiffness\"\nfrom = \"1 N/m\"\nto = \"3 N/m\"\nspacing = \"log\"\n"
       "[run]\nobserve_from = \"1 s\"\nslip_speed = \"1 mm/s\"\nrelative_tolerance = 1e-6\n",
       {"sweep", "changed.toml", "--no-files", "--json", "--threads", "1"}},
      {"grid",
       "scenario = \"body.toml\"\noutputs = [\"sticks\"]\n[plan]\nkind = \"grid\"\n[[parameter]]\npath = "
       "\"machine.stiffness\"\nfrom = \"1 N/m\"\nto = \"3 N/m\"\ncount = 2\n[[parameter]]\npath = \"machine.mass\"\n"
       "values = \"[1, 2] kg\"\n",
       {"sweep", "changed.toml", "--no-files", "--json", "--threads", "1"}},
      {"model",
       "[friction]\nmodel = \"coulomb-viscous\"\ncoulomb_force = \"20 N\"\nviscosity = \"100 N s/m\"\n[measurement]\n"
       "offset = \"0.5 N\"\nlag = \"1 ms\"\nbacklash = \"1 um\"\n[preparation]\nmass = \"20 kg\"\n",
       {"validate", "changed.toml", "axis.csv"}},
      {"job",
       "[recording]\nfile = \"axis.csv\"\ntime = \"time_s\"\nposition = \"position_m\"\nforce = "
       "\"force_N\"\n[machine]\n"
       "file = \"axis.toml\"\n[inputs]\ninput = \"position_m\"\n[[output]]\nsimulated = \"command_force\"\nmeasured = "
       "\"force\"\nweight = 2\n[[free]]\npath = \"machine.mass\"\nstart = \"4 kg\"\nlow = \"1 kg\"\nhigh = \"50 kg\"\n",
       {"identify", "changed.toml", "--no-files", "--json", "--threads", "1"}},
      {"inverse",
       "method = \"inverse-dynamics\"\n[recording]\nfile = \"axis.csv\"\ntime = \"time_s\"\nposition = "
       "\"position_m\"\nforce = \"force_N\"\nforce_gain = \"1.5 N/N\"\n[inverse_dynamics]\ncutoff = \"50 "
       "Hz\"\ndecimation = 2\nfriction = \"symmetric\"\n",
       {"identify", "changed.toml", "--no-files", "--json"}}};
}

class HostileFiles : public testing::TestWithParam<std::size_t> {};

TEST_P(HostileFiles, EachNumberEndsSoonWithAnAnswerOrOneLine) {
  const KeyedFile file = keyed_files()[GetParam()];
  const std::string text = file.text;
  const Folder folder;
  write_inputs(folder);
  folder.write("axis.toml", axis_machine);
  folder.write("changed.toml", text);
  const auto before = folder.files();
  const Answer fine = run_bounded(folder, file.command);
  ASSERT_TRUE(fine.exit_code == 0 || fine.exit_code == 1) << fine.err;
  std::size_t runs = 0, pairs = 0;
  for (const auto& [at, length] : numbers_in(text))
    for (const std::string& value : hostile_numbers()) {
      if (!is_drawn(++pairs)) continue;
      std::string changed = text;
      changed.replace(at, length, value);
      folder.write("changed.toml", changed);
      const Answer answer = run_bounded(folder, file.command);
      ++runs;
      const auto line_begin = text.rfind('\n', at) + 1;
      EXPECT_EQ(complaint(answer, folder, before), "")
          << text.substr(line_begin, text.find('\n', at) - line_begin) << " with " << value.substr(0, 40) << "\n"
          << answer.out.substr(0, 400) << answer.err.substr(0, 600);
    }
  EXPECT_GT(pairs, 30u);
  RecordProperty("runs", static_cast<int>(runs));
}
INSTANTIATE_TEST_SUITE_P(Kinds, HostileFiles, testing::Range<std::size_t>(0, keyed_files().size()),
                         [](const auto& info) { return std::string(keyed_files()[info.param].name); });

}  // namespace
}  // namespace stickslip::hostile_values_test
