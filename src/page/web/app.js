// What the three parts of the page share: tabs, words for a shell, downloads, links that carry a model.

const byId = (id) => document.getElementById(id);
const tabs = ["identify", "simulate", "compare"];
const shownFirst = {};  // what a tab does when it is first seen

function showTab(name, focus = false) {
  for (const tab of tabs) {
    const button = byId("tab-" + tab), isShown = tab === name;
    button.setAttribute("aria-selected", String(isShown));
    button.tabIndex = isShown ? 0 : -1;
    byId(tab).hidden = !isShown;
  }
  if (focus) byId("tab-" + name).focus();
  if (shownFirst[name]) {
    const begin = shownFirst[name];
    delete shownFirst[name];
    begin();
  }
}

function beginTabs() {
  for (const [i, tab] of tabs.entries()) {
    const button = byId("tab-" + tab);
    button.onclick = () => showTab(tab);
    button.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -i, End: tabs.length - 1 - i }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      showTab(tabs[(i + step + tabs.length) % tabs.length], true);
    };
  }
}

// "--mass '20 kg' --find-lag" as a shell takes it apart
function shellWords(text) {
  const words = [];
  let word = "", isWord = false, quote = "";
  for (const c of text) {
    if (quote) {
      if (c === quote) quote = ""; else word += c;
    } else if (c === "'" || c === "\"") {
      quote = c;
      isWord = true;
    } else if (/\s/.test(c)) {
      if (isWord) words.push(word);
      word = "";
      isWord = false;
    } else {
      word += c;
      isWord = true;
    }
  }
  if (quote) throw new Error("a " + quote + " is not closed in: " + text);
  if (isWord) words.push(word);
  return words;
}
const shellText = (words) => words.map((w) => (/^[\w./=,:+%@-]+$/.test(w) ? w : "'" + w.replaceAll("'", "'\\''") + "'")).join(" ");

const sizeText = (bytes) => (bytes < 1e6 ? (bytes / 1e3).toPrecision(3) + " kB" : (bytes / 1e6).toPrecision(3) + " MB");

// Text whose options stay whole at the end of a line: "--model" is not broken after its hyphens.
function setText(element, text) {
  element.textContent = "";
  for (const part of text.split(/(--[\w-]+)/))
    if (part.startsWith("--")) make("span", "option", element, part); else if (part) element.append(part);
}

function fail(element, message) {
  setText(element, message);
  element.hidden = !message;
}

// "warning: ..." lines of standard error without the word, and the last line where a command was refused
const warningsIn = (errors) => errors.split("\n").filter((line) => line.startsWith("warning: ")).map((line) => line.slice(9));
const refusalIn = (errors) => errors.split("\n").filter((line) => line && !line.startsWith("warning: ")).join("\n");

function listNotes(element, texts) {
  element.textContent = "";
  if (!texts.length) return;
  const box = make("div", "warnings", element);
  box.setAttribute("role", "note");
  make("strong", "", box, texts.length === 1 ? "Warning" : "Warnings");
  const list = make("ul", "", box);
  for (const text of texts) setText(make("li", "", list), text);
}

function fillTable(table, columns, rows) {
  const head = table.tHead, body = table.tBodies[0];
  head.textContent = body.textContent = "";
  const top = make("tr", "", head);
  for (const name of columns) make("th", "", top, name).scope = "col";
  for (const cells of rows) {
    const row = make("tr", "", body);
    for (const cell of cells) {
      const place = make("td", "", row);
      if (cell instanceof Node) place.append(cell); else place.textContent = cell;
    }
  }
}

const saveText = (name, content, type = "text/plain") => save(name, new Blob([content], { type }));

// --- links: what follows # is never sent to a server ---------------------------------------------------------------------

const linkTo = (fields) => location.href.split("#")[0] + "#" + new URLSearchParams(fields);
const linkFields = () => new URLSearchParams(location.hash.slice(1));

async function copied(text, where) {
  try {
    await navigator.clipboard.writeText(text);
    where.textContent = "copied";
  } catch {  // not allowed, or no clipboard: the link stands in the address bar
    where.textContent = "the link is in the address bar";
  }
  history.replaceState(null, "", text);
  setTimeout(() => { where.textContent = ""; }, 4000);
}
