/// Names and texts from outside that would steer a browser or a terminal: titles, names of files, columns, models. Every page shows them
/// as text, and nothing reaches the terminal but letters.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "cli/safe_output.hpp"
#include "program.hpp"

namespace stickslip::hostile_texts_test {
namespace {

/// As written in a TOML text, and as a shell word of a file's name.
const std::string script = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'&\\\"";
const std::string escape = "\\u001b]0;owned\\u0007\\u001b[2J\\r\\u009b31m";
const std::string file_name = "<img src=x onerror=alert(3)>\x1b[31m&'.toml";

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// Everything a page may begin a tag with is the program's own; what came from outside is text.
void expect_harmless_page(const std::string& html, const std::string& what) {
  ASSERT_FALSE(html.empty()) << what;
  for (const char* tag : {"<img", "<script>alert", "onerror=alert(2)>'&\"", "<iframe", "javascript:"})
    EXPECT_EQ(html.find(tag), std::string::npos)
        << what << ": " << tag << " at " << html.substr(html.find(tag) > 60 ? html.find(tag) - 60 : 0, 160);
  // as many scripts as the page itself has: each one closed once
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = html.find(text); at != std::string::npos; at = html.find(text, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<script"), count("</script")) << what;
}

void expect_harmless_terminal(const std::string& text, const std::string& what) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    EXPECT_FALSE((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
        << what << ": byte " << int(c) << " in " << text.substr(i > 40 ? i - 40 : 0, 80);
    const bool leads = c == 0xC2 && i + 1 < text.size();
    EXPECT_FALSE(leads && static_cast<unsigned char>(text[i + 1]) < 0xA0) << what;
  }
}

void expect_harmless(const Folder& folder, const std::string& arguments, const std::string& page) {
  const Answer answer = run_program(folder, arguments);
  EXPECT_LT(answer.exit_code, 2) << arguments << ": " << answer.err;
  expect_harmless_terminal(answer.out, arguments);
  expect_harmless_terminal(answer.err, arguments);
  if (!page.empty()) expect_harmless_page(text_of(folder / page), arguments);
}

const std::string scenario = "title = \"" + script + escape + R"("
[machine]
kind = "pulled-spring"
mass = "1 kg"
stiffness = "2 N/m"
[input]
kind = "ramp"
rate = "0.1 m/s"
[friction]
model = "coulomb"
coulomb_force = "1 N"
[run]
duration = "2 s"
sample_interval = "10 ms"
)";

std::string recording() {
  std::string text = "time_s,position_m,force_N,\"<img src=x onerror=alert(4)>\"\n";
  for (int i = 0; i < 600; ++i) {
    const double t = 0.002 * i, w = 12, x = 0.01 * std::sin(w * t), v = 0.01 * w * std::cos(w * t);
    text += std::to_string(t) + "," + std::to_string(x) + "," +
            std::to_string(-20 * w * w * x + (v > 0 ? 20 : -20) + 100 * v) + ",1\n";
  }
  return text;
}

TEST(HostileTexts, SimulateShowsThemAsText) {
  const Folder folder;
  folder.write(file_name, scenario);
  expect_harmless(folder, "simulate " + shell_quoted(file_name) + " --no-files --report r.html", "r.html");
  expect_harmless(folder, "simulate " + shell_quoted(file_name) + " -o out/", "");
}

TEST(HostileTexts, SweepShowsThemAsText) {
  const Folder folder;
  folder.write("s.toml", scenario);
  folder.write(file_name, "title = \"" + script + escape +
                              "\"\nscenario = \"s.toml\"\noutputs = [\"max velocity\"]\n[plan]\nkind = \"grid\"\n"
                              "[[parameter]]\npath = \"machine.mass\"\nvalues = \"[1, 2] kg\"\n");
  expect_harmless(folder, "sweep " + shell_quoted(file_name) + " --no-files --report r.html", "r.html");
}

TEST(HostileTexts, IdentifyAndValidateShowThemAsText) {
  const Folder folder;
  const std::string name = "<img src=x onerror=alert(3)>\x1b[31m&'.csv";
  folder.write(name, recording());
  expect_harmless(
      folder, "identify " + shell_quoted(name) + " --mass '20 kg' --model coulomb-viscous -o m.toml --report r.html",
      "r.html");
  std::string model = text_of(folder / "m.toml");
  ASSERT_FALSE(model.empty());
  const auto at = model.find("label = \"");
  ASSERT_NE(at, std::string::npos) << model;
  model.insert(at + 9, script + escape);
  folder.write("<b>n\x1b[2J.toml", model);
  expect_harmless(
      folder, "validate " + shell_quoted("<b>n\x1b[2J.toml") + " " + shell_quoted(name) + " --report v.html", "v.html");
  expect_harmless(folder, "inspect " + shell_quoted(name), "");
  expect_harmless(folder, "check " + shell_quoted("<b>n\x1b[2J.toml"), "");
  // its page is of models by name; what comes from outside is the command
  expect_harmless(folder, "check coulomb --report " + shell_quoted("<img src=x onerror=alert(5)>.html"),
                  "<img src=x onerror=alert(5)>.html");
}

TEST(HostileTexts, ReproduceTakesNoTextFromOutsideButTheCommand) {
  const Folder folder;
  expect_harmless(folder, "reproduce switch-map --report " + shell_quoted("<img src=x onerror=alert(1)>"),
                  "<img src=x onerror=alert(1)>/index.html");
}

TEST(HostileTexts, RefusalsShowThemAsText) {
  const Folder folder;
  folder.write("m.toml", "[friction]\nmodel = \"\\u001b[2J\\u009b31m\"\n");
  for (const std::string& arguments :
       {shell_quoted("\x1b[2J"), "simulate " + shell_quoted("none\x1b]0;x\x07"), std::string("check m.toml"),
        "models " + shell_quoted("\xc2\x9b"
                                 "31m"),
        "sweep m.toml --shard " + shell_quoted("\r\x1b[A"), "inspect --time " + shell_quoted("\x1b[2J") + " m.toml"}) {
    const Answer answer = run_program(folder, arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    expect_harmless_terminal(answer.err + answer.out, arguments);
  }
}

// --- the filter itself -----------------------------------------------------------------------------------------------

TEST(SafeText, KeepsLettersAndEscapesWhatSteers) {
  SafeText plain(false), terminal(true);
  EXPECT_EQ(plain.of("a\tb\n"), "a\tb\n");
  EXPECT_EQ(plain.of("\x1b[31mred\x1b[0m\r\x07\x7f"), "\\x1b[31mred\\x1b[0m\\r\\x07\\x7f");
  EXPECT_EQ(terminal.of("\x1b[31mred\x1b[0m"), "\x1b[31mred\x1b[0m") << "our own colours";
  EXPECT_EQ(terminal.of("\x1b[2J\x1b[41m"), "\\x1b[2J\\x1b[41m") << "no others";
  EXPECT_EQ(plain.of("\xc2\x9b"
                     "2J"),
            "\\u009b2J");
  EXPECT_EQ(plain.of("µ ─ 你"), "µ ─ 你");
  EXPECT_EQ(plain.of("\x9b\xff"), "\\x9b\\xff");
}

// A name with a mark of direction was shown as another one: "x\u202evsc.exe" as "xexe.csv".
TEST(SafeText, MarksOfDirectionAndInvisibleOnesAreEscaped) {
  SafeText text(false);
  EXPECT_EQ(text.of("x\u202evsc.exe"), "x\\u202evsc.exe");
  EXPECT_EQ(text.of("\u061c\u200e\u200f\u2028\u2029\u2066\u2069\ufeff"),
            "\\u061c\\u200e\\u200f\\u2028\\u2029\\u2066\\u2069\\ufeff");
  EXPECT_EQ(text.of("\u2027\u202f\u2065\u206a\u00a0\u200d\U0001f600"),
            "\u2027\u202f\u2065\u206a\u00a0\u200d\U0001f600");
  EXPECT_EQ(text.of("\u05d0\u0627"), "\u05d0\u0627") << "letters that are written from right to left";
}

TEST(SafeText, ACharacterInTwoPartsIsOne) {
  SafeText text(false);
  EXPECT_EQ(text.of("\xc2"), "");
  EXPECT_EQ(text.of("\x9b"), "\\u009b");
  EXPECT_EQ(text.of("\xc2"), "");
  EXPECT_EQ(text.of("\xb5"), "µ");
}

}  // namespace
}  // namespace stickslip::hostile_texts_test
