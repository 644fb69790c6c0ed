package people_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/people"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

type directoryPage struct {
	People []struct {
		UserID, Email, Name, CreatedAt string
		EmailVerified, Owner           bool
	} `json:"people"`
	NextCursor *string `json:"nextCursor"`
}

// directory is the service with its own database.
type directory struct {
	*databasetest.DB
	service *people.Service
}

func setup(t testing.TB) directory {
	t.Helper()
	db := databasetest.New(t)
	return directory{db, people.New(people.Config{Store: people.NewStore(db.Pool(t))})}
}

// person inserts a person, with assignments such as "name = 'Anna'".
func (d directory) person(t *testing.T, address string, assignments ...string) (id string) {
	t.Helper()
	err := d.Pool(t).QueryRow(t.Context(), `
		INSERT INTO core.person (email, name, email_verified)
		VALUES ($1, 'A person', true)
		RETURNING id::text`, address).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range assignments {
		d.Exec(t, "UPDATE core.person SET "+assignment+" WHERE id = $1", id)
	}
	return id
}

// send sends GET /api/v1/people with the query string.
func (d directory) send(t testing.TB, query string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/people", http.NoBody)
	r.URL.RawQuery = query
	return httpapitest.Send(r, d.service.Routes(), nil)
}

// get is send, and decodes the body of a 200.
func (d directory) get(t testing.TB, query string) (w *httptest.ResponseRecorder, page directoryPage) {
	t.Helper()
	w = d.send(t, query)
	if w.Code == 200 {
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatalf("GET /api/v1/people?%s: body %s: %v", query, w.Body, err)
		}
	}
	return w, page
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	d := setup(t)
	anna := d.person(
		t,
		"anna@example.org",
		"name = 'Anna Ölmüller', created_at = '2026-01-02 03:04:05.678901Z'",
	)
	d.Exec(t, `
		INSERT INTO core.session (token_hash, person_id, persistent, expires_at, last_seen_at)
		VALUES ('laptop', $1, true, '2030-01-01', '2026-01-02Z'),
			('phone', $1, true, '2030-01-01', '2026-01-03 03:04:05.678901Z')`, anna)
	zoe := d.person(t, "a.first@example.org", "name = 'Zoë', email_verified = false")
	percent := d.person(t, "percent@example.org", "name = '100% _sure'")
	d.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", anna)

	w, all := d.get(t, "")
	want := `{"userId":"` + anna + `","email":"anna@example.org","name":"Anna Ölmüller",` +
		`"emailVerified":true,"owner":true,"createdAt":"2026-01-02T03:04:05.678Z",` +
		`"deactivatedAt":null,"erasedAt":null,"hasPasskey":false,` +
		`"lastSeenAt":"2026-01-03T03:04:05.678Z","erasurePending":[]}`
	if len(all.People) != 3 || all.NextCursor != nil || !strings.Contains(w.Body.String(), want) ||
		!strings.HasSuffix(w.Body.String(), `"nextCursor":null}`) {
		t.Errorf("GET /api/v1/people: body %s, want three people, no next page, and %s", w.Body, want)
	}
	for query, ids := range map[string][]string{
		"ann":                    {anna},
		"ANNA Ö":                 {anna},
		"a":                      {anna, zoe}, // one matches by name, one by address
		"A.First@Example":        {zoe},
		"zoë":                    {zoe},
		zoe:                      {zoe},
		zoe[:35]:                 {},
		"100% _":                 {percent},
		"%":                      {},
		"_":                      {percent},
		"ölmüller":               {anna},
		"OLMU\u0308LLER an":      {anna},
		"müller":                 {},
		"org example":            {percent, anna, zoe},
		"first":                  {zoe},
		"first zoe":              {zoe},
		"first anna":             {},
		"zoe\\":                  {},
		"':*":                    {},
		"' OR true --":           {},
		strings.Repeat("x", 100): {},
		strings.Repeat("ö", 100): {},
		"{" + zoe + "}":          {},
		" ":                      {percent, anna, zoe},
	} {
		w, found := d.get(t, "query="+url.QueryEscape(query))
		var got []string
		for _, p := range found.People {
			got = append(got, p.UserID)
		}
		if w.Code != 200 || fmt.Sprint(got) != fmt.Sprint(ids) {
			t.Errorf("query %q: status %d, people %v, want 200 and %v", query, w.Code, got, ids)
		}
	}
}

// userId selects people, in any order. An id may be repeated.
func TestPeopleByID(t *testing.T) {
	t.Parallel()
	d := setup(t)
	var all, wanted []string
	for n := range 210 {
		id := d.person(t, fmt.Sprintf("p%d@example.org", n), fmt.Sprintf("name = 'P %03d'", n))
		all = append(all, id)
		if n%2 == 1 {
			wanted = append(wanted, id)
		}
	}
	ids := func(people []string) string { return "userId=" + strings.Join(people, "&userId=") }
	nobody := "00000000-0000-4000-8000-000000000000"
	for query, want := range map[string][]string{
		ids([]string{all[7], all[3], nobody, all[3]}): {all[3], all[7]},
		ids([]string{nobody}):                         nil,
		ids(wanted) + "&limit=200":                    wanted,
		ids(all[:200]) + "&limit=200":                 all[:200],
	} {
		w, page := d.get(t, query)
		var got []string
		for _, p := range page.People {
			got = append(got, p.UserID)
		}
		if w.Code != 200 || page.NextCursor != nil || !slices.Equal(got, want) {
			t.Errorf("%.60s: status %d, %d people, want %d in order; body %.80s", query, w.Code, len(got), len(want),
				w.Body)
		}
	}
	_, first := d.get(t, ids(wanted)) // a page has 50 people unless limit is set
	_, second := d.get(t, ids(wanted)+"&limit=200&cursor="+*first.NextCursor)
	if len(first.People) != 50 || len(second.People) != len(wanted)-50 {
		t.Errorf("two pages of %d and %d people, want 50 and %d", len(first.People), len(second.People),
			len(wanted)-50)
	}
	for _, query := range []string{
		ids(all[:201]), "userId=", "userId=x", "userId=" + strings.ToUpper("abcdefab-0000-4000-8000-000000000000"),
		"userId={" + nobody + "}", "userId=" + nobody + "&userId=", "userId=" + nobody + "&query=p",
		"userid=" + nobody,
	} {
		if w, _ := d.get(t, query); w.Code != 400 || w.Body.String() != `{"code":"REQUEST_INVALID"}` {
			t.Errorf("%.60s: status %d, want 400 REQUEST_INVALID; body %s", query, w.Code, w.Body)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.person(t, "anna@example.org")
	encode := base64.RawURLEncoding.EncodeToString
	for _, query := range []string{
		"limit=0", "limit=201", "limit=-1", "limit=%2B5", "limit=05", "limit=1.0", "limit=",
		"limit=5&limit=5", "offset=1", "%zz",
		"query=", "query=%00", "query=%0a", "query=%ff", "query=" + strings.Repeat("x", 101),
		"cursor=", "cursor=!", "cursor=AQ", "cursor=AQ==", "cursor=" + encode(make([]byte, 17)),
		"cursor=" + encode(append(append([]byte{2}, make([]byte, 16)...), 0xff)),
		"cursor=" + encode(append([]byte{2}, make([]byte, 17)...)),
		"cursor=" + encode(append([]byte{1}, make([]byte, 16)...)),
	} {
		if w, _ := d.get(t, query); w.Code != 400 || w.Body.String() != `{"code":"REQUEST_INVALID"}` {
			t.Errorf("GET /api/v1/people?%s: status %d, want 400 REQUEST_INVALID; body %s", query, w.Code, w.Body)
		}
	}
	d.Exec(t, "DROP TABLE core.platform_owner")
	if w, _ := d.get(t, ""); w.Code != 503 || w.Body.String() != `{"code":"STORE_UNAVAILABLE"}` {
		t.Errorf("with a table missing: status %d, want 503 STORE_UNAVAILABLE; body %s", w.Code, w.Body)
	}
}

// The pages contain everybody once, even if several people have the same name, with a search and without one.
func TestPages(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.Exec(
		t,
		`INSERT INTO core.person (email, name)
		SELECT 'p' || n || '@example.org', CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN 'Same' ELSE 'P ' || n END
		FROM generate_series(1, 250) n`,
	)
	for _, search := range []string{"", "&query=p"} {
		seen := map[string]bool{}
		query := "limit=7" + search
		for range 100 {
			_, page := d.get(t, query)
			for _, p := range page.People {
				if seen[p.UserID] {
					t.Fatalf("GET /api/v1/people?%s shows %s a second time", query, p.Email)
				}
				seen[p.UserID] = true
			}
			if page.NextCursor == nil {
				break
			}
			query = "limit=7" + search + "&cursor=" + *page.NextCursor
		}
		if len(seen) != 250 {
			t.Errorf("all pages of limit=7%s show %d people, want 250", search, len(seen))
		}
	}
}

// Erased people have no name. They come after everybody with a name, also when they are on a separate page.
func TestErasedPeopleComeLast(t *testing.T) {
	t.Parallel()
	d := setup(t)
	gone := "erased_at = now(), deactivated_at = now(), email = NULL, name = '', password_hash = NULL"
	erased := []string{d.person(t, "x@example.org", gone), d.person(t, "y@example.org", gone)}
	slices.Sort(erased)
	anna := d.person(t, "anna@example.org", "name = 'Anna'")
	last := d.person(t, "zoe@example.org", "name = '𝕫oë'") // outside the first 65,536 characters
	want := append([]string{anna, last}, erased...)
	var got []string
	for query := "limit=1"; ; {
		w, page := d.get(t, query)
		if w.Code != 200 || len(page.People) != 1 {
			t.Fatalf("GET /api/v1/people?%s: status %d, want 200 and one person; body %s", query, w.Code, w.Body)
		}
		got = append(got, page.People[0].UserID)
		if page.NextCursor == nil {
			break
		}
		query = "limit=1&cursor=" + *page.NextCursor
	}
	if !slices.Equal(got, want) {
		t.Errorf("the directory has %v, want Anna, 𝕫oë and the two erased: %v", got, want)
	}
	if _, page := d.get(t, "query="+erased[0]); len(page.People) != 1 {
		t.Errorf("an erased person, searched by id: %+v, want one", page.People)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("AgAAAAAAAAAAAAAAAAAAAAAA")
	f.Add("")
	f.Fuzz(func(t *testing.T, cursor string) {
		position, ok := people.ParsePosition(cursor)
		if ok && cursor != "" && position.String() != cursor {
			t.Errorf("cursor %q is accepted although its canonical form is %q", cursor, position)
		}
	})
}

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	setup(t).PrepareAll(t, people.Statements())
}

// refusing is a caller without any permission.
type refusing struct{ httpapi.Caller }

func (refusing) Allowed(context.Context, string) (bool, error) { return false, nil }

func TestDirectoryIsOnlyForThoseWhoManage(t *testing.T) {
	t.Parallel()
	routes := people.New(people.Config{}).Routes()
	if routes[0].Permission != managePeople || routes[0].OrPermission != manageGrants {
		t.Fatalf("the directory asks for %q or %q, want %s or %s", routes[0].Permission, routes[0].OrPermission,
			managePeople, manageGrants)
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/people", http.NoBody)
	if w := httpapitest.Send(r, routes, refusing{}); w.Code != 403 {
		t.Errorf("GET /api/v1/people without the permission: status %d, want 403; body %s", w.Code, w.Body)
	}
}
