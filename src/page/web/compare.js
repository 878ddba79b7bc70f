// Compare: the scorecard of the chosen laws, measured in workers, one law at a time on each.

let measuringEngines = [];

async function beginCompare() {
  await knowLaws();
  const place = byId("laws"), first = ["coulomb-viscous", "stribeck", "dahl", "lugre", "generalized-maxwell-slip", "hybrid"];
  for (const law of laws) {
    const label = make("label", "", place), box = make("input", "", label);
    Object.assign(box, { type: "checkbox", value: law.name, checked: first.includes(law.name) });
    label.append(" " + law.name);
    label.title = law.title;
  }
  const all = (checked) => { for (const box of place.querySelectorAll("input")) box.checked = checked; };
  byId("all-laws").onclick = () => all(true);
  byId("no-laws").onclick = () => all(false);
  byId("measure").onclick = measureLaws;
  byId("stop-measure").onclick = () => { for (const engine of measuringEngines) engine.end(); };
}

async function measureLaws() {
  const names = [...document.querySelectorAll("#laws input:checked")].map((box) => box.value), scores = new Map();
  const status = byId("measured");
  if (!names.length) { status.textContent = "choose at least one model"; return; }
  byId("measure").disabled = true;
  byId("stop-measure").hidden = false;
  byId("measurement").textContent = "";
  const waiting = [...names], said = () => { status.textContent = scores.size + " of " + names.length + " measured"; };
  said();
  measuringEngines = Array.from({ length: Math.min(enginesHere(), names.length) }, () => new Engine());
  try {
    await Promise.all(measuringEngines.map(async (engine) => {
      while (waiting.length) {
        const name = waiting.shift(), { ended } = await engine.ask({ args: ["check", name, "--json"], files: [] });
        if (!ended.output.trim()) throw new Error(refusalIn(ended.errors));
        scores.set(name, JSON.parse(ended.output).models[0]);
        said();
        showScores(names.filter((n) => scores.has(n)).map((n) => scores.get(n)));
      }
    }));
    status.textContent = names.length + (names.length === 1 ? " law" : " laws") + " measured; choose a cell to see the measurement";
  } catch (problem) {
    status.textContent = problem.message;
  }
  for (const engine of measuringEngines) engine.end();
  byId("measure").disabled = false;
  byId("stop-measure").hidden = true;
}

function showScores(scores) {
  const cell = (score, property) => {
    const button = make("button", property.verdict === "yes" ? "good" : property.verdict === "no" ? "bad" : "soft", null, property.verdict);
    button.type = "button";
    button.title = property.text;
    button.onclick = () => { byId("measurement").textContent = score.model + ", " + property.title + ": " + property.verdict + ". " + property.text; };
    return button;
  };
  fillTable(byId("scorecard"), ["law", ...scores[0].properties.map((p) => p.title)],
    scores.map((score) => [score.model, ...score.properties.map((p) => cell(score, p))]));
}
