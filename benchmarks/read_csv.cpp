/// How fast a recording is read: 40 MB of CSV as a logger writes it, 4 columns of 9 digits, with all checks.
/// Bytes per second are those of the file.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "recording/recording.hpp"

namespace stickslip {
namespace {

constexpr std::size_t rows = 900000;

/// The file, written once and removed at the end.
const std::string& big_file() {
  struct File {
    std::string path;
    File() {
      path = (std::filesystem::temp_directory_path() / ("stickslip_read_csv_" + std::to_string(getpid()) + ".csv"));
      std::FILE* out = std::fopen(path.c_str(), "w");
      std::fputs("time [s],position [m],velocity [m/s],force [N]\n", out);
      for (std::size_t i = 0; i < rows; ++i) {
        const double t = 1e-3 * double(i), v = 0.01 * std::cos(t);
        std::fprintf(out, "%.3f,%.9g,%.9g,%.9g\n", t, 0.01 * std::sin(t), v, std::copysign(2.0, v) + 30 * v);
      }
      std::fclose(out);
    }
    ~File() { std::filesystem::remove(path); }
  };
  static const File file;
  return file.path;
}

void read_csv(benchmark::State& state) {
  const auto size = std::filesystem::file_size(big_file());
  for (auto _ : state) {
    const Recording recording = read_recording(big_file());
    if (recording.size() != rows) state.SkipWithError("rows are missing");
    benchmark::DoNotOptimize(recording.force.data());
  }
  state.SetBytesProcessed(std::int64_t(state.iterations()) * std::int64_t(size));
}
BENCHMARK(read_csv)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stickslip
