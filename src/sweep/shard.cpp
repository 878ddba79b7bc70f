/// Parts of a sweep; see shard.hpp.
#include "sweep/shard.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline sweeps {
namespace {

/// A whole number of at most nine digits.
std::optional<std::size_t> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  std::size_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + std::size_t(c - '0');
  }
  return number;
}

/// How a scheduler names the job of an array, and the array's ends where it does.
struct Scheduler {
  const char *number, *first, *last, *step, *count;  // nullptr: not given
  const char* request;                               // how an array of seven is requested
};
constexpr Scheduler schedulers[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
     "SLURM_ARRAY_TASK_COUNT", "--array=1-"},
    {"SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", nullptr, "-t 1-"},
    {"PBS_ARRAY_INDEX", nullptr, nullptr, nullptr, nullptr, "-J 1-"},
    {"PBS_ARRAYID", nullptr, nullptr, nullptr, nullptr, "-t 1-"},
    {"LSB_JOBINDEX", nullptr, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", nullptr, "-J name[1-"},
};

std::string value_of(const Environment& environment, const char* name) {
  const char* const value = name ? environment(name) : nullptr;
  return value ? value : "";
}
/// "SGE_TASK_LAST=7"
std::string said(const char* name, const std::string& value) { return std::string(name) + "=" + one_line(value, 40); }

/// SGE says "undefined", LSF 0, outside of an array.
bool is_set(const Scheduler& s, const std::string& value) {
  return !value.empty() && value != "undefined" && !(std::string_view(s.number) == "LSB_JOBINDEX" && value == "0");
}

/// Variables of two schedulers with different numbers: one was inherited, and the jobs of an array would all take its number.
void check_that_schedulers_agree(const Environment& environment) {
  std::string first;
  for (const Scheduler& s : schedulers) {
    const std::string number = value_of(environment, s.number);
    if (!is_set(s, number)) continue;
    if (first.empty()) first = said(s.number, number);
    if (first.substr(first.find('=') + 1) != one_line(number, 40))
      throw Error("--shard auto: " + first + " and " + said(s.number, number) +
                  " contradict each other; unset the one that is left over, or write --shard 3/7");
  }
}

ShardFound shard_of_array(std::optional<std::size_t> wanted, const Environment& environment) {
  check_that_schedulers_agree(environment);
  for (const Scheduler& s : schedulers) {
    const std::string number_text = value_of(environment, s.number);
    if (!is_set(s, number_text)) continue;
    const auto fail = [&](const std::string& why) -> ShardFound {
      throw Error("--shard auto: " + said(s.number, number_text) + why);
    };
    const auto number = whole_number(number_text);
    if (!number) return fail(" is not the index of an array job");
    if (*number == 0) return fail("; arrays must be numbered from 1: " + std::string(s.request) + "N");
    ShardFound found{{*number, wanted.value_or(0)}, said(s.number, number_text)};
    if (!wanted) {
      const std::string last = value_of(environment, s.last), first = value_of(environment, s.first),
                        step = value_of(environment, s.step), count = value_of(environment, s.count);
      const auto end = whole_number(last);
      if (!end) return fail(", but the size of the array is unknown; write --shard auto/N");
      if ((!first.empty() && first != "1") || (!step.empty() && step != "1") || (!count.empty() && count != last))
        return fail(", but the array does not count from 1 to " + last +
                    "; to repeat part of an array use --shard auto/N with the original N");
      found.shard.count = *end;
      found.from += ", " + said(s.last, last);
    }
    if (found.shard.count == 0 || *number > found.shard.count || found.shard.count > most_shards)
      return fail(" of " + std::to_string(found.shard.count) +
                  "; it must lie between 1 and the number of shards, at most " + std::to_string(most_shards));
    return found;
  }
  throw Error(
      "--shard auto: this is not an array job (none of SLURM_ARRAY_TASK_ID, SGE_TASK_ID, PBS_ARRAY_INDEX, "
      "PBS_ARRAYID, "
      "LSB_JOBINDEX is set); write --shard 3/7");
}

}  // namespace

std::size_t shard_with(std::size_t run, std::size_t runs, std::size_t shards) {
  const std::size_t block = std::clamp<std::size_t>(runs / (8 * shards), 1, 2048);
  return run / block % shards + 1;
}
bool has_run(const Shard& shard, std::size_t run, std::size_t runs) {
  return shard_with(run, runs, shard.count) == shard.number;
}

std::string shard_prefix(const std::string& prefix, const Shard& shard) {
  return prefix + ".shard-" + std::to_string(shard.number) + "-of-" + std::to_string(shard.count);
}

Shard shard_of_name(const std::string& path) {
  const std::size_t at = path.rfind(".shard-"), of = path.rfind("-of-"), end = path.rfind('.');
  if (at == std::string::npos || of == std::string::npos || of < at || end < of) return {0, 0};
  const auto number = whole_number(path.substr(at + 7, of - at - 7)),
             count = whole_number(path.substr(of + 4, end - of - 4));
  if (!number || !count || *number == 0 || *number > *count) return {0, 0};
  return {*number, *count};
}

ShardFound parse_shard(const std::string& text, const Environment& environment) {
  const std::size_t slash = text.find('/');
  const std::string number_text = text.substr(0, slash);
  const auto number = whole_number(number_text);
  const auto count = slash == std::string::npos ? std::nullopt : whole_number(text.substr(slash + 1));
  const bool is_auto = number_text == "auto";
  if (is_auto && slash == std::string::npos) return shard_of_array(std::nullopt, environment);
  if (!count || *count == 0 || *count > most_shards || (!is_auto && (!number || *number == 0 || *number > *count)))
    throw Error("--shard is " + in_quotes(text) + "; write 3/7 for the third of seven (at most " +
                std::to_string(most_shards) + "), auto/7 for the index of an array job, or auto");
  if (is_auto) return shard_of_array(count, environment);
  return {{*number, *count}, ""};
}

std::string array_expression(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += (last == i + 1 ? "," : "-") + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace stickslip::inline sweeps
