const { defineModule, db } = narthex;

// Ways in which a script's author can be wrong, or mean harm.
const harms = {
  endless: async () => { await db.one("SELECT 1"); for (;;); },
  throws: async () => { await null; throw new Error("on purpose"); },
  recursion: () => { const f = () => f() + 1; return f(); },
  // Neither of these notices an interruption, so the process has to end.
  memory: () => { const all = []; for (;;) all.push("x".repeat(1 << 20) + all.length); },
  builtin: () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1),
  regexp: () => /^(a+)+\1$/.test("a".repeat(40) + "b"),
};

var module = defineModule((m) => {
  m.channel("visits", "scripted.use", async () => db.one("SELECT n FROM visits"));
  m.get("/plain", "scripted.use", () => ({ plain: true }));
  m.post("/visits", "scripted.use", () => db.one("UPDATE visits SET n = n + 1 RETURNING n"));
  m.get("/waits", "scripted.use", async () => { await db.one("SELECT pg_sleep(1)"); return { waited: true }; });
  for (const name of Object.keys(harms)) m.get("/harms/" + name, "scripted.use", harms[name]);
});
export { module as default };
