#include "exports/c_header.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/error.hpp"
#include "exports/random_steps.hpp"
#include "files/whole_file.hpp"

namespace stickslip::c_header_test {
namespace {

using namespace random_models;

/// scripts/properties uses 100000.
std::size_t steps_asked() {
  const char* asked = std::getenv("STICKSLIP_CASES");
  return asked ? std::size_t(std::atol(asked)) : 3000;
}
bool runs(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

/// All laws as headers, and a C program that runs each over its own velocities and writes the forces.
class CHeadersProperty : public ::testing::Test {
 protected:
  struct Case {
    std::string name;
    std::unique_ptr<Friction> friction;
    std::vector<double> velocity, force;
    double h = grid_step, size_of_terms = 0;
  };
  static constexpr double mass = 2.5;
  static inline std::vector<Case> cases;
  static inline std::filesystem::path folder;
  static inline std::string refused;

  static void SetUpTestSuite() {
    folder = std::filesystem::temp_directory_path() / ("stickslip_c_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    Random random(3);
    std::string program = "#include <stdio.h>\n#include <stdlib.h>\n", table;
    for (const RegisteredModel* model : registered_models())
      for (int number = 0; number < (steps_asked() > 10000 ? 2 : 1); ++number) {
        Case c;
        c.name = program_name(model->description().name) + "_" + std::to_string(number);
        const ParameterValues values = as_floats(draw(random, *model));
        c.friction = model->make({values, {}, {}});
        if (const double t = c.friction->parameter("sampling_time"); t > 0) {
          c.friction = model->make({with(values, "sampling_time", grid_step), {}, {}});
        }
        const ExportSource source{
            .file = c.name + ".toml", .title = "", .name = c.name, .friction = std::move(c.friction)};
        try {
          const Export header = export_c(source, {.step = grid_step, .mass = mass});
          write_whole((folder / (c.name + ".h")).string(), header.content);
        } catch (const Error& e) {
          refused += std::string(e.what()) + "\n";
          continue;
        }
        c.velocity = as_floats(random_velocities(random, steps_asked(), c.h, size_factor(*source.friction)));
        c.size_of_terms = size_of_terms(values, c.velocity);
        const auto stepper = source.friction->fixed_stepper(mass, 0, 0);
        for (const double v : c.velocity) c.force.push_back(stepper->follow(v, c.h));
        program += "#include \"" + c.name + ".h\"\n";
        table += "  if (" + c.name + "_selftest() != 0) { fprintf(stderr, \"" + c.name + " step %d\\n\", " + c.name +
                 "_selftest()); failed = 1; }\n";
        table += "  {\n    const " + c.name + "_parameters p = " + c.name + "_defaults();\n    " + c.name +
                 "_state s = " + c.name +
                 "_start();\n    long i;\n    for (i = 0; i < steps; ++i) {\n      double v, f;\n" +
                 "      if (fread(&v, sizeof v, 1, in) != 1) return 3;\n      f = (double)" + c.name +
                 "_step(&p, &s, (STICKSLIP_REAL)v, (STICKSLIP_REAL)0.0009765625);\n" +
                 "      if (fwrite(&f, sizeof f, 1, out) != 1) return 4;\n    }\n  }\n";
        cases.push_back(std::move(c));
      }
    program += "int main(int count, char **names) {\n  FILE *in, *out;\n  const long steps = " +
               std::to_string(steps_asked()) +
               ";\n  int failed = 0;\n  if (count != 3) return 2;\n  in = fopen(names[1], \"rb\");\n"
               "  out = fopen(names[2], \"wb\");\n  if (!in || !out) return 2;\n" +
               table + "  fclose(in);\n  fclose(out);\n  return failed;\n}\n";
    write_whole((folder / "all.c").string(), program);
    std::filesystem::copy_file(folder / "all.c", folder / "all.cpp");
    std::ofstream velocities(folder / "velocities", std::ios::binary);
    for (const Case& c : cases)
      velocities.write(reinterpret_cast<const char*>(c.velocity.data()), std::streamsize(8 * c.velocity.size()));
  }
  static void TearDownTestSuite() {
    if (!std::getenv("STICKSLIP_KEEP")) std::filesystem::remove_all(folder);
  }
  /// Compiles with every warning an error, runs it, and compares with the library.
  static void expect_agreement(const std::string& compiler, const std::string& file, double allowed) {
    const std::string place = folder.string();
    const std::string compile = "cd " + place + " && " + compiler +
                                " -O1 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Werror " + file +
                                " -o run -lm 2> " + place + "/messages";
    ASSERT_EQ(std::system(compile.c_str()), 0) << read_whole(place + "/messages").substr(0, 3000);
    ASSERT_EQ(std::system(("cd " + place + " && ./run velocities forces 2> messages").c_str()), 0)
        << read_whole(place + "/messages");
    std::ifstream forces(folder / "forces", std::ios::binary);
    for (const Case& c : cases) {
      double worst = 0, largest = 0;
      std::size_t at = 0;
      for (std::size_t i = 0; i < c.force.size(); ++i) {
        double f = 0;
        forces.read(reinterpret_cast<char*>(&f), 8);
        largest = std::fmax(largest, std::fabs(c.force[i]));
        if (!(std::fabs(f - c.force[i]) <= worst)) worst = std::fabs(f - c.force[i]), at = i;
      }
      // In float a place next to the edge of a tooth may fall on its other side: StepProgram.InFloatTeeth...
      const bool is_single = allowed > 1e-6;
      if (is_single && c.name.starts_with("bristle")) continue;
      if (is_single) largest = std::fmax(largest, c.size_of_terms);
      EXPECT_LE(worst, allowed * largest) << c.name << " at step " << at << ", " << compiler;
      if (std::getenv("STICKSLIP_KEEP")) std::cout << c.name << " " << worst / largest << "\n";
    }
  }
};

// One test, since the headers of all laws are made once for it: as C99 in double and float, as C++, and on 32 bits.
TEST_F(CHeadersProperty, AreTheLibrarysFixedStepInEveryBuild) {
  expect_agreement("cc -std=c99", "all.c", 1e-12);
  expect_agreement("cc -std=c99 -DSTICKSLIP_REAL=float", "all.c", 1e-5);
  expect_agreement("c++ -std=c++11", "all.cpp", 1e-12);
  EXPECT_NE(refused.find("leuven_0.toml: no C for leuven: its step is cut where its elements slip"), std::string::npos);
  EXPECT_NE(refused.find("no C for hybrid-preisach: its memory of reversals has no fixed size"), std::string::npos);
  EXPECT_EQ(cases.size() % 27, 0u) << refused;
  if (!runs("echo 'int main(void){return 0;}' > " + folder.string() + "/try.c && cc -m32 " + folder.string() +
            "/try.c -o " + folder.string() + "/try && " + folder.string() + "/try"))
    GTEST_SKIP() << "cc -m32 does not work here; Debian's package is gcc-multilib";
  expect_agreement("cc -m32 -msse2 -mfpmath=sse -std=c99", "all.c", 1e-12);
}

}  // namespace
}  // namespace stickslip::c_header_test
