#include "exports/lpv.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/error.hpp"
#include "files/whole_file.hpp"

namespace stickslip::lpv_test {
namespace {

/// A folder of its own with a clutch whose level is a polynomial of the angle.
struct ClutchFolder {
  ClutchFolder() : place(std::filesystem::temp_directory_path() / ("stickslip_lpv_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(place);
  }
  ~ClutchFolder() { std::filesystem::remove_all(place); }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (place / name).string();
    write_whole(path, text);
    return path;
  }
  std::filesystem::path place;
};

constexpr const char* clutch = R"([machine]
kind = "clutch-by-wire"
inertia = "1.32e-5 kg m^2"
rack_ratio = "0.20414 mm/rad"
breakaway_forward = "0.1352 N m"
breakaway_backward = "0.1506 N m"
ratio_forward = 1.2325
ratio_backward = 1.3728
viscosity = "7.1746e-4 N m s/rad"
viscous_from = "240 rad/s"
[feedforward]
kind = "constant"
value = "0.2 N m"
[run]
duration = "1 s"
sample_interval = "10 ms"
)";

double detail(const Export& made, const std::string& key) {
  const std::string text = made.details.text(-1);
  const auto at = text.find("\"" + key + "\":");
  return at == std::string::npos ? std::nan("") : std::strtod(text.c_str() + at + key.size() + 3, nullptr);
}

TEST(LpvExport, BoundsAndCoastingAreThoseOfTheMachine) {
  const ClutchFolder folder;
  const Export made = export_lpv(folder.write("clutch.toml", clutch), "clutch_lpv", {.slowest = 5, .fastest = 300});
  // Slowest speed, larger sliding level; fastest speed: C_r/300 + fv (1 - 240/300).
  const double up = 0.1352 / 1.2325, down = 0.1506 / 1.3728, wet = 7.1746e-4 * (1 - 240.0 / 300);
  EXPECT_NEAR(detail(made, "rho_highest"), std::max(up, down) / 5, 1e-15);
  EXPECT_NEAR(detail(made, "rho_lowest"), std::min({up / 300 + wet, down / 300 + wet, up / 240, down / 240}), 1e-15);
  EXPECT_LT(detail(made, "coasting_error"),
            1e-6);  // one of the steps beside the machine goes over the bend at 240 rad/s
  EXPECT_NE(made.content.find("function lpv = clutch_lpv()"), std::string::npos);

  if (std::system("octave-cli --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "octave-cli is not installed (Debian's octave)";
  folder.write("clutch_lpv.m", made.content);
  folder.write(
      "check.m",
      "l = clutch_lpv(); for i = 1:numel(l.grid_rho) assert(l.grid_rho(i) >= l.rho(1)*(1-1e-12) && l.grid_rho(i) "
      "<= l.rho(2)*(1+1e-12)); end\nassert(abs(l.vertices(2,2,2) + l.rho(2)/1.32e-5) < 1e-6);\n"
      "assert(isequal(size(l.B), [2 1]));\n");
  EXPECT_EQ(std::system(("cd " + folder.place.string() + " && octave-cli --quiet check.m > messages 2>&1").c_str()), 0)
      << read_whole((folder.place / "messages").string());
}

TEST(LpvExport, WhatCannotBeExportedIsSaid) {
  const ClutchFolder folder;
  const auto refusal = [](const std::string& file, const LpvOptions& options) {
    try {
      export_lpv(file, "x", options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string file = folder.write("clutch.toml", clutch);
  EXPECT_NE(refusal(file, {}).find("give --fastest '300 rad/s'"), std::string::npos);
  EXPECT_NE(refusal(file, {.slowest = 10, .fastest = 5}).find("it must be below --fastest"), std::string::npos);
  const std::string body = folder.write("body.toml", R"([machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "constant"
value = "2 N"
[friction]
model = "coulomb"
coulomb_force = "1 N"
[run]
duration = "1 s"
sample_interval = "10 ms"
)");
  EXPECT_NE(refusal(body, {.fastest = 5}).find("a machine of the kind clutch-by-wire is needed"), std::string::npos)
      << refusal(body, {.fastest = 5});
}

}  // namespace
}  // namespace stickslip::lpv_test
