#include "machines/machine.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/quantity_log.hpp"
#include "files/toml_path.hpp"
#include "files/whole_file.hpp"

namespace stickslip::inline machines {
namespace {

using Kind = TomlValue::Kind;

/// Every text or number that was read as a quantity becomes one, so that it can be set and read without text.
void make_quantities(TomlValue& value, const QuantityLog& log) {
  for (TomlValue& item : value.items) make_quantities(item, log);
  for (TomlMember& member : value.members) make_quantities(member.value, log);
  const ReadQuantity* read = log.find(&value);
  if (!read || value.kind == Kind::list || value.kind == Kind::table) return;
  const int line = value.line, column = value.column;
  if (read->values.size() == 1) {
    value = quantity(read->values.front(), read->unit, line);
  } else {
    TomlValue list;
    list.kind = Kind::list;
    for (const double x : read->values) list.items.push_back(quantity(x, read->unit, line));
    value = std::move(list);
    value.line = line;
  }
  value.column = column;
}

void collect(const TomlValue& value, const std::string& path, std::vector<MachineNumber>& numbers) {
  if (value.kind == Kind::quantity) numbers.push_back({path, value.number, value.text.empty() ? "1" : value.text});
  for (const TomlMember& member : value.members)
    collect(member.value, path.empty() ? member.key : path + "." + member.key, numbers);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const TomlValue* name = value.items[i].find("name");
    collect(value.items[i], path + "[" + (name ? name->text : std::to_string(i + 1)) + "]", numbers);
  }
}

/// The number at a path, to be set. A key that is missing in its table is added: the reader decides whether it is known.
TomlValue& number_at(TomlValue& document, std::string_view path, const std::string& file) {
  const auto dot = path.rfind('.');
  if (dot != std::string_view::npos && path.back() != ']') {
    auto& table = const_cast<TomlValue&>(value_at(document, path.substr(0, dot), file));
    const std::string key(path.substr(dot + 1));
    if (table.kind == Kind::table && !table.find(key)) {
      table.members.push_back({key, quantity(0, "", table.line)});
      return table.members.back().value;
    }
  }
  auto& value = const_cast<TomlValue&>(value_at(document, path, file));
  if (value.kind != Kind::quantity)
    throw Error(one_line(file) + ": path " + in_quotes(std::string(path)) + " leads to " +
                std::string(kind_words(value.kind)) + "; expected a number of the machine");
  return value;
}

}  // namespace

Machine::Machine(TomlValue document, std::string file) : document_(std::move(document)), file_(std::move(file)) {
  kind_ = &machine_kind_of(document_, file_);
  const QuantityLog log;
  build();
  make_quantities(document_, log);
}

void Machine::build() { built_ = kind_->build(document_, file_); }

std::vector<MachineNumber> Machine::numbers() const {
  std::vector<MachineNumber> numbers;
  collect(document_, "", numbers);
  return numbers;
}

/// The number at a path, to be read.
static const TomlValue& existing_number(const TomlValue& document, std::string_view path, const std::string& file) {
  const TomlValue& value = value_at(document, path, file);
  if (value.kind != Kind::quantity)
    throw Error(one_line(file) + ": path " + in_quotes(std::string(path)) + " leads to " +
                std::string(kind_words(value.kind)) + "; expected a number of the machine");
  return value;
}

double Machine::number(std::string_view path) const { return existing_number(document_, path, file_).number; }

std::string Machine::unit(std::string_view path) const {
  const std::string& unit = existing_number(document_, path, file_).text;
  return unit.empty() ? "1" : unit;
}

void Machine::set(std::string_view path, double value) { set({{std::string(path), value}}); }

void Machine::set(const std::vector<std::pair<std::string, double>>& values) {
  TomlValue before = document_;
  try {
    const QuantityLog log;
    for (const auto& [path, value] : values) number_at(document_, path, file_).number = value;
    build();
    for (const auto& [path, value] : values) {  // a new number now has its unit
      TomlValue& set = number_at(document_, path, file_);
      if (const ReadQuantity* read = log.find(&set); read && set.text.empty()) set.text = read->unit;
    }
  } catch (const Error&) {
    document_ = std::move(before);
    throw;
  }
}

std::string Machine::try_set(const std::vector<std::pair<std::string, double>>& values) {
  try {
    set(values);
    return "";
  } catch (const Error& problem) {
    return problem.what();
  }
}

Machine read_machine(const std::string& file) { return parse_machine_text(read_whole(file), file); }

Machine parse_machine_text(std::string_view text, const std::string& file) { return {parse_toml(text, file), file}; }

}  // namespace stickslip::inline machines
