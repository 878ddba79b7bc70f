/// All candidates of one identification, fitted: in the order in which one gives starts to the next, on threads or shared among programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "identification/identify_task.hpp"
#include "platform/mutex.hpp"

namespace stickslip::inline identification {

class CandidateFits {
 public:
  explicit CandidateFits(const IdentifyTask& task) : task_(task) {}

  /// Every candidate of the options that can be fitted; the others go to `out.skipped` with the reason.
  std::vector<Entry> all(Identification& out);
  /// These as well: candidates that the residuals of another one suggest. Failures stay in the entries.
  void also(std::vector<Entry>& entries);
  /// The fit of one candidate; of one that was known before it is made again.
  Fitted fitted(const Entry& e) const;
  std::string label_of(const Candidate& c, const IdentifyOptions& options) const;
  /// Springs and bristles for candidates that start with them, from fits of the others.
  void choose_starts(const std::vector<Entry>& first, const std::vector<Entry>& second);

 private:
  double cost_of(const Entry& e) const;
  double cost_of(const std::vector<Entry>& entries) const;
  bool has_use_for_start(const std::vector<Entry>& entries) const;
  std::vector<Entry> high_orders(std::vector<Entry>& entries) const;
  void go_on(std::vector<Entry>& entries, std::vector<Entry>& later, Identification& out);
  void run_all(std::vector<Entry>& entries);
  void share(std::vector<Entry>& entries);
  void run_one(Entry& e);
  void judge(Entry& e, Predictions predictions = {}) const;
  IdentifiedModel finished(const Entry& e, Predictions& predictions) const;
  double judged(const IdentifiedModel& m) const;
  StartingPoints springs_for(std::size_t elements) const;
  ParameterValues bristle_start() const;
  IdentifyOptions plain() const;
  const IdentifiedModel* known_model(const std::string& label) const;
  void tell_start(const Entry& e);
  void tell(const Entry& e);
  void tell_progress(const std::string& otherwise) const;

  const IdentifyTask& task_;
  StartingPoints points_;
  Mutex telling_;
  double done_ = 0, total_ = 0;                          // as expected_cost() counts
  std::vector<std::pair<std::string, double>> running_;  // labels and costs, in the order of their start
};

/// The numbers of a law at these coordinates, those of every recording included.
void take_law(IdentifiedModel& m, const ModelSpace& space, const std::vector<double>& y);

}  // namespace stickslip::inline identification
