/// What TOML 1.0 says, what is refused and with which words; and random documents against toml++, another reader of TOML.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>
#include <sstream>

#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include "core/error.hpp"
#include "files/toml_document.hpp"
#include "support/cases.hpp"

namespace stickslip::toml_parser_test {
namespace {

/// Without places and spellings: "{a:1,b:[true,\"x\"]}".
std::string told(const TomlValue& value) {
  std::string all;
  switch (value.kind) {
    case TomlValue::Kind::table:
      for (const TomlMember& member : value.members)
        all += (all.empty() ? "" : ",") + member.key + ":" + told(member.value);
      return "{" + all + "}";
    case TomlValue::Kind::list:
      for (const TomlValue& item : value.items) all += (all.empty() ? "" : ",") + told(item);
      return "[" + all + "]";
    case TomlValue::Kind::text:
      return "\"" + value.text + "\"";
    case TomlValue::Kind::other:
      return "date";
    default:
      return value.text + (value.is_whole || value.kind == TomlValue::Kind::boolean ? "" : "f");
  }
}
std::string read(const std::string& text) {
  try {
    return told(parse_toml(text, "a.toml"));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Toml, ValuesOfEveryKind) {
  const std::pair<const char*, const char*> values[] = {
      {"17", "17"},
      {"+1_000", "1000"},
      {"-0", "0"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"0xDEAD_beef", "3735928559"},
      {"0o17", "15"},
      {"0b1101", "13"},
      {"1.5", "1.5f"},
      {"-2e-0_3", "-0.002f"},
      {"6.626e+34", "6.626e+34f"},
      {"+inf", "inff"},
      {"-inf", "-inff"},
      {"nan", "nanf"},
      {"true", "true"},
      {"false", "false"},
      {"1979-05-27", "date"},
      {"07:32:00.999", "date"},
      {"1979-05-27T07:32:00Z", "date"},
      {"2024-02-29 23:59:60.5-07:00", "date"},
      {R"("a\tb\u00e9\U0001F600\"\\")", "\"a\tb\xc3\xa9\xf0\x9f\x98\x80\"\\\""},
      {R"('C:\data')", R"("C:\data")"},
      {"\"\"\"\na\n  b\\\n\n   c\"\"\"", "\"a\n  bc\""},
      {"\"\"\"a\"\"b\"\"\"\"\"", "\"a\"\"b\"\"\""},
      {"'''\r\na\r\nb'''''", "\"a\nb''\""},
      {"[]", "[]"},
      {"[ 1, # one\n\n 'b',\n[2.5], ]", "[1,\"b\",[2.5f]]"},
      {"{}", "{}"},
      {"{ a.b = 1, \"c d\" = [ { e = 2 } ], a.f = 3 }", "{a:{b:1,f:3},c d:[{e:2}]}"},
  };
  for (const auto& [value, expected] : values) {
    EXPECT_EQ(read("x = " + std::string(value)), "{x:" + std::string(expected) + "}");
    EXPECT_EQ(read("x=" + std::string(value) + " # y\r\n"), "{x:" + std::string(expected) + "}");
  }
  EXPECT_TRUE(std::signbit(parse_toml("x = -0.0", "").find("x")->number));
}

TEST(Toml, TablesInTheOrderOfTheFile) {
  EXPECT_EQ(read(""), "{}");
  EXPECT_EQ(read("\xef\xbb\xbf\n# only\n  # this"), "{}");
  EXPECT_EQ(read("z = 1\na = 2\n[m . 'n']\nx = 3\n[b]\n[m]\ny = 4\n[m.o]\n"), "{z:1,a:2,m:{n:{x:3},y:4,o:{}},b:{}}");
  EXPECT_EQ(read("[[f]]\nn = 1\n[f.p]\nc = 2\n[[f.v]]\n[[f.v]]\nd = 3\n[[f]]\n[[f.v]]\ne = 4"),
            "{f:[{n:1,p:{c:2},v:[{},{d:3}]},{v:[{e:4}]}]}");
  EXPECT_EQ(read("[a]\nb.c = 1\nb.d = 2\n[a.b.e]\nf = 3\n"), "{a:{b:{c:1,d:2,e:{f:3}}}}");
  EXPECT_EQ(read("3.14 = 1\n\"\" = 2\n- = 3\ntrue = 4\n"), "{3:{14:1},:2,-:3,true:4}");
  // Places, for the messages of those who read the tree.
  const TomlValue document = parse_toml("\n[a]\n  b.c = [ 1,\n   '\xc3\xa9', {d = 2} ]\n[x.y]\n[[z]]\n[x]\n", "a.toml");
  const TomlValue& a = *document.find("a");
  const auto place = [](const TomlValue& value) { return std::pair(value.line, value.column); };
  EXPECT_EQ(place(a), std::pair(2, 1));
  EXPECT_EQ(place(*a.find("b")), std::pair(3, 3));
  const TomlValue& list = *a.find("b")->find("c");
  EXPECT_EQ(place(list), std::pair(3, 9));
  EXPECT_EQ(place(list.items[0]), std::pair(3, 11));
  EXPECT_EQ(place(list.items[1]), std::pair(4, 4));
  EXPECT_EQ(place(list.items[2]), std::pair(4, 9));
  EXPECT_EQ(place(*list.items[2].find("d")), std::pair(4, 14));
  EXPECT_EQ(place(*document.find("x")), std::pair(7, 1));
  EXPECT_EQ(place(*document.find("x")->find("y")), std::pair(5, 1));
  EXPECT_EQ(place(*document.find("z")), std::pair(6, 1));
  EXPECT_EQ(place(document.find("z")->items[0]), std::pair(6, 1));
}

TEST(Toml, RefusalsSayWhatWouldDo) {
  const std::pair<const char*, const char*> cases[] = {
      {"mass = 1 kg", "1: not TOML: 'kg' behind a number; a number with its unit needs quotes: \"1 kg\""},
      {"mass = [2, 1 kg]", "1: not TOML: 'kg' behind a number; a number with its unit needs quotes: \"1 kg\""},
      {"mass = 1,5", "1: not TOML: ',5' behind a number; decimals have a point: 1.5"},
      {"kind = pulled-spring", "1: not TOML: a text needs quotes: \"pulled-spring\""},
      {"on = True", "1: not TOML: 'True'; write true"},
      {"a = ", "1: not TOML: a value is missing behind 'a' ="},
      {"a.b", "1: not TOML: '=' and a value are missing behind 'a.b'"},
      {"= 3", "1: not TOML: a key is missing in front of '='"},
      {"\xcf\x83 = 3", "1: not TOML: a key has '\xcf\x83'; without quotes it takes letters, digits, - and _"},
      {"\"\"\"a\"\"\" = 1", "1: not TOML: a key in three quotes; a key takes one pair"},
      {"\n[m\n", "2: not TOML: the name of a table ends with ']', not the end of the line"},
      {"[[m]", "1: not TOML: the name of a table ends with ']]', not ']'"},
      {"[]", "1: not TOML: the name of a table is missing in front of ']'"},
      {"[m] x = 1", "1: not TOML: 'x = 1' where the line should end"},
      {"[m]\n\n[m]", "3: not TOML: 'm' is there already, since line 1"},
      {"[m]\na = 1\n'a' = 2", "3: not TOML: 'a' is there already, since line 2"},
      {"a = 1\n[a.b]", "2: not TOML: 'a' is a value since line 1, not a table"},
      {"a = 1\na.b = 1", "2: not TOML: 'a' is there already, since line 1"},
      {"a = {b = 1}\na.c = 1", "2: not TOML: 'a' is there already, since line 1"},
      {"a = [{}]\n[[a]]", "2: not TOML: 'a' is there already, since line 1"},
      {"[a]\nb.c = 1\n[a.b]", "3: not TOML: 'a.b' is there already, since line 2"},
      {"[a.b]\n[a]\nb.c = 1", "3: not TOML: 'b' is there already, since line 1"},
      {"a = [1,\n2", "1: not TOML: the list that begins here has no ']'"},
      {"a = [1 2]", "1: not TOML: ',' or ']' is expected, not '2'"},
      {"a = [,1]", "1: not TOML: a value or ']' is missing in front of ','"},
      {"a = {b = 1]", "1: not TOML: ',' or '}' is expected, not ']'"},
      {"a = {b = 1,}", "1: not TOML: ',' in front of '}'; the last part of a table in { } has none"},
      {"a = {b = 1,\nc = 2}", "1: not TOML: a table in { } ends in the line where it begins"},
      {"a = \"x\n\"", "1: not TOML: the text that begins here has no quote at its end"},
      {"a = '''x\n''", "1: not TOML: the text that begins here has no '''"},
      {R"(a = "C:\data")",
       "1: not TOML: a backslash in front of 'd'; write two of them, or put the text in single quotes"},
      {R"(a = "\ud800")", R"(1: not TOML: '\ud800' is no character: \u takes four hexadecimal digits, \U eight)"},
      {"a = 01",
       "1: not TOML: '01' is no number; digits stand on both sides of a point, and there are no leading zeros"},
      {"a = .5",
       "1: not TOML: '.5' is no number; digits stand on both sides of a point, and there are no leading zeros"},
      {"a = 2023-02-29", "1: not TOML: '2023-02-29' is no date or time"},
      {"a = 1e999", "1: not TOML: '1e999' is beyond what a number can hold (5e-324 to 1.8e308)"},
      {"a = 9223372036854775808",
       "1: not TOML: '9223372036854775808' is a whole number beyond 64 bits; with a point or an exponent it may be "
       "larger"},
      {"a = 66\"x\"", "1: not TOML: '66\"x\"' has quotes inside; a text in quotes stands alone"},
      {"a = 1\nb\xff = 1", "2: not TOML: the byte '\\xff' is no UTF-8; save the file as UTF-8"},
      {"a = 1\rb = 2", "1: not TOML: the control character '\\r'"},
      {"# \x1b", "1: not TOML: the control character '\\x1b'"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(read(text), "a.toml:" + std::string(expected)) << text;
}

/// A document with every construct of TOML; now and then a key comes twice.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}
  std::string document() {
    std::string text;
    for (std::size_t lines = below(6); lines-- > 0;) text += line();
    for (std::size_t tables = below(5); tables-- > 0;) {
      const bool is_list = below(3) == 0;
      text += (is_list ? "[[" : "[") + key() + (is_list ? "]]" : "]") + end();
      for (std::size_t lines = below(5); lines-- > 0;) text += line();
    }
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return std::size_t(random_() % n); }
  std::string pick(const std::vector<std::string>& all) { return all[below(all.size())]; }
  std::string blank() { return pick({"", "", " ", "\t", "  "}); }
  std::string end() { return blank() + pick({"", "# [x] = \"\xc2\xb5", ""}) + pick({"\n", "\n", "\r\n", "\n\n"}); }
  std::string part() {
    const std::string name = pick({"a", "b", "c", "d", "e-1", "F_2", "7"}) + pick({"", "", "x", "y"});
    return pick(
        {name, name, name, "\"" + name + "\"", "'" + name + "'", "\"\\u0061" + name + "\"", "\"" + name + " .\""});
  }
  std::string key() {
    std::string all = part();
    while (below(4) == 0) all += blank() + "." + blank() + part();
    return blank() + all + blank();
  }
  std::string line() { return key() + "=" + blank() + value(3) + end(); }
  std::string digits(std::size_t most) {
    std::string all(1, char('1' + below(9)));
    while (all.size() < most && below(3)) all += (below(6) ? "" : "_") + std::string(1, char('0' + below(10)));
    return all;
  }
  std::string letters() {
    std::string all;
    while (below(5)) all += pick({"a", "Z", " ", "#", "[", "=", "}", "0", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "."});
    return all;
  }
  std::string escaped() {
    std::string all = letters();
    while (below(3))
      all += pick({"\\n", "\\t", "\\\"", "\\\\", "\\u00e4", "\\U0001F600", "'", "\\b", "\\f", "\\r"}) + letters();
    return all;
  }
  std::string value(int depth) {
    switch (below(depth > 0 ? 12 : 9)) {
      case 0:
        return pick({"", "+", "-"}) + digits(15);
      case 1:
        return pick({"", "+", "-"}) + digits(9) + "." + digits(9) +
               (below(2) ? "" : "e" + pick({"", "+", "-"}) + digits(2));
      case 2:
        return digits(4) + pick({"e", "E"}) + pick({"", "+", "-"}) + "0" + digits(1);
      case 3:
        return pick({"0", "0xA0_fF", "0o7_1", "0b1_0", "inf", "-inf", "+nan", "true", "false", "0.0", "-0"});
      case 4:
        return pick({"2024-02-29", "1979-05-27T00:32:00Z", "1979-05-27 00:32:00.999999-07:00", "00:32:00",
                     "1979-05-27t07:32:00"});
      case 5:
        return "\"" + escaped() + "\"";
      case 6:
        return "'" + letters() + "\"\\'";
      case 7:
        return "\"\"\"" + pick({"", "\n", "\r\n"}) + escaped() + pick({"\n", "\"", "\\\n   ", "\\ \t\r\n\n ", ""}) +
               "z" + escaped() + pick({"", "\""}) + "\"\"\"";
      case 8:
        return "'''" + pick({"", "\n"}) + letters() + pick({"\n", "'", "\\", ""}) + letters() + pick({"", "'"}) + "'''";
      case 9: {
        std::string all = "{" + blank();
        for (std::size_t count = below(3), i = 0; i < count; ++i)
          all += (i ? "," : "") + key() + "=" + blank() + value(depth - 1) + blank();
        return all + "}";
      }
      default: {
        const auto space = [&] { return below(3) ? blank() : end(); };
        std::string all = "[" + space();
        const std::size_t count = below(4);
        for (std::size_t i = 0; i < count; ++i) all += (i ? "," : "") + space() + value(depth - 1) + space();
        return all + (count > 0 && below(3) == 0 ? "," + space() : "") + "]";
      }
    }
  }
  std::mt19937_64 random_;
};

/// Tables of toml++ are sorted by key.
std::string told(const toml::node& node) {
  std::string all;
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table)
      all += (all.empty() ? "" : ",") + std::string(key.str()) + ":" + told(value);
    return "{" + all + "}";
  }
  if (const auto* list = node.as_array()) {
    for (const auto& item : *list) all += (all.empty() ? "" : ",") + told(item);
    return "[" + all + "]";
  }
  if (const auto* text = node.as_string()) return "\"" + text->get() + "\"";
  TomlValue value;
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  if (const auto* number = node.as_floating_point()) {
    std::ostringstream digits;
    digits.precision(17);
    digits << number->get();
    return digits.str() + "f@" + std::to_string(node.source().begin.line) + ":" +
           std::to_string(node.source().begin.column);
  }
  return "date";
}
std::string sorted(const TomlValue& value) {
  std::string all;
  if (value.kind == TomlValue::Kind::table) {
    std::map<std::string, std::string> members;
    for (const TomlMember& member : value.members) members[member.key] = sorted(member.value);
    for (const auto& [key, inner] : members) all += (all.empty() ? "" : ",") + key + ":" + inner;
    return "{" + all + "}";
  }
  if (value.kind == TomlValue::Kind::list) {
    for (const TomlValue& item : value.items) all += (all.empty() ? "" : ",") + sorted(item);
    return "[" + all + "]";
  }
  if (value.kind == TomlValue::Kind::number && !value.is_whole) {
    std::ostringstream digits;
    digits.precision(17);
    digits << value.number;
    return digits.str() + "f@" + std::to_string(value.line) + ":" + std::to_string(value.column);
  }
  return told(value);
}

TEST(TomlProperty, DocumentsMeanWhatAnotherReaderFinds) {
  std::size_t refused = 0;
  const std::size_t first = test::first_case(), all = test::cases(5000);
  for (std::size_t number = first; number < first + all; ++number) {
    const std::string text = Writer(number).document();
    std::string found, expected;
    try {
      found = sorted(parse_toml(text, "a.toml"));
    } catch (const Error&) {
      found = "refused";
    }
    try {
      expected = told(toml::parse(text));
    } catch (const toml::parse_error&) {
      expected = "refused";
    }
    refused += found == "refused";
    ASSERT_EQ(found, expected) << "case " << number << "\n" << text << "\n" << read(text);
  }
  EXPECT_GT(refused, all / 20);
  EXPECT_LT(refused, all * 3 / 4);
  std::cout << all << " documents, " << refused << " of them with a key that is there already\n";
}

}  // namespace
}  // namespace stickslip::toml_parser_test
