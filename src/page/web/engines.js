// The page's side of its Web Workers: one command at a time on each, and an identification on all of them together.

// The program is stored as base64 of LZMA inside the page; the first worker unpacks and compiles it, for all.
let compiled = null;
function theProgram() {
  compiled = compiled || new Promise((done, fail) => {
    const element = document.getElementById("program"), address = workerAddress(), worker = new Worker(address);
    worker.onmessage = ({ data }) => {
      worker.terminate();
      URL.revokeObjectURL(address);
      if (data.module) done(data.module); else fail(new Error(data.broken));
    };
    worker.onerror = (event) => { event.preventDefault(); fail(new Error(event.message || "the browser did not start a worker")); };
    worker.postMessage({ packed: element.textContent.trim(), size: Number(element.dataset.size) });
    element.textContent = "";
  });
  return compiled;
}

const workerAddress = () => URL.createObjectURL(new Blob(["\"use strict\";\n" + document.getElementById("worker").textContent],
  { type: "text/javascript" }));

let asked = 0;

class Engine {
  constructor() {
    this.waiting = new Map();
    const address = workerAddress();
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = (event) => { event.preventDefault(); this.failAll(event.message || "the worker did not start"); };
    this.ready = theProgram().then((module) => { this.worker.postMessage({ module }); URL.revokeObjectURL(address); });
  }
  failAll(reason) {
    for (const { fail } of this.waiting.values()) fail(new Error(reason));
    this.waiting.clear();
  }
  take(message) {
    const one = this.waiting.get(message.id);
    if (!one) return;
    if (message.task || message.began) return one.tell(message);
    this.waiting.delete(message.id);
    if (message.broken) one.fail(new Error(message.broken)); else one.done(message);
  }
  async ask(message, tell = () => {}) {
    await this.ready;
    return new Promise((done, fail) => {
      if (!this.worker) return fail(new Error("cancelled"));
      const id = ++asked;
      this.waiting.set(id, { done, fail, tell });
      this.worker.postMessage({ id, ...message });
    });
  }
  end() {
    if (this.worker) this.worker.terminate();
    this.worker = null;
    this.failAll("cancelled");
  }
}

// One command: { code, output, errors, written }.
let commander = null;
async function command(args, files = []) {
  commander = commander || new Engine();
  const engine = commander;
  try {
    return (await engine.ask({ args, files })).ended;
  } catch (problem) {
    if (commander === engine) commander = null;
    engine.end();
    throw problem;
  }
}

const enginesHere = () => Math.max(1, Math.min(8, navigator.hardwareConcurrency || 2));

const followAfter = 200;  // [ms]; what takes no longer is left to whoever began it

// A command whose tasks are shared (src/page/page_workers.hpp): programs end where they lack a result, and begin anew with more of them.
class SharedCommand {
  constructor(args, files, tell, count = enginesHere()) {
    Object.assign(this, { args, files, tell, results: [], counts: [], begun: [], engines: [], call: -1, over: false });
    this.count = count;
  }
  run() {
    return new Promise((done, fail) => {
      Object.assign(this, { done, fail });
      for (let i = 0; i < this.count; ++i) this.engines.push({ engine: new Engine(), number: i, busy: false });
      this.beginCall();
    });
  }
  cancel() {
    this.finish(() => this.fail(new Error("cancelled")));
  }
  // What was not fitted is left out.
  conclude() {
    if (this.stopped || this.counts[this.call] === undefined) return;
    this.stopped = true;
    const old = this.engines;
    this.engines = [{ engine: new Engine(), number: 0, busy: false }];
    for (const one of old) one.engine.end();
    this.leaveOut();
  }
  leaveOut() {
    const nothing = new TextEncoder().encode("0"), { call } = this;  // src/page/page_workers.cpp
    this.results[call] = this.results[call] || [];
    for (let i = 0; i < this.counts[call]; ++i) this.results[call][i] = this.results[call][i] || nothing;
    this.beginCall();
  }
  finish(act) {
    if (this.over) return;
    this.over = true;
    for (const one of this.engines) one.engine.end();
    act();
  }
  // Which call comes next is not known: an engine begins with one task of it, its number, and goes on where tasks are short or that was
  // all there was to do. Beyond the second there is rarely another call, so one looks and the others follow if that takes a while.
  beginCall() {
    const lookers = this.stopped || this.call >= 1 ? this.engines.slice(0, 1) : this.engines;
    for (const one of lookers) this.give(one, -1, []);
  }
  learn(call, count) {
    this.call = Math.max(this.call, call);
    this.counts[call] = count;
    this.begun[call] = this.begun[call] || new Set();
  }
  isComplete(call) {
    const count = this.counts[call], known = this.results[call] || [];
    if (count === undefined) return false;
    for (let i = 0; i < count; ++i) if (!known[i]) return false;
    return true;
  }
  // Larger portions first: each costs reading the recording once more. The costly tasks come first; where one looks, it is on its way
  // from there, and others begin at the end.
  portion() {
    const { call } = this, begun = this.begun[call], known = this.results[call] || [], open = [];
    for (let i = 0; i < this.counts[call]; ++i) if (!begun.has(i) && !known[i]) open.push(i);
    const size = Math.ceil(open.length / (2 * this.engines.length)), isLookedAt = this.engines.some((one) => one.busy && one.looks);
    const list = isLookedAt ? open.slice(open.length - size) : open.slice(0, size);
    for (const i of list) begun.add(i);
    return list;
  }
  async give(one, call, list) {
    Object.assign(one, { busy: true, looks: call === -1 });
    const { engine } = one;
    try {
      const guess = this.stopped ? Infinity : one.number;
      const answer = await engine.ask({ args: this.args, files: this.files, results: this.results, tasks: { call, list, guess } },
        (message) => this.heard(message));
      one.busy = false;
      if (this.over || one.engine !== engine || !this.engines.includes(one)) return;
      if (answer.ended) return this.finish(() => this.done({ ...answer.ended, stopped: Boolean(this.stopped) }));
      this.learn(answer.paused.call, answer.paused.tasks);
      if (this.stopped) return this.leaveOut();
      this.goOn();
    } catch (problem) {
      if (this.engines.includes(one)) this.finish(() => this.fail(problem));
    }
  }
  heard({ task, began }) {
    if (this.over) return;
    if (began) {
      this.learn(began.call, began.count);
      this.begun[began.call].add(began.task);
      setTimeout(() => { if (!this.over && this.call === began.call) this.employ(); }, followAfter);
    }
    if (task) (this.results[task.call] = this.results[task.call] || [])[task.task] = task.bytes;
    this.tell({ call: this.call, counts: this.counts, results: this.results });
  }
  // Whoever is idle gets open tasks of the call that is known.
  employ() {
    if (this.stopped) return;
    for (const one of this.engines) {
      if (one.busy) continue;
      const list = this.portion();
      if (list.length) this.give(one, this.call, list);
    }
  }
  goOn() {
    if (!this.isComplete(this.call)) this.employ();
    else if (this.engines.every((one) => !one.busy)) this.beginCall();
    if (!this.over && this.engines.every((one) => !one.busy)) this.finish(() => this.fail(new Error("internal error, please report: no task is left and none is done")));
  }
}
