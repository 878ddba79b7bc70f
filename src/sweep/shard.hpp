/// Parts of a sweep that are run separately, each by its own program with its own journal, and merged later.
///   shard i of n    blocks of b runs go round: block k belongs to shard k mod n + 1                                (1)
///                   b = runs/(8 n), but 1 to 2048: eight rounds even out what part of a plan takes longer
/// The jobs of an array (SLURM, SGE, PBS, LSF) find their number in the environment.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace stickslip::inline sweeps {

struct Shard {
  std::size_t number = 1, count = 1;  // number: 1 ... count
  bool is_whole() const { return count == 1; }
};
inline constexpr std::size_t most_shards = 100'000;

/// Which of the shards has the run, eq. (1): 1 ... shards.
std::size_t shard_with(std::size_t run, std::size_t runs, std::size_t shards);
/// True if the run belongs to the shard.
bool has_run(const Shard& shard, std::size_t run, std::size_t runs);

/// "map" and 3 of 7: "map.shard-3-of-7".
std::string shard_prefix(const std::string& prefix, const Shard& shard);
/// The shard that a journal's name tells of; number 0 if it tells of none.
Shard shard_of_name(const std::string& path);

using Environment = std::function<const char*(const char*)>;
struct ShardFound {
  Shard shard;
  std::string from;  // where it was taken from: "SLURM_ARRAY_TASK_ID=3, SLURM_ARRAY_TASK_MAX=7"; "": as written
};
/// "3/7"; "auto/7": the number of the array's job out of 7; "auto": number and count from the array. Throws Error.
ShardFound parse_shard(const std::string& text, const Environment& environment);

/// "3,5-7", as arrays are written; numbers rise.
std::string array_expression(const std::vector<std::size_t>& numbers);

}  // namespace stickslip::inline sweeps
