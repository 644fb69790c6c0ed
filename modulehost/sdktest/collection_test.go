package sdktest_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
	"github.com/narthex-platform/narthex/services/waittest"
)

// book is a row of a collection with everything that a tag can say.
type book struct {
	ID     string   `json:"id"`
	Title  string   `json:"title" collection:"1..40,key,sort,search,heading=Titel"`
	Blurb  string   `json:"blurb" collection:"optional,lines"`
	Genre  string   `json:"genre" collection:"oneof=novel|hymnal"`
	Pages  *int64   `json:"pages" collection:"1..5000"`
	Weight float64  `json:"weight" collection:"optional,0..9"`
	Lent   bool     `json:"lent" collection:"optional"`
	Bought *string  `json:"bought" collection:"date"`
	Tags   []string `json:"tags" collection:"optional,0..3"`
	Rev    int64    `json:"rev"`
}

// shelf is a row that people put in their own order.
type shelf struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Position int64  `json:"position"`
	Rev      int64  `json:"rev"`
}

// library is a module of collections.
type library struct {
	host    *sdk.Host
	books   sdk.Collection[book]
	shelves sdk.Collection[shelf]
}

func newLibrary() *library {
	return &library{
		books: sdk.Collection[book]{Path: "/books", Read: "library.read", Write: "library.write", Channel: "books",
			Used: "row.lent", Check: func(b *book) error {
				if b.Title == "Index" {
					return sdk.Refuse(http.StatusBadRequest, "BOOK_FORBIDDEN")
				}
				return nil
			}},
		shelves: sdk.Collection[shelf]{Path: "/shelves", One: "shelf", Read: "library.read", Write: "library.write",
			Max: 4, Whole: true},
	}
}

func (l *library) Register(r *sdk.Registry) error {
	l.books.Register(r)
	l.shelves.Register(r)
	return nil
}

func (l *library) Start(_ context.Context, h *sdk.Host) error {
	l.host = h
	return nil
}

func (l *library) Stop(context.Context) error { return nil }

// opened is the library with its librarian and a reader.
type opened struct {
	*sdktest.Module
	t                 *testing.T
	librarian, reader *sdktest.Caller
}

func open(t *testing.T, l *library) opened {
	t.Parallel()
	m := sdktest.Start(t, l, sdktest.Options{Folder: "testdata/library"})
	return opened{m, t, m.Person("library.write"), m.Person()}
}

// ask sends a request of the librarian, and compares the beginning of the answer.
func (o opened) ask(method, path, body, want string) *sdktest.Response {
	o.t.Helper()
	var sent any
	if body != "" {
		sent = body
	}
	got := o.librarian.Do(method, path, sent)
	if !strings.HasPrefix(got.String(), want) {
		o.t.Errorf("%s %s %s: %s, want %s", method, path, body, got, want)
	}
	return got
}

// write sends a book, and returns it.
func (o opened) write(method, path, body string, status int) (written book) {
	o.t.Helper()
	got := o.ask(method, path, body, fmt.Sprint(status))
	got.JSON(&written)
	return written
}

// TestCollection: rows are created, read, edited, listed, searched and removed, and each change is told.
func TestCollection(t *testing.T) {
	o := open(t, newLibrary())
	listening := o.reader.Subscribe("books")
	if got := listening.Body; got != `{"rev":1}` {
		t.Errorf("the snapshot: %s, want rev 1", got)
	}
	b := o.write("POST", "/books", `{"title":" Ågot's hymns ","genre":"hymnal","pages":312,"weight":0.5,`+
		`"bought":"2024-02-29","tags":["old"],"blurb":"One\nTwo"}`, 201)
	want := fmt.Sprintf(`200 {"id":"%s","title":"Ågot's hymns","blurb":"One\nTwo","genre":"hymnal",`+
		`"pages":312,"weight":0.5,"lent":false,"bought":"2024-02-29","tags":["old"],"rev":1}`, b.ID)
	o.ask("GET", "/books/"+b.ID, "", want)
	o.write("PUT", "/books/"+b.ID, `{"title":"Hymns 100%","genre":"hymnal","blurb":null,"lent":null,"rev":1}`,
		200)
	o.ask("GET", "/books/"+b.ID, "", fmt.Sprintf(`200 {"id":"%s","title":"Hymns 100%%","blurb":"",`+
		`"genre":"hymnal","pages":null,"weight":0,"lent":false,"bought":null,"tags":[],"rev":2}`, b.ID))
	for _, title := range []string{"zebra", "Zebra crossing", "Älg", "anna"} {
		o.write("POST", "/books", `{"title":"`+title+`","genre":"novel"}`, 201)
	}
	for query, want := range map[string]string{
		"": "Älg anna Hymns 100% zebra Zebra crossing", "?q=ZEBRA": "zebra Zebra crossing", "?q=%25": "Hymns 100%",
		"?q=_": "", "?q=%C3%A4LG": "Älg", "?limit=2": "Älg anna",
	} {
		if got := o.titles("/books" + query); got != want {
			t.Errorf("GET /books%s: %q, want %q", query, got, want)
		}
	}
	o.ask("DELETE", "/books/"+b.ID, "", "204")
	o.ask("DELETE", "/books/"+b.ID, "", `404 {"code":"BOOK_NOT_FOUND"}`)
	for _, event := range []string{"created", "edited", "created", "created", "created", "created", "removed"} {
		got := listening.Update()
		if !strings.Contains(got, `"event":"`+event+`"`) ||
			(event == "removed" || event == "edited") != strings.Contains(got, b.ID) && event != "created" {
			t.Errorf("the channel: %s, want %s of %s", got, event, b.ID)
		}
	}
	if got := o.reader.Do("GET", "/books?limit=1", nil); !strings.Contains(got.Body, `"rev":8`) {
		t.Errorf("the list after 7 changes: %s, want rev 8", got)
	}
}

func (o opened) titles(path string) string {
	o.t.Helper()
	var list struct{ Books []book }
	o.reader.Do("GET", path, nil).JSON(&list)
	var titles []string
	for _, one := range list.Books {
		titles = append(titles, one.Title)
	}
	return strings.Join(titles, " ")
}

// TestCollectionPages: the pages of a list have each row once, in the list's order.
func TestCollectionPages(t *testing.T) {
	o := open(t, newLibrary())
	const books = 23
	for n := range books {
		o.write("POST", "/books", fmt.Sprintf(`{"title":"%c %d","genre":"novel"}`, 'a'+n%5, n), 201)
	}
	all := o.titles("/books?limit=200")
	var pages []string
	for query := "?limit=5"; ; {
		pages = append(pages, o.titles("/books"+query))
		var page struct{ NextCursor *string }
		o.reader.Do("GET", "/books"+query, nil).JSON(&page)
		if page.NextCursor == nil {
			break
		}
		query = "?limit=5&cursor=" + *page.NextCursor
	}
	if got := strings.Join(pages, " "); got != all || len(pages) != 5 {
		t.Errorf("in %d pages: %s, want in 5 %s", len(pages), got, all)
	}
}

// TestCollectionRefuses: bad input of every kind is refused with its code, and changes nothing.
func TestCollectionRefuses(t *testing.T) {
	o := open(t, newLibrary())
	b := o.write("POST", "/books", `{"title":"Taken","genre":"novel"}`, 201)
	lent := o.write("POST", "/books", `{"title":"Lent","genre":"novel","lent":true}`, 201)
	const nobody = "/books/00000000-0000-4000-8000-000000000000"
	long := strings.Repeat("x", 41)
	const invalid, taken = `400 {"code":"REQUEST_INVALID"}`, `409 {"code":"BOOK_TITLE_TAKEN","field":"title"}`
	wrong := func(field string) string { return `400 {"code":"REQUEST_INVALID","field":"` + field + `"}` }
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/books", `{"genre":"novel"}`, invalid},
		{"POST", "/books", `{"title":null,"genre":"novel"}`, invalid},
		{"POST", "/books", `{"title":"","genre":"novel"}`, wrong("title")},
		{"POST", "/books", `{"title":"   ","genre":"novel"}`, wrong("title")},
		{"POST", "/books", `{"title":"` + long + `","genre":"novel"}`, wrong("title")},
		{"POST", "/books", `{"title":"a\nb","genre":"novel"}`, wrong("title")},
		{"POST", "/books", `{"title":"a\u0000b","genre":"novel"}`, wrong("title")},
		{"POST", "/books", `{"title":"a","blurb":"a\u0000b","genre":"novel"}`, wrong("blurb")},
		{"POST", "/books", "{\"title\":\"a\xff\",\"genre\":\"novel\"}", invalid},
		{"POST", "/books", `{"title":7,"genre":"novel"}`, invalid},
		{"POST", "/books", `{"title":"a","genre":"poem"}`, wrong("genre")},
		{"POST", "/books", `{"title":"a","genre":"novel","pages":0}`, wrong("pages")},
		{"POST", "/books", `{"title":"a","genre":"novel","pages":1.5}`, invalid},
		{"POST", "/books", `{"title":"a","genre":"novel","pages":9223372036854775808}`, invalid},
		{"POST", "/books", `{"title":"a","genre":"novel","weight":9.1}`, wrong("weight")},
		{"POST", "/books", `{"title":"a","genre":"novel","weight":1e400}`, invalid},
		{"POST", "/books", `{"title":"a","genre":"novel","lent":"no"}`, invalid},
		{"POST", "/books", `{"title":"a","genre":"novel","bought":"2023-02-29"}`, wrong("bought")},
		{"POST", "/books", `{"title":"a","genre":"novel","bought":"yesterday"}`, wrong("bought")},
		{"POST", "/books", `{"title":"a","genre":"novel","bought":"2023-02-28T00:00:00Z"}`, wrong("bought")},
		{"POST", "/books", `{"title":"a","genre":"novel","tags":["1","2","3","4"]}`, wrong("tags")},
		{"POST", "/books", `{"title":"a","genre":"novel","tags":[null]}`, invalid},
		{"POST", "/books", `{"title":"a","genre":"novel","rev":1}`, invalid},
		{"POST", "/books", `{"title":"a","genre":"novel","id":"` + b.ID + `"}`, invalid},
		{"POST", "/books", `{"Title":"a","genre":"novel"}`, invalid},
		{"POST", "/books", `{"title":"a","title":"b","genre":"novel"}`, invalid},
		{"POST", "/books", `[]`, invalid}, {"POST", "/books", `{`, invalid}, {"POST", "/books", ``, invalid},
		{"POST", "/books", `{"title":"Index","genre":"novel"}`, `400 {"code":"BOOK_FORBIDDEN"}`},
		{"POST", "/books", `{"title":"Taken","genre":"novel"}`, taken},
		{"POST", "/books", `{"title":"` + strings.Repeat("x", 65<<10) + `"}`, "413"},
		{"PUT", "/books/" + b.ID, `{"title":"a","genre":"novel"}`, invalid},
		{"PUT", "/books/" + b.ID, `{"title":"a","genre":"novel","rev":"1"}`, invalid},
		{"PUT", "/books/" + b.ID, `{"title":"a","genre":"novel","rev":2}`, `409 {"code":"CONFLICT"}`},
		{"PUT", "/books/" + b.ID, `{"title":"Lent","genre":"novel","rev":1}`, taken},
		{"PUT", nobody, `{"title":"a","genre":"novel","rev":1}`, `404 {"code":"BOOK_NOT_FOUND"}`},
		{"PUT", "/books/1", `{"title":"a","genre":"novel","rev":1}`, `404 {"code":"BOOK_NOT_FOUND"}`},
		{"GET", nobody, "", `404 {"code":"BOOK_NOT_FOUND"}`},
		{"GET", "/books/%FF", "", `404 {"code":"BOOK_NOT_FOUND"}`},
		{"DELETE", nobody, "", `404 {"code":"BOOK_NOT_FOUND"}`},
		{"DELETE", "/books/" + lent.ID, "", `409 {"code":"BOOK_IN_USE"}`},
		{"GET", "/books?q=" + strings.Repeat("x", 101), "", invalid}, {"GET", "/books?q=", "", invalid},
		{"GET", "/books?q=a%00b", "", invalid}, {"GET", "/books?query=a", "", invalid},
		{"GET", "/books?limit=0", "", invalid}, {"GET", "/books?cursor=x", "", invalid},
		{"GET", "/books?cursor=MXsiaWQiOiJubyBVVUlEIn0", "", invalid}, // {"id":"no UUID"}
		{"GET", "/books/export?q=a", "", invalid},
		{"GET", "/shelves?limit=1", "", invalid},
		{"GET", "/shelves/99999999999999999999", "", `404 {"code":"SHELF_NOT_FOUND"}`},
		{"GET", "/shelves/01", "", `404 {"code":"SHELF_NOT_FOUND"}`},
		{"PUT", "/books/" + b.ID + "/place", `{"after":null,"rev":1}`, "404"}, // no such route
	} {
		o.ask(c.method, c.path, c.body, c.want)
	}
	for _, c := range []struct{ method, path string }{
		{"POST", "/books"}, {"PUT", "/books/" + b.ID}, {"DELETE", "/books/" + b.ID}, {"POST", "/books/import"},
		{"GET", "/books/export"}, {"PUT", "/shelves/1/place"},
	} {
		if got := o.reader.Do(c.method, c.path, nil); got.Status != http.StatusForbidden {
			t.Errorf("%s %s of a reader: %s, want 403", c.method, c.path, got)
		}
	}
	if got := o.titles("/books"); got != "Lent Taken" {
		t.Errorf("afterwards: %s, want the two books", got)
	}
}

// TestCollectionRace: of many edits with one rev, one succeeds, and of many new rows as many as there is
// place for.
func TestCollectionRace(t *testing.T) {
	o := open(t, newLibrary())
	b := o.write("POST", "/books", `{"title":"One","genre":"novel"}`, 201)
	const writers = 12
	race := func(send func(n int) *sdktest.Response) map[string]int {
		var all sync.WaitGroup
		var mu sync.Mutex
		got := map[string]int{}
		for n := range writers {
			all.Go(func() {
				answer := send(n)
				mu.Lock()
				defer mu.Unlock()
				if got[fmt.Sprint(answer.Status)]++; answer.Status >= 300 {
					got[answer.Body]++
				}
			})
		}
		all.Wait()
		return got
	}
	got := race(func(n int) *sdktest.Response {
		return o.librarian.Do("PUT", "/books/"+b.ID, fmt.Sprintf(`{"title":"By %d","genre":"novel","rev":1}`, n))
	})
	if got["200"] != 1 || got[`{"code":"CONFLICT"}`] != writers-1 {
		t.Errorf("%d edits with rev 1: %v, want one 200 and else CONFLICT", writers, got)
	}
	got = race(func(n int) *sdktest.Response {
		return o.librarian.Do("POST", "/shelves", fmt.Sprintf(`{"name":"Shelf %d"}`, n))
	})
	if got["201"] != 4 || got[`{"code":"TOO_MANY_SHELVES"}`] != writers-4 {
		t.Errorf("%d new shelves: %v, want four and else TOO_MANY_SHELVES", writers, got)
	}
	var list struct {
		Shelves []shelf
		Rev     int64
	}
	o.reader.Do("GET", "/shelves", nil).JSON(&list)
	got = race(func(n int) *sdktest.Response {
		return o.librarian.Do("PUT", fmt.Sprintf("/shelves/%d/place", list.Shelves[1+n%3].ID),
			fmt.Sprintf(`{"after":null,"rev":%d}`, list.Rev))
	})
	if got["200"] != 1 || got[`{"code":"CONFLICT"}`] != writers-1 {
		t.Errorf("%d moves with one rev: %v, want one 200 and else CONFLICT", writers, got)
	}
}

// TestCollectionFull: a row is counted after every earlier change has ended, in whatever process.
func TestCollectionFull(t *testing.T) {
	l := newLibrary()
	o := open(t, l)
	for n := range 3 {
		o.ask("POST", "/shelves", fmt.Sprintf(`{"name":"Shelf %d"}`, n), "201")
	}
	answered := make(chan *sdktest.Response, 1)
	err := l.host.DB.InTx(t.Context(), func(tx *sdk.Tx) error {
		for _, statement := range []string{`UPDATE shelves_rev SET rev = rev + 1`,
			`INSERT INTO shelves (name, position) VALUES ('of another process', 1)`} {
			if _, err := tx.Exec(t.Context(), statement); err != nil {
				return err
			}
		}
		go func() { answered <- o.librarian.Do("POST", "/shelves", `{"name":"One too many"}`) }()
		waittest.Until(t, "the request waits or is answered", func() bool {
			var waits int
			err := tx.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&waits)
			return err != nil || waits > 0 || len(answered) > 0
		})
		return nil
	})
	if got := <-answered; err != nil || got.String() != `409 {"code":"TOO_MANY_SHELVES"}` {
		t.Errorf("the fifth of four shelves: %s, error %v; want TOO_MANY_SHELVES", got, err)
	}
}

// TestCollectionOrder: people put rows in any order, also where there is no number left between two.
func TestCollectionOrder(t *testing.T) {
	o := open(t, newLibrary())
	for _, name := range []string{"A", "B", "C", "D"} {
		o.ask("POST", "/shelves", `{"name":"`+name+`"}`, "201")
	}
	order := func() (names string, rev int64) {
		var list struct {
			Shelves []shelf
			Rev     int64
		}
		o.reader.Do("GET", "/shelves", nil).JSON(&list)
		for _, one := range list.Shelves {
			names += one.Name
		}
		return names, list.Rev
	}
	var names string
	_, rev := order()
	for n, c := range []struct {
		id    int
		after string
		want  string
	}{{4, "null", "DABC"}, {1, "3", "DBCA"}, {2, "1", "DCAB"}, {4, "2", "CABD"}, {3, "1", "ACBD"}} {
		got := o.ask("PUT", fmt.Sprintf("/shelves/%d/place", c.id),
			fmt.Sprintf(`{"after":%s,"rev":%d}`, c.after, rev), fmt.Sprintf(`200 {"rev":%d}`, rev+1))
		if names, rev = order(); names != c.want {
			t.Errorf("move %d: %s, want %s (%s)", n, names, c.want, got)
		}
	}
	for n := range 24 { // between two, again and again
		id := 3 + n%2
		o.ask("PUT", fmt.Sprintf("/shelves/%d/place", id), fmt.Sprintf(`{"after":1,"rev":%d}`, rev), "200")
		if names, rev = order(); !strings.HasPrefix(names, "A"+string(rune('A'+id-1))) {
			t.Fatalf("move %d of %d behind 1: %s", n, id, names)
		}
	}
	for _, c := range []struct{ path, body, want string }{
		{"/shelves/1/place", fmt.Sprintf(`{"after":1,"rev":%d}`, rev), `400 {"code":"REQUEST_INVALID"}`},
		{"/shelves/1/place", fmt.Sprintf(`{"after":99,"rev":%d}`, rev), `409 {"code":"CONFLICT"}`},
		{"/shelves/99/place", fmt.Sprintf(`{"after":1,"rev":%d}`, rev), `404 {"code":"SHELF_NOT_FOUND"}`},
		{"/shelves/1/place", fmt.Sprintf(`{"after":null,"rev":%d}`, rev-1), `409 {"code":"CONFLICT"}`},
		{"/shelves/1/place", `{"after":"x","rev":1}`, `400 {"code":"REQUEST_INVALID"}`},
	} {
		o.ask("PUT", c.path, c.body, c.want)
	}
}

// TestCollectionTable: what export writes import reads, a row changes the one with its key, and a row that is
// wrong is left out.
func TestCollectionTable(t *testing.T) {
	o := open(t, newLibrary())
	for _, body := range []string{
		`{"title":"=1+1","genre":"novel","pages":7,"weight":1.25,"bought":"2024-02-29","tags":["a","b"],` +
			`"lent":true}`,
		`{"title":"'=quoted","genre":"hymnal","blurb":"One\nTwo, \"three\""}`,
	} {
		o.write("POST", "/books", body, 201)
	}
	table := o.librarian.Do("GET", "/books/export", nil)
	const none = `"problems":[],"problemCount":0`
	rev := o.reader.Subscribe("books").Body
	o.ask("POST", "/books/import", table.Body, `200 {"added":0,"changed":0,"unchanged":2,`+none)
	if now := o.reader.Subscribe("books").Body; now != rev {
		t.Errorf("readers were at %s before an import without changes, and are at %s; want no change", rev, now)
	}
	list := "Titel;genre;pages;lent;colour\n=1+1;hymnal;8;nein;red\nNew;novel;;ja;\nNew too;poem;1;;\n" +
		";novel;;;\nMany;novel;x;;\nIndex;novel;;;\n"
	if got := o.librarian.Do("POST", "/books/import?preview=1", list); got.Status != http.StatusOK {
		t.Errorf("the preview: %s", got)
	}
	if got, want := o.titles("/books"), "'=quoted =1+1"; got != want {
		t.Errorf("after a preview: %s, want %s", got, want)
	}
	got := o.ask("POST", "/books/import", list, `200 {"added":1,"changed":1,"unchanged":0,`+none)
	for _, field := range []string{`"line":4,"code":"ROW_INVALID","field":"genre"`,
		`"line":5,"code":"ROW_INVALID","field":"title"`, `"line":6,"code":"ROW_INVALID","field":"pages"`,
		`"line":7,"code":"ROW_INVALID"`, `"skippedCount":4`} {
		if !strings.Contains(got.Body, field) {
			t.Errorf("the import: %s, want %s", got, field)
		}
	}
	if got, want := o.titles("/books"), "'=quoted =1+1 New"; got != want {
		t.Errorf("after the import: %s, want %s", got, want)
	}
	if got := o.titles("/books?q=1%2B1"); got != "=1+1" {
		t.Errorf("the changed book: %s", got)
	}
	for body, want := range map[string]string{"": "COLUMNS_UNKNOWN", "colour\nred\n": "COLUMNS_UNKNOWN",
		"title\n": "EMPTY", "title;genre\n" + strings.Repeat("a;novel\n", 2001): "TOO_MANY"} {
		if got := o.librarian.Do("POST", "/books/import", body); got.Status != http.StatusBadRequest ||
			!strings.Contains(got.Body, want) {
			t.Errorf("importing %.20q: %.200s, want 400 %s", body, got, want)
		}
	}
}

// TestCollectionMigration: the migration that a collection suggests is the one with which it runs. A table
// that does not fit keeps the module from starting.
func TestCollectionMigration(t *testing.T) {
	t.Parallel()
	l := newLibrary()
	want, err := os.ReadFile("testdata/library/migrations/0001_library.sql")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.books.Migration() + l.shelves.Migration(); got != string(want) {
		t.Errorf("the migration is\n%s\nwant\n%s", got, want)
	}
	for name, c := range map[string]*library{
		"table":  {books: sdk.Collection[book]{Path: "/novels"}},
		"column": {books: sdk.Collection[book]{Path: "/books", Table: "shelves"}},
	} {
		c.books.Read, c.books.Write = "library.read", "library.write"
		c.shelves = newLibrary().shelves
		r := recordingT{t, make(chan string, 1)}
		func() {
			defer func() { _ = recover() }()
			sdktest.Start(r, c, sdktest.Options{Folder: "testdata/library"})
		}()
		close(r.words)
		if got := <-r.words; !strings.Contains(got, "METHOD_START failed") {
			t.Errorf("without the %s: %q, want the start to fail", name, got)
		}
	}
}

// TestCollectionTags: a mistake in a collection's declaration is named when the module registers.
func TestCollectionTags(t *testing.T) {
	t.Parallel()
	type plain struct {
		ID  string `json:"id"`
		Rev int64  `json:"rev"`
	}
	type misspelt struct {
		ID   string `json:"id"`
		Name string `json:"name" collection:"1..40,serach"`
		Rev  int64  `json:"rev"`
	}
	type unnamed struct {
		ID   string `json:"id"`
		Name string
		Rev  int64 `json:"rev"`
	}
	type unsorted struct {
		ID   string  `json:"id"`
		Name *string `json:"name" collection:"sort"`
		Rev  int64   `json:"rev"`
	}
	type bounds struct {
		ID   string `json:"id"`
		Name string `json:"name" collection:"9..1"`
		Rev  int64  `json:"rev"`
	}
	type unsigned struct {
		ID  string `json:"id"`
		N   uint   `json:"n"`
		Rev int64  `json:"rev"`
	}
	type unnumbered struct {
		ID string `json:"id"`
		N  int    `json:"n" collection:"lines"`
	}
	for want, migration := range map[string]string{
		"serach":                       (&sdk.Collection[misspelt]{Path: "/x"}).Migration(),
		"no json tag":                  (&sdk.Collection[unnamed]{Path: "/x"}).Migration(),
		"that is no pointer":           (&sdk.Collection[unsorted]{Path: "/x"}).Migration(),
		`"9..1" is not two numbers`:    (&sdk.Collection[bounds]{Path: "/x"}).Migration(),
		"no uint; use int64":           (&sdk.Collection[unsigned]{Path: "/x"}).Migration(),
		"are for texts, and it is":     (&sdk.Collection[unnumbered]{Path: "/x"}).Migration(),
		"no field that a client sends": (&sdk.Collection[plain]{Path: "/x"}).Migration(),
		"needs Rev int64": (&sdk.Collection[struct {
			ID string `json:"id"`
		}]{Path: "/x"}).Migration(),
		"needs ID string": (&sdk.Collection[struct {
			A string `json:"a"`
		}]{Path: "/x"}).Migration(),
		`as in "/books"`:      (&sdk.Collection[shelf]{Path: "X"}).Migration(),
		"needs a Max":         (&sdk.Collection[shelf]{Path: "/x", Whole: true}).Migration(),
		`no handler "insert"`: (&sdk.Collection[shelf]{Path: "/x", Only: []string{"insert"}}).Migration(),
	} {
		if !strings.HasPrefix(migration, "-- ") || !strings.Contains(migration, want) {
			t.Errorf("the mistake is told by %q, want %q", migration, want)
		}
	}
}
