/// The HTML reports of `stickslip identify` and `stickslip validate`: measured against predicted over time, the residual and where it
/// comes from, the hysteresis loop, friction over velocity with the model's steady curve, the ranking, orders, and what is known of
/// each parameter.
#pragma once
#include <string>
#include <vector>

#include "identification/identify.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip::inline jobs {

/// One force over the samples of a piece.
struct Prediction {
  std::string name;
  std::vector<double> force;  // [N]
};

/// Force measured and predicted, residuals of the first prediction, and velocity, over time; rest is shaded, the sets are
/// marked where they begin.
Figure time_figure(const Piece& piece, const std::vector<Prediction>& predictions);
/// Force over position and over velocity, coloured by time, with the prediction; `curve` is the model's force at steady speeds.
Figure loop_figure(const Prepared& data, const Prediction& prediction, const Friction& friction);
/// The residual over velocity and over position: what is systematic there is missing in the model.
Figure residual_figure(const Prepared& data, const Prediction& prediction);

Page identification_page(const Identification& found, const Sets& sets, const Provenance& provenance);

/// A stored model on another recording.
struct Validation {
  std::string title;  // "axis.model.toml on second.csv"
  std::string model;  // registered name
  FrictionSettings settings;
  Chain chain;
  FitQuality quality;
  double rms = 0;  // [N]
  bool holds = true;
  std::string verdict;  // one sentence
  std::vector<std::string> warnings;
};
Page validation_page(const Validation& validation, const Prepared& data, const Provenance& provenance);

}  // namespace stickslip::inline jobs
