/// How a recording is prepared and divided; see preparation_options.hpp.
#include "preparation_options.hpp"

#include <cmath>
#include <limits>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/uncertain_text.hpp"
#include "platform/number.hpp"

namespace stickslip::inline cli {

void add_preparation_options(CLI::App& command, PreparationArguments& a) {
  const char* const group = "Preparation";
  add_quantity(command, a.from, "start of the section to use: '2 s'")->group(group);
  add_quantity(command, a.to, "end of that section: '10 s'")->group(group);
  add_number(command, "--resample,--rate-hz", a.rate_hz, "Hz", Sign::positive, "resample to this rate: '1 kHz'")
      ->group(group);
  auto* cutoff =
      add_number(command, "--cutoff,--cutoff-hz", a.cutoff_hz, "Hz", Sign::positive,
                 "cutoff of the low-pass filter applied to the motion before differentiation: '50 Hz'; chosen "
                 "from the noise if omitted")
          ->group(group);
  command.add_flag("--no-filter", a.no_filter, "do not filter the motion")->excludes(cutoff)->group(group);
  add_number(command, "--force-cutoff,--force-cutoff-hz", a.force_cutoff_hz, "Hz", Sign::positive,
             "cutoff of a low-pass filter on the measured force; no filter if omitted")
      ->group(group);
  command.add_flag("--use-velocity", a.use_velocity, "use the velocity column instead of differentiating the position")
      ->group(group);
  add_count(command, "--filter-order", a.order, {1, 20, "a steeper filter rings"},
            "order of the low-pass filter, applied forward and backward (default 4)")
      ->group(group);
  auto* lag = add_quantity(command, a.lag, "delay of the force behind the motion: '0.3 ms'")->group(group);
  command.add_flag("--find-lag", a.find_lag, "estimate that delay")->excludes(lag)->group(group);
  auto* mass =
      add_quantity(command, a.mass,
                   "moving mass, if the force column includes the inertial force: '20 kg', '20 +- 1 kg', or find; "
                   "friction = force - mass * acceleration")
          ->group(group);
  command
      .add_option_function<std::string>(
          "--inertia", [&a](const std::string& text) { a.mass.text = text; },
          "moment of inertia of a rotary machine, used like --mass: '0.02 kg m^2'")
      ->type_name("NUMBER [kg m^2]")
      ->excludes(mass)
      ->group(group);
  auto* offset = add_quantity(command, a.offset, "constant offset to subtract from the force: '-3 N'")->group(group);
  command.add_flag("--find-offset", a.find_offset, "estimate that offset before the fit")
      ->excludes(offset)
      ->group(group);
  auto* turn =
      command.add_flag("--invert-force,--turn-force,--force-drives", a.drives, "invert the sign of the force column")
          ->group(group);
  command.add_flag("--keep-force", a.opposes, "do not invert the sign, even if the model file asks for it")
      ->excludes(turn)
      ->group(group);
  add_quantity(command, a.resolution, "resolution of the position: '1 um'; estimated if omitted")->group(group);
}

double PreparationArguments::cogging_period() const {
  try {
    return cogging.value(false);
  } catch (const Error&) {
    // an angle; otherwise what was wrong with the length
    try {
      return cogging.value(true);
    } catch (const Error&) {
    }
    throw;
  }
}

bool finds_mass(const PreparationArguments& a) { return trimmed(a.mass.text) == "find"; }

void add_load_options(CLI::App& command, PreparationArguments& a) {
  const char* const group = "Preparation";
  command.add_flag("--gravity", a.gravity, "estimate a load proportional to sine and cosine of the angle")
      ->group(group);
  add_quantity(command, a.cogging, "estimate a load that is periodic over this travel: '10 mm'")->group(group);
  add_count(command, "--load-knots", a.load_knots, {2, 100, "a finer table would fit the noise"},
            "estimate a load as a piecewise linear function of position with this many knots")
      ->group(group);
}

namespace {

/// '20 kg', '20 +- 1 kg' (one standard deviation), 'find'.
void take_mass(const PreparationArguments& a, bool rotary, Preparation& p) {
  if (!a.mass.is_given()) return;
  p.mass_error = 0;
  if (finds_mass(a)) {
    p.mass = 0;
    return;
  }
  std::string text = a.mass.text;
  if (const auto both = uncertain_text(text)) {
    QuantityOption value = a.mass, error = a.mass;
    value.text = both->value, error.text = both->error;
    p.mass = value.value(rotary);
    p.mass_error = error.value(rotary);
    return;
  }
  if (trimmed(text) == "0") text = rotary ? "0 kg m^2" : "0 kg";
  QuantityOption plain = a.mass;
  plain.text = text;
  plain.take(p.mass, rotary);
}

}  // namespace

Preparation preparation(const PreparationArguments& a, bool rotary, Preparation p) {
  a.from.take(p.from);
  a.to.take(p.to);
  if (!(p.to > p.from)) throw Error("--until must come after --from");
  if (a.rate_hz > 0) p.rate_hz = a.rate_hz;
  if (a.cutoff_hz > 0) p.cutoff_hz = a.cutoff_hz;
  if (a.no_filter) p.cutoff_hz = std::numeric_limits<double>::infinity();
  if (a.force_cutoff_hz > 0) p.force_cutoff_hz = a.force_cutoff_hz;
  if (a.use_velocity) p.use_velocity = true;
  if (a.order > 0) p.order = a.order;
  a.lag.take(p.lag);
  if (a.lag.is_given()) p.find_lag = false;
  if (a.find_lag) p.find_lag = true;
  take_mass(a, rotary, p);
  a.offset.take(p.offset, rotary);
  if (a.offset.is_given()) p.find_offset = false;
  if (a.find_offset) p.find_offset = true;
  a.resolution.take(p.resolution, rotary);
  if (a.drives) p.force_drives = true;
  if (a.opposes) p.force_drives = false;
  return p;
}

void add_split_options(CLI::App& command, SplitArguments& a) {
  const char* const group = "Estimation, validation and test samples";
  auto* shares =
      command
          .add_option("--split", a.shares,
                      "percentages of the recording for estimation, validation and test, as three blocks (default "
                      "50,25,25; in several rounds if single blocks would leave a set without one of the directions)")
          ->group(group);
  auto* by = command
                 .add_option("--split-by", a.column,
                             "split by the values of a column: consecutive rows with the same value form one piece")
                 ->excludes(shares)
                 ->group(group);
  repeatable(command.add_option("--validation", a.validation,
                                "validation recordings, used to choose between models; may be repeated"))
      ->excludes(by)
      ->group(group);
  repeatable(command.add_option("--test", a.test, "test recordings, used only to assess the result; may be repeated"))
      ->excludes(by)
      ->group(group);
  const auto values = [&](const char* name, std::vector<std::string>& into, const char* what) {
    repeatable(command.add_option(name, into, what))->delimiter(',')->needs(by)->group(group);
  };
  values("--estimation-values", a.estimation_values, "values of that column used for estimation");
  values("--validation-values", a.validation_values, "... for validation");
  values("--test-values", a.test_values, "... for test");
}

std::array<double, 3> shares_of(const std::string& text) {
  const auto refuse = [&]() {
    throw Error("--split is " + in_quotes(text) + "; three numbers are needed, as in 50,25,25, the first above zero");
  };
  std::array<double, 3> shares{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [after, problem] = read_number(at, end, shares[i]);
    if (problem != std::errc() || !Range{1e-6, 1e6, true, {}}.has(shares[i])) refuse();
    at = after;
    if (i < 2 && (at == end || *at++ != ',')) refuse();
  }
  const double sum = shares[0] + shares[1] + shares[2];
  if (at != end || !(shares[0] > 0)) refuse();
  if (const double percent = sum < 2 ? 100 * sum : sum; !(std::fabs(percent - 100) <= 1))  // 33,33,33; 0.5,0.25,0.25
    throw Error("--split is " + in_quotes(text) + ": the percentages add up to " + significant(sum, 4) +
                "; they must add up to 100, as in 50,25,25");
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace stickslip::inline cli
