/// The targets that need the readers of recordings alone.
#include <cmath>

#include "fuzz/targets.hpp"
#include "recording/recording.hpp"
#include "recording/tables/file_seeds.hpp"
#include "recording/tables/xlsx_writer.hpp"

namespace stickslip::fuzz {
namespace {

void take_recording(std::string_view bytes, const std::string& name) {
  for (const Missing missing : {Missing::refuse, Missing::drop, Missing::interpolate})
    reads_or_refuses([&] {
      const Recording r = read_recording(bytes, name, {.needed = {}, .missing = missing});
      for (const double t : r.time)
        if (!std::isfinite(t)) throw BrokenPromise("a time that is no number");
      for (const Role role : all_roles)
        if (const auto& values = signal(r, role); !r.time.empty() && !values.empty() && values.size() != r.size())
          throw BrokenPromise("columns of different lengths");
    });
}
/// The first bytes say which reader takes a .mat; they stay what they must be.
void take_mat(std::string_view bytes, const std::string& head) {
  std::string whole(bytes);
  if (whole.size() >= head.size()) whole.replace(0, head.size(), head);
  take_recording(whole, "log.mat");
}

std::string mat_v5_head() { return made::mat_header().substr(0, 124); }  // the order of bytes is free
std::string mat_v73_head() {
  std::string head = "MATLAB 7.3 MAT-file";
  head.resize(124, ' ');
  return head + std::string("\x00\x02IM", 4);
}

}  // namespace

const std::vector<Target>& recording_targets() {
  static const std::vector<Target> all{
      {"text", [](std::string_view b) { take_recording(b, "log.csv"); }, made::text_seeds},
      {"mat_v5", [](std::string_view b) { take_mat(b, mat_v5_head()); }, made::mat_v5_seeds},
      {"mat_v73", [](std::string_view b) { take_mat(b, mat_v73_head()); }, made::mat_v73_seeds},
      {"npz", [](std::string_view b) { take_recording(b, "log.npz"); }, made::npz_seeds},
      {"xlsx", [](std::string_view b) { take_recording(b, "log.xlsx"); }, made::xlsx_seeds}};
  return all;
}

}  // namespace stickslip::fuzz
