/// The papers whose experiments are reproduced; see papers.hpp.
#include "experiments/papers.hpp"

#include <sstream>
#include <stdexcept>

#include "core/text.hpp"
#include "experiments/paper_texts.hpp"

namespace stickslip::inline experiments {
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

/// The table below "## Nouailletas 2010" of docs/misprints.md.
std::vector<Misprint> misprints_of(const std::string& name) {
  std::istringstream lines{std::string(paper_text("misprints.md"))};
  std::vector<Misprint> found;
  bool is_inside = false;
  int row = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) is_inside = line == "## " + name, row = 0;
    if (!is_inside || !line.starts_with("|") || ++row <= 2) continue;  // heading and rule
    const auto cells = cells_of(line);
    if (cells.size() >= 3) found.push_back({cells[0], cells[1], cells[2]});
  }
  return found;
}

constexpr const char* sketch = "a drawing, nothing to compute";
constexpr const char* bench = "measured on a test bench whose data are not public";

std::vector<Paper> read_papers() {
  std::vector<Paper> all{
      {"Nouailletas 2010",
       "Hybrid modeling and identification of dry friction systems, application to a clutch actuator",
       "R. Nouailletas, E. Mendes, D. Koenig, Control Engineering Practice 18(8), 2010, pages 904-917",
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
        {"Fig 22", "position test with backlash", "clutch-by-wire"}},
       {}},
      {"Rizos 2005",
       "Friction identification based upon the LuGre and Maxwell slip models",
       "D. D. Rizos, S. D. Fassois, 16th IFAC World Congress, Prague, 2005",
       {{"Fig 1", "Maxwell slip structure", "", sketch},
        {"Fig 2", "error over model order", "maxwell-slip-identification",
         "on generated data: the laboratory's are not public"},
        {"Fig 3", "friction and error of each model", "maxwell-slip-identification", "on generated data"},
        {"Table 1", "characteristics of the models", "maxwell-slip-identification", "on generated data"}},
       {}},
      {"Tran 2014",
       "Effect of friction model on simulation of hydraulic actuator",
       "X. B. Tran, W. H. Khaing, H. Endo, H. Yanada, Proc. IMechE Part I: J. Systems and Control Engineering 228(9), "
       "2014; used in a conference version of the same work without title page",
       {{"Fig 1", "steady-state friction model", "hydraulic-stribeck", "drawn with Fig 4"},
        {"Fig 2-3", "bristles, cylinder", "", sketch},
        {"Fig 4", "steady-state characteristic", "hydraulic-stribeck",
         "virtual runs at constant speed; the measured points are not public"},
        {"Fig 5", "4.5 mA, 1 Hz", "hydraulic-4.5mA", "simulated; the measured curves are not public"},
        {"Fig 6", "new modified LuGre at 2 mA", "hydraulic-2mA", "simulated part"},
        {"Fig 7", "LuGre at 2 mA", "hydraulic-2mA", "simulated part"},
        {"Fig 8", "steady-state model at 2 mA", "hydraulic-2mA", "simulated part"}},
       {}},
      {"Drincic 2011",
       "A sudden-release bristle model that exhibits hysteresis and stick-slip friction",
       "B. Drinčić, D. S. Bernstein, American Control Conference, San Francisco, 2011",
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
      {"Biagiotti",
       "Efficient simulation of static and dynamic friction for automotive applications",
       "L. Biagiotti, R. Zanasi, University of Modena and Reggio Emilia; the text at hand names neither proceedings "
       "nor "
       "year",
       {{"Fig 1-3", "block scheme, two and three inertias", "", sketch},
        {"Fig 4-5", "on a page that is missing from the text", "", "not known what they show"},
        {"Fig 6-9", "flow chart, block schemes", "", sketch},
        {"Fig 10", "speeds and slips", "dual-clutch"},
        {"Fig 11", "friction of the two clutches", "dual-clutch"},
        {"eq 22", "counter-example", "three-bodies"}},
       {}},
      {"Modelica Standard Library",
       "Examples of drive trains with friction",
       "Modelica Association, Modelica.Mechanics.Rotational and Translational, BSD-3-Clause; reference results "
       "published by "
       "its maintainers, computed with Dymola at a tolerance of 1e-6",
       {{"CoupledClutches", "three clutches in a row", "modelica-coupled-clutches"},
        {"RotationalFriction", "clutch, spring and brake", "modelica-rotational-friction"},
        {"LossyGearDemo1", "gear with losses", "modelica-lossy-gear"},
        {"LossyGearDemo2", "the same with a bearing", "modelica-lossy-gear-bearing"},
        {"OneWayClutch", "freewheel beside a clutch", "modelica-one-way-clutch"},
        {"SimpleGearShift", "planetary gear, brake and clutch", "modelica-gear-shift"},
        {"Backlash", "backlash with elasticity", "modelica-backlash"},
        {"TranslationalBrake", "brake on a mass", "modelica-brake"},
        {"TranslationalFriction", "sliders between stops", "modelica-sliders"},
        {"First", "motor, gear, spring and damper", "modelica-first"},
        {"ElasticBearing", "gear in an elastic bearing", "modelica-elastic-bearing"},
        {"LossyGearDemo3", "lossy gear that stops and holds", "modelica-lossy-gear-stops"},
        {"OneWayClutchDisengaged", "freewheel alone", "modelica-one-way-clutch-open"},
        {"RollingWheel", "wheel that rolls, air drag", "modelica-rolling-wheel"},
        {"EddyCurrentBrake", "eddy-current brake that heats up", "modelica-eddy-current"},
        {"ElastoGap", "springs and elastic stops", "modelica-elasto-gap"},
        {"PreLoad", "preloaded spool between elastic stops", "modelica-preload"},
        {"Vehicle", "vehicle with driving resistances", "modelica-vehicle"},
        {"Damper", "dampers and springs", "modelica-dampers"},
        {"Oscillator", "oscillators at resonance", "modelica-oscillators"},
        {"InitialConditions", "masses let go from springs", "modelica-initial-conditions"},
        {"TestFriction", "bearing, brake, clutch, one-way clutch", "modelica-friction-elements"},
        {"TestBraking", "torques over speed", "modelica-braking-torques"},
        {"TestSpeed", "prescribed speeds, filtered and exact", "modelica-prescribed-speeds"},
        {"Translational.AllComponents", "elements along a line", "modelica-translational-elements"},
        {"Rotational.AllComponents", "elements about an axis", "modelica-rotational-elements"}},
       {}}};
  for (Paper& paper : all) paper.misprints = misprints_of(paper.name);
  return all;
}

const std::vector<Paper>& known_papers() {
  static const std::vector<Paper> all = read_papers();
  return all;
}

}  // namespace

std::vector<Paper> papers() { return known_papers(); }

const Paper& cited_paper(const std::string& citation) {
  for (const Paper& paper : known_papers())
    if (citation.starts_with(paper.name)) return paper;
  throw std::logic_error("no paper is cited by '" + citation + "'");
}

}  // namespace stickslip::inline experiments
