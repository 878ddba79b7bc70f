/// A JSON value and its text; see json.hpp.
#include "files/json.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/text.hpp"

namespace stickslip::inline files {
std::string json_string(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0)
      out += "\uFFFD";
    else if (c == '"' || c == '\\')
      (out += '\\') += text.front();
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (c < 0x20 || c == 0x7f)  // TOML, which is written with this as well, has no 7f in texts
      ((out += "\\u00") += hex[c >> 4]) += hex[c & 15];
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out + '"';
}

Json Json::array(std::initializer_list<Json> items) {
  Json json;
  json.value_ = Array(items);
  return json;
}

Json Json::object(std::initializer_list<std::pair<std::string, Json>> members) {
  Json json;
  json.value_ = Object(members);
  return json;
}

Json& Json::operator[](std::string_view key) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Object{};
  assert(std::holds_alternative<Object>(value_));
  auto& members = std::get<Object>(value_);
  for (auto& [name, value] : members)
    if (name == key) return value;
  return members.emplace_back(std::string(key), Json()).second;
}

void Json::push_back(Json item) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Array{};
  assert(std::holds_alternative<Array>(value_));
  std::get<Array>(value_).push_back(std::move(item));
}

std::string Json::text(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

void Json::write(std::string& out, int indent, int depth) const {
  const auto new_line = [&](int level) {
    if (indent >= 0) out.append("\n").append(std::size_t(indent * level), ' ');
  };
  const auto is_scalar = [](const Json& json) { return json.value_.index() < 5; };
  if (const auto* boolean = std::get_if<bool>(&value_)) {
    out += *boolean ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*whole);
  } else if (const auto* number = std::get_if<double>(&value_)) {
    out += std::isfinite(*number) ? shortest(*number) : "null";
  } else if (const auto* string = std::get_if<std::string>(&value_)) {
    out += json_string(*string);
  } else if (const auto* array = std::get_if<Array>(&value_)) {
    // A list of plain values stays on one line: a thousand samples should not be a thousand lines.
    const bool flat = std::all_of(array->begin(), array->end(), is_scalar);
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += flat && indent >= 0 ? ", " : ",";
      if (!flat) new_line(depth + 1);
      (*array)[i].write(out, indent, depth + 1);
    }
    if (!flat) new_line(depth);
    out += ']';
  } else if (const auto* object = std::get_if<Object>(&value_)) {
    out += '{';
    for (std::size_t i = 0; i < object->size(); ++i) {
      if (i > 0) out += ',';
      new_line(depth + 1);
      out += json_string((*object)[i].first) + (indent >= 0 ? ": " : ":");
      (*object)[i].second.write(out, indent, depth + 1);
    }
    if (!object->empty()) new_line(depth);
    out += '}';
  } else {
    out += "null";
  }
}

}  // namespace stickslip::inline files
