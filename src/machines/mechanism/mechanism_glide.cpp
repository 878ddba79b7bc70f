/// See mechanism_glide.hpp.
#include "machines/mechanism/mechanism_glide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::inline machines {

namespace {

constexpr std::size_t orders = Series::length, one = glide_one, clock = glide_clock;
constexpr std::size_t most_lanes = glide_clock;  // they come first in ξ
constexpr std::size_t most_samples = 64, fewest_samples = 8;
constexpr std::size_t most_at_once = 256;  // stretches, before somebody asks whether to go on
constexpr std::size_t run_at_once = 4;     // stretches whose samples stay in the nearest cache
constexpr std::size_t most_kept = 6;
constexpr double accuracy = 1e-16;  // of the rest, against the states
constexpr double longest_turn = 8;  // of ν h
constexpr double worth_ramp = 2;    // stretches: a new ramp costs as much as two steps
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

/// Tables of an earlier mode serve at once, unless they want a new ramp. That is made, as new tables are, where they will be used often
/// enough, and not before the first step of a mode, which may be its last.
bool MechanismGlide::is_prepared(double t, double stop_at) {
  if (state_ == State::impossible || state_ == State::prepared) return state_ == State::prepared;
  const double left = stop_at - t;
  const bool has_begun = t > series_.entered_, is_worth_tables = has_begun && left * series_.norm_ > worth_turns;
  if (state_ == State::entered) {
    const auto has_room = [&](const auto& tables) { return tables->length > 0 && tables->length <= left; };
    if (!is_worth_tables && std::none_of(kept_.begin(), kept_.end(), has_room)) return false;
    if (!is_possible()) {
      state_ = State::impossible;
      return false;
    }
    now_ = kept_tables();
    state_ = State::collected;
  }
  if (now_ ? !serves(*now_, has_begun, left) : !is_worth_tables) return false;
  if (!now_) now_ = &new_tables();
  state_ = now_->length > 0 && use(*now_) ? State::prepared : State::impossible;
  return state_ == State::prepared;
}

/// Whether kept tables are worth what they cost, now.
bool MechanismGlide::serves(const Tables& tables, bool has_begun, double left) const {
  if (!(tables.length > 0)) return false;
  if (!has_ramp_ || tables.slopes == slopes_) return tables.length <= left;
  return has_begun && worth_ramp * tables.length <= left;
}

/// Whether the mode has room in tables; its rows have been collected then.
bool MechanismGlide::is_possible() {
  const auto& s = series_;
  if (s.lanes_.size() > most_lanes || s.lanes_.empty() || !s.products_.empty() || s.guards_.size() > glide_guards ||
      s.watched_.count + glide_width > most_glide_rows)
    return false;
  collect_matrix();
  collect_rows();
  return outputs_.size() <= most_glide_outputs;
}

void MechanismGlide::collect_matrix() {
  auto& entries = matrix_.entries;
  entries.clear(), key_.clear(), slopes_.clear();
  const std::size_t lanes = series_.lanes_.size();
  for (std::size_t l = 0; l < glide_width; ++l) {
    matrix_.first[l] = entries.size();
    if (l >= lanes) continue;
    const auto& row = series_.state_rows_[l];
    for (std::size_t i = 0; i < lanes; ++i) {
      key_.push_back(row.a[i]);
      if (row.a[i] != 0) entries.push_back({l, i, row.a[i]});
    }
    slopes_.push_back(row.line.slope);
  }
  slopes_.resize(most_lanes, 0.0);
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
  std::size_t at = key_.size();
  key_.resize(at + most_lanes * (guards_.size() + lines_.size() + factors_.size() + outputs_.size()));
  const auto put = [&](const GlideVector& r) {
    std::copy_n(r.begin(), most_lanes, key_.begin() + static_cast<std::ptrdiff_t>(at));
    at += most_lanes;
    slopes_.push_back(r[clock]);
  };
  for (const auto* list : {&guards_, &lines_, &factors_}) std::for_each(list->begin(), list->end(), put);
  for (const auto& c : outputs_) put(c.row);
  has_ramp_ = std::any_of(slopes_.begin(), slopes_.end(), [](double slope) { return slope != 0; });
}

MechanismGlide::Tables* MechanismGlide::kept_tables() {
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& t) { return t->key == key_; });
  return found == kept_.end() ? nullptr : found->get();
}

/// Their length is 0 if there is none that would do.
MechanismGlide::Tables& MechanismGlide::new_tables() {
  if (kept_.size() < most_kept) kept_.push_back(std::make_unique<Tables>());
  Tables& tables = *kept_[next_kept_++ % most_kept];
  tables.key = key_, tables.slopes.clear(), tables.length = 0;
  for (auto* memory : {&tables.falls, &tables.rate_doubt, &tables.sums, &tables.nodes, &tables.outputs})
    memory->clear();
  const double tried = longest_turn / series_.norm_;
  const auto& kernels = glide_kernels();
  kernels.expand(matrix_.entries.data(), matrix_.first.data(), tried, tables.powers.data());
  if (choose_length(tables)) kernels.stretch(tables.powers.data(), tables.length / tried);
  return tables;
}

/// False if what a ramp adds does not converge.
bool MechanismGlide::use(Tables& tables) {
  fill_rows();
  const bool is_new = tables.slopes.empty();
  if (is_new || (has_ramp_ && tables.slopes != slopes_)) {
    glide_kernels().ramp(rate_.data(), &rate_[glide_width * clock], tables.length, tables.powers.data());
    if (!inputs_converge(tables)) {
      if (is_new) tables.key.clear();  // was never filled
      return false;
    }
    tables.slopes = slopes_;
    if (is_new) fill(tables, {0, series_.lanes_.size()});
    if (has_ramp_) fill(tables, {clock, one});
  }
  read(tables);
  return true;
}

/// Eq. (3) of mechanism_series.hpp, per unit of each rate in Aξ.
GlideVector MechanismGlide::rests(const Tables& tables, double length) const {
  GlideVector rest{};
  const double q = length * series_.norm_ / static_cast<double>(orders + 1);
  for (std::size_t l = 0; l < series_.lanes_.size(); ++l)
    for (std::size_t i = 0; i < glide_width; ++i)
      for (const std::size_t k : {orders - 1, orders - 2})
        rest[i] = std::max(rest[i], std::fabs(tables.powers[64 * k + 8 * l + i]) * series_.inverse_scale_[l]);
  for (double& r : rest) r *= 2 * q / (1 - q);
  return rest;
}

/// Its powers are those of the longest h that may be asked for.
bool MechanismGlide::choose_length(Tables& tables) {
  const double tried = longest_turn / series_.norm_;
  const GlideVector rest = rests(tables, tried);
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
bool MechanismGlide::inputs_converge(const Tables& tables) const {
  double size = 0;
  for (std::size_t l = 0; l < series_.lanes_.size(); ++l)
    for (std::size_t k = 0; k < 4; ++k)
      size = std::max(size, std::fabs(tables.powers[64 * k + 8 * l + clock]) * series_.inverse_scale_[l]);
  return rests(tables, tables.length)[clock] <= 2 * accuracy * size;
}

void MechanismGlide::fill(Tables& t, Columns columns) {
  const auto& kernels = glide_kernels();
  Weights weight;
  weight.fill(1);
  kernels.sum(t.powers.data(), weight.data(), t.end.data());
  for (std::size_t k = 0; k < orders; ++k) weight[k] = t.length / static_cast<double>(k + 2);
  kernels.sum(t.powers.data(), weight.data(), t.travel.data());

  fill_guards(t, columns);
  fill_accounts(t, columns);
  if (t.samples > 0) fill_outputs(t, columns);
}

/// Where stretches find everything.
void MechanismGlide::read(Tables& t) {
  run_ = {};
  run_.active = has_ramp_ ? glide_one : series_.lanes_.size();
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
  for (std::size_t l = 0; l < series_.lanes_.size(); ++l) {
    rate_[glide_width * one + l] = series_.state_rows_[l].line.value;
    rate_[glide_width * clock + l] = slopes_[l];
  }
  rate_[glide_width * one + clock] = 1;
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

void MechanismGlide::fill_guards(Tables& t, Columns columns) {
  const auto& kernels = glide_kernels();
  t.falls.resize(guards_.size() * glide_width * glide_falls), t.rate_doubt.resize(glide_width * glide_guards);
  const GlideVector rest = rests(t, t.length);
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    kernels.row(t.powers.data(), guards_[g].data(), row_.data());
    double* falls = t.falls.data() + g * glide_width * glide_falls;
    kernels.table(row_.data(), glide_falls - 1, bernstein_form().data(), glide_falls, columns.from, columns.to, falls,
                  glide_falls);
    GlideVector integral, moment, size, late;
    kernels.sums(row_.data(), integral.data(), moment.data(), size.data(), late.data());
    for (std::size_t i = columns.from; i < columns.to; ++i)
      t.rate_doubt[glide_guards * i + g] =
          2 * fall_rounding(orders) * size[i] + 2 * late[i] + series_.bound_[g] * rest[i];
  }
}

void MechanismGlide::fill_accounts(Tables& t, Columns columns) {
  const auto& kernels = glide_kernels();
  t.sums.resize((lines_.size() + 7) / 8 * glide_width * 16);
  t.nodes.resize(factors_.size() * glide_width * gauss_nodes);
  for (std::size_t a = 0; a < lines_.size(); ++a) {
    kernels.row(t.powers.data(), lines_[a].data(), row_.data());
    GlideVector integral, moment, size, late;
    kernels.sums(row_.data(), integral.data(), moment.data(), size.data(), late.data());
    double* sums = t.sums.data() + a / 8 * glide_width * 16 + a % 8;
    for (std::size_t i = columns.from; i < columns.to; ++i) sums[16 * i] = integral[i], sums[16 * i + 8] = moment[i];
  }
  for (std::size_t a = 0; a < factors_.size(); ++a) {
    kernels.row(t.powers.data(), factors_[a].data(), row_.data());
    kernels.table(row_.data(), orders, node_form().data(), gauss_nodes, columns.from, columns.to,
                  t.nodes.data() + a * glide_width * gauss_nodes, gauss_nodes);
  }
}

void MechanismGlide::fill_outputs(Tables& t, Columns columns) {
  const auto& kernels = glide_kernels();
  t.outputs.resize(outputs_.size() * glide_width * t.samples);
  std::array<double, 8> theta{};
  for (std::size_t p = 0; p < 8; ++p) theta[p] = static_cast<double>(p) / static_cast<double>(t.samples);
  const Form<8> first = powers_of<8>(theta.data());
  // exp(8δ A) = 1 + φ(8δ) A.
  const Weights ahead = powers_of(8 / static_cast<double>(t.samples));
  GlideMatrix phi;
  kernels.sum(t.powers.data(), ahead.data(), phi.data());
  for (std::size_t i = columns.from; i < columns.to; ++i) {
    double* column = &shift_[8 * i];
    for (std::size_t l = 0; l < glide_width; ++l) column[l] = l == i ? 1 : 0;
    for (std::size_t j = 0; j < most_lanes; ++j)
      for (std::size_t l = 0; l < glide_width; ++l) column[l] += phi[8 * j + l] * rate_[8 * i + j];
  }
  for (std::size_t c = 0; c < outputs_.size(); ++c) {
    kernels.row(t.powers.data(), outputs_[c].row.data(), row_.data());
    GlideVector row_ahead;
    kernels.weigh(row_.data(), ahead.data(), row_ahead.data());
    double* table = t.outputs.data() + c * glide_width * t.samples;
    kernels.table(row_.data(), orders, first.data(), 8, columns.from, columns.to, table, t.samples);
    for (std::size_t p = 8; p < t.samples; p += 8)
      kernels.shift(shift_.data(), row_ahead.data(), columns.from, columns.to, table + p - 8, t.samples);
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
  const Tables& tables = *now_;
  const double start = t, h = tables.length, phase = sink_.next_sample() - start;
  if (!(h > 1e4 * std::numeric_limits<double>::epsilon() * std::fabs(start))) return 0;  // time must resolve it
  const bool has_samples = tables.samples > 0 && phase < sink_.even_interval();
  if (!has_samples) stop_at = std::min(stop_at, sink_.next_sample());
  const auto whole = [&](std::size_t stretches) { return start + static_cast<double>(stretches) * h <= stop_at; };
  if (!whole(1)) return 0;

  const auto& kernels = glide_kernels();
  run_.samples = has_samples ? tables.samples : 0;
  if (has_samples) kernels.sum(tables.powers.data(), powers_of(phase / h).data(), phase_.data());
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

}  // namespace stickslip::inline machines
