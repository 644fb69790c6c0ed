package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/script"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// library is a script of two collections: one by the rules alone, and one with a change of its own.
const library = `
	m.collection({
		path: "/books", read: "sample.use", write: "sample.manage", channel: "books", max: 4,
		fields: {
			title: "text, 1..40, key, sort, search, heading=Titel", pages: "integer?, 1..5000", bought: "time?",
			tags: "texts, optional, 0..3", steps: "json",
		},
		used: "row.pages = 13",
		check(row) {
			if (row.title === "Index") throw refuse(400, "BOOK_FORBIDDEN");
			if (row.title === "Broken") undefinedName();
			if (row.title === "Endless") for (;;);
			if (row.title === "Shaped") row.title = 7;
			row.steps = shape.list(shape.line(1, 5), 2)(row.steps ?? [], "steps").map((text) => ({ text }));
		},
	});
	const changes = db.changes("UPDATE board SET rev = rev + 1 RETURNING rev");
	m.channel("board", "sample.use", () => db.one("SELECT rev FROM board"));
	m.collection({
		path: "/shelves", one: "shelf", read: "sample.use", write: "sample.manage", max: 9, whole: true,
		fields: { name: "text" }, only: ["list", "create", "edit", "remove"],
		change: (work) => changes.write(async (tx, rev) => {
			const done = await work(tx);
			await tx.exec("UPDATE shelves SET books = books + 1 WHERE id = $1", done.id);
			const attic = await tx.one("SELECT id FROM shelves WHERE name = 'Attic'");
			if (attic !== null) throw refuse(409, "NO_ATTIC");
			return { board: { rev, event: done.event } };
		}),
	});`

// asked is a caller whose answers are compared.
type asked struct {
	*sdktest.Caller
	t *testing.T
}

func (a asked) ask(method, path, body, want string) *sdktest.Response {
	a.t.Helper()
	var sent any
	if body != "" {
		sent = body
	}
	got := a.Do(method, path, sent)
	if !strings.HasPrefix(got.String(), want) {
		a.t.Errorf("%s %s %s: %s, want %s", method, path, body, got, want)
	}
	return got
}

// TestCollection: a collection of a script has the routes, the checks and the events of the Go SDK's, and its
// check sees and changes each row.
func TestCollection(t *testing.T) {
	t.Parallel()
	m := start(t, sample(library), sdktest.Options{})
	p, reader := asked{m.Person("sample.manage"), t}, asked{m.Person(), t}
	listening := reader.Subscribe("books")
	var one struct{ ID string }
	p.ask("POST", "/books", `{"title":" Psalms ","pages":150,"bought":"2026-01-02T03:04:05.000Z",`+
		`"steps":["sing"]}`, `201`).JSON(&one)
	p.ask("GET", "/books/"+one.ID, "", `200 {"id":"`+one.ID+`","title":"Psalms","pages":150,`+
		`"bought":"2026-01-02T03:04:05.000Z","tags":[],"steps":[{"text":"sing"}],"rev":1}`)
	p.ask("PUT", "/books/"+one.ID, `{"title":"Psalter","tags":["old"],"rev":1}`,
		`200 {"id":"`+one.ID+`","title":"Psalter","pages":null,"bought":null,"tags":["old"],"steps":[],"rev":2}`)
	const invalid = `400 {"code":"REQUEST_INVALID"}`
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/books", `{"title":""}`, `400 {"code":"REQUEST_INVALID","field":"title"}`},
		{"POST", "/books", `{"title":"a","pages":0}`, `400 {"code":"REQUEST_INVALID","field":"pages"}`},
		{"POST", "/books", `{"title":"a","tags":["1","2","3","4"]}`,
			`400 {"code":"REQUEST_INVALID","field":"tags"}`},
		{"POST", "/books", `{"title":"a","more":1}`, invalid},
		{"POST", "/books", `{"title":"a","steps":["too long"]}`, invalid},
		{"POST", "/books", `{"title":"Index"}`, `400 {"code":"BOOK_FORBIDDEN"}`},
		{"POST", "/books", `{"title":"Broken"}`, `500 {"code":"MODULE_HANDLER_FAILED"}`},
		{"POST", "/books", `{"title":"Endless"}`, `500 {"code":"MODULE_HANDLER_FAILED"}`},
		{"POST", "/books", `{"title":"Shaped"}`, `500 {"code":"MODULE_HANDLER_FAILED"}`},
		{"POST", "/books", `{"title":"Psalter"}`, `409 {"code":"BOOK_TITLE_TAKEN","field":"title"}`},
		{"PUT", "/books/" + one.ID, `{"title":"a","rev":1}`, `409 {"code":"CONFLICT"}`},
		{"POST", "/books/import", "Titel;pages\nPsalter;13\nNew;\nIndex;\n",
			`200 {"added":1,"changed":1,"unchanged":0,`},
		{"DELETE", "/books/" + one.ID, "", `409 {"code":"BOOK_IN_USE"}`},
		{"GET", "/books?q=psal&limit=1", "", `200 {"books":[{"id":"` + one.ID + `","title":"Psalter","pages":13,`},
		{"GET", "/books/x", "", `404 {"code":"BOOK_NOT_FOUND"}`},
		{"GET", "/books/export", "", "200 \ufefftitle,pages,bought,tags,steps\r\nNew,,,[],[]\r\nPsalter,13,,"},
	} {
		p.ask(c.method, c.path, c.body, c.want)
	}
	if got := reader.Do("POST", "/books", `{"title":"a"}`); got.Status != 403 {
		t.Errorf("POST /books of a reader: %s, want 403", got)
	}
	for _, want := range []string{`{"rev":2,"event":"created","id":"` + one.ID + `"}`,
		`{"rev":3,"event":"edited","id":"` + one.ID + `"}`, `{"rev":4,"event":"imported"}`} {
		if got := listening.Update(); got != want {
			t.Errorf("the channel: %s, want %s", got, want)
		}
	}
}

// TestCollectionChange: a change of the script's own is one transaction with the change of the row.
func TestCollectionChange(t *testing.T) {
	t.Parallel()
	m := start(t, sample(library), sdktest.Options{})
	p := asked{m.Person("sample.manage"), t}
	listening := p.Subscribe("board")
	var one struct{ ID string }
	p.ask("POST", "/shelves", `{"name":"Hall"}`, "201").JSON(&one)
	p.ask("POST", "/shelves", `{"name":"Attic"}`, `409 {"code":"NO_ATTIC"}`)
	p.ask("PUT", "/shelves/"+one.ID, `{"name":"Attic","rev":1}`, `409 {"code":"NO_ATTIC"}`)
	p.ask("PUT", "/shelves/"+one.ID, `{"name":"Nave","rev":2}`, `409 {"code":"CONFLICT"}`)
	p.ask("GET", "/shelves", "", `200 {"shelves":[{"id":"`+one.ID+`","name":"Hall","rev":1}]}`)
	p.ask("DELETE", "/shelves/"+one.ID, "", "204")
	p.ask("DELETE", "/shelves/"+one.ID, "", `404 {"code":"SHELF_NOT_FOUND"}`)
	for _, want := range []string{`{"event":"created","rev":1}`, `{"event":"removed","rev":2}`} {
		if got := listening.Update(); len(got) != len(want) || !strings.Contains(got, want[1:18]) {
			t.Errorf("the channel: %s, want %s", got, want)
		}
	}
}

// TestCollectionMistakes: what is wrong with a collection is told before the module starts.
func TestCollectionMistakes(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`path: "/books", fields: { id: "text" }`:               `a field cannot be named "id"`,
		"path: \"/books\", fields: { \"a`b\": \"text\" }":      "a field cannot be named \"a`b\"",
		`path: "/books", fields: { title: "string" }`:          `"string" is none`,
		`path: "/books", fields: { title: "text" }, pages: 2`:  `unknown object member name "pages"`,
		`path: "/books", fields: { title: "text" }, check: 1`:  `a handler must be a function`,
		`path: "/books", fields: { title: "text" }, change: 1`: `a handler must be a function`,
	} {
		source := sample(fmt.Sprintf("m.collection({ %s });", given))
		err := script.New("server/index.js", source).Register(&sdk.Registry{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", given, err, want)
		}
	}
}
