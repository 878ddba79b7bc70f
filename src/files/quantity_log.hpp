/// Which values of a document were read as quantities, and in which unit: the readers themselves say what a machine's numbers are.
///   QuantityLog log;                 // while it lives, every reading on this thread is noted
///   build(document);
///   const ReadQuantity* mass = log.find(document.find("mass"));
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "files/toml_document.hpp"

namespace stickslip::inline files {

struct ReadQuantity {
  std::string unit;            // as the reader asked for it: SI
  std::vector<double> values;  // [SI]; several of a text like "[1, 2] N"
};

class QuantityLog {
 public:
  QuantityLog();
  ~QuantityLog();
  QuantityLog(const QuantityLog&) = delete;
  QuantityLog& operator=(const QuantityLog&) = delete;

  /// Nothing if it was not read as a quantity. A value that was read twice has the unit of the first reading.
  const ReadQuantity* find(const TomlValue* value) const;
  /// To the log of this thread, if there is one.
  static void note(const TomlValue& value, std::string_view unit, std::vector<double> values);

 private:
  std::unordered_map<const TomlValue*, ReadQuantity> read_;
  QuantityLog* before_;
};

}  // namespace stickslip::inline files
