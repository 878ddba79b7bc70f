// Identify: a recording is read and shown, its columns corrected, and candidates are fitted on all cores.

const roles = ["time", "position", "velocity", "force", "load", "pressure", "temperature"];
const usualModels = ["coulomb-viscous", "stribeck", "dahl", "lugre", "elastoplastic", "NLR(4)", "generalized-maxwell-slip(4)"];
const readingOptions = [["delimiter", "Cell delimiter", "one character, tab or blank"], ["decimal", "Decimal mark", ". or ,"],
  ["skip-lines", "Lines before the headings", "0"], ["columns", "Headings, for a file without any", "time_s,position_mm,force_N"],
  ["rate", "Samples per second, for a file without time", "1000"], ["let", "A number for calculations", "A1='12.3 cm^2'"],
  ["where", "Only rows with", "column=value"]];

let recording = null;  // { name, key, blob }
let running = null, identified = null, fileCount = 0;

// What a browser has room for: the bytes of the file, its numbers, and one copy of both in every worker.
const mostBytes = () => 64e6 * Math.min(8, navigator.deviceMemory || 8);
const enginesFor = (bytes) => Math.max(1, Math.min(enginesHere(), Math.floor(2 * mostBytes() / Math.max(1, 4 * bytes))));

const keyed = (file) => ({ name: file.name, key: "file " + ++fileCount, blob: file });
const fileWord = (name) => (name.startsWith("-") ? "./" + name : name);  // not an option
const stemOf = (name) => name.replace(/\.[^.]*$/, "") || name;

// --- reading -------------------------------------------------------------------------------------------------------------

function fieldsGiven() {
  const words = [];
  for (const input of document.querySelectorAll("#reading-fields [data-option], #columns [data-option]"))
    if (input.value.trim()) words.push("--" + input.dataset.option, input.value.trim());
  for (const role of roles) {
    const heading = byId("column-" + role), unit = byId("unit-" + role);
    if (heading && heading.value) words.push("--" + role, heading.value + (unit.value.trim() ? " [" + unit.value.trim() + "]" : ""));
  }
  const missing = byId("missing");
  if (missing && missing.value) words.push("--missing", missing.value);
  const gain = byId("gain").value.trim();
  if (gain) words.push("--force-gain", gain);
  return words;
}

function buildFields(headings, chosen) {
  const box = byId("reading-fields");
  box.textContent = "";
  const labelled = (text) => make("label", "", box, text + " ");
  for (const role of roles) {
    const label = labelled("Column of " + role), select = make("select", "", label);
    select.id = "column-" + role;
    make("option", "", select, "as found").value = "";
    for (const heading of headings) make("option", "", select, heading).value = heading;
    select.value = (chosen[role] || {}).heading || "";
    const unit = make("input", "", labelled("Unit of " + role));
    unit.id = "unit-" + role;
    unit.placeholder = "as found; mm, deg, V";
    unit.value = (chosen[role] || {}).unit || "";
    select.onchange = unit.onchange = () => readAgain();
  }
  for (const [option, text, hint] of readingOptions) {
    const input = make("input", "", labelled(text));
    input.dataset.option = option;
    input.placeholder = hint;
    input.value = (chosen[option] || {}).heading || "";
    input.onchange = () => readAgain();
  }
  const missing = make("select", "", labelled("Samples without a value"));
  missing.id = "missing";
  for (const [value, text] of [["", "refuse"], ["drop", "drop"], ["interpolate", "interpolate"]]) make("option", "", missing, text).value = value;
  missing.value = (chosen.missing || {}).heading || "";
  missing.onchange = () => readAgain();
}

function fieldsChosen() {
  const chosen = {};
  for (const role of roles) {
    const heading = byId("column-" + role);
    if (heading) chosen[role] = { heading: heading.value, unit: byId("unit-" + role).value };
  }
  for (const input of document.querySelectorAll("#reading-fields [data-option]")) chosen[input.dataset.option] = { heading: input.value };
  if (byId("missing")) chosen.missing = { heading: byId("missing").value };
  return chosen;
}

async function readAgain() {
  if (!recording) return;
  const status = byId("reading"), words = fieldsGiven(), mine = recording, chosen = fieldsChosen();
  fail(byId("failure"), "");
  status.textContent = "reading " + mine.name + " (" + sizeText(mine.blob.size) + ") ...";
  try {
    let done = await command(["inspect", fileWord(mine.name), "--json", "--need", "time,force", ...words], [mine]), refused = "";
    if (done.code !== 0) {  // what it holds is still shown, so that columns can be named
      refused = refusalIn(done.errors);
      done = await command(["inspect", fileWord(mine.name), "--json", ...words], [mine]);
    }
    if (mine !== recording) return;
    const found = done.code === 0 ? JSON.parse(done.output) : null;
    if (!refused && found.missing.some((m) => m.role === "position or velocity"))
      refused = mine.name + ": no position and no velocity; name the column of one of them";
    status.textContent = "";
    fail(byId("failure"), refused || (done.code !== 0 ? refusalIn(done.errors) : ""));
    showRecording(found, warningsIn(done.errors), chosen, !refused);
  } catch (problem) {
    if (mine !== recording) return;
    status.textContent = "";
    fail(byId("failure"), mine.name + ": " + problem.message);
  }
}

const shortNumber = (value) => (value === null ? "–" : significant(value, 4));

function showRecording(found, notes, chosen, isUsable) {
  byId("recording").hidden = false;
  byId("start").disabled = !isUsable;
  const line = byId("recording-line"), headings = found ? [...found.signals.map((s) => s.heading), ...found.others.map((o) => o.name)] : [];
  buildFields([...new Set([...headings, ...roles.map((r) => (chosen[r] || {}).heading).filter(Boolean)])], chosen);
  byId("reading-options").open = byId("reading-options").open || !isUsable;
  listNotes(byId("notes"), notes);
  if (!found) {
    line.textContent = "The file could not be read as it is; the reason is given below. Delimiter, headings and units can be set here.";
    fillTable(byId("columns"), [], []);
    return;
  }
  const rate = found.step_s > 0 ? ", every " + significant(found.step_s, 4) + " s (" + significant(1 / found.step_s, 4) + " Hz)" : "";
  line.textContent = found.file + ": " + found.samples + " samples" + rate + (found.gaps ? ", " + found.gaps + " gaps" : "") +
    (found.rotary ? ", rotary" : "") + ".";
  fillTable(byId("columns"), ["role", "heading", "unit", "lowest", "highest", "resolution"], [
    ...found.signals.map((s) => [s.role, s.heading, s.unit || "SI assumed", shortNumber(s.lowest) + " " + s.si_unit,
      shortNumber(s.highest) + " " + s.si_unit, s.smallest_step ? (s.quantised ? "" : "< ") + shortNumber(s.smallest_step) + " " + s.si_unit : "constant"]),
    ...found.others.map((o) => ["", o.name, o.unit, "", "", ""])]);
  showCommand();
}

async function takeFile(file) {
  const most = mostBytes();
  fail(byId("failure"), "");
  byId("result").hidden = true;
  if (running) running.cancel();
  if (file.size > most) {
    fail(byId("failure"), file.name + " has " + sizeText(file.size) + "; this browser has room for " + sizeText(most) +
      ". Take a part of it or a lower rate, or the command line: stickslip identify " + file.name);
    return;
  }
  recording = keyed(file);
  byId("reading-fields").textContent = "";
  byId("reading-options").open = false;
  byId("recording").hidden = true;
  byId("gain").value = "";
  await readAgain();
}

async function takeDemo() {
  byId("reading").textContent = "generating a servo axis of 20 kg ...";
  try {
    const made = await command(["generate", "servo-axis", "--seed", "1", "-o", "first.csv"]);
    if (made.code !== 0) throw new Error(refusalIn(made.errors));
    byId("mass").value = "20 kg";
    await takeFile(new File([made.written["first.csv"]], "first.csv"));
  } catch (problem) {
    byId("reading").textContent = "";
    fail(byId("failure"), problem.message);
  }
}

// --- the run -------------------------------------------------------------------------------------------------------------

function modelsAsked() {
  const which = byId("models").value;
  if (which === "all") return [];
  if (which === "usual") return usualModels;
  const words = [];
  let word = "", depth = 0;
  for (const c of byId("own-models").value + ",") {  // "DNLRX(4,3,2)" is one word
    depth += c === "(" ? 1 : c === ")" ? -1 : 0;
    if (c === "," && depth <= 0) { if (word.trim()) words.push(word.trim()); word = ""; } else word += c;
  }
  return words;
}

function identifyWords() {
  const words = ["identify", fileWord(recording.name)], mass = byId("mass").value.trim();
  if (mass) words.push("--mass", mass);
  words.push(...fieldsGiven());
  for (const model of modelsAsked()) words.push("--model", model);
  return [...words, ...shellWords(byId("more").value), "--report", fileWord(stemOf(recording.name)) + ".html"];
}

function showCommand() {
  byId("own-models-label").hidden = byId("models").value !== "own";
  if (!recording) return;
  try {
    setText(byId("command"), "stickslip " + shellText(identifyWords()));
  } catch (problem) {
    byId("command").textContent = problem.message;
  }
}

// The model that a result holds; "" for numbers of another kind (starts, intervals).
const labels = new WeakMap();
const labelIn = (bytes) => {
  if (!labels.has(bytes)) {
    const text = new TextDecoder().decode(bytes.subarray(0, 1200));
    labels.set(bytes, (/^label = "(.*)"$/m.exec(text) || /^model = "(.*)"$/m.exec(text) || [])[1] || "");
  }
  return labels.get(bytes);
};

function showProgress(begin) {
  return ({ call, counts, results }) => {
    const bar = byId("progress"), now = (results[call] || []).filter(Boolean);
    const fits = results.map((known) => (known || []).filter(Boolean).map(labelIn).filter(Boolean));
    const fitted = fits.flat().length, all = fits.reduce((sum, labelled, i) => sum + (labelled.length ? counts[i] : 0), 0);
    const isModels = !now.length || now.some(labelIn), last = isModels && fits[call] ? fits[call].at(-1) : "";
    if (fitted) bar.value = 0.85 * fitted / all + (isModels ? 0 : 0.12 * now.length / counts[call]);
    running.line = fitted > 1 && !isModels && fitted === all ? "intervals of the recommended model"
      : "models: " + fitted + " of " + Math.max(all, counts[call] || 0) + " fitted" + (last ? ", last " + last : "");
    byId("progress-text").textContent = running.line + " (" + Math.round((performance.now() - begin) / 1000) + " s)";
  };
}

async function identify() {
  const begin = performance.now(), failure = byId("failure");
  fail(failure, "");
  byId("result").hidden = true;
  let ticking = 0;
  try {
    const words = identifyWords();
    running = new SharedCommand([...words, "--json"], [recording], showProgress(begin), enginesFor(recording.blob.size));
    running.line = "reading";
    setBusy(true);
    byId("progress").removeAttribute("value");
    ticking = setInterval(() => { byId("progress-text").textContent = running.line + " (" + Math.round((performance.now() - begin) / 1000) + " s)"; }, 1000);
    const done = await running.run();
    if (!done.output.trim()) throw new Error(refusalIn(done.errors) || "the command ended with exit code " + done.code);
    showResult(done, (performance.now() - begin) / 1000);
  } catch (problem) {
    fail(failure, problem.message === "cancelled" ? "cancelled; no results were kept" : problem.message);
  } finally {
    clearInterval(ticking);
    running = null;
    setBusy(false);
  }
}

function setBusy(isBusy) {
  byId("work").hidden = byId("cancel").hidden = byId("conclude").hidden = !isBusy;
  byId("start").disabled = isBusy;
  byId("progress-text").textContent = "";
}

// --- the result ----------------------------------------------------------------------------------------------------------

function showResult(done, seconds) {
  const found = JSON.parse(done.output), stem = stemOf(recording.name), decoder = new TextDecoder();
  const written = Object.fromEntries(Object.entries(done.written).map(([name, bytes]) => [name, decoder.decode(bytes)]));
  identified = { found, stem, written, model: written[stem + ".model.toml"], report: written[stem + ".html"], seconds, ms: done.ms };
  byId("result").hidden = false;
  setText(byId("headline"), (found.recommended ? "Recommended: " + found.why : found.headline) + ".");
  const notes = [...warningsIn(done.errors)];
  if (done.stopped) notes.unshift("stopped before all models were fitted: the recommendation is among those that were");
  listNotes(byId("result-notes"), notes);
  showDownloads();
  for (const id of ["use", "share"]) byId(id).hidden = !identified.model;
  document.querySelector("label[for=second]").hidden = !identified.model;
  byId("validation").textContent = "";
  showReport(byId("report"), identified.report);
  byId("result").scrollIntoView({ block: "start" });
  byId("progress-text").textContent = "";
  window.stickslip.identified = identified;
}

// The report is a page of its own, in a frame as tall as it is.
function showReport(frame, html) {
  frame.onload = () => {
    const inside = frame.contentDocument;
    if (!inside) return;
    const theme = document.documentElement.dataset.theme;
    if (theme) inside.documentElement.dataset.theme = theme;
    const fit = () => { frame.style.height = Math.min(20000, inside.documentElement.scrollHeight + 4) + "px"; };
    new ResizeObserver(fit).observe(inside.body);
    fit();
  };
  frame.srcdoc = html;
}

function showDownloads() {
  const place = byId("downloads"), { stem, model, report } = identified;
  place.textContent = "";
  const button = (text, act) => {
    const made = make("button", "", place, text);
    made.type = "button";
    made.onclick = act;
    return made;
  };
  button("Report (HTML)", () => saveText(stem + ".html", report, "text/html"));
  if (!model) return;
  button("Model file (TOML)", () => saveText(stem + ".model.toml", model));
  button("Results (JSON)", () => saveText(stem + ".json", JSON.stringify(identified.found, null, 2), "application/json"));
  const formats = [["C header", "--c", ".h"], ["Modelica", "--modelica", ".mo"], ["Drive numbers", "--drive", ".txt"]];
  for (const [text, option, ending] of formats) {
    const made = button(text, async () => {
      made.disabled = true;
      await exportAs(option, stem.replace(/\W+/g, "_") + ending);
      made.disabled = false;
    });
  }
  button("FMU parameters (SSV)", saveParameters);
}

// Parameters by the names that FMUs of `stickslip export --fmu` have, SI, as the SSP standard writes them.
async function saveParameters() {
  try {
    const scenario = liveMachines["pulled-spring"].toml.replace("{friction}", () => frictionTable(identified.model));
    const done = await command(["simulate", "model.toml", "--numbers", "--json"], [{ name: "model.toml", text: scenario }]);
    if (done.code !== 0) throw new Error(refusalIn(done.errors));
    const rows = JSON.parse(done.output).filter((n) => n.path.startsWith("friction."))
      .map((n) => `  <ssv:Parameter name="${n.path}"><ssv:Real value="${n.value}"/></ssv:Parameter>\n`);
    saveText(identified.stem + ".ssv", `<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="friction">
 <ssv:Parameters>
${rows.join("")} </ssv:Parameters>
</ssv:ParameterSet>
`, "application/xml");
  } catch (problem) {
    fail(byId("failure"), problem.message);
  }
}

async function exportAs(option, name) {
  const mass = byId("mass").value.trim(), words = ["export", identified.stem + ".model.toml", option, name];
  if (/^[\d.]/.test(mass)) words.push("--mass", mass.replace(/(\+-|\+\/-|±)\s*[\d.eE+-]+/, ""));
  try {
    const done = await command(words, [{ name: identified.stem + ".model.toml", text: identified.model }]);
    if (done.code !== 0) throw new Error(refusalIn(done.errors));
    identified.exported = done.output;
    saveText(name, done.written[name]);
  } catch (problem) {
    fail(byId("failure"), problem.message);
  }
}

async function checkSecond(file) {
  const place = byId("validation"), second = keyed(file), words = ["validate", fileWord(identified.stem) + ".model.toml", fileWord(file.name), "--report", "validation.html", "--json"];
  if (second.name === recording.name) second.name = words[2] = "second " + file.name;
  place.textContent = "checking on " + file.name + " ...";
  try {
    const done = await command(words, [{ name: identified.stem + ".model.toml", text: identified.model }, second]);
    place.textContent = "";
    if (!done.output.trim()) throw new Error(refusalIn(done.errors));
    make("p", "", place, JSON.parse(done.output).verdict || "");
    listNotes(make("div", "", place), warningsIn(done.errors));
    const button = make("button", "", make("p", "buttons", place), "Report of this check");
    button.onclick = () => saveText(stemOf(file.name) + ".validation.html", done.written["validation.html"], "text/html");
  } catch (problem) {
    place.textContent = "";
    fail(make("div", "failure", place), problem.message);
  }
}

function beginIdentify() {
  const drop = byId("drop"), take = (files) => { if (files.length) takeFile(files[0]); };
  for (const name of ["dragenter", "dragover"]) document.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) document.addEventListener(name, (event) => { event.preventDefault(); drop.classList.remove("over"); });
  document.addEventListener("drop", (event) => { showTab("identify"); take(event.dataTransfer.files); });
  byId("file").onchange = (event) => { take(event.target.files); event.target.value = ""; };
  byId("second").onchange = (event) => { if (event.target.files.length) checkSecond(event.target.files[0]); event.target.value = ""; };
  byId("demo").onclick = takeDemo;
  byId("start").onclick = identify;
  byId("cancel").onclick = () => running && running.cancel();
  byId("conclude").onclick = () => running && running.conclude();
  byId("gain").onchange = () => readAgain();
  for (const id of ["mass", "models", "own-models", "more"]) byId(id).oninput = showCommand;
  byId("use").onclick = () => { showTab("simulate"); simulateModel(identified.model, byId("mass").value.trim()); };
  byId("share").onclick = () => copied(linkTo({ friction: frictionTable(identified.model), mass: byId("mass").value.trim() }), byId("shared"));
}
