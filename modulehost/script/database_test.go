package script_test

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestValues: a value goes into a statement and comes back as the same.
func TestValues(t *testing.T) {
	t.Parallel()
	m := start(t, sample(`
	const once = async (sql, ...values) => (await db.one(sql, ...values)).v;
	m.get("/values", "sample.use", async () => ({
		bool: await once("SELECT $1::bool AS v", true),
		int: await once("SELECT $1::int AS v", 7),
		bigint: await once("SELECT $1::bigint AS v", 9007199254740991),
		big: await once("SELECT $1::text AS v", (2n ** 60n).toString()),
		float: await once("SELECT $1::float8 AS v", 1.5),
		numeric: await once("SELECT 12.50::numeric AS v"),
		text: await once("SELECT $1::text AS v", "ä\u{1f600}"),
		uuid: await once("SELECT $1::uuid AS v", "5f0c9a52-9d6c-4c0b-8d2e-0a3a5a3f4c11"),
		date: await once("SELECT $1::timestamptz AS v", new Date(1234567890123)),
		day: await once("SELECT '2026-05-31'::date AS v"),
		clock: await once("SELECT '2026-05-31 10:00'::timestamp AS v"),
		bytes: Array.from(await once("SELECT $1::bytea AS v", new Uint8Array([0, 255]))),
		json: await once("SELECT $1::jsonb AS v", { a: [1, { b: null }] }),
		jsonText: await once("SELECT $1::jsonb AS v", db.json("text")),
		texts: await once("SELECT $1::text[] AS v", ["a", "b"]),
		uuids: await once("SELECT ARRAY['5f0c9a52-9d6c-4c0b-8d2e-0a3a5a3f4c11']::uuid[] AS v"),
		ints: await once("SELECT $1::bigint[] AS v", [1, 2]),
		any: await once("SELECT count(*) AS v FROM generate_series(1, 5) n WHERE n = ANY($1)", [2, 3, 9]),
		none: await once("SELECT count(*) AS v FROM generate_series(1, 5) n WHERE n = ANY($1)", []),
		interval: await once("SELECT '1 day'::interval AS v"),
		range: await once("SELECT lower('[1,5)'::int4range) AS v"),
		null: await once("SELECT $1::int AS v", null),
		nulls: await once("SELECT ARRAY[1, NULL] AS v"),
		no: await db.one("SELECT 1 WHERE false"),
		rows: await db.query("SELECT n, n * 2 AS twice FROM generate_series(1, 2) n"),
		affected: await db.exec("INSERT INTO notes (text) VALUES ($1)", "one"),
	}));
	m.get("/huge", "sample.use", async () => once("SELECT 9007199254740993 AS v"));
	`), sdktest.Options{})
	anna := m.Person()
	const want = `{"bool":true,"int":7,"bigint":9007199254740991,"big":"1152921504606846976","float":1.5,` +
		`"numeric":"12.50","text":"ä😀","uuid":"5f0c9a52-9d6c-4c0b-8d2e-0a3a5a3f4c11",` +
		`"date":"2009-02-13T23:31:30.123Z","day":"2026-05-31","clock":"2026-05-31T10:00:00.000","bytes":[0,255],` +
		`"json":{"a":[1,{"b":null}]},"jsonText":"text","texts":["a","b"],` +
		`"uuids":["5f0c9a52-9d6c-4c0b-8d2e-0a3a5a3f4c11"],"ints":[1,2],"any":2,"none":0,` +
		`"interval":"1 day 00:00:00",` +
		`"range":1,"null":null,"nulls":[1,null],"no":null,"rows":[{"n":1,"twice":2},{"n":2,"twice":4}],` +
		`"affected":1}`
	if got := anna.Do("GET", "/values", nil); got.Status != 200 || string(got.Body) != want {
		t.Errorf("GET /values: %v, want 200 %s", got, want)
	}
	if got := anna.Do("GET", "/huge", nil); got.Status != 500 {
		t.Errorf("a number beyond 2^53: %v, want 500", got)
	}
}

// TestTransactions: a transaction commits when its function returns, rolls back when it throws, and is over
// when the request is.
func TestTransactions(t *testing.T) {
	t.Parallel()
	m := start(t, sample(`
	const texts = async () => (await db.query("SELECT text FROM notes ORDER BY text")).map((row) => row.text);
	const insert = (tx, text) => tx.exec("INSERT INTO notes (text) VALUES ($1)", text);
	m.get("/texts", "sample.use", texts);
	m.post("/kept", "sample.use", {}, () => db.tx(async (tx) => {
		await Promise.all(["a", "b", "c"].map((text) => insert(tx, text)));
		return (await tx.one("SELECT count(*) AS n FROM notes")).n;
	}));
	m.post("/thrown", "sample.use", {}, () => db.tx(async (tx) => {
		await insert(tx, "d");
		throw refuse(409, "CHANGED_MY_MIND");
	}));
	m.post("/twice", "sample.use", {}, async () => {
		try {
			await db.tx((tx) => insert(tx, "a"));
		} catch (error) {
			return { code: error.code, sqlState: error.sqlState, constraint: error.constraint };
		}
	});
	let escaped;
	m.post("/escaped", "sample.use", {}, async () => {
		await db.tx(async (tx) => { escaped = tx; });
		await insert(escaped, "e");
	});
	m.post("/endless", "sample.use", {}, () => db.tx(async (tx) => {
		await insert(tx, "f");
		for (;;);
	}));
	`), sdktest.Options{})
	anna := m.Person()
	for _, c := range []struct {
		path   string
		status int
		answer string
	}{
		{"/kept", 200, "3"},
		{"/thrown", 409, `{"code":"CHANGED_MY_MIND"}`},
		{"/twice", 200, `{"code":"DATABASE_ERROR","sqlState":"23505","constraint":"notes_text_key"}`},
		{"/escaped", 500, `{"code":"MODULE_HANDLER_FAILED"}`},
		{"/endless", 500, `{"code":"MODULE_HANDLER_FAILED"}`},
	} {
		if got := anna.Do("POST", c.path, nil); got.Status != c.status || string(got.Body) != c.answer {
			t.Errorf("POST %s: %v, want %d %s", c.path, got, c.status, c.answer)
		}
	}
	// An open transaction of /endless would hold one of four connections, and its row's lock.
	for range 8 {
		if got := anna.Do("POST", "/twice", nil); got.Status != 200 {
			t.Fatalf("a statement after the interrupted transaction: %v, want 200", got)
		}
	}
	if got := anna.Do("GET", "/texts", nil); string(got.Body) != `["a","b","c"]` {
		t.Errorf("GET /texts: %v, want a, b and c", got)
	}
}

// TestChanges: writes run one after the other and are published after their commit. An interrupted one leaves
// its turn to the next.
func TestChanges(t *testing.T) {
	t.Parallel()
	m := start(t, sample(`
	const changes = db.changes("UPDATE board SET rev = rev + 1 RETURNING rev");
	m.channel("board", "sample.use", async () => (await db.one("SELECT rev FROM board")).rev);
	m.post("/write", "sample.use", {}, () => changes.write(async (tx, rev) => ({ board: { rev } })));
	m.post("/long", "sample.use", {}, () => changes.write(async (tx, rev) =>
		({ board: { rev, x: "x".repeat(70000) } })));
	m.post("/endless", "sample.use", {}, () => changes.write(async (tx, rev) => { for (;;); }));
	`), sdktest.Options{})
	anna := m.Person()
	stream := anna.Subscribe("board")
	if got := stream.String(); got != "200 0" {
		t.Errorf("the snapshot: %q, want 200 0", got)
	}
	for n, c := range []struct {
		path   string
		status int
		update string
	}{
		{"/write", 204, `{"rev":1}`}, {"/endless", 500, ""}, {"/write", 204, `{"rev":2}`},
		{"/long", 204, `{"rev":3}`},
	} {
		if got := anna.Do("POST", c.path, nil); got.Status != c.status {
			t.Fatalf("POST %s (%d): %v, want %d", c.path, n, got, c.status)
		}
		if c.update == "" {
			continue
		}
		if got := stream.Update(); string(got) != c.update {
			t.Errorf("the update of %s: %s, want %s", c.path, got, c.update)
		}
	}
}
