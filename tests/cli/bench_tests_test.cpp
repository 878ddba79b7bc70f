/// curve, contact, slider, breakaway-test and sine-test as stages of one pipeline: the same options, files that others take.
#include <cmath>

#include "cli/program.hpp"

namespace stickslip::bench_tests_test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Forth and back at one speed, F = sgn(v) (4 + 2 exp(-(v/0.02)^2)) + 10 v: a Stribeck curve in closed form.
std::string strokes(double speed) {
  std::ostringstream out;
  out.precision(12);
  out << "time_s,position_m,force_N\n";
  for (int i = 0; i <= 800; ++i) {
    const double t = 0.005 * i, v = t < 2 ? speed : -speed;
    const double level = 4 + 2 * std::exp(-std::pow(speed / 0.02, 2)) + 10 * speed;
    out << t << "," << (t < 2 ? speed * t : speed * (4 - t)) << "," << (v > 0 ? level : -level) << "\n";
  }
  return out.str();
}

/// A spring that slips: stiffness 2 kN/m, level 8 N, strokes of 20 mm and `amplitude`.
std::string spring_that_slips(double amplitude) {
  std::ostringstream out;
  out.precision(12);
  out << "time_s,position_m,force_N\n";
  double spring = 0, last = 0;
  for (int i = 0; i <= 1200; ++i) {
    const double t = 0.01 * i, x = amplitude * std::sin(2 * t);
    spring = std::max(-0.004, std::min(0.004, spring + x - last)), last = x;
    out << t << "," << x << "," << 2000 * spring << "\n";
  }
  return out.str();
}

/// The force of a spring (500 N/m) that pulls 2 kg at 10 mm/s over levels of 6 and 4 N, period in closed form:
/// T = (2/w)(pi + r - atan r), r = (F_S - F_K) w/(k V), w = sqrt(k/m).
struct Slider {
  double mass = 2, stiffness = 500, speed = 0.01, low = 4, high = 6;
  double omega() const { return std::sqrt(stiffness / mass); }
  double excess() const { return (high - low) * omega() / (stiffness * speed); }
  double period() const { return 2 / omega() * (M_PI + excess() - std::atan(excess())); }
  double force(double t) const {
    const double slip = 2 / omega() * (M_PI - std::atan(excess()));  // then it sticks and the force rises by k V t
    t = std::fmod(t, period());
    const double swing = stiffness * speed / omega();
    if (t < slip) return low + (high - low) * std::cos(omega() * t) + swing * std::sin(omega() * t);
    return force_after(slip) + stiffness * speed * (t - slip);
  }
  double force_after(double t) const {
    return low + (high - low) * std::cos(omega() * t) + stiffness * speed / omega() * std::sin(omega() * t);
  }
  std::string recording() const {
    std::ostringstream out;
    out.precision(12);
    out << "time_s,force_N\n";
    for (int i = 0; i < 6000; ++i) out << 0.002 * i << "," << force(0.002 * i) << "\n";
    return out.str();
  }
};

TEST(BenchTests, CurveWritesModelFigurePointsAndReport) {
  const Folder folder;
  std::string files;
  for (const int speed : {80, 5, 40, 10, 20, 160, 15})
    folder.write(std::to_string(speed) + ".csv", strokes(1e-3 * speed)), files += std::to_string(speed) + ".csv ";
  folder.write("still.csv", "time_s,position_m,force_N\n0,0,0\n0.1,0,0\n0.2,0.1,0\n0.3,0,0\n0.4,0.2,0\n");
  const Answer a = run_program(
      folder, "curve " + files + "still.csv --form exponential -o m.model.toml -o c.svg -o p.csv --report r.html");
  ASSERT_EQ(a.exit_code, 0) << a.err;
  EXPECT_TRUE(has(a.err, "left out: still.csv")) << a.err;
  EXPECT_TRUE(has(a.out, "F_C 4 N, F_S 6 N, v_S 20 mm/s, F_v 10 N s/m")) << a.out;
  EXPECT_TRUE(has(text_of(folder / "c.svg"), "<svg"));
  EXPECT_TRUE(has(text_of(folder / "r.html"), "How to repeat"));
  std::istringstream points(text_of(folder / "p.csv"));
  std::string line;
  std::getline(points, line);
  EXPECT_TRUE(line.starts_with("speed_m_s,force_N,")) << line;
  double last = -1, count = 0;
  for (; std::getline(points, line); last = std::stod(line), ++count) EXPECT_GT(std::stod(line), last);
  EXPECT_EQ(count, 14);
  // The model is one: its own steady force is the curve's.
  EXPECT_EQ(run_program(folder, "check m.model.toml").exit_code, 0);
  // The first of 381 samples has no velocity yet, and 4.44 N are missing there: 4.44/sqrt(381) = 0.227 N rms.
  const Answer held = run_program(folder, "validate m.model.toml 40.csv --no-filter --until '1.9 s' --json");
  EXPECT_LT(JsonReader::read(held.out)["rms"].number, 0.25) << held.out << held.err;
}

TEST(BenchTests, CurveTakesOneSpeedWhereOneFormIsAskedFor) {
  const Folder folder;
  folder.write("one.csv", strokes(0.04));
  EXPECT_EQ(run_program(folder, "curve one.csv").exit_code, 2);
  const Answer a = run_program(folder, "curve one.csv --form constant --until '1.9 s'");
  EXPECT_EQ(a.exit_code, 0) << a.err;
  EXPECT_TRUE(has(a.out, "Forward: constant, F_C 4.437 N")) << a.out;
  EXPECT_FALSE(has(a.out, "Backward")) << a.out;
}

TEST(BenchTests, ContactPredictsFurtherRecordings) {
  const Folder folder;
  folder.write("wide.csv", spring_that_slips(0.02)), folder.write("small.csv", spring_that_slips(0.006));
  const Answer a = run_program(folder, "contact wide.csv small.csv --json -o m.model.toml --plot");
  ASSERT_EQ(a.exit_code, 0) << a.err;
  const JsonValue found = JsonReader::read(a.out);
  EXPECT_NEAR(found["parameters"]["stiffnesses[1]"]["value"].number, 2000, 20);
  EXPECT_LT(found["others"].items[0]["share"].number, 0.01);
  EXPECT_EQ(run_program(folder, "validate m.model.toml small.csv").exit_code, 0);
}

TEST(BenchTests, SliderPredictsAnotherStiffness) {
  const Folder folder;
  const Slider soft, stiff{.stiffness = 1500}, fast{.speed = 0.02};
  folder.write("soft.csv", soft.recording()), folder.write("stiff.csv", stiff.recording()),
      folder.write("fast.csv", fast.recording());
  const std::string own = "slider soft.csv --speed '10 mm/s' --mass 2 --stiffness '0.5 N/mm' ";
  const Answer a = run_program(
      folder, own + "--compare '10 mm/s, 1500 N/m=stiff.csv' --compare 0.02=fast.csv --json -o m.model.toml");
  ASSERT_EQ(a.exit_code, 0) << a.err;
  const JsonValue found = JsonReader::read(a.out);
  EXPECT_NEAR(found["period"].number, soft.period(), 2e-3);
  EXPECT_NEAR(found["static_level"].number, 6, 0.02);
  EXPECT_NEAR(found["kinetic_level"].number, 4, 0.02);
  EXPECT_NEAR(found["predictions"].items[0]["simulated"].number, stiff.period(), 0.01 * stiff.period());
  EXPECT_NEAR(found["predictions"].items[0]["measured"].number, stiff.period(), 0.01 * stiff.period());
  EXPECT_NEAR(found["predictions"].items[1]["simulated"].number, fast.period(), 0.01 * fast.period());
  const Answer twice = run_program(folder, "slider soft.csv soft.csv --speed 0.01 --mass 2 --stiffness 500 --json");
  EXPECT_NEAR(JsonReader::read(twice.out)["static_level"].number, found["static_level"].number, 1e-9);
  EXPECT_EQ(JsonReader::read(twice.out)["cycles"].number, 2 * found["cycles"].number);
  EXPECT_EQ(run_program(folder, own + "--compare '10 mm/s, 3 s=stiff.csv'").exit_code, 2);
}

TEST(BenchTests, StagesHandOnWhatTheyFound) {
  const Folder folder;
  ASSERT_EQ(run_program(folder, "virtual-bench bench --periods 3 --travel 0.006 --speeds '2, 1' --truth truth.toml")
                .exit_code,
            0);
  EXPECT_TRUE(has(text_of(folder / "truth.toml"), "stiction_force = \"1.5 N\""));
  ASSERT_EQ(run_program(folder, "sine-test bench/sine.csv --each speed_wanted --mass 1 -o sine.model.toml").exit_code,
            0);
  const std::string ramps = "breakaway-test bench/breakaway.csv --mass 1 ";
  const Answer alone = run_program(folder, ramps + "-o no.model.toml");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_TRUE(has(alone.err, "stiction alone is not a friction model")) << alone.err;
  EXPECT_FALSE(fs::exists(folder / "no.model.toml"));
  const Answer both =
      run_program(folder, ramps + "--friction sine.model.toml --stribeck-velocity '1 mm/s' -o all.model.toml");
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_FALSE(has(text_of(folder / "all.model.toml"), "viscosity = \"0 "));
  EXPECT_TRUE(has(text_of(folder / "all.model.toml"), "those of sine.model.toml"));
  const JsonValue one = JsonReader::read(run_program(folder, ramps + "--json").out);
  const JsonValue two = JsonReader::read(
      run_program(folder, "breakaway-test bench/breakaway.csv bench/breakaway.csv --mass 1 --json").out);
  EXPECT_EQ(two["stiction"]["count"].number, 2 * one["stiction"]["count"].number);
  EXPECT_NEAR(two["stiction"]["mean"].number, one["stiction"]["mean"].number, 1e-12);
}

/// A rod that slides to and fro over new-modified-lugre, pulled through a stiff spring.
constexpr const char* rod = R"([machine]
kind = "pulled-spring"
mass = "20 kg"
stiffness = "20 kN/mm"
damping = "20 kN s/m"
[friction]
model = "new-modified-lugre"
coulomb_force = "210 N"
stiction_force = "830 N"
stribeck_velocity = "12.5 mm/s"
stribeck_exponent = 0.7
film_velocity = "50 mm/s"
viscosity = "330 N s/m"
viscous_lag = "LAG"
bristle_stiffness = "5 MN/m"
growing_time = "0.25 s"
thinning_time = "TIME"
rest_time = "40 s"
)";
std::string rod_with(const std::string& lag, const std::string& time, const std::string& rest) {
  std::string text = rod;
  text.replace(text.find("LAG"), 3, lag);
  text.replace(text.find("TIME"), 4, time);
  return text + rest;
}

TEST(BenchTests, FilmTestFindsWhatTheModelFileHadWrong) {
  const Folder folder;
  folder.write("swing.toml",
               rod_with("0.33 s", "1.5 s",
                        "[[input]]\nkind = \"sine\"\namplitude = \"9.5 mm\"\nfrequency = \"0.5 Hz\"\n[[input]]\n"
                        "kind = \"sine\"\namplitude = \"0.5 mm\"\nfrequency = \"4 Hz\"\n"
                        "[run]\nduration = \"6 s\"\nsample_interval = \"2 ms\"\n"));
  const std::string friction = rod_with("0.1 s", "0.6 s", "");
  folder.write("start.toml", friction.substr(friction.find("[friction]")));
  ASSERT_EQ(run_program(folder, "generate swing.toml --noise '1 N' --resolution '100 nm' -o swing.csv").exit_code, 0);
  const std::string command =
      "film-test swing.csv --friction start.toml --mass '20 kg' --fix rest_time='40 s' --fix growing_time='0.25 s' ";
  const Answer a = run_program(folder, command + "--fix backward.viscous_lag='0.33 s' -o found.toml --json");
  ASSERT_EQ(a.exit_code, 0) << a.err;
  const JsonValue found = JsonReader::read(a.out);
  EXPECT_NEAR(found["parameters"]["thinning_time"]["value"].number, 1.5, 0.15);
  EXPECT_NEAR(found["parameters"]["viscous_lag"]["value"].number, 0.33, 0.033);
  EXPECT_NEAR(found["parameters"]["bristle_stiffness"]["value"].number, 5e6, 5e5);
  EXPECT_LT(found["recordings"].items[0]["noe"].number, 0.05);
  EXPECT_TRUE(has(text_of(folder / "found.toml"), "model = \"new-modified-lugre\""));

  const auto refused = [&](const std::string& options, const std::string& message) {
    const Answer no = run_program(folder, "film-test swing.csv " + options);
    EXPECT_EQ(no.exit_code, 2) << options;
    EXPECT_TRUE(has(no.err, message)) << no.err;
  };
  refused("",
          "the static curve is not known; give runs at constant speeds with --speeds or a model file with --friction");
  refused("--speeds swing.csv", "swing.csv: no stretch of constant speed");
  refused("--friction start.toml --free thickness", "--free: no parameter 'thickness'");
  refused("--friction start.toml --fix rest_time", "--fix is 'rest_time'; write for example thinning_time='1.5 s'");
}

TEST(BenchTests, WrongPlacesAndTimesAreAnsweredInOneLine) {
  const Folder folder;
  folder.write("one.csv", strokes(0.04));
  const auto refused = [&](const std::string& options, const std::string& message) {
    const Answer a = run_program(folder, "curve one.csv --form constant " + options);
    EXPECT_EQ(a.exit_code, 2) << options;
    EXPECT_TRUE(a.err.ends_with(message + "\n")) << a.err;
    EXPECT_EQ(folder.files(), std::vector<std::string>{"one.csv"});
  };
  refused("-o m.txt",
          "-o is 'm.txt'; its extension selects what is written: .toml the model, .csv the points, .svg the figure, "
          ".html the "
          "report, .json the results");
  refused("-o one.csv", "the result would replace 'one.csv', which this run reads");
  refused("--report r.txt", "--report is 'r.txt'; name a file that ends in .html");
  refused("--from 3 --until 2", "--until must come after --from");
  refused("--from '9 s'", "one.csv: no sample between --from and --until; it goes from 0 s to 4 s");
}

TEST(BenchTests, OldWordsOfOptionsStillWork) {
  const Folder folder;
  folder.write("wide.csv", spring_that_slips(0.02));
  const std::string now = run_program(folder, "contact wide.csv --backlash --invert-force --until '12 s' --json").out;
  EXPECT_FALSE(now.empty());
  EXPECT_EQ(run_program(folder, "contact wide.csv --gap --force-drives --to '12 s' --json").out, now);
  const std::string help = run_program(folder, "contact --help").out;
  EXPECT_TRUE(has(help, "--invert-force")) << help;
  EXPECT_FALSE(has(help, "--force-drives")) << help;
  const std::string rest = " --mass 1 --resolution '1 mm' --force-limit 20";
  EXPECT_EQ(run_program(folder, "plan --rate '1 kHz'" + rest).out,
            run_program(folder, "plan --sampling-time '1 ms'" + rest).out);
  const Answer both = run_program(folder, "plan --rate '1 kHz' --sampling-time '1 ms'" + rest);
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("--rate and --sampling-time say the same; give one of them"), std::string::npos) << both.err;
  EXPECT_EQ(run_program(folder, "plan" + rest).exit_code, 2);
  const auto plan = [&](const std::string& more) {
    return run_program(folder, "plan --rate '1 kHz'" + rest + more).out;
  };
  const std::string known = plan(" --mass-uncertainty '3 %' --target-uncertainty 1.5");
  EXPECT_NE(known, plan(" --mass-uncertainty '0.03 %' --target-uncertainty 1.5"));
  EXPECT_EQ(known, plan(" --mass-known-percent 3 --wanted-percent '1.5%'"));
}

}  // namespace
}  // namespace stickslip::bench_tests_test
