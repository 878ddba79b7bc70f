/// The state of an identification; see state.hpp.
#include "jobs/identify/state.hpp"

#include <cmath>
#include <stdexcept>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/number_signature.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "files/reading_section.hpp"
#include "files/whole_file.hpp"
#include "jobs/result_place.hpp"
#include "platform/path.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline jobs {
namespace {

/// As TOML reads it back: digits alone would be an integer, which ends at 2^63.
std::string number_text(double value) {
  const std::string text = shortest(value);
  return std::abs(value) >= 0x1p63 && text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}
std::string list_text(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(number_text(value));
  return "[" + joined(texts) + "]";
}
std::string list_text(const std::vector<std::string>& values) {
  std::vector<std::string> texts;
  for (const auto& value : values) texts.push_back(json_string(value));
  return "[" + joined(texts) + "]";
}

/// A state is a file, and may hold anything: std::out_of_range says that it is damaged.
const TomlValue& of_kind(const TomlValue& value, TomlValue::Kind kind) {
  if (value.kind != kind) throw std::out_of_range("kind");
  return value;
}
double number_of(const Section& s, const char* key) { return of_kind(s.value(key), TomlValue::Kind::number).number; }
std::vector<double> numbers_of(const Section& s, const char* key) {
  std::vector<double> found;
  for (const TomlValue& item : of_kind(s.value(key), TomlValue::Kind::list).items)
    found.push_back(of_kind(item, TomlValue::Kind::number).number);
  return found;
}
std::vector<std::string> words_of(const Section& s, const char* key) {
  std::vector<std::string> found;
  for (const TomlValue& item : of_kind(s.value(key), TomlValue::Kind::list).items)
    found.push_back(of_kind(item, TomlValue::Kind::text).text);
  return found;
}

/// A number that counts something.
std::size_t count_in(double number, double most) {
  if (!(number >= 0 && number <= most)) throw std::out_of_range("count");
  return static_cast<std::size_t>(number);
}

std::vector<double> quality_numbers(const FitQuality& q, double rms) { return {q.cost, q.noe, q.largest_error, rms}; }
void take_quality(const std::vector<double>& from, FitQuality& q, double& rms) {
  q.cost = from.at(0), q.noe = from.at(1), q.largest_error = from.at(2), rms = from.at(3);
}

/// A Confidence as lists: estimates by column, the covariance row by row.
std::string confidence_text(const std::string& name, const Confidence& c) {
  std::vector<std::string> keys, partners, companions;
  std::vector<double> value, error, low, high, verdict, covariance, moves_with;
  for (const Estimate& e : c.estimates) {
    keys.push_back(e.key), partners.push_back(e.partner);
    companions.push_back(e.companion), moves_with.push_back(e.companion_correlation);
    value.push_back(e.value), error.push_back(e.standard_error), low.push_back(e.low), high.push_back(e.high);
    verdict.push_back(static_cast<double>(e.verdict));
  }
  for (std::size_t i = 0; i < c.covariance.size(); ++i)
    for (std::size_t j = 0; j < c.covariance.size(); ++j) covariance.push_back(c.covariance(i, j));
  return "[candidate.state." + name + "]\nkeys = " + list_text(keys) + "\npartners = " + list_text(partners) +
         "\ncompanions = " + list_text(companions) + "\nmoves_with = " + list_text(moves_with) +
         "\nvalue = " + list_text(value) + "\nerror = " + list_text(error) + "\nlow = " + list_text(low) +
         "\nhigh = " + list_text(high) + "\nverdict = " + list_text(verdict) +
         "\ncovariance = " + list_text(covariance) + "\nnoise = " + list_text({c.noise, c.correlation}) + "\n";
}

Confidence confidence_of(const Section& s) {
  Confidence c;
  const auto keys = words_of(s, "keys"), partners = words_of(s, "partners"), companions = words_of(s, "companions");
  const auto value = numbers_of(s, "value"), error = numbers_of(s, "error"), low = numbers_of(s, "low"),
             high = numbers_of(s, "high"), verdict = numbers_of(s, "verdict"), covariance = numbers_of(s, "covariance"),
             noise = numbers_of(s, "noise"), moves_with = numbers_of(s, "moves_with");
  for (std::size_t i = 0; i < keys.size(); ++i)
    c.estimates.push_back({keys[i], value.at(i), error.at(i), low.at(i), high.at(i),
                           static_cast<Determination>(count_in(verdict.at(i), 3)), partners.at(i), companions.at(i),
                           moves_with.at(i)});
  const std::size_t size = keys.size();
  if (covariance.size() != size * size) throw std::out_of_range("covariance");
  c.covariance = Covariance(size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) c.covariance(i, j) = covariance.at(i * size + j);
  c.noise = noise.at(0), c.correlation = noise.at(1);
  return c;
}

std::string text_of_candidate(const IdentifiedModel& m, MotionKind motion) {
  ModelFile file;
  file.motion = motion;
  file.label = m.label;
  file.model = m.model;
  file.settings = m.settings;
  file.measurement = {m.chain.offset, m.chain.lag, m.chain.backlash};
  std::string text = "\n[[candidate]]\n" + model_tables(file, "candidate") + "\n[candidate.state]\n";
  text += "parameters = " + std::to_string(m.parameters) + "\nwhiteness = " + number_text(m.whiteness) +
          "\nmass_shift = " + number_text(m.mass_shift) + "\nlag_shift = " + number_text(m.lag_shift) +
          "\nlag_error = " + number_text(m.lag_error) + "\n";
  text += "estimation = " + list_text(quality_numbers(m.estimation, m.estimation_rms)) + "\n";
  text += "validation = " + list_text(quality_numbers(m.validation, m.validation_rms)) + "\n";
  text += "test = " + list_text(quality_numbers(m.test, m.test_rms)) + "\n";
  text += "left_out = " + std::to_string(m.left_out) + "\n";
  text += "remarks = " + list_text(m.remarks) + "\nadvice = " + list_text(m.advice) + "\n";
  text += confidence_text("confidence", m.confidence) + confidence_text("bootstrap", m.bootstrap);
  for (const Profile& p : m.profiles) {
    std::vector<double> value, cost;
    for (const ProfilePoint& point : p.points) value.push_back(point.value), cost.push_back(point.cost);
    text += "[[candidate.state.profile]]\nkey = " + json_string(p.key) + "\nvalue = " + list_text(value) +
            "\ncost = " + list_text(cost) +
            "\ninterval = " + list_text({p.low, p.high, p.ends_below ? 1.0 : 0.0, p.ends_above ? 1.0 : 0.0}) + "\n";
  }
  return text;
}

IdentifiedModel candidate_of(const Section& section) {
  const ModelFile file = read_model_tables(section, {"state"});
  IdentifiedModel m;
  m.model = file.model;
  m.label = file.label;
  m.settings = file.settings;
  m.chain = {file.measurement.offset, file.measurement.lag, file.measurement.backlash};
  section.value("state");
  const Section state = *section.inner("state");
  m.parameters = count_in(number_of(state, "parameters"), 1e6);
  m.whiteness = number_of(state, "whiteness");
  m.mass_shift = number_of(state, "mass_shift");
  m.lag_shift = number_of(state, "lag_shift");
  m.lag_error = number_of(state, "lag_error");
  take_quality(numbers_of(state, "estimation"), m.estimation, m.estimation_rms);
  take_quality(numbers_of(state, "validation"), m.validation, m.validation_rms);
  take_quality(numbers_of(state, "test"), m.test, m.test_rms);
  m.left_out = count_in(number_of(state, "left_out"), 1e12);
  m.remarks = words_of(state, "remarks");
  m.advice = words_of(state, "advice");
  state.value("confidence"), state.value("bootstrap");
  m.confidence = confidence_of(*state.inner("confidence"));
  m.bootstrap = confidence_of(*state.inner("bootstrap"));
  if (const TomlValue* profiles = state.table().find("profile"))
    for (const TomlValue& item : of_kind(*profiles, TomlValue::Kind::list).items) {
      const Section p(item, "candidate.state.profile", section.file());
      Profile profile;
      profile.key = p.text("key", "viscosity");
      const auto value = numbers_of(p, "value"), cost = numbers_of(p, "cost"), interval = numbers_of(p, "interval");
      for (std::size_t i = 0; i < value.size(); ++i) profile.points.push_back({value[i], cost.at(i)});
      profile.low = interval.at(0), profile.high = interval.at(1);
      profile.ends_below = interval.at(2) != 0, profile.ends_above = interval.at(3) != 0;
      m.profiles.push_back(std::move(profile));
    }
  return m;
}

std::string lock_path(const std::string& state) { return state + ".lock"; }

}  // namespace

std::string state_path(const std::string& output) { return output + ".state"; }

std::string nothing_to_resume(const std::string& state) {
  return "nothing to resume: there is no " + in_quotes(state) + "; starting anew";
}

void check_state_place(const std::string& state) {
  for (const std::string& path : {state, lock_path(state)}) {
    check_file_name(path);
    if (is_directory(path)) throw Error("cannot write " + in_quotes(path) + ": it is a directory");
    if (was_read(path))
      throw Error("the state of this run would replace " + in_quotes(path) +
                  ", which it reads; name another --output, or rename the file");
  }
}

StateLock::StateLock(const std::string& state) {
  if (state.empty()) return;
  if (facts_of(state).kind == FileKind::device)  // a pipe would wait for what only this program can write
    throw Error(one_line(state, 100) +
                ": is a device or a pipe, and what is done is kept there; remove it, or name another --output");
  const std::string path = lock_path(state), problem = file_.open(path);
  if (!problem.empty()) throw Error("cannot write " + in_quotes(path) + ": " + problem);
  if (file_.lock()) return;
  file_.close();
  throw Error(one_line(path) + ": another identification is writing there; wait for it, or name another --output");
}
StateLock::~StateLock() {
  if (file_.is_open()) file_.remove();
}

std::string state_key(const IdentifyJob& job) {
  std::string all = std::string(version()) + "|" + job.fingerprint + "|" + job.sets.how;
  const auto add = [&](auto... values) { ((all += "|" + shortest(static_cast<double>(values))), ...); };
  const IdentifyOptions& o = job.options;
  const Preparation& p = job.preparation;
  add(p.from, p.to, p.rate_hz, p.cutoff_hz, p.force_cutoff_hz, p.order, p.use_velocity, p.lag, p.find_lag, p.mass,
      p.offset, p.find_offset, p.force_drives, p.resolution);
  for (const auto& [name, value] : reading_entries(job.reading)) all += "|" + name + "=" + value;
  for (const LoadWave& w : p.load.waves) add(w.wave_number, w.sine, w.cosine);
  for (std::size_t i = 0; i < p.load.knots.size(); ++i) add(p.load.knots[i], p.load.values[i]);
  add(p.mass_error, p.lag_error);
  const SetCounts counts = counts_of(job.sets);
  add(counts.estimation, counts.validation, counts.test);
  add(o.search == SearchMethod::published, o.per_direction, o.find_backlash, o.find_lag, o.find_offset,
      o.most_operators, o.bootstrap);
  all += "|" + std::to_string(o.seed) + "|" + joined(o.profile);
  for (const VariationRequest& v : o.variations)
    all += "|" + v.key + ":" + std::string(quantity_name(v.over)) + ":" + std::to_string(v.degree) + ":" +
           std::to_string(v.knots) + (v.proportional ? ":proportional" : "");
  for (const auto& [key, value] : o.fixed) all += "|" + key + "=" + shortest(value);
  for (const auto& [key, value] : o.start) all += "|start " + key + "=" + shortest(value);
  for (const std::string& name : o.own) all += "|own " + name;
  if (o.loss == Loss::robust) all += "|robust";
  for (const KnownBefore& p : o.priors) all += "|prior " + p.key + "=" + shortest(p.value) + "+-" + shortest(p.error);
  // the models asked for may change: those done are taken, the others are fitted
  std::string key;
  for (std::uint32_t crc = crc32(all), i = 0; i < 8; ++i, crc >>= 4) key += "0123456789abcdef"[crc & 15];
  return key + "-" + std::to_string(all.size());
}

std::string state_text(const std::string& key, const std::vector<IdentifiedModel>& done, MotionKind motion) {
  std::string text =
      "# State for `stickslip identify --resume`; written by the program, not meant to be edited.\nkey = " +
      json_string(key) + "\nmachine = " + json_string(number_signature()) + "\n";
  for (const IdentifiedModel& m : done) text += text_of_candidate(m, motion);
  return text;
}

std::string candidate_text(const IdentifiedModel& model, MotionKind motion) { return text_of_candidate(model, motion); }

IdentifiedModel candidate_from(const std::string& text) {
  const std::string name = "candidate";  // sections keep where it is
  const TomlValue document = parse_toml(text, name);
  const Section file(document, "", name);
  return candidate_of(Section(file.value("candidate").items.at(0), "candidate", name));
}

void check_numbers(const Section& state) {
  const std::string machine = state.text("machine", "avx2-0");
  if (machine == number_signature()) return;
  throw Error(one_line(state.file()) + ": was started on a machine with " + in_quotes(machine) + ", this one has " +
              in_quotes(number_signature()) +
              " (vector instructions and C library), whose results differ in the last digits; continue there, name its "
              "set with STICKSLIP_INSTRUCTIONS, or leave out --resume to start over");
}

std::vector<IdentifiedModel> read_state(const std::string& path, const std::string& key) {
  return parse_state(read_whole(path), path, key);
}

std::vector<IdentifiedModel> parse_state(const std::string& text, const std::string& path, const std::string& key) {
  const TomlValue document = parse_toml(text, path);
  const Section file(document, "", path);
  file.knows({"key", "machine", "candidate"});
  if (file.text("key", "0") != key)
    throw Error(one_line(path) + ": was written for other data or other options; leave out --resume to start over");
  check_numbers(file);
  std::vector<IdentifiedModel> done;
  if (const TomlValue* candidates = document.find("candidate")) {
    const auto damaged = [&](const TomlValue& at) {
      file.fail(at, "the state is damaged; leave out --resume to start over");
    };
    if (candidates->kind != TomlValue::Kind::list) damaged(*candidates);
    for (const TomlValue& item : candidates->items) {
      try {
        done.push_back(candidate_of(Section(item, "candidate", path)));
      } catch (const std::out_of_range&) {
        damaged(item);
      }
    }
  }
  return done;
}

}  // namespace stickslip::inline jobs
