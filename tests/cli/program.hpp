/// Runs the built program as a user does, and reads back the JSON it prints.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/places.hpp"

namespace stickslip {

namespace fs = std::filesystem;

inline std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

/// An empty directory for one test, removed at its end.
class Folder {
 public:
  Folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("stickslip_") + test->test_suite_name() + "_" + test->name();
    std::replace(name.begin(), name.end(), '/', '_');  // tests over a list have names with slashes
    path_ = fs::temp_directory_path() / (name + "_" + std::to_string(getpid()));
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  fs::path path_;
};

struct Answer {
  int exit_code = -1;
  std::string out, err;
};

/// The program with these arguments (as a shell reads them), started in `folder`.
inline Answer run_program(const Folder& folder, const std::string& arguments) {
  const fs::path aside = folder.path().string() + ".streams";
  fs::create_directories(aside);
  const std::string command = "cd '" + folder.path().string() + "' && '" + program_file() + "' " + arguments + " >'" +
                              (aside / "out").string() + "' 2>'" + (aside / "err").string() + "' </dev/null";
  const int status = std::system(command.c_str());
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(aside / "out"), text_of(aside / "err")};
  fs::remove_all(aside);
  return answer;
}

/// A JSON value read strictly (RFC 8259); throws std::runtime_error for anything that is not JSON.
struct JsonValue {
  enum class Kind { null, boolean, number, text, list, object } kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<JsonValue> items;
  std::map<std::string, JsonValue> members;

  const JsonValue& operator[](const std::string& key) const {
    const auto found = members.find(key);
    if (found == members.end()) throw std::runtime_error("no member " + key);
    return found->second;
  }
};

class JsonReader {
 public:
  static JsonValue read(const std::string& text) {
    JsonReader reader(text);
    JsonValue value = reader.value();
    reader.space();
    if (reader.at_ != text.size()) reader.fail("text after the value");
    return value;
  }

 private:
  explicit JsonReader(const std::string& text) : text_(text) {}
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }
  void space() {
    while (at_ < text_.size() && std::string(" \t\r\n").find(text_[at_]) != std::string::npos) ++at_;
  }
  char peek() {
    space();
    if (at_ >= text_.size()) fail("the end");
    return text_[at_];
  }
  bool take(const std::string& word) {
    space();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  std::string string() {
    if (!take("\"")) fail("no string");
    std::string found;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) fail("a control character");
      if (text_[at_] == '\\') found += text_[at_++];
      found += text_[at_];
    }
    if (!take("\"")) fail("an open string");
    return found;
  }
  JsonValue value() {
    JsonValue v;
    using Kind = JsonValue::Kind;
    if (peek() == '{') {
      v.kind = Kind::object;
      take("{");
      if (take("}")) return v;
      do {
        const std::string key = (space(), string());
        if (!take(":")) fail("no colon");
        if (!v.members.emplace(key, value()).second) fail("a key twice");
      } while (take(","));
      if (!take("}")) fail("an open object");
    } else if (peek() == '[') {
      v.kind = Kind::list;
      take("[");
      if (take("]")) return v;
      do v.items.push_back(value());
      while (take(","));
      if (!take("]")) fail("an open list");
    } else if (peek() == '"') {
      v.kind = Kind::text;
      v.text = string();
    } else if (take("true")) {
      v.kind = Kind::boolean, v.boolean = true;
    } else if (take("false")) {
      v.kind = Kind::boolean;
    } else if (!take("null")) {
      const char* begin = text_.c_str() + at_;
      if (*begin != '-' && !(*begin >= '0' && *begin <= '9')) fail("no value");
      char* end = nullptr;
      v.kind = Kind::number;
      v.number = std::strtod(begin, &end);
      at_ += static_cast<std::size_t>(end - begin);
    }
    return v;
  }
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace stickslip
