// Simulate: a machine and a friction law, a slider per number, and the motion at once.

// The law alone, as its page in the documentation draws it: its friction along two motions that are given.
const alone = "law-alone";

const liveMachines = {  // {friction} takes the law
  "pulled-spring": { title: "mass pulled by a spring (stick-slip)", toml: `title = "Stick-slip of a pulled mass"

[machine]
kind = "pulled-spring"
mass = "1 kg"
stiffness = "2 N/m"
damping = "0 N s/m"

[input]
kind = "ramp"
rate = "0.1 m/s"

{friction}
[run]
duration = "30 s"
sample_interval = "20 ms"
` },
  "applied-force": { title: "mass under a sinusoidal force (presliding loops)", toml: `title = "A mass under a sinusoidal force"

[machine]
kind = "applied-force"
mass = "1 kg"

[input]
kind = "sine"
amplitude = "1.7 N"
frequency = "0.2 Hz"

{friction}
[run]
duration = "20 s"
sample_interval = "10 ms"
` },
  pid: { title: "mass under PID control (hunting)", toml: `title = "Hunting under PID control"

[machine]
kind = "pid"
mass = "1 kg"
proportional = "3 N/m"
derivative = "6 N s/m"
integral = "4 N/(m s)"

[input]
kind = "constant"
value = "1 m"

{friction}
[run]
duration = "100 s"
sample_interval = "50 ms"
` },
  "wall-spring": { title: "mass on a spring, released (decay)", toml: `title = "A mass on a spring, released"

[machine]
kind = "wall-spring"
mass = "1 kg"
stiffness = "10 N/m"
damping = "0 N s/m"

[machine.start]
position = "1 m"

[input]
kind = "constant"
value = "0 N"

{friction}
[run]
duration = "12 s"
sample_interval = "10 ms"
` },
};
liveMachines[alone] = { title: "no machine: the law in shrinking loops and in sliding back and forth", toml: liveMachines["pulled-spring"].toml };

let laws = null, live = null, liveEngine = null, livePlot = null, ownLaw = null;
const ownName = "the identified model";

// [friction] and [friction.*] of a model file
function frictionTable(model) {
  const kept = [];
  let isFriction = false;
  for (const line of model.split("\n")) {
    if (line.startsWith("[")) isFriction = /^\[\[?friction[\].]/.test(line);
    if (isFriction && !line.startsWith("#")) kept.push(line);
  }
  return kept.join("\n").trim() + "\n\n";
}

async function knowLaws() {
  if (laws) return;
  const done = await command(["models", "--json"]);
  laws = JSON.parse(done.output);
}

// A law about an axis needs the same machine in angles, torques and inertias.
const isRotary = (table) => /^\w+ = "[^"]*(N m|rad)/m.test(table);
const rotaryUnits = { kg: "kg m^2", N: "N m", m: "rad", "m/s": "rad/s", "N/m": "N m/rad", "N s/m": "N m s/rad", "N/(m s)": "N m/(rad s)" };
const rotary = (toml) => toml.replace(/"(\S+) ([^"]+)"/g, (all, number, unit) => (unit in rotaryUnits ? '"' + number + " " + rotaryUnits[unit] + '"' : all))
  .replace("mass = ", 'motion = "rotary"\ninertia = ');

const tomlNow = () => {
  const { toml } = liveMachines[byId("machine").value], law = byId("law").value;
  const friction = law === ownName ? ownLaw : (laws.find((l) => l.name === law) || laws[0]).example;
  return (law === ownName && isRotary(ownLaw) ? rotary(toml) : toml).replace("{friction}", () => friction.trim() + "\n\n");
};

const longestRun = 20000;  // [ms]; a run that takes longer is given up, so that the next one is not kept waiting

async function askLive(message) {
  liveEngine = liveEngine || new Engine();
  const engine = liveEngine;
  let isLate = false;
  const late = setTimeout(() => { isLate = true; engine.end(); }, longestRun);
  try {
    if (message.open === undefined && !engine.isOpen) await engine.ask({ open: live.toml });  // after one that was given up
    const { live: text, columns, ms } = await engine.ask(message);
    engine.isOpen = true;
    return { ...JSON.parse(text), columns, ms };
  } catch (problem) {
    engine.end();
    if (liveEngine === engine) liveEngine = null;
    return { error: isLate ? "this run takes more than 20 s; use a shorter duration, another model or the program (stickslip simulate)" : problem.message };
  } finally {
    clearTimeout(late);
  }
}

// --- sliders -------------------------------------------------------------------------------------------------------------

const groupOf = (path) => (path.startsWith("friction") ? "Friction" : path.startsWith("run") || path.startsWith("solver") ? "Run" : path.startsWith("input") ? "Input" : "Machine");
const nameOf = (path) => path.replace(/^(friction|machine|input|run)\./, "").replaceAll("_", " ");

// A slider goes from a tenth to ten times the value; from minus to plus twice the value where it may change its sign.
function rangeOf(number) {
  const size = Math.abs(number.value);
  if (size === 0) return { to: (p) => p, from: (v) => v, low: 0, high: 1 };
  if (number.value < 0) return { to: (p) => p, from: (v) => v, low: -2 * size, high: 2 * size };
  return { to: (p) => number.value * 10 ** p, from: (v) => Math.log10(Math.max(v, 1e-300) / number.value), low: -1, high: 1 };
}

function addSlider(number, place) {
  const range = rangeOf(number), row = make("div", "slider", place), id = "number " + number.path;
  const label = make("label", "", row, nameOf(number.path));
  label.htmlFor = id;
  const value = make("span", "value", row), typed = make("input", "", value);
  typed.type = "number";
  typed.step = "any";
  typed.setAttribute("aria-label", nameOf(number.path) + (number.unit === "1" ? "" : " [" + number.unit + "]"));
  make("span", "", value, number.unit === "1" ? "" : number.unit);
  const slider = make("input", "", row);
  Object.assign(slider, { type: "range", id, min: range.low, max: range.high, step: (range.high - range.low) / 400 });
  const show = () => { typed.value = Number(live.values.get(number.path).toPrecision(4)); };
  const place_ = () => { slider.value = range.from(live.values.get(number.path)); };
  const set = (v) => { live.values.set(number.path, v); runLive(); };
  slider.oninput = () => { set(range.to(Number(slider.value))); show(); };
  typed.onchange = () => { if (typed.value.trim() && Number.isFinite(Number(typed.value))) { set(Number(typed.value)); place_(); } };
  live.show.push(() => { show(); place_(); });
  show();
  place_();
}

function buildSliders(numbers) {
  const place = byId("sliders"), groups = new Map();
  place.textContent = "";
  for (const number of numbers) {
    const name = groupOf(number.path);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(number);
  }
  for (const name of ["Friction", "Machine", "Input", "Run"]) {
    if (!groups.has(name)) continue;
    const isFolded = name === "Run" || groups.get(name).length > 14;
    const box = isFolded ? make("details", "", place) : place;
    if (isFolded) make("summary", "", box, name + ": " + groups.get(name).length + " numbers"); else make("h3", "", box, name);
    for (const number of groups.get(name)) addSlider(number, box);
  }
}

// --- runs: the newest numbers when the last run is back -------------------------------------------------------------------

async function openLive(values = new Map()) {
  await knowLaws();
  const toml = tomlNow(), machine = liveMachines[byId("machine").value], law = laws.find((l) => l.name === byId("law").value);
  byId("law").disabled = !machine.toml.includes("{friction}");
  byId("law-words").textContent = byId("law").disabled ? "This machine has its own friction models." : law ? law.title + ": " + law.captures + "." : "";
  const opened = await askLive({ open: toml });
  if (toml !== tomlNow()) return;
  fail(byId("live-failure"), opened.error || "");
  if (opened.error) return;
  const isAlone = byId("machine").value === alone, numbers = opened.numbers.filter((n) => !isAlone || n.path.startsWith("friction"));
  live = { toml, numbers, isAlone, values: new Map(numbers.map((n) => [n.path, n.value])), show: [], isRunning: false, isAsked: false, updates: 0 };
  for (const [path, value] of values) if (live.values.has(path)) live.values.set(path, value);
  window.stickslip.live = live;
  byId("save-run").hidden = isAlone;
  buildSliders(numbers);
  runLive();
}

function askRun(mine) {
  mine.isAsked = false;
  const numbers = mine.numbers.filter((n) => mine.values.get(n.path) !== n.value || mine.changed && mine.changed.has(n.path));
  mine.changed = new Set(numbers.map((n) => n.path));
  const set = numbers.map((n) => n.path + "\t" + mine.values.get(n.path) + "\n").join("");
  return askLive(mine.isAlone ? { law: set } : { run: set });
}

async function runLive() {
  const mine = live;
  mine.isAsked = true;
  if (mine.isRunning) return;
  mine.isRunning = true;
  for (let next = askRun(mine); next;) {
    const answer = await next;
    if (mine !== live) break;
    next = mine.isAsked ? askRun(mine) : null;  // runs while this one is drawn
    showLive(answer);
    ++mine.updates;
    if (mine.updates === 1 && parent !== window) parent.postMessage("drawn", "*");  // inside another page
  }
  mine.isRunning = false;
}

// The figure keeps its place and zoom; only its numbers change. Another machine gets another figure.
function showLive(answer) {
  fail(byId("live-failure"), answer.error || (answer.stop === "finished" ? "" : answer.message));
  if (answer.error) return;
  const figure = byId("live"), form = JSON.stringify(answer.figure.panels.map((p) => [p.title, p.y.label, p.series.map((s) => s.name)]));
  unpacked.clear();
  answer.columns.forEach((values, id) => unpacked.set(id, values));
  if (livePlot && livePlot.form === form) {
    livePlot.renew(answer.figure);
  } else {
    if (livePlot) plots.splice(plots.indexOf(livePlot), 1);
    figure.textContent = "";
    figure.classList.add("plot");
    const text = make("script", "", figure);
    text.type = "application/json";
    text.textContent = JSON.stringify(answer.figure);
    make("noscript", "", figure);
    livePlot = new LivePlot(figure);
    livePlot.form = form;
    plots.push(livePlot);
  }
  byId("live-line").textContent = live.isAlone ? "" : answer.ending + "; " + answer.steps + " steps in " + answer.ms.toFixed(1) + " ms";
  listNotes(byId("live-notes"), answer.warnings || []);
}

const isNarrow = matchMedia("(max-width: 860px)");

class LivePlot extends Plot {
  // Above the sliders of a narrow screen all panels stay in sight.
  plotHeight(width, columns) {
    const usual = super.plotHeight(width, columns), rows = Math.ceil(this.panels.length / columns);
    if (!isNarrow.matches) return usual;
    const around = (panel) => panel.stage.parentElement.clientHeight - panel.stage.clientHeight;
    const words = this.element.querySelector(".head").offsetHeight + rows * (Math.max(...this.panels.map(around)) + 14) + 54;
    return Math.min(usual, Math.max(60, (0.62 * innerHeight - words) / rows - 29));
  }
  async drawing() { return (await liveEngine.ask({ svg: "" })).live; }
  renew(spec) {
    this.spec = spec;
    spec.panels.forEach((panel, i) => {
      const old = this.panels[i], fresh = new PanelView(panel, this);
      fresh.series.forEach((s, k) => { s.hidden = old.series[k].hidden; });
      for (const key of ["series", "shades", "regions", "marks", "references", "xFull", "yFull", "isFree", "hasData", "hiddenByLog", "x", "y"]) old[key] = fresh[key];
      old.group.full = fresh.xFull;
    });
    this.draw();
  }
}

// --- what is shown ---------------------------------------------------------------------------------------------------------

// An identified model on a spring that makes it stick and slip: scaled by the mass.
function simulateModel(model, mass) {
  useFriction(frictionTable(model), mass);
}

async function useFriction(table, mass) {
  delete shownFirst.simulate;
  ownLaw = table;
  await knowLaws();
  fillChoices();
  byId("machine").value = "pulled-spring";
  byId("law").value = ownName;
  const given = /^([\d.eE+-]+)\s*kg( m\^2)?$/.exec(mass || ""), m = given ? Number(given[1]) : 1;
  const level = /^coulomb_force = "([\d.eE+-]+) N( m)?"/m.exec(table), force = level ? Number(level[1]) : m;
  const inertia = isRotary(table) ? "machine.inertia" : "machine.mass";
  await openLive(new Map([[inertia, m], ["machine.stiffness", 2 * m], ["input.rate", 0.1 * force / m]]));
}

function fillChoices() {
  const machine = byId("machine"), law = byId("law"), before = [machine.value, law.value];
  machine.textContent = law.textContent = "";
  for (const [name, { title }] of Object.entries(liveMachines)) make("option", "", machine, title).value = name;
  if (ownLaw) make("option", "", law, ownName).value = ownName;
  for (const { name } of laws) make("option", "", law, name).value = name;
  if (before[0]) machine.value = before[0];
  law.value = before[1] || "stribeck";
}

function runLink() {
  const fields = { machine: byId("machine").value, law: byId("law").value };
  if (fields.law === ownName) fields.friction = ownLaw;
  for (const n of live.numbers) if (live.values.get(n.path) !== n.value) fields["=" + n.path] = String(Number(live.values.get(n.path).toPrecision(8)));
  return linkTo(fields);
}

// The scenario with its numbers as they are now, for `stickslip simulate`.
function scenarioNow() {
  const sets = live.numbers.filter((n) => live.values.get(n.path) !== n.value)
    .map((n) => "--set " + shellText([n.path + "=" + live.values.get(n.path) + (n.unit === "1" ? "" : " " + n.unit)]));
  return (sets.length ? "# stickslip simulate scenario.toml " + sets.join(" ") + "\n" : "") + live.toml;
}

async function beginLink(fields) {
  await knowLaws();
  ownLaw = fields.get("friction");
  fillChoices();
  if (fields.get("machine") in liveMachines) byId("machine").value = fields.get("machine");
  const law = fields.get("law");
  byId("law").value = law && (laws.some((l) => l.name === law) || (law === ownName && ownLaw)) ? law : ownLaw ? ownName : "stribeck";
  await openLive(new Map([...fields].filter(([key, value]) => key.startsWith("=") && Number.isFinite(Number(value))).map(([key, value]) => [key.slice(1), Number(value)])));
}

function beginSimulate() {
  for (const element of document.querySelectorAll("script[data-machine]"))
    liveMachines[element.dataset.machine] = { title: element.dataset.title, toml: element.textContent.trim() + "\n" };
  byId("machine").onchange = byId("law").onchange = () => openLive();
  byId("reset").onclick = () => openLive();
  byId("share-run").onclick = () => copied(runLink(), byId("shared-run"));
  byId("save-run").onclick = () => saveText("scenario.toml", scenarioNow());
  shownFirst.simulate = async () => {
    try {
      await knowLaws();
      fillChoices();
      await openLive();
    } catch (problem) {
      fail(byId("live-failure"), problem.message);
    }
  };
}
