// Search in pages that are opened from disk. A browser gives file:// pages neither workers nor requests: the index comes as a script
// (search/search_index.js, written beside the JSON when the site is built), and the worker's program runs in a frame of its own.
if (location.protocol === "file:") {
  const base = document.currentScript.src.replace(/assets\/search_from_disk\.js.*/, "");
  document.write('<script src="' + base + 'search/search_index.js"><\/script>');
  window.Worker = class {
    constructor(url) {
      this.listeners = [];
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.listeners.forEach((listener) => listener(new MessageEvent("message", {data})));
      const program = this.inside.document.createElement("script");
      program.src = new URL(url, location.href).href;
      program.onload = () => {
        this.isReady = true;
        this.waiting.forEach((data) => this.postMessage(data));
      };
      this.inside.document.body.appendChild(program);
    }
    addEventListener(kind, listener) {
      if (kind === "message") this.listeners.push(listener);
    }
    removeEventListener(kind, listener) {
      this.listeners = this.listeners.filter((other) => other !== listener);
    }
    postMessage(data) {
      if (this.isReady) this.inside.dispatchEvent(new MessageEvent("message", {data}));
      else this.waiting.push(data);
    }
  };
}
