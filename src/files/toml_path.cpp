#include "files/toml_path.hpp"

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline files {
namespace {

/// "thresholds[2]", "thresholds.2" or "body[flywheel]": a key and the text in brackets after it.
struct Step {
  std::string key;
  std::vector<std::string> picks;
};

std::vector<std::string> keys_of(const TomlValue& table) {
  std::vector<std::string> keys;
  for (const auto& member : table.members) keys.push_back(member.key);
  return keys;
}

std::size_t whole_number(std::string_view text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && end == text.data() + text.size() ? n : 0;
}

}  // namespace

const TomlValue& value_at(const TomlValue& document, std::string_view given, const std::string& file,
                          std::vector<std::size_t>* inner) {
  const std::string path(given);
  std::vector<Step> steps;
  std::string_view rest = path;
  while (true) {  // dots outside brackets part the steps
    const auto dot = std::min(rest.find('.'), rest.size()), bracket = std::min(rest.find('['), rest.size());
    Step step;
    step.key = std::string(rest.substr(0, std::min(dot, bracket)));
    rest.remove_prefix(step.key.size());
    while (rest.starts_with('[')) {
      const auto close = rest.find(']');
      if (close == std::string_view::npos) throw Error(file + ": path " + in_quotes(path) + ": a ']' is missing");
      step.picks.emplace_back(rest.substr(1, close - 1));
      rest.remove_prefix(close + 1);
    }
    // body.2.mass is body[2].mass
    if (whole_number(step.key) > 0 && !steps.empty()) {
      steps.back().picks.push_back(step.key);
      steps.back().picks.insert(steps.back().picks.end(), step.picks.begin(), step.picks.end());
    } else {
      steps.push_back(step);
    }
    if (rest.empty()) break;
    if (!rest.starts_with('.')) throw Error(file + ": path " + in_quotes(path) + ": a '.' is missing after a ']'");
    rest.remove_prefix(1);
  }

  const TomlValue* at = &document;
  std::string so_far;
  for (const Step& step : steps) {
    const std::string where = so_far.empty() ? "" : " in [" + so_far + "]";
    const auto there = at->kind == TomlValue::Kind::table ? keys_of(*at) : std::vector<std::string>{};
    const TomlValue* next = at->find(step.key);
    if (!next && !at->items.empty()) {  // several of a kind: one of them must be picked
      std::vector<std::string> picks;
      for (std::size_t i = 0; i < at->items.size(); ++i) {
        const TomlValue* name = at->items[i].find("name");
        picks.push_back(so_far + "[" + (name ? name->text : std::to_string(i + 1)) + "]");
      }
      throw Error(one_line(file) + ":" + std::to_string(at->line) + ": path " + in_quotes(path) + ": " + so_far +
                  " is a list of " + std::to_string(picks.size()) + "; " +
                  did_you_mean(so_far + "[" + step.key + "]", picks));
    }
    if (!next)
      throw Error(one_line(file) + ": path " + in_quotes(path) + ": no " + in_quotes(step.key) + where + "; " +
                  did_you_mean(step.key, there));
    at = next;
    so_far += (so_far.empty() ? "" : ".") + step.key;
    for (const std::string& pick : step.picks) {
      if (inner && at->kind == TomlValue::Kind::text && whole_number(pick) > 0) {  // "[1, 2, 3] N"
        inner->push_back(whole_number(pick));
        continue;
      }
      std::vector<std::string> names;
      const TomlValue* found = nullptr;
      for (std::size_t i = 0; i < at->items.size(); ++i) {
        const TomlValue* name = at->items[i].find("name");
        names.push_back(name ? name->text : std::to_string(i + 1));
        if (names.back() == pick || whole_number(pick) == i + 1) found = &at->items[i];
      }
      if (!found)
        throw Error(one_line(file) + ":" + std::to_string(at->line) + ": path " + in_quotes(path) + ": no " +
                    in_quotes(pick) + " in " + so_far + "; " + did_you_mean(pick, names));
      at = found;
      so_far += "[" + pick + "]";
    }
  }
  return *at;
}

}  // namespace stickslip::inline files
