package script_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestPlatform: every call of the platform from a script, with its result and its refusal.
func TestPlatform(t *testing.T) {
	t.Parallel()
	m := start(t, sample(`
	let started = 0;
	m.start(async () => { started = (await db.one("SELECT 1 AS n")).n; });
	const caught = async (f) => {
		try { return await f(); } catch (error) { return error.code || error.message; }
	};
	m.get("/calls", "sample.use", async () => ({
		started,
		most: config.integer("most"), title: config.string("title"),
		undeclared: (await caught(async () => config.string("nothing"))).includes("module.json declares no key"),
		secret: await secret("apiToken"), noSecret: await caught(() => secret("other")),
		house: (await house()).timeZone,
		names: Object.keys(await people.names(["5f0c9a52-9d6c-4c0b-8d2e-0a3a5a3f4c11"])).length,
		link: await caught(() => links.create("one")), assigned: await caught(() => links.assign("one", "")),
		services: await capability("stage.services").call("list", { after: 1 }),
		absent: await caught(() => capability("stage.services").call("other")),
		mail: await mail.send({ to: ["anna@example.org", { address: "ben@example.org", name: "Ben" }],
			subject: "Hello", text: "You" }),
	}));
	m.get("/files", "sample.use", async () => {
		const images = storage.bucket("images");
		await images.put("a/one", "text/plain", "content");
		const got = await images.get("a/one");
		const list = await images.list("a/");
		const url = await images.createReadURL("a/one", { seconds: 60, downloadAs: "one.txt" });
		await images.delete("a/one");
		return { text: new TextDecoder().decode(got.bytes), type: got.contentType, size: got.size,
			listed: list.objects.map((object) => object.key), url: url.url.startsWith("http"),
			gone: await caught(() => images.head("a/one")),
			undeclared: await caught(() => storage.bucket("x").head("a")) };
	});
	m.put("/files/{name}", "sample.use", { maxBodyBytes: 4 << 20 }, async (request) =>
		(await storage.bucket("images").put(request.param("name"), "image/png", request)).size);
	m.get("/web", "sample.use", async () => ({
		id: /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(crypto.randomUUID()),
		random: crypto.getRandomValues(new Uint8Array(4)).length,
		digest: Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("a"))))[0],
		wait: await new Promise((resolve) => setTimeout(resolve, 1, "waited")),
		cleared: await new Promise((resolve) => {
			clearTimeout(setTimeout(resolve, 1, "no"));
			setTimeout(resolve, 2, "yes");
		}),
		query: new URLSearchParams({ a: "1 2", b: "ä" }).toString(),
	}));
	m.get("/notUTF8", "sample.use", () => new TextDecoder().decode(new Uint8Array([255])));
	m.feed("/calendar", "sample.use", "text/calendar", () => "BEGIN:VCALENDAR");
	m.every("work", { minutes: 5 }, () => db.exec("INSERT INTO notes (text) VALUES ('worked')"));
	m.get("/notes", "sample.use", async () => (await db.query("SELECT text FROM notes")).map((row) => row.text));
	m.provide("sample.notes", { list: async (input, caller) => ({ input, caller }) });
	m.personErased((id) => db.exec("INSERT INTO notes (text) VALUES ($1)", "erased " + id));
	m.personExport(async (id) => ({ id }));
	m.get("/log", "sample.use", () => log.warn("it happened", { where: "here", count: 3 }));
	`), sdktest.Options{Secrets: map[string]string{"apiToken": "hush"}, TimeZone: "Europe/Berlin",
		Capabilities: map[string]sdk.Methods{"stage.services": {"list": sdk.Func(
			func(_ context.Context, in map[string]any) (any, error) { return in, nil })}}})
	anna := m.Person()
	for path, want := range map[string]string{
		"/calls": `{"started":1,"most":12,"title":null,"undeclared":true,"secret":"hush",` +
			`"noSecret":"SECRET_ABSENT","house":"Europe/Berlin","names":0,"link":"PERMISSION_DENIED",` +
			`"assigned":"PERMISSION_DENIED",` +
			`"services":{"after":1},` +
			`"absent":"CAPABILITY_FAILED","mail":"SENT"}`,
		"/files": `{"text":"content","type":"text/plain","size":7,"listed":["a/one"],"url":true,` +
			`"gone":"NOT_FOUND","undeclared":"ACCESS_DENIED"}`,
		"/web": `{"id":true,"random":4,"digest":202,"wait":"waited","cleared":"yes","query":"a=1%202&b=%C3%A4"}`,
	} {
		if got := anna.Do("GET", path, nil); string(got.Body) != want {
			t.Errorf("GET %s: %v, want %s", path, got, want)
		}
	}
	if got := anna.Do("PUT", "/files/large", strings.Repeat("x", 3<<20)); string(got.Body) != "3145728" {
		t.Errorf("PUT of 3 MiB: %v, want 3145728", got)
	}
	if got := m.Stored("images")["large"]; len(got.Content) != 3<<20 {
		t.Errorf("%d bytes are stored, want 3 MiB", len(got.Content))
	}
	if got := anna.Do("PUT", "/files/larger", strings.Repeat("x", 5<<20)); got.Status != 413 {
		t.Errorf("PUT of 5 MiB: %v, want 413", got)
	}
	if got := anna.Do("GET", "/calendar", nil); string(got.Body) != "BEGIN:VCALENDAR" {
		t.Errorf("GET /calendar: %v, want BEGIN:VCALENDAR", got)
	}
	if got := m.Sent(); len(got) != 1 || got[0].To[1].Name != "Ben" {
		t.Errorf("sent %v, want one mail to Anna and Ben", got)
	}
	const person = "5f0c9a52-9d6c-4c0b-8d2e-0a3a5a3f4c11"
	var exported, asked struct {
		ID, Caller string
		Input      []int
	}
	if err := errors.Join(m.Advance(6*time.Minute), m.Erase(person), m.Export(person, &exported),
		m.Ask("stage", "sample.notes", "list", []int{1}, &asked)); err != nil {
		t.Error(err)
	}
	if exported.ID != person || asked.Caller != "stage" || len(asked.Input) != 1 {
		t.Errorf("exported %v and answered %v, want the person's id, the caller and its input", exported, asked)
	}
	if got := anna.Do("GET", "/notes", nil); string(got.Body) !=
		`["worked","erased 5f0c9a52-9d6c-4c0b-8d2e-0a3a5a3f4c11"]` {
		t.Errorf("GET /notes: %v, want the work of the schedule and of the erasure", got)
	}
	if got := anna.Do("GET", "/notUTF8", nil); got.Status != 500 {
		t.Errorf("GET /notUTF8: %v, want 500", got)
	}
	if got := anna.Do("GET", "/log", nil); got.Status != 204 || !m.Logged("it happened") {
		t.Errorf("GET /log: %v, want 204; the log %v", got, m.Logs())
	}
}
