// What the tests of a module's server may use, as narthex-test.d.ts says. The engine calls this function with
// its natives: declare takes a test, ask calls the test kit by a name, with arguments and result as JSON.
(function (native) {
  "use strict";

  const ask = async (what, ...given) => {
    const answer = await native.ask(what, JSON.stringify(given));
    return answer === "" ? undefined : JSON.parse(answer);
  };

  const requests = (id) => {
    const send = (method) => (path, body) =>
      ask("send", id, method, path, body === undefined ? null : JSON.stringify(body));
    return { get: send("GET"), post: send("POST"), put: send("PUT"), patch: send("PATCH"), delete: send("DELETE") };
  };
  const caller = (kind) => async (...given) => {
    const [number, id] = await ask("caller", kind, given);
    return {
      id, ...requests(number),
      revoke: (...permissions) => ask("revoke", number, permissions),
      named: (name) => ask("named", number, name),
      async subscribe(channel) {
        const { reader, reply } = await ask("subscribe", number, channel);
        return { ...reply, next: () => ask("next", reader) };
      },
    };
  };
  const seconds = { seconds: 1, minutes: 60, hours: 3600, days: 86400 };
  const under = {
    person: caller("person"), owner: caller("owner"), device: caller("device"), link: caller("link"),
    visitor: caller("visitor"),
    advance: (by) => ask("advance",
      Object.entries(by).reduce((sum, [unit, count]) => sum + count * seconds[unit], 0)),
    sent: () => ask("sent"),
    logs: () => ask("logs"),
    ask: (module, capability, method, input = null) => ask("ask", module, capability, method, input),
    erase: (userId) => ask("erase", userId),
    export: (userId) => ask("export", userId),
    setTimeZone: (zone) => ask("setTimeZone", zone),
    async count(work) {
      let counted;
      await ask("countBegin");
      try {
        await work();
      } finally {
        counted = await ask("countEnd");
      }
      return counted;
    },
    loseDatabase: (when) => ask("loseDatabase", when),
    failMail: (...results) => ask("failMail", results),
    failStorage: (...codes) => ask("failStorage", codes),
    slowStorage: (milliseconds) => ask("slowStorage", milliseconds),
    cutObjects: (after) => ask("cutObjects", after),
    failCapability: (capability, ...codes) => ask("failCapability", capability, codes),
    failNames: (calls) => ask("failNames", calls),
    failPermissions: (calls) => ask("failPermissions", calls),
    overload: (calls) => ask("overload", calls),
    restart: () => ask("restart"),
  };

  const test = (name, options, run) => {
    if (run === undefined) [options, run] = [{}, options];
    if (typeof run !== "function") throw new TypeError("a test is a name and a function");
    const { capabilities = {}, ...settings } = options;
    const stands = {};
    for (const [id, methods] of Object.entries(capabilities)) stands[id] = Object.keys(methods);
    native.declare(String(name), JSON.stringify({ ...settings, capabilities: stands }),
      async () => { await run(under); },
      async (id, method, input) => {
        const output = await capabilities[id][method](JSON.parse(input));
        return output === undefined ? "null" : JSON.stringify(output);
      });
  };

  const shown = (value) => {
    try {
      const text = JSON.stringify(value);
      return text === undefined ? String(value) : text;
    } catch (_) {
      return String(value);
    }
  };
  const same = (a, b) => {
    if (Object.is(a, b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (a instanceof Date) return a.getTime() === b.getTime();
    const names = Object.keys(a);
    return names.length === Object.keys(b).length &&
      names.every((name) => Object.prototype.hasOwnProperty.call(b, name) && same(a[name], b[name]));
  };
  const said = (what) => (what === undefined ? "" : `${what}: `);
  const equal = (got, want, what) => {
    if (!same(got, want)) throw new Error(`${said(what)}got ${shown(got)}, want ${shown(want)}`);
  };
  const ok = (value, what) => {
    if (!value) throw new Error(`${said(what)}got ${shown(value)}, want something true`);
  };

  Object.defineProperty(globalThis, "narthexTests", { value: Object.freeze({ test, equal, ok }) });
});
