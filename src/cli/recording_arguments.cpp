/// The options of recordings, as the jobs take them; see recording_arguments.hpp.
#include "recording_arguments.hpp"

#include <iostream>

#include "report/terminal.hpp"
#include "report/terminal_plot.hpp"

namespace stickslip::inline cli {

PreparationRequest request_of(const PreparationArguments& a, const Preparation& start) {
  return {[&a, start](bool is_rotary) { return preparation(a, is_rotary, start); },
          (a.drives || start.force_drives) && !a.opposes,
          MassFrom::stated,
          {.mass = false}};
}

RecordingsRequest request_of(const RecordingArguments& a) {
  RecordingsRequest request{.files = sources_of(a.files), .reading = reading_options(a.reading), .preparation = {}};
  if (!a.split.shares.empty()) request.split.shares = shares_of(a.split.shares);
  request.preparation = request_of(a.preparation);
  request.preparation.mass = finds_mass(a.preparation)       ? MassFrom::recording
                             : a.preparation.mass.is_given() ? MassFrom::stated
                                                             : MassFrom::recording_where_visible;
  LoadSearch& loads = request.preparation.loads;
  loads.gravity = a.preparation.gravity;
  loads.knots = a.preparation.load_knots;
  if (a.preparation.cogging.is_given()) loads.cogging_period = a.preparation.cogging_period();
  request.split.validation = sources_of(a.split.validation);
  request.split.test = sources_of(a.split.test);
  request.split.column = a.split.column;
  request.split.estimation_values = a.split.estimation_values;
  request.split.validation_values = a.split.validation_values;
  request.split.test_values = a.split.test_values;
  return request;
}

void draw_forces(const Piece& piece, const Prediction& prediction) {
  const Figure figure = time_figure(piece, {prediction});
  for (std::size_t i = 0; i < 2; ++i)  // the force and what is left of it
    std::cout << "\n"
              << to_terminal(figure.panels[i],
                             {.columns = static_cast<int>(terminal_width()), .rows = 14, .colour = wants_colour()});
}

}  // namespace stickslip::inline cli
