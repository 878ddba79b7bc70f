/// stickslip film-test RECORDING... --friction STATIC: stiffness, film times and viscous lag of a lubricated contact.
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "jobs/bench_tests/film.hpp"
#include "preparation_options.hpp"
#include "reading_options.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct FilmTestArguments {
  std::vector<std::string> files, speeds, test, free, fixed;
  std::string friction;
  ReadingArguments reading;
  PreparationArguments preparation;
  ResultArguments result;
};

Outcome run_film_test(const FilmTestArguments& a) {
  check_result_places(a.result);
  if (finds_mass(a.preparation)) throw Error("--mass find is for identify; film-test needs the mass: --mass '20 kg'");
  FilmRequest request{.recordings = sources_of(a.files),
                      .test = sources_of(a.test),
                      .speeds = sources_of(a.speeds),
                      .free = a.free,
                      .fixed = a.fixed,
                      .preparation = [&a](bool is_rotary) { return preparation(a.preparation, is_rotary); },
                      .reading = reading_options(a.reading)};
  if (!a.friction.empty()) request.friction = read_model_file(a.friction);
  return deliver(film_finding(request, warn), a.result);
}

}  // namespace

void add_film_test(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<FilmTestArguments>();
  auto* command = app.add_subcommand("film-test", "Film dynamics of a lubricated contact");
  command
      ->add_option(
          "recording", a->files,
          "recordings of position and force, fitted together: presliding strokes, sinusoidal speeds at several "
          "frequencies, slow starts after rests of several lengths")
      ->required();
  command->add_option(
      "--speeds", a->speeds,
      "recordings at constant speeds, seven or more in each direction; without them --friction is needed");
  command->add_option("--friction", a->friction,
                      "model file to begin with: an earlier new-modified-lugre, or a static curve as written by curve");
  repeatable(
      command->add_option("--free", a->free,
                          "parameter to fit in addition to stiffness, film times and viscous lags: bristle_damping, "
                          "backward.film_velocity, ...; static: all of the static curve; may be repeated"));
  repeatable(command->add_option("--fix", a->fixed, "fix a known parameter: thinning_time='1.5 s'; may be repeated"));
  repeatable(command->add_option("--test", a->test, "test recordings, predicted and not fitted; may be repeated"));
  add_result_options(*command, a->result, "measured and predicted force");
  add_preparation_options(*command, a->preparation);
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip film-test strokes.csv slow.csv fast.csv rests.csv --speeds speeds/*.csv --mass '20 kg' -o "
      "film.model.toml\n\n"
      "The result is the model new-modified-lugre. Exit code 1 if it leaves more than half of the force variance "
      "unexplained.");
  command->callback([a, &outcome] { outcome = run_film_test(*a); });
}

}  // namespace stickslip::inline cli
