/// Results as MATLAB and Octave load them: a .mat of version 5, not compressed, the same bytes for the same numbers.
///   write_whole("run.mat", to_mat({{"force", MatValue(forces)}, {"model", MatValue("lugre")}}));
/// Numbers are columns of doubles, texts are rows of characters, structs have fields in the order given. A name becomes one that
/// MATLAB takes: "thresholds[2]" is thresholds_2. They are read by recording/tables/mat_v5.cpp.
/// Not written: cells, sparse or complex matrices, variables beyond 2 GB.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/table.hpp"

namespace stickslip::inline files {

struct MatValue;
using MatFields = std::vector<std::pair<std::string, MatValue>>;

struct MatValue {
  enum class Kind { numbers, text, fields };
  Kind kind = Kind::numbers;
  std::vector<double> numbers = {};  // one column
  std::string text = {};
  MatFields fields = {};

  MatValue() = default;
  explicit MatValue(double number) : numbers{number} {}
  explicit MatValue(std::vector<double> column) : numbers(std::move(column)) {}
  explicit MatValue(std::string words) : kind(Kind::text), text(std::move(words)) {}
  explicit MatValue(const char* words) : MatValue(std::string(words)) {}
  explicit MatValue(MatFields members) : kind(Kind::fields), fields(std::move(members)) {}
};

/// A word that MATLAB takes as a name, of at most 63 characters.
std::string mat_name(const std::string& name);

/// Throws Error for what a .mat cannot hold.
std::string to_mat(const MatFields& variables);
/// One variable per column, named like the CSV header: time_s, velocity_m_s.
std::string to_mat(const Table& table);

}  // namespace stickslip::inline files
