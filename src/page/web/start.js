// The page begins: tabs, and what a link asks for.

// Inside another page, which knows its colours and may change them.
function beginEmbedded(theme) {
  const show = (name) => {
    if (!["light", "dark"].includes(name)) return;
    document.documentElement.dataset.theme = name;
    redrawAll();
  };
  document.body.classList.add("embedded");
  show(theme);
  window.addEventListener("message", ({ data }) => show(data && data.theme));
}

function beginPage() {
  beginTabs();
  beginIdentify();
  beginSimulate();
  shownFirst.compare = () => beginCompare().catch((problem) => { byId("measured").textContent = problem.message; });
  const fields = linkFields();
  if (fields.has("law") || fields.has("machine")) {
    delete shownFirst.simulate;
    showTab("simulate");
    beginLink(fields).catch((problem) => fail(byId("live-failure"), problem.message));
  } else if (fields.has("friction")) {
    showTab("simulate");
    useFriction(fields.get("friction"), fields.get("mass")).catch((problem) => fail(byId("live-failure"), problem.message));
  } else if (tabs.includes(fields.get("tab"))) {
    showTab(fields.get("tab"));
  }
  if (fields.get("embed")) beginEmbedded(fields.get("theme"));
}
beginPage();
