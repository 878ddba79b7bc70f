/// How a recording is read; see reading_options.hpp.
#include "reading_options.hpp"

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/reading_section.hpp"
#include "number_options.hpp"

namespace stickslip::inline cli {
namespace {

char one_character(const std::string& text, const char* option) {
  if (text.empty()) return 0;
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "blank") return ' ';
  if (text.size() != 1)
    throw Error(std::string(option) + " is " + in_quotes(text) + "; one character, `tab` or `blank` is needed");
  return text[0];
}

/// For the help texts.
struct ColumnExample {
  const char *heading, *gain;
};
ColumnExample example_of(Role role) {
  switch (role) {
    case Role::time:
      return {"'t [ms]'", ""};
    case Role::position:
      return {"'q [mm]'", "'5 mm/V'"};
    case Role::velocity:
      return {"'v [mm/s]'", "'0.1 m/s/V'"};
    case Role::force:
      return {"'F [kN]'", "'35.15 N/V'"};
    case Role::load:
      return {"'load [kN]'", "'100 N/V'"};
    case Role::pressure:
      return {"'p [bar]'", "'10 bar/V'"};
    case Role::temperature:
      return {"'T [degC]'", "'10 degC/V'"};
  }
  return {"'q [mm]'", ""};
}

}  // namespace

void add_reading_options(CLI::App& command, ReadingArguments& a) {
  const char* const group = "Reading";
  for (const Role role : all_roles) {
    const std::string name(role_name(role));
    const ColumnExample example = example_of(role);
    command
        .add_option("--" + name, of(a.options.columns, role),
                    "heading of the " + name + " column; " + example.heading + " also gives the unit" +
                        (role == Role::force ? "; or a calculation: 'p1*A1 - p2*A2'" : ""))
        ->group(group);
    if (role != Role::time)
      command
          .add_option("--" + name + "-gain", of(a.options.gains, role),
                      std::string("gain, value per unit of the column: ") + example.gain)
          ->group(group);
  }
  repeatable(command.add_option("--let", a.let, "constant for calculations: A1='12.3 cm^2'; may be repeated"))
      ->group(group);
  DriveTrain& drive = a.options.drive;
  const auto motor = [&](const char* name, std::string& into, const char* help) {
    command.add_option(name, into, help)->group(group);
  };
  motor("--torque-constant", drive.torque_constant,
        "torque constant of the motor, if the force column is its current: '0.05 N m/A'");
  motor("--gear", drive.gear, "gear ratio, turns of the motor per turn of the output: 50");
  motor("--pitch", drive.pitch, "screw pitch, travel per turn of the output: '5 mm'");
  motor("--counts-per-turn", drive.counts_per_turn, "counts per turn of the encoder, for a position in counts: 4096");
  motor("--encoder", drive.encoder,
        "side on which the angle is measured: motor or load (default: motor for counts and with --pitch)");
  motor("--resistance", drive.resistance, "winding resistance, if the force column is the motor voltage: '1.2 ohm'");
  motor("--back-emf", drive.back_emf, "back-EMF constant of that motor: '0.05 V s/rad' (default: its torque constant)");
  add_number(command, "--rate", a.options.rate, "Hz", Sign::positive,
             "sampling rate of a file without a time column: '1 kHz'")
      ->group(group);
  repeatable(command.add_option("--columns", a.options.names, "headings of a file that has none: time_s,force_N"))
      ->delimiter(',')
      ->group(group);
  repeatable(command.add_option("--where", a.where, "keep only rows with column=value; may be repeated"))->group(group);
  command.add_option("--missing", a.missing, "treatment of missing values: refuse, drop or interpolate")
      ->check(CLI::IsMember({"refuse", "drop", "interpolate"}))
      ->group(group);
  command.add_option("--delimiter", a.delimiter, "cell delimiter: one character, `tab` or `blank`")->group(group);
  command.add_option("--decimal", a.decimal, "decimal mark: . or ,")->group(group);
  add_count(command, "--skip-lines", a.options.skip_lines, {0, 1e9, "no file that can be read has more lines"},
            "number of lines before the headings")
      ->group(group);
}

ReadOptions reading_options(const ReadingArguments& a) {
  ReadOptions options = a.options;
  options.delimiter = one_character(a.delimiter, "--delimiter");
  options.decimal = one_character(a.decimal, "--decimal");
  options.missing = a.missing == "drop"          ? Missing::drop
                    : a.missing == "interpolate" ? Missing::interpolate
                                                 : Missing::refuse;
  for (const std::string& number : a.let) {
    std::pair<std::string, std::string> pair;
    if (!split_at_equals(number, pair))
      throw Error("--let is " + in_quotes(one_line(number, 60)) + "; write for example A1='12.3 cm^2'");
    for (const auto& [name, value] : options.numbers)
      if (name == pair.first) throw Error("--let " + one_line(name, 60) + " is given twice; leave out one");
    options.numbers.push_back(std::move(pair));
  }
  for (const std::string& condition : a.where) {
    std::pair<std::string, std::string> pair;
    if (!split_at_equals(condition, pair))
      throw Error("--where is " + in_quotes(one_line(condition, 60)) + "; column=value is needed");
    options.where.push_back(std::move(pair));
  }
  return options;
}

void warn_of(const Recording& recording) {
  for (const Note& note : recording.notes) warn(to_text(note, recording.file));
}

}  // namespace stickslip::inline cli
