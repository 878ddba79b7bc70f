/// What a machine with other numbers leaves of its logs, eq. (1) of machine_fit.hpp: free numbers, residuals and slopes of one
/// candidate. Slopes for the search are carried along by Broyden's rank-one update
///   J ← J + (Δr − J Δx) Δxᵀ S²/(Δxᵀ S² Δx),  S the sizes of the numbers                                        (1)
/// as long as r follows J; a column costs a simulation only of the logs it belongs to, none for an offset or a delay.
/// C. G. Broyden, Math. Comp. 19, 1965.
/// A search may try numbers with which the machine needs far more steps (almost no mass, a huge stiffness). A run
/// that takes more steps than 20 times those of the first, and more than 20 000, is given up: such numbers cannot be had.      (2)
#pragma once

#include <atomic>

#include "files/input_section.hpp"
#include "fitting/machine_fit.hpp"
#include "machines/machine_kind.hpp"

namespace stickslip::inline fitting {

/// Rows of a log that the run covers, and where estimation ends.
struct LogRows {
  std::size_t first = 0, middle = 0, last = 0;
  double margin = 0;    // how far a run continues beyond the last row it needs [s]
  double end_time = 0;  // of the last row [s]
};

/// search: (1) where it can be trusted. confidence: taken anew where they have not been since the search.
enum class SlopeOf { search, confidence };

class OutputError {
 public:
  /// Throws Error for a machine that cannot be used, or logs that its run does not cover.
  OutputError(const MachineJob& job, const FitCandidate& candidate, unsigned threads);

  const std::vector<FreeNumber>& numbers() const { return numbers_; }
  const std::vector<std::string>& units() const { return units_; }
  const std::vector<Prior>& priors() const { return priors_; }
  std::size_t residual_count() const { return residuals_; }
  const LogRows& rows(std::size_t log) const { return rows_[log]; }
  std::size_t simulations() const { return simulations_; }
  /// Those of them that (2) has ended.
  std::size_t given_up() const { return given_up_; }

  /// Residuals of (1) over the rows that estimate; false where the machine cannot be had.
  bool residuals(std::span<const double> x, std::span<double> r) const;
  void slopes(std::span<const double> x, Eigen::MatrixXd& slopes, std::vector<char>& known, SlopeOf use) const;

  /// Every output of a log at its times, delay and offsets included; false where the machine cannot be had.
  bool predict(std::span<const double> x, std::size_t log, double until,
               std::vector<std::vector<double>>& predicted) const;

  double cost_of(const std::vector<std::vector<double>>& predicted, std::size_t log, std::size_t row) const;
  /// Mean of (1) over some rows.
  double mean_cost(const std::vector<std::vector<double>>& predicted, std::size_t log, std::size_t from,
                   std::size_t to) const;
  OutputQuality quality(std::size_t log, std::size_t output, const std::vector<double>& predicted) const;
  OutputQuality quality_of_all(std::size_t output, const std::vector<LogQuality>& logs) const;

  /// The free places' values; of private ones the means.
  std::vector<double> mean_values(std::span<const double> x) const;
  /// Numbers for all logs from a fit to some of them, whose logs `kept` names: private numbers of the others are means.
  std::vector<double> taken_over(const OutputError& part, std::span<const double> x,
                                 const std::vector<std::size_t>& kept, std::span<const double> otherwise) const;
  std::vector<Spread> spreads(const Confidence& confidence) const;

 private:
  /// Which of the numbers a thing is in a log.
  struct Numbered {
    bool is_private = false;
    std::size_t first = 0;  // number of log 0
    std::size_t in(std::size_t log) const { return first + (is_private ? log : 0); }
  };
  struct Evaluated {
    std::vector<double> x;
    std::vector<MachineRun> runs;  // per log
    Eigen::VectorXd r;
  };

  void add_numbers();
  void choose_rows(std::size_t log, const std::vector<double>& simulated);
  double weight_of(std::size_t output) const;
  TomlValue document_with(std::span<const double> x, std::size_t log) const;
  bool run(std::span<const double> x, std::size_t log, double until, MachineRun& trace) const;
  void compare(const MachineRun& trace, std::span<const double> x, std::size_t log, double until,
               std::vector<std::vector<double>>& predicted) const;
  /// Residuals of one log at its place in r; false where one is not finite.
  bool residuals_of(const MachineRun& trace, std::span<const double> x, std::size_t log, std::span<double> r) const;
  void slopes_anew(const Evaluated& base, Eigen::MatrixXd& slopes) const;
  bool is_of_machine(std::size_t number) const { return number < first_of_sensors_; }
  /// The logs whose residuals a number changes.
  std::vector<std::size_t> logs_of(std::size_t number) const;

  const MachineJob& job_;
  const FitCandidate& candidate_;
  KeptInputs inputs_;                                    // every log is opened once
  std::vector<std::vector<std::vector<Place>>> places_;  // of every log and free number
  std::vector<LogRows> rows_;
  std::vector<std::size_t> first_residual_;  // of every log
  std::vector<double> weights_;
  std::vector<FreeNumber> numbers_;
  std::vector<std::string> units_;
  std::vector<Prior> priors_;
  std::vector<Numbered> free_, offset_;
  std::optional<std::size_t> delay_;
  std::size_t first_of_sensors_ = 0, residuals_ = 0;
  unsigned threads_ = 0;
  std::vector<std::size_t> most_steps_;  // of a run of every log (2)
  mutable std::atomic<std::size_t> simulations_{0}, given_up_{0};
  mutable std::vector<Evaluated> recent_;  // the last evaluations, the newest last
  mutable Evaluated last_;                 // where slopes were asked for
  mutable Eigen::MatrixXd carried_;        // J there
  mutable int carries_ = 0;                // updates since it was taken anew
  mutable SlopeOf taken_for_ = SlopeOf::search;
};

}  // namespace stickslip::inline fitting
