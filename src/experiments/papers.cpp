/// The papers whose experiments are reproduced; see papers.hpp.
#include "experiments/papers.hpp"

#include <sstream>

#include "core/text.hpp"
#include "experiments/paper_texts.hpp"

namespace stickslip {
namespace {

/// Cells of a Markdown row; "\|" is a bar inside a cell.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells{""};
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|')
      cells.back() += row[++i];
    else if (row[i] == '|')
      cells.emplace_back();
    else
      cells.back() += row[i];
  }
  for (auto& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

/// The table below "## P0" of docs/misprints.md.
std::vector<Misprint> misprints_of(const std::string& key) {
  std::istringstream lines{std::string(paper_text("misprints.md"))};
  std::vector<Misprint> found;
  bool is_inside = false;
  int row = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) is_inside = line == "## " + key, row = 0;
    if (!is_inside || !line.starts_with("|") || ++row <= 2) continue;  // heading and rule
    const auto cells = cells_of(line);
    if (cells.size() >= 3) found.push_back({cells[0], cells[1], cells[2]});
  }
  return found;
}

constexpr const char* sketch = "a drawing, nothing to compute";
constexpr const char* bench = "measured on a test bench whose data are not public";

}  // namespace

std::vector<Paper> papers() {
  std::vector<Paper> all{
      {"P0",
       "A hybrid two-mode model of dry friction and its identification on a clutch-by-wire",
       {{"Fig 1", "state machine", "", sketch},
        {"Fig 2", "map of switches", "switch-map"},
        {"Fig 3", "set-up of the stick-slip test", "", sketch},
        {"Fig 4", "stick-slip: ideal, LuGre", "stick-slip"},
        {"Fig 5", "limit cycle under PID control", "pid-limit-cycle"},
        {"Fig 6", "presliding displacement", "presliding"},
        {"Fig 7-8", "no drift under a vibrating load", "no-drift"},
        {"Fig 9-11", "algorithm, photographs, kinematic diagram", "", sketch},
        {"Fig 12", "springs of the mechanism", "clutch-by-wire-tests",
         "springs of our own: their data are not in the text"},
        {"Fig 13", "polynomial levels", "clutch-by-wire-tests",
         "shape of our own with the stated means: the coefficients are lost from the text"},
        {"Fig 14-15", "breakaway torque over the angle", "clutch-by-wire-tests", "as a virtual experiment"},
        {"Fig 16", "sinusoidal-speed test", "clutch-by-wire-tests", "as a virtual experiment"},
        {"Fig 17-18", "position test on the bench", "", bench},
        {"Fig 19-20", "position test on the model", "clutch-by-wire"},
        {"Fig 21", "close-up of model and bench", "clutch-by-wire",
         "the model's part: the bench's data are not public"},
        {"Fig 22", "position test with play", "clutch-by-wire"}},
       {}},
      {"P1",
       "D. D. Rizos, S. D. Fassois, Friction identification based upon the LuGre and Maxwell slip models",
       {{"Fig 1", "Maxwell slip structure", "", sketch},
        {"Fig 2", "error over model order", "maxwell-slip-identification",
         "on generated data: the laboratory's are not public"},
        {"Fig 3", "friction and error of each model", "maxwell-slip-identification", "on generated data"},
        {"Table 1", "characteristics of the models", "maxwell-slip-identification", "on generated data"}},
       {}},
      {"P2",
       "Effect of the friction model on the simulation of a hydraulic cylinder: steady-state, LuGre, new modified "
       "LuGre",
       {{"Fig 1", "steady-state friction model", "hydraulic-stribeck", "drawn with Fig 4"},
        {"Fig 2-3", "bristles, cylinder", "", sketch},
        {"Fig 4", "steady-state characteristic", "hydraulic-stribeck",
         "virtual runs at constant speed; the measured points are not public"},
        {"Fig 5", "4.5 mA, 1 Hz", "hydraulic-4.5mA", "simulated; the measured curves are not public"},
        {"Fig 6", "new modified LuGre at 2 mA", "hydraulic-2mA", "simulated part"},
        {"Fig 7", "LuGre at 2 mA", "hydraulic-2mA", "simulated part"},
        {"Fig 8", "steady-state model at 2 mA", "hydraulic-2mA", "simulated part"}},
       {}},
      {"P3",
       "B. Drinčić, D. S. Bernstein, A sudden-release bristle model that exhibits hysteresis and stick-slip friction",
       {{"Fig 1-2", "bristles, two configurations", "", sketch},
        {"Fig 3", "input-output maps, time histories", "bristle-energy"},
        {"Fig 4", "friction over position", "bristle-energy"},
        {"Fig 5", "equilibria and hysteresis map", "bristle-equilibria"},
        {"Fig 6", "stick-slip limit cycle on bristles", "bristle-stick-slip"},
        {"Fig 7", "stick-slip limit cycle of LuGre", "bristle-stick-slip"},
        {"Fig 8", "contact", "", sketch},
        {"Fig 9", "input-output maps of the hybrid", "lugre-bristle"},
        {"Fig 10", "equilibria of the hybrid", "bristle-equilibria"},
        {"Fig 11", "hybrid and bristles", "lugre-bristle"},
        {"Fig 12", "limit cycle of the hybrid", "lugre-bristle"}},
       {}},
      {"P4",
       "L. Biagiotti, R. Zanasi, Efficient simulation of static and dynamic friction for automotive applications",
       {{"Fig 1-3", "block scheme, two and three inertias", "", sketch},
        {"Fig 4-5", "on a page that is missing from the text", "", "not known what they show"},
        {"Fig 6-9", "flow chart, block schemes", "", sketch},
        {"Fig 10", "speeds and slips", "dual-clutch"},
        {"Fig 11", "friction of the two clutches", "dual-clutch"},
        {"eq 22", "counter-example", "three-bodies"}},
       {}}};
  for (Paper& paper : all) paper.misprints = misprints_of(paper.key);
  return all;
}

}  // namespace stickslip
