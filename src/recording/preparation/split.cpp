/// Estimation, validation and test sets, by time, by file or by a column; see prepare.hpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/number.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t fewest = 32;  // samples of a set

template <class T>
void keep(std::vector<T>& values, Stretch s) {
  if (values.empty()) return;
  values.erase(values.begin() + std::ptrdiff_t(s.first + s.count), values.end());
  values.erase(values.begin(), values.begin() + std::ptrdiff_t(s.first));
}

std::string percent(double share) { return significant(100 * share, 4) + " %"; }

/// The sets of so many samples in a row, in rounds that are each cut by the shares.
std::array<SampleSet, 3> rounds_of(std::size_t samples, std::size_t rounds, const std::array<double, 3>& shares) {
  std::array<SampleSet, 3> sets;
  for (std::size_t k = 0; k < rounds; ++k) {
    const std::size_t begin = k * samples / rounds, end = (k + 1) * samples / rounds;
    const auto n = double(end - begin);
    const auto first = begin + std::size_t(std::llround(n * shares[0]));
    const auto second = std::min(end, begin + std::size_t(std::llround(n * (shares[0] + shares[1]))));
    sets[0].add({begin, first - begin});
    sets[1].add({first, second - first});
    if (shares[2] > 0) sets[2].add({second, end - second});
  }
  return sets;
}

/// A piece cut by shares of its samples.
Piece cut(Prepared data, const std::array<double, 3>& shares, std::size_t rounds = 1) {
  auto sets = rounds_of(data.size(), rounds, shares);
  return {std::move(data), std::move(sets[0]), std::move(sets[1]), std::move(sets[2])};
}

/// Octaves of speed below the fastest: [1/2, 1], [1/4, 1/2], ... of it.
constexpr std::size_t octaves = 5;

/// How many samples of a set move forward, backward, rest, in each octave of speed; and the squares of speed (per sample) and
/// acceleration.
struct Ways {
  double forward = 0, backward = 0, rest = 0, speed = 0, acceleration = 0;
  std::array<double, octaves> octave{};

  double all() const { return forward + backward + rest; }
  double moving() const { return forward + backward; }
  void count(double moved, bool is_resting, double a, double fastest) {
    const bool rests = is_resting || moved == 0;
    (rests ? rest : moved > 0 ? forward : backward) += 1;
    speed += moved * moved;
    acceleration += a * a;
    for (std::size_t k = 0; !rests && k < octaves; ++k, fastest *= 0.5)
      if (std::fabs(moved) > 0.5 * fastest) {
        octave[k] += 1;
        break;
      }
  }
  void take(const Ways& other, double factor = 1) {
    forward += factor * other.forward, backward += factor * other.backward, rest += factor * other.rest;
    speed += factor * other.speed, acceleration += factor * other.acceleration;
    for (std::size_t k = 0; k < octaves; ++k) octave[k] += factor * other.octave[k];
  }
};

/// The end of the first wide stroke: up to there the state of a law with memory is not known, and nothing is fitted to it. 0 where
/// no half of the recording follows.
std::size_t run_in(const std::vector<double>& position) {
  constexpr double wide = 0.9;
  if (position.empty()) return 0;
  const auto [lowest, highest] = std::minmax_element(position.begin(), position.end());
  double low = position[0], high = position[0];
  for (std::size_t i = 1; i < position.size(); ++i) {
    low = std::min(low, position[i]), high = std::max(high, position[i]);
    if (high - low >= wide * (*highest - *lowest)) return i < position.size() / 2 ? i : 0;
  }
  return 0;
}

/// The ways of any set of a recording from sums over its beginning.
class WaysOf {
 public:
  explicit WaysOf(const Prepared& data) : until_(data.size() + 1), fitted_from_(run_in(data.position)) {
    const std::vector<bool> rest = resting(data);
    const std::vector<double>& x = data.position;
    double fastest = 0;
    for (std::size_t i = 1; i < x.size(); ++i) fastest = std::max(fastest, std::fabs(x[i] - x[i - 1]));
    for (std::size_t i = 0; i < data.size(); ++i) {
      until_[i + 1] = until_[i];
      if (i > 0)
        until_[i + 1].count(x[i] - x[i - 1], rest[i],
                            data.acceleration.size() == data.size() ? data.acceleration[i] : 0, fastest);
    }
  }
  Ways all() const { return until_.back(); }
  /// Without the run-in: all of it, and a set.
  Ways fitted() const { return in({fitted_from_, until_.size() - 1 - fitted_from_}); }
  Ways fitted(const SampleSet& set) const { return in(set.from(fitted_from_)); }
  Ways in(const SampleSet& set) const {
    Ways ways;
    for (const Stretch& s : set.stretches()) ways.take(until_[s.first + s.count]), ways.take(until_[s.first], -1);
    return ways;
  }

 private:
  std::vector<Ways> until_;
  std::size_t fitted_from_;
};

/// The least of a set's share over the recording's own share; what the recording hardly has is not asked for.
struct Balance {
  double direction = unlimited, rest = unlimited,
         pace = unlimited;          // pace: squares of speed and acceleration, and each octave of speed, estimation
  double fitted_speed = unlimited;  // rms of the estimation set over the recording's
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  static constexpr double quarter = 0.25, twentieth = 0.05;

  bool moves() const { return direction >= quarter; }
  bool rests() const { return rest >= twentieth; }
  bool paces() const { return pace >= quarter; }
};
Balance balance_of(const std::array<SampleSet, 3>& sets, const WaysOf& ways) {
  Balance found;
  for (const SampleSet& set : sets) {
    if (set.empty()) continue;
    Ways all = ways.all(), here = ways.in(set);
    const auto ratio = [&](double Ways::*way, double (Ways::*of)() const, double least_share) {
      const double whole = all.*way / (all.*of)();
      return whole < least_share ? Balance::unlimited : here.*way / std::max((here.*of)(), 1.0) / whole;
    };
    found.direction = std::min(
        {found.direction, ratio(&Ways::forward, &Ways::moving, 0.02), ratio(&Ways::backward, &Ways::moving, 0.02)});
    found.rest = std::min(found.rest, ratio(&Ways::rest, &Ways::all, 0.05));
    if (&set != &sets[0]) continue;
    all = ways.fitted(), here = ways.fitted(set);
    for (double Ways::*squares : {&Ways::speed, &Ways::acceleration})
      if (all.*squares > 0) found.pace = std::min(found.pace, ratio(squares, &Ways::all, 0));
    for (std::size_t k = 0; k < octaves; ++k)
      if (const double whole = all.octave[k] / std::max(all.moving(), 1.0); whole >= 0.02)
        found.pace = std::min(found.pace, here.octave[k] / std::max(here.moving(), 1.0) / whole);
    if (all.speed > 0) found.fitted_speed = std::sqrt(ratio(&Ways::speed, &Ways::all, 0));
  }
  return found;
}

/// Rounds, and what one go would have left without its share.
struct Rounds {
  std::size_t count = 1;
  bool for_pace = false;
};

/// As few rounds as balance the sets; see prepare.hpp.
Rounds balanced_rounds(const Prepared& data, const std::array<double, 3>& shares) {
  constexpr std::size_t most = 256;
  double shortest_share = 1;
  for (const double share : shares)
    if (share > 0) shortest_share = std::min(shortest_share, share);
  const double cutoff = data.used.cutoff_hz;
  const double settles = cutoff > 0 && std::isfinite(cutoff) ? 3 / (cutoff * data.sampling_time) : 0;
  const WaysOf ways(data);
  const Balance one_go = balance_of(rounds_of(data.size(), 1, shares), ways);
  // Short stretches are the lesser evil where a set would go one way only: a short recording, there and back once.
  const double shortest = one_go.moves() ? 64 : 16;
  const double longest_round = shortest_share * double(data.size()) / std::max(shortest, settles);
  Rounds best{1, one_go.moves() && one_go.rests()};
  // Where no number of rounds gives all: both directions first, then speeds; the fewest of equals.
  const auto score = [](const Balance& b) {
    return std::array{std::min(b.direction, Balance::quarter), std::min(b.pace, Balance::quarter),
                      std::min(b.rest, Balance::twentieth)};
  };
  auto best_score = score(one_go);
  for (std::size_t rounds = 1; rounds <= most && (rounds == 1 || double(rounds) <= longest_round); ++rounds) {
    const Balance here = balance_of(rounds_of(data.size(), rounds, shares), ways);
    // Rounds must not take the fast strokes away from what is fitted to.
    const bool keeps_speed = here.fitted_speed >= 0.8 * std::min(one_go.fitted_speed, 1.0);
    if (here.moves() && here.rests() && here.paces() && keeps_speed) return {rounds, best.for_pace};
    if (score(here) > best_score) best_score = score(here), best.count = rounds;
  }
  return best;
}

void require_shares(const std::array<double, 3>& shares) {
  const double sum = shares[0] + shares[1] + shares[2];
  const bool fine = shares[0] > 0 && shares[1] >= 0 && shares[2] >= 0 && std::abs(sum - 1) < 1e-9;
  if (!fine)
    throw Error("split: shares are " + shortest(shares[0]) + ", " + shortest(shares[1]) + ", " + shortest(shares[2]) +
                "; none may be negative, the first must be positive and their sum 1");
}

/// Shares of the estimation files when validation or test has no file.
std::array<double, 3> shares_without(bool validation, bool test) {
  if (validation && test) return {1, 0, 0};
  if (validation) return {0.75, 0, 0.25};
  if (test) return {0.75, 0.25, 0};
  return {0.5, 0.25, 0.25};
}

std::string in_words(const std::array<double, 3>& shares) {
  std::string text = "first " + percent(shares[0]);
  if (shares[1] > 0) text += ", next " + percent(shares[1]);
  if (shares[2] > 0) text += ", last " + percent(shares[2]);
  return text + " of the time";
}

std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = read_number(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The value of a column of words or numbers, row by row, as a number that is equal where the values are.
struct Keys {
  std::vector<double> row;
  std::function<std::optional<double>(const std::string&)> of;  // a value as a user writes it
  std::function<std::string(double)> word;
};

Keys keys_of(const Recording& r, const std::string& column) {
  std::vector<std::string> names;
  for (const Labels& labels : r.labels) {
    names.push_back(labels.name);
    if (labels.name != column) continue;
    const auto find = [&labels](const std::string& word) -> std::optional<double> {
      const auto at = std::find(labels.words.begin(), labels.words.end(), word);
      if (at == labels.words.end()) return std::nullopt;
      return double(at - labels.words.begin());
    };
    return {
        {labels.index.begin(), labels.index.end()}, find, [&labels](double k) { return labels.words[std::size_t(k)]; }};
  }
  for (const Column& numbers : r.others) {
    names.push_back(numbers.name);
    if (numbers.name == column) return {numbers.values, number_in, [](double k) { return shortest(k); }};
  }
  throw Error(one_line(r.file, 100) + ": " + no_such("column", column, names));
}

/// Rows [first, first + count) with one value.
std::vector<Stretch> runs_of(const std::vector<double>& keys) {
  std::vector<Stretch> runs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) runs.push_back({i, 0});
    ++runs.back().count;
  }
  return runs;
}

}  // namespace

Recording part_of(const Recording& recording, Stretch samples) {
  Recording part = recording;
  for (const Role role : all_roles) keep(signal(part, role), samples);
  for (Column& column : part.others) keep(column.values, samples);
  for (Labels& labels : part.labels) keep(labels.index, samples);
  return part;
}

Prepared part_of(const Prepared& data, Stretch samples) {
  Prepared part = data;
  for (std::vector<double>* values :
       {&part.time, &part.position, &part.velocity, &part.acceleration, &part.measured_position, &part.force,
        &part.load, &part.pressure, &part.temperature, &part.clipped})
    keep(*values, samples);
  return part;
}

std::size_t SampleSet::count() const {
  std::size_t all = 0;
  for (const Stretch& s : stretches_) all += s.count;
  return all;
}

bool SampleSet::contains(std::size_t sample) const {
  return std::any_of(stretches_.begin(), stretches_.end(),
                     [&](const Stretch& s) { return sample >= s.first && sample < s.first + s.count; });
}

SampleSet SampleSet::from(std::size_t first) const {
  SampleSet later;
  for (const Stretch& s : stretches_) {
    const std::size_t end = s.first + s.count, begin = std::max(s.first, first);
    if (begin < end) later.add({begin, end - begin});
  }
  return later;
}

namespace {

Sets split_one(Prepared data, const std::array<double, 3>& shares, std::size_t rounds) {
  Sets sets;
  sets.pieces.push_back(cut(std::move(data), shares, rounds));
  const Piece& piece = sets.pieces.front();
  for (const SampleSet* set : {&piece.estimation, &piece.validation, &piece.test})
    if (!set->empty() && set->count() < fewest)
      throw Error(one_line(piece.data.file, 100) + ": a set would have " + std::to_string(set->count()) +
                  " samples; at least " + std::to_string(fewest) + " are needed");
  return sets;
}

}  // namespace

Sets split_by_time(Prepared data, std::array<double, 3> shares) {
  require_shares(shares);
  Sets sets = split_one(std::move(data), shares, 1);
  sets.how = in_words(shares);
  return sets;
}

Sets split_in_rounds(Prepared data, std::array<double, 3> shares) {
  require_shares(shares);
  const auto [rounds, for_pace] = balanced_rounds(data, shares);
  if (rounds == 1) return split_by_time(std::move(data), shares);
  const double round = double(data.size()) * data.sampling_time / double(rounds);
  Sets sets = split_one(std::move(data), shares, rounds);
  std::string words = in_words(shares);
  words.erase(words.rfind(" of the time"));
  sets.how = words + " of each of " + std::to_string(rounds) + " rounds of " + with_unit(round, "s", 3) +
             (for_pace ? ", so that the estimation set is as fast as the recording"
                       : ", so that each set contains both directions and rest as the recording does");
  return sets;
}

std::size_t leave_out_clipped(Sets& sets) {
  std::size_t left_out = 0;
  for (Piece& piece : sets.pieces) {
    const std::vector<double>& clipped = piece.data.clipped;
    if (clipped.empty()) continue;
    for (SampleSet* set : {&piece.estimation, &piece.validation, &piece.test}) {
      SampleSet kept;
      for (const Stretch& s : set->stretches())
        for (std::size_t i = s.first, from = s.first; i < s.first + s.count; ++i) {
          const bool ends = i + 1 == s.first + s.count;
          if (clipped[i] > 0) {
            kept.add({from, i - from});
            from = i + 1;
            ++left_out;
          } else if (ends) {
            kept.add({from, i + 1 - from});
          }
        }
      *set = kept;
    }
  }
  return left_out;
}

std::vector<std::string> one_sided_sets(const Sets& sets) {
  constexpr double hardly = 0.05;  // of the samples that move
  struct Named {
    SampleSet Piece::*set;
    const char* name;
  };
  Ways all;
  std::array<Ways, 3> of;
  const std::array names{Named{&Piece::estimation, "estimation"}, Named{&Piece::validation, "validation"},
                         Named{&Piece::test, "test"}};
  for (const Piece& piece : sets.pieces) {
    const WaysOf ways(piece.data);
    all.take(ways.all());
    for (std::size_t k = 0; k < names.size(); ++k) of[k].take(ways.in(piece.*names[k].set));
  }
  std::vector<std::string> found;
  if (std::min(all.forward, all.backward) < hardly * (all.forward + all.backward)) return found;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double moving = of[k].forward + of[k].backward;
    if (of[k].all() == 0 || std::min(of[k].forward, of[k].backward) >= hardly * moving) continue;
    const bool is_forward = of[k].forward > of[k].backward;
    found.push_back(
        (moving > 0 ? percent(std::max(of[k].forward, of[k].backward) / moving) + " of the moving " + names[k].name +
                          " samples go " + (is_forward ? "forward" : "backward")
                    : std::string("no ") + names[k].name + " sample moves") +
        ": a constant force and friction cannot be separated there; choose sets with both directions (--split, "
        "--split-by, --validation, --test)");
  }
  return found;
}

Sets split_by_file(std::vector<Prepared> estimation, std::vector<Prepared> validation, std::vector<Prepared> test) {
  if (estimation.empty()) throw Error("split: no file for estimation; at least one is needed");
  const auto shares = shares_without(!validation.empty(), !test.empty());
  Sets sets;
  sets.how = std::to_string(estimation.size()) + (estimation.size() == 1 ? " file" : " files") + " for estimation";
  if (shares[0] < 1) sets.how += " (" + in_words(shares) + " of each)";
  if (!validation.empty()) sets.how += ", " + std::to_string(validation.size()) + " for validation";
  if (!test.empty()) sets.how += ", " + std::to_string(test.size()) + " for the test";
  for (Prepared& data : estimation) sets.pieces.push_back(cut(std::move(data), shares));
  for (Prepared& data : validation) {
    const std::size_t n = data.size();
    sets.pieces.push_back({std::move(data), {}, {0, n}, {}});
  }
  for (Prepared& data : test) {
    const std::size_t n = data.size();
    sets.pieces.push_back({std::move(data), {}, {}, {0, n}});
  }
  for (std::size_t k = 0; k < sets.pieces.size(); ++k) sets.pieces[k].unit = k;
  return sets;
}

Sets split_by_column(const Recording& recording, const Preparation& options, const ColumnSplit& split) {
  const Keys keys = keys_of(recording, split.column);
  const std::vector<Stretch> runs = runs_of(keys.row);
  const auto chosen = [&](const std::vector<std::string>& words) {
    std::vector<Prepared> pieces;
    for (const std::string& word : words) {
      const std::optional<double> key = keys.of(word);
      const std::size_t before = pieces.size();
      for (const Stretch run : runs)
        if (key && keys.row[run.first] == *key) pieces.push_back(prepare(part_of(recording, run), options));
      if (pieces.size() > before) continue;
      std::vector<std::string> known;
      for (const Stretch run : runs)
        if (const std::string k = keys.word(keys.row[run.first]);
            std::find(known.begin(), known.end(), k) == known.end())
          known.push_back(k);
      throw Error(one_line(recording.file, 100) + ": column " + in_quotes(split.column) + " has " +
                  no_such("value", word, known));
    }
    return pieces;
  };
  Sets sets = split_by_file(chosen(split.estimation), chosen(split.validation), chosen(split.test));
  const auto named = [](const std::vector<std::string>& words) { return words.empty() ? "none" : joined(words); };
  sets.how = "by column " + one_line(split.column, 40) + ": estimation " + named(split.estimation) + "; validation " +
             named(split.validation) + "; test " + named(split.test);
  if (split.validation.empty() || split.test.empty())
    sets.how += "; sets without a value take their share, " +
                in_words(shares_without(!split.validation.empty(), !split.test.empty())) + " of each piece";
  return sets;
}

}  // namespace stickslip::inline recordings
