/// See mechanism_glide.hpp.
#include "machines/mechanism/mechanism_glide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr std::size_t orders = Series::length, one = 6, clock = 7;  // places in ξ behind the lanes
constexpr std::size_t most_samples = 64, fewest_samples = 8;
constexpr std::size_t most_at_once = 256;  // stretches, before somebody asks whether to go on
constexpr std::size_t run_at_once = 4;     // stretches whose samples stay in the nearest cache
constexpr std::size_t most_kept = 6;
constexpr double accuracy = 1e-16;  // of the rest, against the states
constexpr double longest_turn = 8;  // of ν h
constexpr double worth_turns = 40;  // of ν times what is left: fewer are cheaper in steps
constexpr double largest_state =
    1e80;  // run_at_once stretches raise it to 1e140 at most, whose square is still a number

/// L_p(θ^(k+1)) of all orders k.
template <std::size_t points>
struct alignas(64) Form : std::array<double, orders * points> {};

/// C(p, k + 1)/C(n, k + 1): Bernstein coefficients of degree n = glide_falls − 1.
const Form<glide_falls>& bernstein_form() {
  static const Form<glide_falls> form = [] {
    Form<glide_falls> f{};
    for (std::size_t p = 0; p < glide_falls; ++p) {
      double share = 1;
      for (std::size_t k = 0; k < p; ++k) {
        share *= static_cast<double>(p - k) / static_cast<double>(glide_falls - 1 - k);
        f[k * glide_falls + p] = share;
      }
    }
    return f;
  }();
  return form;
}

template <std::size_t points>
Form<points> powers_of(const double* theta) {
  Form<points> f{};
  for (std::size_t p = 0; p < points; ++p) f[p] = theta[p];
  for (std::size_t i = points; i < f.size(); ++i) f[i] = f[i - points] * theta[i % points];
  return f;
}
const Form<gauss_nodes>& node_form() {
  static const Form<gauss_nodes> form = powers_of<gauss_nodes>(gauss_rule().node.data());
  return form;
}

using Weights = std::array<double, orders>;
Weights powers_of(double theta) {
  Weights w{};
  double power = theta;
  for (double& value : w) value = power, power *= theta;
  return w;
}

}  // namespace

/// Tables are made where they will be used often enough, and not before the first step of a mode, which may be its last.
bool MechanismGlide::is_prepared(double t, double stop_at) {
  const auto& s = series_;
  if (state_ != State::entered) return state_ == State::prepared;
  const std::size_t watched = s.watched_.count + glide_width;
  if (s.lanes_.size() > one || s.lanes_.empty() || !s.products_.empty() || s.guards_.size() > glide_guards ||
      watched > most_glide_rows) {
    state_ = State::impossible;
    return false;
  }
  if (!(t > s.entered_) || !((stop_at - t) * s.norm_ > worth_turns)) return false;
  collect_matrix();
  collect_rows();
  if (outputs_.size() > most_glide_outputs) {
    state_ = State::impossible;
    return false;
  }
  state_ = find_tables() ? State::prepared : State::impossible;
  return state_ == State::prepared;
}

void MechanismGlide::collect_matrix() {
  auto& entries = matrix_.entries;
  entries.clear(), key_.clear();
  const std::size_t lanes = series_.lanes_.size();
  for (std::size_t l = 0; l < glide_width; ++l) {
    matrix_.first[l] = entries.size();
    if (l == clock) entries.push_back({clock, one, 1});
    if (l >= lanes) continue;
    const auto& row = series_.state_rows_[l];
    for (std::size_t i = 0; i < lanes; ++i) {
      key_.push_back(row.a[i]);
      if (row.a[i] != 0) entries.push_back({l, i, row.a[i]});
    }
    if (row.line.value != 0) entries.push_back({l, one, row.line.value});
    if (row.line.slope != 0) entries.push_back({l, clock, row.line.slope});
  }
  matrix_.first[glide_width] = entries.size();
}

/// Guards and accounts are the watched rows of the series, in their order.
void MechanismGlide::collect_rows() {
  const auto& watched = series_.watched_;
  const auto watched_row = [&](std::size_t which) {
    GlideVector r{};
    for (std::size_t i = watched.first[which / 8]; i < watched.first[which / 8 + 1]; ++i)
      r[watched.column[i]] = watched.value[8 * i + which % 8];
    r[one] = watched.base[which], r[clock] = watched.slope[which];
    return r;
  };
  guards_.clear(), lines_.clear(), factors_.clear(), pairs_.clear(), outputs_.clear();
  for (std::size_t i = 0; i < series_.guards_.size(); ++i) guards_.push_back(watched_row(i));
  for (const auto& account : series_.line_accounts_) lines_.push_back(watched_row(account.row));
  for (const auto& account : series_.product_accounts_) {
    pairs_.push_back({factors_.size(), factors_.size() + (account.b == account.a ? 0 : 1)});
    factors_.push_back(watched_row(account.a));
    if (account.b != account.a) factors_.push_back(watched_row(account.b));
  }
  if (sink_.even_interval() > 0) sink_.linear_columns(series_, outputs_);
  for (const std::size_t count :
       {series_.lanes_.size(), guards_.size(), lines_.size(), factors_.size(), outputs_.size()})
    key_.push_back(static_cast<double>(count));
  for (const auto* list : {&guards_, &lines_, &factors_})
    for (const auto& r : *list) key_.insert(key_.end(), r.begin(), r.begin() + one);
  for (const auto& c : outputs_) key_.insert(key_.end(), c.row.begin(), c.row.begin() + one);
}

bool MechanismGlide::find_tables() {
  const auto& kernels = glide_kernels();
  const auto expand = [&](double h) {
    kernels.expand(matrix_.entries.data(), matrix_.first.data(), h, powers_.data());
  };
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Tables& t) { return t.key == key_; });
  std::size_t from = clock;
  if (found != kept_.end()) {
    now_ = static_cast<std::size_t>(found - kept_.begin());
    if (!(found->length > 0)) return false;
    expand(found->length);
  } else {
    from = 0;
    if (kept_.size() < most_kept) kept_.emplace_back();
    now_ = next_kept_++ % most_kept;
    kept_[now_].key = key_, kept_[now_].length = 0;
    const double tried = longest_turn / series_.norm_;
    expand(tried);
    if (!choose_length(kept_[now_])) return false;
    kernels.stretch(powers_.data(), kept_[now_].length / tried);
  }
  Tables& tables = kept_[now_];
  if (!inputs_converge(rests(tables.length))) {
    if (from == 0) tables.key.clear();  // was never filled
    return false;
  }
  fill(tables, from);
  return true;
}

/// Eq. (3) of mechanism_series.hpp, per unit of each rate in Aξ.
GlideVector MechanismGlide::rests(double length) const {
  GlideVector rest{};
  const double q = length * series_.norm_ / static_cast<double>(orders + 1);
  for (std::size_t l = 0; l < series_.lanes_.size(); ++l)
    for (std::size_t i = 0; i < glide_width; ++i)
      for (const std::size_t k : {orders - 1, orders - 2})
        rest[i] = std::max(rest[i], std::fabs(powers_[64 * k + 8 * l + i]) * series_.inverse_scale_[l]);
  for (double& r : rest) r *= 2 * q / (1 - q);
  return rest;
}

/// powers_ are those of the longest h that may be asked for.
bool MechanismGlide::choose_length(Tables& tables) {
  const double tried = longest_turn / series_.norm_;
  const GlideVector rest = rests(tried);
  double most = 0;
  for (std::size_t i = 0; i < series_.lanes_.size(); ++i) {
    double rate = 0;  // of states of size 1
    for (std::size_t j = 0; j < series_.lanes_.size(); ++j)
      rate += std::fabs(series_.state_rows_[i].a[j]) / series_.inverse_size_[j];
    most += rest[i] * std::max(rate, series_.norm_ / series_.inverse_size_[i]);
  }
  if (!std::isfinite(most)) return false;
  double length = tried;
  if (most > accuracy) length *= std::pow(accuracy / most, 1 / static_cast<double>(orders - 1));  // the lower of two
  tables.samples = 0;
  if (const double interval = sink_.even_interval(); interval > 0 && interval * fewest_samples <= length) {
    tables.samples = std::min(most_samples, static_cast<std::size_t>(length / interval)) / 8 * 8;
    length = static_cast<double>(tables.samples) * interval;
  }
  tables.length = length;
  return true;
}

/// What a ramp adds after the last order is rounding of what it adds at all.
bool MechanismGlide::inputs_converge(const GlideVector& rest) const {
  double size = 0;
  for (std::size_t l = 0; l < series_.lanes_.size(); ++l)
    for (std::size_t k = 0; k < 4; ++k)
      size = std::max(size, std::fabs(powers_[64 * k + 8 * l + clock]) * series_.inverse_scale_[l]);
  return rest[clock] <= 2 * accuracy * size;
}

/// The columns from `from` on.
void MechanismGlide::fill(Tables& t, std::size_t from) {
  const auto& kernels = glide_kernels();
  Weights weight;
  weight.fill(1);
  kernels.sum(powers_.data(), weight.data(), t.end.data());
  for (std::size_t k = 0; k < orders; ++k) weight[k] = t.length / static_cast<double>(k + 2);
  kernels.sum(powers_.data(), weight.data(), t.travel.data());

  fill_rows();
  fill_guards(t, from);
  fill_accounts(t, from);
  if (t.samples > 0) fill_outputs(t, from);
  run_ = {};
  run_.length = t.length;
  run_.rate = rate_.data(), run_.end = t.end.data(), run_.travel = t.travel.data();
  run_.rows = rows_.data(), run_.row_blocks = rows_.size() / 64;
  run_.falls = t.falls.data(), run_.doubt = doubt_.data(), run_.rate_doubt = t.rate_doubt.data();
  run_.guards = guards_.size();
  run_.sums = t.sums.data(), run_.sum_blocks = (lines_.size() + 7) / 8;
  run_.nodes = t.nodes.data(), run_.factors = factors_.size();
  run_.pairs = pairs_.data(), run_.products = pairs_.size();
  run_.output_rows = output_rows_.data(), run_.output_blocks = output_rows_.size() / 64;
  run_.outputs = t.outputs.data(), run_.columns = outputs_.size();
  for (auto* v : {&integral_, &moment_, &timed_}) v->resize(8 * run_.sum_blocks);
  at_nodes_.resize(factors_.size() * gauss_nodes), product_.resize(pairs_.size());
  run_.integral = integral_.data(), run_.moment = moment_.data(), run_.timed = timed_.data();
  run_.at_nodes = at_nodes_.data(), run_.product = product_.data();
  room_.resize(outputs_.size() * run_at_once * t.samples), out_.resize(outputs_.size());
  for (std::size_t c = 0; c < out_.size(); ++c) out_[c] = room_.data() + c * run_at_once * t.samples;
  run_.out = out_.data();
}

/// What is not made of powers: A, rows, what rounds in them.
void MechanismGlide::fill_rows() {
  rate_.fill(0);
  for (const auto& e : matrix_.entries) rate_[glide_width * e.column + e.row] = e.value;
  const std::size_t first_guard = (lines_.size() + 7) / 8 * 8, first_factor = first_guard + guards_.size();
  const std::size_t count = (first_factor + factors_.size() + 7) / 8 * 8, outputs = (outputs_.size() + 7) / 8 * 8;
  rows_.assign(glide_width * count, 0.0), output_rows_.assign(glide_width * outputs, 0.0);
  doubt_.assign(glide_width * glide_guards, 0.0);
  for (std::size_t i = 0; i < glide_width; ++i) {
    for (std::size_t a = 0; a < lines_.size(); ++a) rows_[count * i + a] = lines_[a][i];
    for (std::size_t a = 0; a < factors_.size(); ++a) rows_[count * i + first_factor + a] = factors_[a][i];
    for (std::size_t c = 0; c < outputs_.size(); ++c) output_rows_[outputs * i + c] = outputs_[c].row[i];
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      rows_[count * i + first_guard + g] = guards_[g][i];
      doubt_[glide_guards * i + g] = 2 * fall_rounding(orders) * std::fabs(guards_[g][i]);
    }
  }
}

void MechanismGlide::fill_guards(Tables& t, std::size_t from) {
  const auto& kernels = glide_kernels();
  t.falls.resize(guards_.size() * glide_width * glide_falls), t.rate_doubt.resize(glide_width * glide_guards);
  const GlideVector rest = rests(t.length);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    kernels.row(powers_.data(), guards_[g].data(), row_.data());
    double* falls = t.falls.data() + g * glide_width * glide_falls;
    kernels.table(row_.data(), glide_falls - 1, bernstein_form().data(), glide_falls, from, falls, glide_falls);
    GlideVector integral, moment, size, late;
    kernels.sums(row_.data(), integral.data(), moment.data(), size.data(), late.data());
    for (std::size_t i = from; i < glide_width; ++i)
      t.rate_doubt[glide_guards * i + g] =
          2 * fall_rounding(orders) * size[i] + 2 * late[i] + series_.bound_[g] * rest[i];
  }
}

void MechanismGlide::fill_accounts(Tables& t, std::size_t from) {
  const auto& kernels = glide_kernels();
  t.sums.resize((lines_.size() + 7) / 8 * glide_width * 16);
  t.nodes.resize(factors_.size() * glide_width * gauss_nodes);
  for (std::size_t a = 0; a < lines_.size(); ++a) {
    kernels.row(powers_.data(), lines_[a].data(), row_.data());
    GlideVector integral, moment, size, late;
    kernels.sums(row_.data(), integral.data(), moment.data(), size.data(), late.data());
    double* sums = t.sums.data() + a / 8 * glide_width * 16 + a % 8;
    for (std::size_t i = from; i < glide_width; ++i) sums[16 * i] = integral[i], sums[16 * i + 8] = moment[i];
  }
  for (std::size_t a = 0; a < factors_.size(); ++a) {
    kernels.row(powers_.data(), factors_[a].data(), row_.data());
    kernels.table(row_.data(), orders, node_form().data(), gauss_nodes, from,
                  t.nodes.data() + a * glide_width * gauss_nodes, gauss_nodes);
  }
}

void MechanismGlide::fill_outputs(Tables& t, std::size_t from) {
  const auto& kernels = glide_kernels();
  t.outputs.resize(outputs_.size() * glide_width * t.samples);
  std::array<double, 8> theta{};
  for (std::size_t p = 0; p < 8; ++p) theta[p] = static_cast<double>(p) / static_cast<double>(t.samples);
  const Form<8> first = powers_of<8>(theta.data());
  // exp(8δ A) = 1 + φ(8δ) A.
  const Weights ahead = powers_of(8 / static_cast<double>(t.samples));
  GlideMatrix phi;
  kernels.sum(powers_.data(), ahead.data(), phi.data());
  for (std::size_t i = 0; i < glide_width; ++i)
    for (std::size_t l = 0; l < glide_width; ++l) {
      double sum = l == i ? 1 : 0;
      for (std::size_t j = 0; j < glide_width; ++j) sum += phi[8 * j + l] * rate_[8 * i + j];
      shift_[8 * i + l] = sum;
    }
  for (std::size_t c = 0; c < outputs_.size(); ++c) {
    kernels.row(powers_.data(), outputs_[c].row.data(), row_.data());
    GlideVector row_ahead;
    kernels.weigh(row_.data(), ahead.data(), row_ahead.data());
    double* table = t.outputs.data() + c * glide_width * t.samples;
    kernels.table(row_.data(), orders, first.data(), 8, from, table, t.samples);
    for (std::size_t p = 8; p < t.samples; p += 8)
      kernels.shift(shift_.data(), row_ahead.data(), from, table + p - 8, t.samples);
  }
}

void MechanismGlide::put_accounts(double* y) const {
  const double h = run_.length;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const auto& account = series_.line_accounts_[i];
    const auto& line = account.line;
    y[account.account] += h * (line.value * integral_[i] + line.slope * (timed_[i] + h * moment_[i]));
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const auto& account = series_.product_accounts_[i];
    y[account.account] += h * account.factor * product_[i];
  }
}

std::size_t MechanismGlide::advance(double& t, double* y, double stop_at) {
  if (!is_prepared(t, stop_at)) return 0;
  const Tables& tables = kept_[now_];
  const double start = t, h = tables.length, phase = sink_.next_sample() - start;
  if (!(h > 1e4 * std::numeric_limits<double>::epsilon() * std::fabs(start))) return 0;  // time must resolve it
  const bool has_samples = tables.samples > 0 && phase < sink_.even_interval();
  if (!has_samples) stop_at = std::min(stop_at, sink_.next_sample());
  const auto whole = [&](std::size_t stretches) { return start + static_cast<double>(stretches) * h <= stop_at; };
  if (!whole(1)) return 0;

  const auto& kernels = glide_kernels();
  run_.samples = has_samples ? tables.samples : 0;
  if (has_samples) kernels.sum(powers_.data(), powers_of(phase / h).data(), phase_.data());
  run_.phase = phase_.data();
  run_.x = run_.travelled = {};
  for (std::size_t i = 0; i < series_.lanes_.size(); ++i) run_.x[i] = series_.lane_value(y, i);
  run_.x[one] = 1;
  for (auto* v : {&integral_, &moment_, &timed_, &product_}) std::fill(v->begin(), v->end(), 0.0);
  std::size_t stretches = 0;
  for (bool goes_on = true; goes_on && stretches < most_at_once;) {
    std::size_t most = 0;
    if (!std::all_of(run_.x.begin(), run_.x.end(), [](double v) { return std::fabs(v) < largest_state; })) break;
    while (most < run_at_once && whole(stretches + most + 1)) ++most;
    run_.x[clock] = run_.since = start - series_.entered_ + static_cast<double>(stretches) * h;
    const std::size_t done = kernels.run(run_, most);
    if (has_samples && done > 0) sink_.keep_linear(done * tables.samples, outputs_, out_);
    stretches += done;
    goes_on = most > 0 && done == most;
  }
  if (stretches == 0) return 0;
  t = start + static_cast<double>(stretches) * h;
  put_accounts(y);
  series_.put_lanes(run_.x.data(), run_.travelled.data(), y);
  return stretches;
}

}  // namespace stickslip
