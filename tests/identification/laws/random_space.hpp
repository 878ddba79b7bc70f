/// A law with random numbers as a space of a fit, and random coordinates near its guess.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "identification/laws/model_space.hpp"
#include "models/random_models.hpp"

namespace stickslip {

struct RandomSpace {
  ModelSpace space;
  std::vector<double> y;
};

/// With a lag in every third draw, per direction in every third; nothing for a law that has no directions.
inline std::optional<RandomSpace> random_space(random_models::Random& random, const RegisteredModel& model,
                                               const DataScales& scales, int draw) {
  SpaceOptions options;
  options.start = random_models::draw(random, model);
  options.find_lag = draw % 3 == 1;
  options.per_direction = draw % 3 == 2;
  std::optional<RandomSpace> made;
  try {
    made = RandomSpace{ModelSpace(model, scales, options), {}};
  } catch (const Error&) {  // not per direction
    return made;
  }
  made->y = made->space.guess();
  for (std::size_t k = 0; k < made->y.size(); ++k) {
    const Unknown& u = made->space.unknowns()[k];
    made->y[k] = std::clamp(made->y[k] + u.spread * random_models::uniform(random, -0.3, 0.3), u.lowest(), u.highest());
  }
  return made;
}

}  // namespace stickslip
