// What a WebAssembly program sees of a system (WASI): files in memory, standard output and error, a clock, random numbers. Nothing else.

const wasiError = { badFile: 8, exists: 20, invalid: 28, isFolder: 31, noEntry: 44, noCall: 52, noSeek: 70 };

// A file grows in place; `bytes` may be longer than what was written.
class MemoryFile {
  static made = 0;
  constructor(bytes = new Uint8Array(0)) {
    Object.assign(this, { bytes, size: bytes.length, number: ++MemoryFile.made });
  }
  write(part, at) {
    const end = at + part.length;
    if (end > this.bytes.length) {
      const longer = new Uint8Array(Math.max(end, 2 * this.bytes.length, 4096));
      longer.set(this.bytes.subarray(0, this.size));
      this.bytes = longer;
    }
    this.bytes.set(part, at);
    this.size = Math.max(this.size, end);
  }
  get content() { return this.bytes.subarray(0, this.size); }
}

class ProgramExit {
  constructor(code) { this.code = code; }
}

// files: Map of names to MemoryFile. All in one folder, which is "/" and "." to the program.
function wasiSystem(files, memory) {
  const open = new Map(), folders = new Map([[3, "/"], [4, "."]]), made = new Set([""]), said = { 1: [], 2: [] };
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  let next = 5;
  const view = () => new DataView(memory().buffer), bytes = () => new Uint8Array(memory().buffer);
  const set32 = (at, value) => view().setUint32(at, value, true), set64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
  const nameAt = (at, length) => decoder.decode(bytes().slice(at, at + length)).split("/").filter((part) => part && part !== ".").join("/");
  const pieces = (vectors, count) => Array.from({ length: count }, (_, i) =>
    [view().getUint32(vectors + 8 * i, true), view().getUint32(vectors + 8 * i + 4, true)]);
  const stat = (at, kind, file) => {
    bytes().fill(0, at, at + 64);
    set64(at, 1);
    set64(at + 8, file ? file.number : 0);
    view().setUint8(at + 16, kind);
    set64(at + 24, 1);
    set64(at + 32, file ? file.size : 0);
    return 0;
  };
  const folderKind = 3, fileKind = 4, allRights = (1n << 60n) - 1n;

  const known = {
    args_sizes_get: (count, size) => { set32(count, 0); set32(size, 0); return 0; },
    args_get: () => 0,
    environ_sizes_get: (count, size) => { set32(count, 0); set32(size, 0); return 0; },
    environ_get: () => 0,
    clock_time_get: (clock, _, at) => {
      const ms = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
      return 0;
    },
    clock_res_get: (_, at) => { set64(at, 1000); return 0; },
    random_get: (at, length) => { crypto.getRandomValues(bytes().subarray(at, at + length)); return 0; },
    proc_exit: (code) => { throw new ProgramExit(code); },
    sched_yield: () => 0,
    fd_prestat_get: (fd, at) => {
      if (!folders.has(fd)) return wasiError.badFile;
      set32(at, 0);
      set32(at + 4, folders.get(fd).length);
      return 0;
    },
    fd_prestat_dir_name: (fd, at) => { bytes().set(encoder.encode(folders.get(fd)), at); return 0; },
    fd_fdstat_get: (fd, at) => {
      bytes().fill(0, at, at + 24);
      view().setUint8(at, folders.has(fd) ? folderKind : open.has(fd) ? fileKind : 0);  // 0: unknown, so no terminal
      set64(at + 8, allRights);
      set64(at + 16, allRights);
      return fd <= 2 || folders.has(fd) || open.has(fd) ? 0 : wasiError.badFile;
    },
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get: (fd, at) => (folders.has(fd) ? stat(at, folderKind) : open.has(fd) ? stat(at, fileKind, open.get(fd).file) : stat(at, 0)),
    fd_filestat_set_size: (fd, size) => { open.get(fd).file.size = Number(size); return 0; },
    fd_sync: () => 0,
    fd_datasync: () => 0,
    fd_advise: () => 0,
    fd_close: (fd) => { open.delete(fd); return 0; },
    fd_readdir: (_fd, _at, _length, _cookie, used) => { set32(used, 0); return 0; },
    fd_read: (fd, vectors, count, got) => {
      const opened = open.get(fd);
      if (fd === 0) { set32(got, 0); return 0; }
      if (!opened) return wasiError.badFile;
      let total = 0;
      for (const [at, length] of pieces(vectors, count)) {
        const part = opened.file.content.subarray(opened.at, opened.at + length);
        bytes().set(part, at);
        opened.at += part.length;
        total += part.length;
      }
      set32(got, total);
      return 0;
    },
    fd_write: (fd, vectors, count, written) => {
      const opened = open.get(fd);
      if (!opened && !said[fd]) return wasiError.badFile;
      let total = 0;
      for (const [at, length] of pieces(vectors, count)) {
        const part = bytes().slice(at, at + length);
        if (said[fd]) {
          said[fd].push(part);
        } else {
          if (opened.appends) opened.at = opened.file.size;
          opened.file.write(part, opened.at);
          opened.at += part.length;
        }
        total += part.length;
      }
      set32(written, total);
      return 0;
    },
    fd_seek: (fd, offset, from, result) => {
      const opened = open.get(fd);
      if (!opened) return wasiError.noSeek;
      opened.at = Number(offset) + (from === 1 ? opened.at : from === 2 ? opened.file.size : 0);
      set64(result, opened.at);
      return 0;
    },
    fd_tell: (fd, result) => {
      if (!open.has(fd)) return wasiError.noSeek;
      set64(result, open.get(fd).at);
      return 0;
    },
    path_open: (_dir, _follow, at, length, how, _rights, _inherited, flags, result) => {
      const name = nameAt(at, length), create = how & 1, folder = how & 2, alone = how & 4, empty = how & 8;
      if (made.has(name)) {
        if (create) return wasiError.isFolder;
        folders.set(next, "/" + name);
        set32(result, next++);
        return 0;
      }
      if (folder) return wasiError.noEntry;
      if (!files.has(name)) {
        if (!create) return wasiError.noEntry;
        files.set(name, new MemoryFile());
      } else if (create && alone) {
        return wasiError.exists;
      }
      const file = files.get(name);
      if (empty) file.size = 0;
      open.set(next, { file, at: 0, appends: Boolean(flags & 1) });
      set32(result, next++);
      return 0;
    },
    path_filestat_get: (_dir, _follow, at, length, result) => {
      const name = nameAt(at, length);
      if (made.has(name)) return stat(result, folderKind);
      return files.has(name) ? stat(result, fileKind, files.get(name)) : wasiError.noEntry;
    },
    path_create_directory: (_dir, at, length) => { made.add(nameAt(at, length)); return 0; },
    path_readlink: (_dir, at, length) => (files.has(nameAt(at, length)) || made.has(nameAt(at, length)) ? wasiError.invalid : wasiError.noEntry),
    path_rename: (_dir, at, length, _to, toAt, toLength) => {
      const name = nameAt(at, length);
      if (!files.has(name)) return wasiError.noEntry;
      files.set(nameAt(toAt, toLength), files.get(name));
      files.delete(name);
      return 0;
    },
    path_unlink_file: (_dir, at, length) => (files.delete(nameAt(at, length)) ? 0 : wasiError.noEntry),
  };
  const words = (fd) => {
    const parts = said[fd], whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => { whole.set(part, at); return at + part.length; }, 0);
    return new TextDecoder().decode(whole);
  };
  const calls = new Proxy(known, { get: (target, name) => target[name] || (() => wasiError.noCall), has: () => true });
  return { calls, output: () => words(1), errors: () => words(2) };
}
