#include "files/quantity_log.hpp"

namespace stickslip::inline files {
namespace {

thread_local QuantityLog* current = nullptr;

}  // namespace

QuantityLog::QuantityLog() : before_(current) { current = this; }
QuantityLog::~QuantityLog() { current = before_; }

const ReadQuantity* QuantityLog::find(const TomlValue* value) const {
  const auto found = read_.find(value);
  return found == read_.end() ? nullptr : &found->second;
}

void QuantityLog::note(const TomlValue& value, std::string_view unit, std::vector<double> values) {
  if (current) current->read_.try_emplace(&value, ReadQuantity{std::string(unit), std::move(values)});
}

}  // namespace stickslip::inline files
