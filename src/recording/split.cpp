/// Estimation, validation and test sets, by time, by file or by a column; see prepare.hpp.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "recording/prepare.hpp"

namespace stickslip {
namespace {

constexpr std::size_t fewest = 32;  // samples of a set

template <class T>
void keep(std::vector<T>& values, Stretch s) {
  if (values.empty()) return;
  values.erase(values.begin() + std::ptrdiff_t(s.first + s.count), values.end());
  values.erase(values.begin(), values.begin() + std::ptrdiff_t(s.first));
}

std::string percent(double share) { return significant(100 * share, 4) + " %"; }

/// A piece cut by shares of its samples.
Piece cut(Prepared data, const std::array<double, 3>& shares) {
  const auto n = double(data.size());
  const auto first = std::size_t(std::llround(n * shares[0]));
  const auto second = std::min(data.size(), std::size_t(std::llround(n * (shares[0] + shares[1]))));
  Piece piece{std::move(data), {0, first}, {first, second - first}, {}};
  if (shares[2] > 0) piece.test = {second, piece.data.size() - second};
  return piece;
}

void require_shares(const std::array<double, 3>& shares) {
  const double sum = shares[0] + shares[1] + shares[2];
  const bool fine = shares[0] > 0 && shares[1] >= 0 && shares[2] >= 0 && std::abs(sum - 1) < 1e-9;
  if (!fine)
    throw Error("split: shares are " + shortest(shares[0]) + ", " + shortest(shares[1]) + ", " + shortest(shares[2]) +
                "; none may be negative, the first must be positive and their sum 1");
}

/// Shares of the estimation files when validation or test has no file of its own.
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
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
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
  for (std::vector<double>* values : {&part.time, &part.position, &part.velocity, &part.acceleration,
                                      &part.measured_position, &part.force, &part.load, &part.pressure})
    keep(*values, samples);
  return part;
}

Sets split_by_time(Prepared data, std::array<double, 3> shares) {
  require_shares(shares);
  Sets sets{{}, in_words(shares)};
  sets.pieces.push_back(cut(std::move(data), shares));
  const Piece& piece = sets.pieces.front();
  for (const Stretch set : {piece.estimation, piece.validation, piece.test})
    if (set.count > 0 && set.count < fewest)
      throw Error(one_line(piece.data.file, 100) + ": a set would have " + std::to_string(set.count) +
                  " samples; at least " + std::to_string(fewest) + " are needed");
  return sets;
}

Sets split_by_file(std::vector<Prepared> estimation, std::vector<Prepared> validation, std::vector<Prepared> test) {
  if (estimation.empty()) throw Error("split: no file to estimate from; at least one is needed");
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

}  // namespace stickslip
