/// Reading and calculating expressions; see expression.hpp.
#include "recording/tables/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/number.hpp"
#include "recording/tables/unit_algebra.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t deepest = 64, longest_expression = 1000;

constexpr int largest_power = 100;  // of a base unit

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool goes_on(char c) { return begins_name(c) || is_digit(c) || c == '.'; }

/// Of temperatures in degC or degF, whose zero is elsewhere: `number` is one that was written, `shifted` a column of them or a sum
/// with one.
enum class Zero { usual, shifted, number };
/// The unit of a part of an expression.
struct Part : Unit {
  Part(const Unit& unit = {}, Zero at = Zero::usual) : Unit(unit), zero(at) {}
  Zero zero;
};

}  // namespace

std::optional<Unit> written_unit(std::string_view word) {
  if (const auto unit = unit_or_nothing(word)) return unit;
  const auto last = word.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == word.size()) return std::nullopt;
  return unit_or_nothing(std::string(word.substr(0, last + 1)) + "^" + std::string(word.substr(last + 1)));
}

bool may_be_expression(std::string_view text) {
  if (text.find_first_of("*^{+") != std::string_view::npos) return true;
  const auto bracket = text.find('[');
  const std::string_view name = text.substr(0, bracket);
  if (name.find_first_of("-/(") != std::string_view::npos) return true;
  return !name.empty() && is_digit(name.front());
}

/// Recursive descent; writes the steps of a calculation as it goes and returns the unit of each part.
class ExpressionReader {
 public:
  ExpressionReader(Expression& into, const std::vector<Heading>& headings, const std::vector<NamedNumber>& numbers)
      : out_(into), headings_(headings), numbers_(numbers), text_(into.text_) {}

  void read() {
    if (text_.size() > longest_expression) fail(longest_expression, "more than 1000 characters");
    out_.unit_ = sum();
    skip_blanks();
    if (at_ < text_.size()) fail(at_, "cannot read " + in_quotes(one_line(text_.substr(at_), 30)) + "; an operator?");
    out_.unit_.factor = 1, out_.unit_.offset = 0;
    for (auto* list : {&out_.columns_, &out_.without_unit_}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

 private:
  using Kind = Expression::Kind;

  [[noreturn]] void fail(std::size_t place, const std::string& what) const {
    throw Error(in_quotes(one_line(text_, 80)) + ", character " + std::to_string(place + 1) + ": " + what);
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void step(Kind kind, int power = 1) { out_.steps_.push_back({kind, 1, 0, 0, power}); }
  void push(double value) { out_.steps_.push_back({Kind::number, value, 0, 0, 1}); }

  Part sum() {
    if (++depth_ > deepest) fail(at_, "more than 64 brackets inside each other");
    Part left = product();
    for (;;) {
      skip_blanks();
      const std::size_t place = at_;
      const bool plus = take('+'), minus = !plus && take('-');
      if (!plus && !minus) break;
      const Part right = product();
      if (left.dimension != right.dimension)
        fail(place, unit_kind(left) + (plus ? " plus " : " minus ") + unit_kind(right) +
                        "; both sides need the same dimension");
      if (left.angle == 0) left.angle = right.angle;
      left.zero = zero_of_sum(left.zero, right.zero, plus, place);
      step(plus ? Kind::add : Kind::subtract);
    }
    --depth_;
    return left;
  }

  /// 20 degC and 5 degC would be 571.3 K. Columns may be added: their mean is one in K, too.
  Zero zero_of_sum(Zero left, Zero right, bool plus, std::size_t place) const {
    if (!plus) return Zero::usual;  // a difference
    const bool has_number = left == Zero::number || right == Zero::number;
    if (has_number && left != Zero::usual && right != Zero::usual)
      fail(place, "two temperatures in degC or degF are added, and 273 K twice; write what is added in K");
    return left == Zero::usual && right == Zero::usual ? Zero::usual : Zero::shifted;
  }
  /// 2 degC is 275.15 K, which is no factor of anything.
  void refuse_shifted_number(const Part& part, std::size_t place) const {
    if (part.zero == Zero::number)
      fail(place,
           "a number in degC or degF is no factor and has no sign, its zero is elsewhere; the unit of a column is "
           "written {T [degC]}, a difference in K");
  }

  Part product() {
    skip_blanks();
    std::size_t place = at_;
    Part left = signed_value();
    for (;;) {
      const bool multiplied = take('*'), divided = !multiplied && take('/');
      if (!multiplied && !divided) return left;
      refuse_shifted_number(left, place);
      skip_blanks();
      place = at_;
      const Part right = signed_value();
      refuse_shifted_number(right, place);
      left = sensible(product_of(left, power_of(right, multiplied ? 1 : -1)));
      step(multiplied ? Kind::multiply : Kind::divide);
    }
  }

  Part signed_value() {
    bool negative = false;
    for (;;) {
      if (take('-'))
        negative = !negative;
      else if (!take('+'))
        break;
    }
    skip_blanks();
    const std::size_t place = at_;
    const Part part = power();
    if (!negative) return part;
    refuse_shifted_number(part, place);
    step(Kind::negate);
    return part;
  }

  Part power() {
    skip_blanks();
    const std::size_t place = at_;
    const Part base = value();
    if (!take('^')) return base;
    refuse_shifted_number(base, place);
    const int exponent = whole_number();
    step(Kind::power, exponent);
    return sensible(power_of(base, exponent));
  }

  /// (((x^9)^9)^9)^9 is refused before the powers of its unit no longer fit a number.
  Unit sensible(const Unit& unit) const {
    const Dimension& d = unit.dimension;
    for (const int power : {d.kg, d.m, d.s, d.ampere, d.kelvin, unit.angle, unit.cycle})
      if (std::abs(power) > largest_power)
        fail(at_ == 0 ? 0 : at_ - 1, "a unit to a power beyond " + std::to_string(largest_power));
    return unit;
  }

  int whole_number() {
    skip_blanks();
    const std::size_t place = at_;
    const bool negative = take('-');
    skip_blanks();
    if (at_ >= text_.size() || !is_digit(text_[at_]) || (at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
      fail(place, "a power is a whole number from -9 to 9");
    const int digit = text_[at_++] - '0';
    return negative ? -digit : digit;
  }

  Part value() {
    skip_blanks();
    if (at_ >= text_.size()) fail(at_, "a column, a number or a bracket is missing");
    const char c = text_[at_];
    if (take('(')) {
      const std::size_t open = at_ - 1;
      const Part unit = sum();
      if (!take(')')) fail(open, "the bracket is not closed");
      return unit;
    }
    if (c == '{') return braced();
    if (is_digit(c) || c == '.') return number();
    if (begins_name(c)) return name();
    fail(at_,
         "cannot read " + in_quotes(one_line(std::string(1, c), 10)) + "; a column, a number or a bracket is needed");
  }

  /// {Motor current [A]}: a heading with blanks or operators in it; a unit that is stated counts.
  Part braced() {
    const std::size_t open = at_++;
    const auto close = text_.find('}', at_);
    if (close == std::string::npos) fail(open, "the brace is not closed");
    const std::string wish(trimmed(std::string_view(text_).substr(at_, close - at_)));
    at_ = close + 1;
    if (const auto column = column_of(wish)) return use_column(*column, headings_[*column].unit, open);
    const Heading wished = split_heading(wish);
    if (!wished.unit.empty())
      if (const auto column = column_of(wished.name)) return use_column(*column, wished.unit, open);
    fail(open, no_such("column", wish, names()));
  }

  Part name() {
    const std::size_t place = at_;
    std::size_t end = at_;
    while (end < text_.size() && goes_on(text_[end])) ++end;
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (take('(')) return function(word, place);
    if (const auto column = column_of(word)) return use_column(*column, headings_[*column].unit, place);
    for (const NamedNumber& n : numbers_)
      if (n.name == word) {
        push(n.value);
        out_.has_unit_ = out_.has_unit_ || !has_no_dimension(n.unit) || n.unit.angle != 0;
        return {n.unit, n.unit.offset != 0 ? Zero::number : Zero::usual};
      }
    if (word == "pi") return push(std::numbers::pi), Part{};
    fail(place, no_such("column", word, names()) + ", or --let " + one_line(word, 30) + "='2 cm^2' for a number");
  }

  Part function(const std::string& word, std::size_t place) {
    struct Function {
      std::string_view name;
      Kind kind;
    };
    constexpr std::array<Function, 5> functions{
        {{"abs", Kind::abs}, {"sign", Kind::sign}, {"sqrt", Kind::sqrt}, {"sin", Kind::sin}, {"cos", Kind::cos}}};
    for (const Function& f : functions) {
      if (f.name != word) continue;
      const std::size_t inside = at_;
      Part unit = sum();
      if (!take(')')) fail(place, "the bracket of " + word + " is not closed");
      step(f.kind);
      if (f.kind == Kind::abs) return unit;
      if (f.kind == Kind::sign) return {};
      if (f.kind != Kind::sqrt) {
        if (!has_no_dimension(unit) || unit.cycle != 0)
          fail(inside, word + " of " + unit_kind(unit) + "; an angle or a plain number is needed");
        return {};
      }
      for (int* power :
           {&unit.dimension.kg, &unit.dimension.m, &unit.dimension.s, &unit.dimension.ampere, &unit.dimension.kelvin}) {
        if (*power % 2 != 0) fail(inside, "sqrt of what has an odd power of a unit; its powers must be even");
        *power /= 2;
      }
      unit.angle = 0, unit.cycle = 0;
      return unit;
    }
    fail(place, no_such("function", word, {"abs", "sign", "sqrt", "sin", "cos"}));
  }

  Part number() {
    const std::size_t place = at_;
    double value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [after, problem] = read_number(text_.data() + at_, end, value);
    if (problem != std::errc() || !std::isfinite(value)) fail(place, "this is not a number");
    at_ = std::size_t(after - text_.data());
    if (at_ < text_.size() && text_[at_] == ',') fail(at_, "a comma; write a decimal point");
    Unit unit = literal_unit();
    push(value * unit.factor + unit.offset);
    const Zero zero = unit.offset != 0 ? Zero::number : Zero::usual;
    unit.factor = 1, unit.offset = 0;
    return {unit, zero};
  }

  /// What follows a number: nothing, [N/V], or words that are units.
  Unit literal_unit() {
    skip_blanks();
    Unit unit;
    if (at_ < text_.size() && text_[at_] == '[') {
      const auto close = text_.find(']', at_);
      if (close == std::string::npos) fail(at_, "the bracket is not closed");
      const std::string inside(trimmed(std::string_view(text_).substr(at_ + 1, close - at_ - 1)));
      try {
        unit = parse_unit(inside);
      } catch (const Error& problem) {
        fail(at_, problem.what());
      }
      at_ = close + 1;
      out_.has_unit_ = true;
      return unit;
    }
    for (bool first = true, below = false;; first = false) {
      skip_blanks();
      std::size_t from = at_;
      below = false;
      if (!first && from < text_.size() && text_[from] == '/') {
        below = true;
        ++from;
        while (from < text_.size() && text_[from] == ' ') ++from;
      }
      std::size_t end = from;
      while (end < text_.size() && (goes_on(text_[end]) || text_[end] == '%') &&
             (end > from || begins_name(text_[end]) || text_[end] == '%'))
        ++end;
      if (end == from) return unit;
      const std::string word = text_.substr(from, end - from);
      const bool is_known = column_of(word) || is_named(word);
      const auto found = written_unit(word);
      if (below && (!found || is_known)) {
        if (found && is_known)
          fail(from, in_quotes(word) + " is a column and a unit; write {" + word + "}, or the unit in brackets: [1/" +
                         word + "]");
        return unit;
      }
      if (!found)
        fail(from, is_known ? "an operator is missing before " + in_quotes(one_line(word, 30))
                            : "unknown unit " + in_quotes(one_line(word, 30)));
      at_ = end;
      const int exponent = at_ < text_.size() && text_[at_] == '^' ? (++at_, whole_number()) : 1;
      if (found->offset != 0 && (!first || exponent != 1))
        fail(from, word + " cannot be combined with other units; write K");
      if (found->offset != 0) {
        out_.has_unit_ = true;
        return *found;
      }
      unit = product_of(unit, power_of(*found, below ? -exponent : exponent));
      out_.has_unit_ = true;
    }
  }

  bool is_named(const std::string& word) const {
    return std::any_of(numbers_.begin(), numbers_.end(), [&](const NamedNumber& n) { return n.name == word; });
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Heading& h : headings_) all.push_back(one_line(h.name, 40));
    for (const NamedNumber& n : numbers_) all.push_back(n.name);
    return all;
  }
  std::optional<std::size_t> column_of(const std::string& wish) const {
    for (std::size_t i = 0; i < headings_.size(); ++i)
      if (headings_[i].text == wish) return i;
    for (std::size_t i = 0; i < headings_.size(); ++i)
      if (headings_[i].name == wish) return i;
    return std::nullopt;
  }

  Part use_column(std::size_t column, const std::string& unit_text, std::size_t place) {
    Unit unit;
    try {
      unit = parse_unit(unit_text);
    } catch (const Error& problem) {
      fail(place, std::string(problem.what()) + "; {" + one_line(headings_[column].name, 30) + " [mm]} states another");
    }
    out_.steps_.push_back({Kind::column, unit.factor, unit.offset, column, 1});
    out_.columns_.push_back(column);
    if (unit_text.empty())
      out_.without_unit_.push_back(column);
    else
      out_.has_unit_ = true;
    const Zero zero = unit.offset != 0 ? Zero::shifted : Zero::usual;
    unit.factor = 1, unit.offset = 0;
    return {unit, zero};
  }

  Expression& out_;
  const std::vector<Heading>& headings_;
  const std::vector<NamedNumber>& numbers_;
  const std::string& text_;
  std::size_t at_ = 0, depth_ = 0;
};

Expression::Expression(std::string_view text, const std::vector<Heading>& headings,
                       const std::vector<NamedNumber>& numbers)
    : text_(trimmed(text)) {
  ExpressionReader(*this, headings, numbers).read();
}

std::vector<double> Expression::values(const std::vector<RawColumn>& columns, std::size_t rows) const {
  std::vector<double> result(rows), stack(steps_.size() + 1);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t top = 0;  // one above the topmost
    for (const Step& s : steps_) {
      double& last = stack[top > 0 ? top - 1 : 0];
      switch (s.kind) {
        case Kind::number:
          stack[top++] = s.factor;
          break;
        case Kind::column:
          stack[top++] = s.factor * columns[s.column].values[row] + s.offset;
          break;
        case Kind::add:
          --top, stack[top - 1] += stack[top];
          break;
        case Kind::subtract:
          --top, stack[top - 1] -= stack[top];
          break;
        case Kind::multiply:
          --top, stack[top - 1] *= stack[top];
          break;
        case Kind::divide:
          --top, stack[top - 1] /= stack[top];
          break;
        case Kind::negate:
          last = -last;
          break;
        case Kind::power:
          last = std::pow(last, s.power);
          break;
        case Kind::abs:
          last = std::fabs(last);
          break;
        case Kind::sign:
          last = last > 0 ? 1 : last < 0 ? -1 : last;
          break;
        case Kind::sqrt:
          last = std::sqrt(last);
          break;
        case Kind::sin:
          last = std::sin(last);
          break;
        case Kind::cos:
          last = std::cos(last);
          break;
      }
    }
    result[row] = stack[0];
  }
  return result;
}

}  // namespace stickslip::inline recordings
