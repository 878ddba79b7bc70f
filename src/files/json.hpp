/// A JSON value and its text, for `--json` and result files. Objects keep the order in which keys were added, numbers
/// read back exactly, what is not finite becomes null, and bytes that are no UTF-8 become U+FFFD, so that the text is
/// always valid JSON (RFC 8259).
///   Json report = Json::object();
///   report["model"] = "lugre";
///   report["periods"] = Json::array({6.51, 6.52});
/// Not here: reading JSON.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stickslip::inline files {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  template <std::integral I>
  requires(!std::same_as<I, bool>) Json(I value) : value_(std::int64_t(value)) {}
  Json(const std::vector<double>& values) : value_(Array(values.begin(), values.end())) {}
  Json(const std::vector<std::string>& values) : value_(Array(values.begin(), values.end())) {}

  static Json array(std::initializer_list<Json> items = {});
  static Json object(std::initializer_list<std::pair<std::string, Json>> members = {});

  /// The member of this name, added as null if there is none; a null becomes an object.
  Json& operator[](std::string_view key);
  /// Appends to an array; a null becomes one.
  void push_back(Json item);

  /// indent < 0: everything on one line.
  std::string text(int indent = 2) const;

 private:
  void write(std::string& out, int indent, int depth) const;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_ = nullptr;
};

/// `text` as a JSON string, with its quotes.
std::string json_string(std::string_view text);

}  // namespace stickslip::inline files
