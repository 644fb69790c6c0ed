// The names that scripts know from browsers: text, addresses, random values, timers, the console. The engine
// calls this function first, with its natives.
(function (native) {
  "use strict";

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return native.encode(text); }
  }
  class TextDecoder {
    get encoding() { return "utf-8"; }
    decode(bytes) { return bytes === undefined ? "" : native.decode(bytes); }
  }

  const plain = (text) => decodeURIComponent(text.replace(/\+/g, " "));
  class URLSearchParams {
    constructor(init = "") {
      this.pairs = [];
      if (typeof init === "string") {
        for (const part of init.replace(/^\?/, "").split("&")) {
          if (part === "") continue;
          const at = part.indexOf("=");
          this.append(plain(at < 0 ? part : part.slice(0, at)), at < 0 ? "" : plain(part.slice(at + 1)));
        }
      } else {
        const pairs = init[Symbol.iterator] ? init : Object.entries(init);
        for (const [name, value] of pairs) this.append(name, value);
      }
    }
    append(name, value) { this.pairs.push([String(name), String(value)]); }
    get(name) {
      const found = this.pairs.find((pair) => pair[0] === name);
      return found ? found[1] : null;
    }
    getAll(name) { return this.pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]); }
    has(name) { return this.pairs.some((pair) => pair[0] === name); }
    delete(name) { this.pairs = this.pairs.filter((pair) => pair[0] !== name); }
    set(name, value) { this.delete(name); this.append(name, value); }
    toString() {
      return this.pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
    }
    [Symbol.iterator]() { return this.pairs[Symbol.iterator](); }
  }

  const crypto = {
    randomUUID: () => native.uuid(),
    getRandomValues(array) {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      bytes.set(native.random(bytes.length));
      return array;
    },
    subtle: {
      digest: async (name, data) => native.digest(typeof name === "string" ? name : name.name, data),
    },
  };

  const shown = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return value.stack || String(value);
    if (typeof value === "object" && value !== null) {
      try {
        return JSON.stringify(value);
      } catch (_) {
        return String(value);
      }
    }
    return String(value);
  };
  const say = (...values) => native.say(values.map(shown).join(" "));

  Object.assign(globalThis, {
    TextEncoder, TextDecoder, URLSearchParams, crypto,
    console: { log: say, info: say, warn: say, error: say, debug: say },
    setTimeout: (f, after, ...rest) => native.setTimer(rest.length ? () => f(...rest) : f, after),
    clearTimeout: (id) => native.clearTimer(id),
    queueMicrotask: (f) => { Promise.resolve().then(f); },
  });

  return { say, URLSearchParams };
});
