/// A model file; see model_file.hpp.
#include "machines/friction/model_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/former_key.hpp"
#include "files/json.hpp"
#include "files/reading_section.hpp"
#include "files/run_section.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/friction_text.hpp"

namespace stickslip::inline machines {
namespace {

using Kind = TomlValue::Kind;

const std::vector<std::string> tables{"title",       "label",   "motion",    "friction",    "measurement",
                                      "uncertainty", "quality", "recording", "preparation", "provenance"};

// --- reading ---------------------------------------------------------------------------------------------------------

/// A number with unit; one that is not finite has none.
double any_quantity(const Section& section, std::string_view key, std::string_view unit, double otherwise) {
  if (!section.has(key)) return otherwise;
  const TomlValue& value = section.value(key);
  if (value.kind == Kind::number && !std::isfinite(value.number)) return value.number;
  return section.quantity_of(value, std::string(key), unit);
}

void read_uncertainty(const Section& section, ModelFile& model) {
  const ModelDescription& description = find_model(model.model).description();
  for (const auto& [written, value] : section.table().members) {
    const std::string key = current_parameter(description.name, written);
    const Section row(value, section.name() + "." + written, section.file());
    row.knows({"standard_error", "low", "high", "verdict", "not_separable_from", "prior", "prior_error"});
    const std::string unit = unit_of_key(description, key, model.motion);
    const auto number = [&](const char* name) { return any_quantity(row, name, unit, std::nan("")); };
    Uncertainty found{key, number("standard_error"), number("low"), number("high"), "", "", 0, 0};
    if (row.has("prior_error")) found.prior = number("prior"), found.prior_error = number("prior_error");
    if (row.has("verdict")) found.verdict = row.text("verdict", "well determined");
    if (row.has("not_separable_from")) found.partner = row.text("not_separable_from", "viscosity");
    model.uncertainty.push_back(std::move(found));
  }
}

void read_quality(const Section& section, ModelFile& model) {
  const std::string force = unit_for(model.motion, "N");
  section.knows({"estimation", "validation", "test"});
  for (const auto& [key, value] : section.table().members) {
    const Section row(value, section.name() + "." + key, section.file());
    row.knows({"noe", "max", "rms"});
    // NOE is a number of percent, as the papers print it
    const double noe = row.has("noe") ? row.value("noe").number : 0;
    if (row.has("noe") && row.value("noe").kind != Kind::number)
      row.fail(row.value("noe"),
               "noe is " + std::string(kind_words(row.value("noe").kind)) + "; a number is needed [%]");
    model.quality.push_back({key, noe, any_quantity(row, "max", force, 0), any_quantity(row, "rms", force, 0)});
  }
}

void read_recording_table(const Section& section, ModelFile& model) {
  std::vector<std::string> keys = reading_keys();
  keys.insert(keys.begin(), {"file", "fingerprint"});
  section.knows(keys);
  if (section.has("file")) model.recording = section.text("file", "axis.csv");
  if (section.has("fingerprint")) model.fingerprint = section.text("fingerprint", "crc32 00000000, 0 bytes");
  model.reading = read_reading(section);
}

/// load_waves = [["1 1/rad", "0.3 N m", "2 N m"]]: wave number, sine, cosine; load_table = [["0 m", "0 N"], ...].
void read_load(const Section& section, ModelFile& model) {
  AdditiveLoad& load = model.preparation.load;
  const std::string force = unit_for(model.motion, "N"), position = unit_for(model.motion, "m");
  if (section.has("load_waves")) {
    const TomlValue& waves = section.value("load_waves");
    for (const TomlValue& wave : waves.items) {
      if (wave.items.size() != 3)
        section.fail(waves, "load_waves: each has three numbers, as in [\"1 1/rad\", \"0.3 N m\", \"2 N m\"]");
      load.waves.push_back({section.quantity_of(wave.items[0], "load_waves", "1/" + position),
                            section.quantity_of(wave.items[1], "load_waves", force),
                            section.quantity_of(wave.items[2], "load_waves", force)});
    }
  }
  if (!section.has("load_table")) return;
  const Section::Points points = section.points("load_table", position, force);
  load.knots = points.x, load.values = points.y;
}

void read_preparation(const Section& section, ModelFile& model) {
  section.knows({"rate", "cutoff", "force_cutoff", "order", "motion_from", "lag", "mass", "inertia", "offset", "force",
                 "resolution", "load_waves", "load_table"});
  const auto unit = [&](std::string_view linear) { return unit_for(model.motion, linear); };
  Preparation& p = model.preparation;
  p.rate_hz = section.not_negative_or("rate", "Hz", p.rate_hz);
  p.cutoff_hz = any_quantity(section, "cutoff", "Hz", p.cutoff_hz);
  p.force_cutoff_hz = section.not_negative_or("force_cutoff", "Hz", p.force_cutoff_hz);
  p.use_velocity =
      section.word_or("motion_from", "column of motion", {"position", "velocity"}, "position") == "velocity";
  if (const auto order = section.count("order", {1, 20, "a steeper filter rings"})) p.order = static_cast<int>(*order);
  if (section.has("lag")) {
    p.find_lag = section.value("lag").kind == Kind::text && section.value("lag").text == "found";
    if (!p.find_lag) p.lag = section.quantity("lag", "s");
  }
  p.mass = section.not_negative_or(model.motion == MotionKind::rotary ? "inertia" : "mass", unit("kg"), p.mass);
  if (section.has("offset")) {
    p.find_offset = section.value("offset").kind == Kind::text && section.value("offset").text == "found";
    if (!p.find_offset) p.offset = section.quantity("offset", unit("N"));
  }
  p.force_drives = section.word_or("force", "sign of the force", {"resists", "drives"}, "resists") == "drives";
  read_load(section, model);
  if (section.has("resolution"))
    p.resolution = section.within("resolution", unit("m"), {1e-15, 1, true, "from below an atom to a coarse switch"});
}

std::vector<std::string> texts(const Section& section, std::string_view key) {
  std::vector<std::string> found;
  if (!section.has(key)) return found;
  const TomlValue& list = section.value(key);
  if (list.kind != Kind::list) section.fail(list, std::string(key) + " must be a list of texts");
  for (const TomlValue& item : list.items) {
    if (item.kind != Kind::text) section.fail(item, std::string(key) + " must be a list of texts");
    found.push_back(item.text);
  }
  return found;
}

void read_provenance(const Section& section, ModelFile& model) {
  section.knows({"program", "command", "seed", "split", "steps", "remarks"});
  const auto text = [&](const char* key, std::string& into) {
    if (section.has(key)) into = section.text(key, "...");
  };
  text("program", model.program);
  text("command", model.command);
  text("split", model.split);
  model.steps = texts(section, "steps");
  model.remarks = texts(section, "remarks");
  if (!section.has("seed")) return;
  const TomlValue& value = section.value("seed");
  std::uint64_t seed = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, problem] = std::from_chars(value.text.data(), end, seed);
  if (problem != std::errc() || stop != end) section.fail(value, "seed must be a whole number, zero or positive");
  model.seed = seed;
}

void read_measurement(const Section& section, ModelFile& model) {
  section.knows({"offset", "lag", "backlash"});
  model.measurement.offset = section.quantity_or("offset", unit_for(model.motion, "N"), 0);
  model.measurement.lag = section.quantity_or("lag", "s", 0);
  model.measurement.backlash = section.not_negative_or("backlash", unit_for(model.motion, "m"), 0);
}

// --- writing ---------------------------------------------------------------------------------------------------------

std::string toml_key(const std::string& key) {
  const bool is_bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return is_bare ? key : json_string(key);
}

/// "key = value" lines under a heading; nothing if there are none.
class TableText {
 public:
  TableText(std::string under, const std::string& name, const std::string& comment)
      : heading_("\n[" + (under.empty() ? "" : under + ".") + name + "]" + (comment.empty() ? "" : "  # " + comment) +
                 "\n") {}
  void put(const std::string& key, const std::string& value) { lines_ += toml_key(key) + " = " + value + "\n"; }
  void text(const std::string& key, const std::string& value) {
    if (!value.empty()) put(key, json_string(value));
  }
  void texts(const std::string& key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::string list = "[";
    for (const auto& value : values) list += "\n  " + json_string(value) + ",";
    put(key, list + "\n]");
  }
  void unless(double preset, const std::string& key, double value, std::string_view unit) {
    if (value != preset) put(key, quantity_text(value, unit));
  }
  std::string all() const { return lines_.empty() ? "" : heading_ + lines_; }

 private:
  std::string heading_, lines_;
};

std::string uncertainty_text(const ModelFile& model, const std::string& under) {
  const ModelDescription& description = find_model(model.model).description();
  TableText table(under, "uncertainty", "low and high: 95 % interval");
  for (const auto& row : model.uncertainty) {
    const std::string unit = unit_of_key(description, row.key, model.motion);
    table.put(row.key, "{ standard_error = " + quantity_text(row.standard_error, unit) +
                           ", low = " + quantity_text(row.low, unit) + ", high = " + quantity_text(row.high, unit) +
                           ", verdict = " + json_string(row.verdict) +
                           (row.partner.empty() ? "" : ", not_separable_from = " + json_string(row.partner)) +
                           (row.prior_error > 0 ? ", prior = " + quantity_text(row.prior, unit) +
                                                      ", prior_error = " + quantity_text(row.prior_error, unit)
                                                : "") +
                           " }");
  }
  return table.all();
}

std::string quality_text(const ModelFile& model, const std::string& under) {
  const std::string force = unit_for(model.motion, "N");
  TableText table(under, "quality", "noe: squared error over squared force about its mean [%]; max: largest error");
  for (const auto& row : model.quality)
    table.put(row.set, "{ noe = " + shortest(row.noe) + ", max = " + quantity_text(row.largest_error, force) +
                           ", rms = " + quantity_text(row.rms, force) + " }");
  return table.all();
}

std::string recording_text(const ModelFile& model, const std::string& under) {
  TableText table(under, "recording", "");
  table.text("file", model.recording);
  table.text("fingerprint", model.fingerprint);
  for (const auto& [key, value] : reading_entries(model.reading)) table.put(key, value);
  return table.all();
}

std::string preparation_text(const ModelFile& model, const std::string& under) {
  const auto unit = [&](std::string_view linear) { return unit_for(model.motion, linear); };
  const Preparation& p = model.preparation;
  const Preparation preset;
  TableText table(under, "preparation", "as requested; repeated by `stickslip validate`");
  table.unless(preset.rate_hz, "rate", p.rate_hz, "Hz");
  table.unless(preset.cutoff_hz, "cutoff", p.cutoff_hz, "Hz");
  table.unless(preset.force_cutoff_hz, "force_cutoff", p.force_cutoff_hz, "Hz");
  if (p.use_velocity) table.text("motion_from", "velocity");
  if (p.order != preset.order) table.put("order", std::to_string(p.order));
  if (p.find_lag)
    table.text("lag", "found");
  else
    table.unless(preset.lag, "lag", p.lag, "s");
  table.unless(preset.mass, model.motion == MotionKind::rotary ? "inertia" : "mass", p.mass, unit("kg"));
  if (p.find_offset)
    table.text("offset", "found");
  else
    table.unless(preset.offset, "offset", p.offset, unit("N"));
  if (p.force_drives) table.text("force", "drives");
  const std::string force = unit("N"), position = unit("m");
  std::string waves, knots;
  for (const LoadWave& w : p.load.waves)
    waves += (waves.empty() ? "[" : ", [") + quantity_text(w.wave_number, "1/" + position) + ", " +
             quantity_text(w.sine, force) + ", " + quantity_text(w.cosine, force) + "]";
  for (std::size_t i = 0; i < p.load.knots.size(); ++i)
    knots += (i == 0 ? "[" : ", [") + quantity_text(p.load.knots[i], position) + ", " +
             quantity_text(p.load.values[i], force) + "]";
  if (!waves.empty()) table.put("load_waves", "[" + waves + "]");
  if (!knots.empty()) table.put("load_table", "[" + knots + "]");
  table.unless(preset.resolution, "resolution", p.resolution, unit("m"));
  return table.all();
}

std::string provenance_text(const ModelFile& model, const std::string& under) {
  TableText table(under, "provenance", "");
  table.text("program", model.program);
  table.text("command", model.command);
  constexpr std::uint64_t largest_toml = 0x7fffffffffffffff;
  if (model.seed && *model.seed <= largest_toml)
    table.put("seed", std::to_string(*model.seed));
  else if (model.seed)
    table.text("seed", std::to_string(*model.seed));
  table.text("split", model.split);
  table.texts("steps", model.steps);
  table.texts("remarks", model.remarks);
  return table.all();
}

std::string measurement_text(const ModelFile& model, const std::string& under) {
  const Measurement& m = model.measurement;
  TableText table(under, "measurement", "between the contact and the recording; not part of the friction");
  table.unless(0, "offset", m.offset, unit_for(model.motion, "N"));
  table.unless(0, "lag", m.lag, "s");
  table.unless(0, "backlash", m.backlash, unit_for(model.motion, "m"));
  return table.all();
}

}  // namespace

std::string_view motion_name(MotionKind motion) { return motion == MotionKind::rotary ? "rotary" : "linear"; }

std::string unit_of_key(const ModelDescription& model, const std::string& key, MotionKind motion) {
  if (key == "offset") return unit_for(motion, "N");
  if (key == "lag") return "s";
  if (key == "mass" || key == "inertia") return unit_for(motion, "kg");
  if (key == "backlash") return unit_for(motion, "m");
  if (key.find('@') != std::string::npos) return unit_of_key(model, key.substr(0, key.find('@')), motion);
  std::string_view base = key;
  if (base.starts_with("backward.")) base.remove_prefix(9);
  if (base.ends_with(']')) base = base.substr(0, base.find('['));
  for (const auto& p : model.parameters)
    if (p.key == base) return p.unit.empty() ? "" : unit_for(motion, p.unit);
  return "";
}

ModelFile read_model_tables(const Section& section, const std::vector<std::string>& further) {
  std::vector<std::string> keys = tables;
  keys.insert(keys.end(), further.begin(), further.end());
  section.knows(keys);
  ModelFile model;
  model.file = section.file();
  if (section.has("title")) model.title = section.text("title", "Servo axis");
  if (section.has("label")) model.label = section.text("label", "NLR(4)");
  if (section.word_or("motion", "motion", {"linear", "rotary"}, "linear") == "rotary")
    model.motion = MotionKind::rotary;
  const Section friction = needed_section(section, "friction");
  NamedFriction found = read_friction_settings(friction, model.motion);
  if (friction.has("start"))
    friction.fail(friction.value("start"), "states at the start belong to a scenario, not to a model");
  model.model = found.model->description().name;
  model.settings = std::move(found.settings);
  try {
    found.model->make(model.settings);
  } catch (const Error& problem) {
    friction.fail(friction.line(), problem.what());
  }
  const auto read = [&](const char* name, auto&& reader) {
    if (const auto inner = section.inner(name)) reader(*inner, model);
  };
  read("measurement", read_measurement);
  read("uncertainty", read_uncertainty);
  read("quality", read_quality);
  read("recording", read_recording_table);
  read("preparation", read_preparation);
  read("provenance", read_provenance);
  return model;
}

std::string model_tables(const ModelFile& model, const std::string& under) {
  const auto top = [](const char* key, const std::string& value) {
    return value.empty() ? "" : std::string(key) + " = " + json_string(value) + "\n";
  };
  std::string text = top("title", model.title) + top("label", model.label);
  if (model.motion == MotionKind::rotary) text += "motion = \"rotary\"\n";
  text += "\n" + friction_text(find_model(model.model).description(), model.settings, model.motion,
                               under.empty() ? "friction" : under + ".friction");
  text += measurement_text(model, under) + uncertainty_text(model, under) + quality_text(model, under);
  return text + recording_text(model, under) + preparation_text(model, under) + provenance_text(model, under);
}

std::string model_file_text(const ModelFile& model) {
  return "# A friction model for stickslip: a machine takes it with  [friction] file = \"this file\".\n" +
         model_tables(model, "");
}

ModelFile parse_model_file(std::string_view text, const std::string& file) {
  const TomlValue document = parse_toml(text, file);
  for (const char* table : {"machine", "body"})
    if (const TomlValue* found = document.find(table))
      Section(document, "", file)
          .fail(*found,
                "[" + std::string(table) +
                    "] makes this a machine file; here a model file is needed, [friction] with model and values");
  return read_model_tables(Section(document, "", file));
}

ModelFile read_model_file(const std::string& path) { return parse_model_file(read_whole(path), path); }

bool is_model_file(std::string_view text, const std::string& file) {
  const TomlValue document = parse_toml(text, file);
  return document.find("friction") && !document.find("machine") && !document.find("body") && !document.find("run");
}

}  // namespace stickslip::inline machines
