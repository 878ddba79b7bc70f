#include "identification/candidates.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline identification {

namespace {

struct Name {
  std::string word;
  std::vector<std::size_t> order;
};

/// "NLR(4)" is NLR and 4.
Name parsed(const std::string& text) {
  const auto open = text.find('(');
  if (open == std::string::npos) return {text, {}};
  const auto wrong = [&] {
    return Error("identify: '" + text + "'; an order is whole numbers, like maxwell-slip(4) or DNLRX(4,3,2)");
  };
  if (text.back() != ')') throw wrong();
  Name n{text.substr(0, open), {}};
  std::string digits;
  for (const char c : text.substr(open + 1)) {
    if (c >= '0' && c <= '9' && digits.size() < 4) {
      digits += c;
    } else if ((c == ',' || c == ')') && !digits.empty()) {
      n.order.push_back(std::stoul(digits));
      digits.clear();
    } else if (c != ' ') {
      throw wrong();
    }
  }
  if (n.order.empty()) throw wrong();
  return n;
}

/// Lists of springs; the lists of a table are no springs.
bool has_lists(const ModelDescription& d) {
  return d.name != "speed-table" && std::any_of(d.parameters.begin(), d.parameters.end(),
                                                [](const auto& p) { return p.kind == ParameterKind::list; });
}

Candidate nlr(std::size_t operators) {
  Candidate c{"maxwell-slip", "NLR(" + std::to_string(operators) + ")", Kernel::nlr, {}, 0, true};
  c.order.operators = operators;
  return c;
}
Candidate dnlrx(std::size_t operators, std::size_t n, std::size_t nx) {
  Candidate c{"extended-maxwell-slip",
              "DNLRX(" + std::to_string(operators) + "," + std::to_string(n) + "," + std::to_string(nx) + ")",
              Kernel::dnlrx,
              {},
              0,
              true};
  c.order = {.operators = operators, .deflection_lags = n, .position_lags = nx};
  return c;
}

void check_operators(const std::string& name, std::size_t operators) {
  if (operators >= 1 && operators <= max_elements) return;
  throw Error("identify: '" + name + "' has " + std::to_string(operators) + " operators; 1 to " +
              std::to_string(max_elements) + " can be used");
}

/// The candidates of one name.
void append(std::vector<Candidate>& out, const std::string& text, const IdentifyOptions& options) {
  const Name n = parsed(text);
  if (n.word == "LG") {
    out.push_back({"lugre", "LG", Kernel::lg, {}, 0, false});
    return;
  }
  const bool is_nlr = n.word == "NLR" || n.word == "maxwell-slip";
  const bool is_dnlrx = n.word == "DNLRX" || n.word == "extended-maxwell-slip";
  if (is_nlr) {
    if (n.order.size() > 1) throw Error("identify: '" + text + "'; NLR has one order, like maxwell-slip(4)");
    if (!n.order.empty()) check_operators(text, n.order[0]), out.push_back(nlr(n.order[0]));
    for (std::size_t m = 1; n.order.empty() && m <= std::min(options.most_operators, max_elements); ++m)
      out.push_back(nlr(m));
    return;
  }
  if (is_dnlrx) {
    if (!n.order.empty() && n.order.size() != 3)
      throw Error("identify: '" + text + "'; DNLRX has three orders, like DNLRX(4,3,2)");
    if (!n.order.empty()) check_operators(text, n.order[0]), out.push_back(dnlrx(n.order[0], n.order[1], n.order[2]));
    for (std::size_t m = 1; n.order.empty() && m <= std::min<std::size_t>(options.most_operators, 6); ++m)
      out.push_back(dnlrx(m, 3, 2));
    return;
  }
  const ModelDescription& d = find_model(n.word).description();
  Candidate c{d.name, d.name, Kernel::none, {}, 0, has_lists(d)};
  const bool is_table = d.name == "speed-table";
  if (is_table) {
    constexpr std::size_t usual_points = 6;
    c.elements = usual_points;
    c.label += "(" + std::to_string(c.elements) + ")";
  }
  if (!n.order.empty()) {
    if (!c.has_lists && !is_table) throw Error("identify: '" + text + "'; " + d.name + " has no order");
    if (n.order.size() > 1)
      throw Error("identify: '" + text + "'; " + d.name + " has one order, its " + (is_table ? "points" : "elements"));
    check_operators(text, n.order[0]);
    c.elements = n.order[0];
    c.label = d.name + "(" + std::to_string(c.elements) + ")";
  }
  out.push_back(c);
}

}  // namespace

const std::vector<std::string>& usual_laws() {
  static const std::vector<std::string> names{"coulomb-viscous",
                                              "stribeck",
                                              "dahl",
                                              "lugre",
                                              "elastoplastic",
                                              "maxwell-slip(4)",
                                              "generalized-maxwell-slip(4)"};
  return names;
}

std::vector<Candidate> candidates_for(const IdentifyOptions& options, std::vector<std::string>& skipped) {
  std::vector<Candidate> out;
  for (const std::string& name : options.models) append(out, name, options);
  if (!options.models.empty()) return out;
  for (const auto* model : registered_models()) {
    const std::string& name = model->description().name;
    if (name == "bristle") {
      skipped.push_back(
          "bristle: its number of bristles follows from the geometry, not from a recording; select the model and fix "
          "bristle_count");
    } else {
      append(out, name, options);
      if (name == "lugre") append(out, "LG", options);
    }
  }
  return out;
}

}  // namespace stickslip::inline identification
