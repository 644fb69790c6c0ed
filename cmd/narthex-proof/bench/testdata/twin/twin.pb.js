// What main.go does, as hooks of PocketBase.
onBootstrap((e) => {
  e.next();
  const run = (sql) => $app.nonconcurrentDB().newQuery(sql).execute();
  run("CREATE TABLE IF NOT EXISTS twins (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done BOOLEAN NOT NULL)");
  for (let n = 1; n <= 200; n++) {
    run(`INSERT OR IGNORE INTO twins VALUES (${n}, 'The title of a row', ${1 - (n % 2)})`);
  }
});

routerAdd("GET", "/twin/query", (e) => {
  const rows = arrayOf(new DynamicModel({ id: 0, title: "", done: false }));
  $app.db().newQuery("SELECT id, title, done FROM twins ORDER BY id LIMIT 20").all(rows);
  return e.json(200, rows);
});

routerAdd("GET", "/twin/list", (e) => {
  const rows = [];
  for (let n = 0; n < 1100; n++) rows.push({ id: n, title: "The title of a row, in JSON", done: n % 2 === 0 });
  return e.json(200, rows);
});
