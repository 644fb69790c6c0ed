// What main.go does, as narthex-dev would bundle it.
const { defineModule, db } = narthex;
var twin = defineModule((m) => {
  m.get("/query", "twin.use", () => db.query("SELECT id, title, done FROM twins ORDER BY id LIMIT 20"));
  m.get("/list", "twin.use", () => {
    const rows = [];
    for (let n = 0; n < 1100; n++) rows.push({ id: n, title: "The title of a row, in JSON", done: n % 2 === 0 });
    return rows;
  });
});
export { twin as default };
