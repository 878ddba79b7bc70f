// A Web Worker: the program in WebAssembly, started anew for every command, and one that stays for the sliders. It is told
//   { packed, size }                                             the program as the page stores it: answered with { module }
//   { module }                                                   once
//   { id, args, files, results, tasks }                          a command; results: [call][task] known so far, tasks: what to do here:
//                                                                tasks.list of call number tasks.call; in addition tasks.guess of
//                                                                every other call that lacks results, and more if they are short
//   { id, open }, { id, run }, { id, law } or { id, svg }        a machine behind sliders (src/page/live.cpp)
// and answers { id, task... }, { id, paused }, { id, ended }, { id, live, columns } or { id, broken }.

let program = null, held = null;
const cached = new Map();  // files by their key: read once, for all commands

const shortTask = 100;  // [ms]; to begin a program anew takes as long

class Paused {
  constructor(call, tasks) { Object.assign(this, { call, tasks }); }
}

const pageCalls = (memory, { results, tasks, tell }) => {
  const known = (call, task) => results[call] && results[call][task];
  let begun = 0, last = { call: -1, at: 0 };
  return {
    result_size: (call, task) => (known(call, task) ? known(call, task).length : -1),
    result_bytes: (call, task, into) => new Uint8Array(memory().buffer).set(known(call, task), into),
    next_task: (call, count) => {
      const now = performance.now(), isShort = last.call === call && now - last.at < shortTask;
      const begin = (task) => { last = { call, at: now }; tell({ began: { call, count, task } }); return task; };
      while (tasks && tasks.call === call && begun < tasks.list.length) {
        const task = tasks.list[begun++];
        if (task < count && !known(call, task)) return begin(task);
      }
      if (tasks && tasks.call !== call) {
        if (tasks.guess < count && !known(call, tasks.guess)) return begin(tasks.guess);
        for (let task = 0; isShort && task < count; ++task) if (!known(call, task)) return begin(task);
      }
      throw new Paused(call, count);
    },
    keep_result: (call, task, at, size) => {
      const bytes = new Uint8Array(memory().buffer).slice(at, at + size);
      (results[call] = results[call] || [])[task] = bytes;
      tell({ task: { call, task, bytes } });
    },
  };
};

async function started(files, work) {
  let instance = null;
  const memory = () => instance.exports.memory;
  const system = wasiSystem(files, memory);
  instance = await WebAssembly.instantiate(program, { wasi_snapshot_preview1: system.calls, page: pageCalls(memory, work) });
  instance.exports._initialize();
  return { exports: instance.exports, memory, system };
}

function putText(engine, text) {
  const bytes = new TextEncoder().encode(text + "\0"), at = engine.exports.malloc(bytes.length);
  new Uint8Array(engine.memory().buffer).set(bytes, at);
  return at;
}

async function filesOf(list) {
  const files = new Map();
  for (const { name, key, blob, text } of list) {
    if (text !== undefined) {
      files.set(name, new MemoryFile(new TextEncoder().encode(text)));
      continue;
    }
    if (!cached.has(key)) cached.set(key, new Uint8Array(await blob.arrayBuffer()));
    files.set(name, new MemoryFile(cached.get(key)));
  }
  for (const key of cached.keys()) if (!list.some((file) => file.key === key)) cached.delete(key);
  return files;
}

async function runCommand({ id, args, files: given, results = [], tasks = null }) {
  const begin = performance.now(), files = await filesOf(given), old = new Map([...files].map(([name, file]) => [name, file.bytes]));
  const engine = await started(files, { results, tasks, tell: (what) => postMessage({ id, ...what }) });
  const words = ["stickslip", ...args].map((word) => putText(engine, word)), argv = engine.exports.malloc(4 * (words.length + 1));
  const view = new DataView(engine.memory().buffer);
  words.forEach((at, i) => view.setUint32(argv + 4 * i, at, true));
  view.setUint32(argv + 4 * words.length, 0, true);
  let code = 0;
  try {
    code = engine.exports.page_command(words.length, argv);
  } catch (stopped) {
    if (stopped instanceof Paused) return postMessage({ id, paused: { call: stopped.call, tasks: stopped.tasks } });
    if (!(stopped instanceof ProgramExit)) throw stopped;
    code = stopped.code;
  }
  const written = {};
  for (const [name, file] of files) if (file.bytes !== old.get(name)) written[name] = file.content.slice();
  postMessage({ id, ended: { code, output: engine.system.output(), errors: engine.system.errors(), written, ms: performance.now() - begin,
    memory: engine.memory().buffer.byteLength } });
}

function answerOf(at) {
  const bytes = new Uint8Array(held.memory().buffer);
  return new TextDecoder().decode(bytes.subarray(at, at + held.exports.page_live_length()));
}

const liveCalls = ["open", "run", "law", "svg"];

// The figure's columns are moved to the page as they are: no text in between.
async function runLive({ id, ...asked }) {
  const begin = performance.now();
  if (!held) held = await started(new Map(), { results: [], tasks: null, tell: () => {} });
  const what = liveCalls.find((name) => asked[name] !== undefined), { exports } = held;
  const text = putText(held, asked[what]), answer = answerOf(exports["page_live_" + what](text));
  exports.free(text);
  const columns = what === "run" || what === "law" ? Array.from({ length: exports.page_live_columns() }, (_, i) =>
    new Float64Array(held.memory().buffer, exports.page_live_column(i), exports.page_live_column_size(i)).slice()) : [];
  postMessage({ id, live: answer, columns, ms: performance.now() - begin }, columns.map((values) => values.buffer));
}

const inWords = (problem) => (problem instanceof RangeError || /memory|allocation/i.test(String(problem))
  ? "not enough memory in this browser; use a shorter recording or the command line" : "internal error, please report: " + problem);

const bytesOfBase64 = (text) => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
};

onmessage = async ({ data }) => {
  try {
    if (data.packed) postMessage({ module: await WebAssembly.compile(unpackLzma(bytesOfBase64(data.packed), data.size)) });
    else if (data.module) program = data.module;
    else if (data.args) await runCommand(data);
    else await runLive(data);
  } catch (problem) {
    held = null;
    postMessage({ id: data.id, broken: inWords(problem) });
  }
};
