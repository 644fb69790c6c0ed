package identity_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/identity"
)

const peoplePath = "/api/v1/people"

type peopleAnswer struct {
	People []struct {
		UserID, Email, Name, CreatedAt string
		EmailVerified, Owner           bool
	} `json:"people"`
	NextCursor *string `json:"nextCursor"`
}

func (h house) people(t *testing.T, query string) (w *httptest.ResponseRecorder, answer peopleAnswer) {
	t.Helper()
	r := request{method: "GET", path: peoplePath}.build(t)
	r.URL.RawQuery = query
	w = h.record(r)
	if w.Code == 200 {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
	}
	return w, answer
}

func TestPeople(t *testing.T) {
	t.Parallel()
	h := setup(t)
	anna := h.person(t, "anna@example.org", "name = 'Anna Ölmüller', created_at = '2026-01-02 03:04:05.678901Z'")
	zoe := h.person(t, "a.first@example.org", "name = 'Zoë', email_verified = false")
	percent := h.person(t, "percent@example.org", "name = '100% _sure'")
	h.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", anna)

	w, all := h.people(t, "")
	want := `{"userId":"` + anna + `","email":"anna@example.org","name":"Anna Ölmüller","emailVerified":true,"owner":true,"createdAt":"2026-01-02T03:04:05.678Z"}`
	if len(all.People) != 3 || all.NextCursor != nil || !strings.Contains(w.Body.String(), want) || !strings.HasSuffix(w.Body.String(), `"nextCursor":null}`) {
		t.Errorf("got %s", w.Body)
	}
	for query, ids := range map[string][]string{
		"ann":                          {anna},
		"ANNA Ö":                       {anna},
		"a":                            {anna, zoe}, // a name, and an address
		"A.First@Example":              {zoe},
		"zoë":                          {zoe},
		zoe:                            {zoe},
		zoe[:35]:                       {},
		"100% _":                       {percent},
		"%":                            {},
		"_":                            {},
		"ölmüller":                     {},
		"' OR true --":                 {},
		strings.Repeat("x", 254):       {},
		"{" + zoe + "}":                {},
		strings.ToUpper(zoe[:0]) + " ": {},
	} {
		w, found := h.people(t, "query="+url.QueryEscape(query))
		var got []string
		for _, p := range found.People {
			got = append(got, p.UserID)
		}
		if w.Code != 200 || fmt.Sprint(got) != fmt.Sprint(ids) {
			t.Errorf("%q: got %d %v, want %v", query, w.Code, got, ids)
		}
	}
}

func TestPeopleRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	encode := base64.RawURLEncoding.EncodeToString
	for _, query := range []string{"limit=0", "limit=201", "limit=-1", "limit=%2B5", "limit=05", "limit=1.0", "limit=", "query=", "cursor=", "offset=1",
		"limit=5&limit=5", "query=%00", "query=%0a", "query=%ff", "query=" + strings.Repeat("x", 255), "cursor=!", "cursor=AQ", "cursor=AQ==",
		"cursor=" + encode(make([]byte, 17)), "cursor=" + encode(append(append([]byte{1}, make([]byte, 16)...), 0xff)),
		"cursor=" + encode(append([]byte{1}, make([]byte, 17)...)), "%zz"} {
		if w, _ := h.people(t, query); w.Code != 400 || w.Body.String() != `{"code":"REQUEST_INVALID"}` {
			t.Errorf("%s: got %d %s", query, w.Code, w.Body)
		}
	}
	h.Exec(t, "DROP TABLE core.platform_owner")
	if w, _ := h.people(t, ""); w.Code != 503 || w.Body.String() != `{"code":"STORE_UNAVAILABLE"}` {
		t.Errorf("without a table: %d %s", w.Code, w.Body)
	}
}

// Everybody is seen once, whatever names are shared, with a search and without one.
func TestPeopleByPages(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `INSERT INTO core.person (email, name) SELECT 'p' || n || '@example.org', CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN 'Same' ELSE 'P ' || n END FROM generate_series(1, 250) n`)
	for _, search := range []string{"", "&query=p"} {
		seen := map[string]bool{}
		query := "limit=7" + search
		for range 100 {
			_, page := h.people(t, query)
			for _, p := range page.People {
				if seen[p.UserID] {
					t.Fatalf("%s is repeated", p.Email)
				}
				seen[p.UserID] = true
			}
			if page.NextCursor == nil {
				break
			}
			query = "limit=7" + search + "&cursor=" + *page.NextCursor
		}
		if len(seen) != 250 {
			t.Errorf("%q: saw %d people", search, len(seen))
		}
	}
}

// Both listings use their indexes in a large community.
func TestPeopleAreIndexed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, `INSERT INTO core.person (email, name) SELECT md5(n::text) || '@example.org', md5((n * 7)::text) FROM generate_series(1, 20000) n`)
	h.Exec(t, "ANALYZE core.person")
	nobody := "00000000-0000-0000-0000-000000000000"
	for _, c := range []struct {
		sql       string
		arguments []any
		indexes   []string
	}{
		{identity.SelectPeople, []any{"8", nobody, 51}, []string{"person_name_prefix"}},
		{identity.SearchPeople, []any{"", nobody, 51, "abc", nil}, []string{"person_name_prefix", "person_email_prefix"}},
	} {
		rows, err := h.Pool(t).Query(t.Context(), "EXPLAIN "+c.sql, c.arguments...)
		if err != nil {
			t.Fatal(err)
		}
		var plan strings.Builder
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(line + "\n")
		}
		if strings.Contains(plan.String(), "Seq Scan on person") {
			t.Errorf("everybody is read:\n%s", plan.String())
		}
		for _, index := range c.indexes {
			if !strings.Contains(plan.String(), index) {
				t.Errorf("%s is not used:\n%s", index, plan.String())
			}
		}
	}
}

func FuzzPeopleCursor(f *testing.F) {
	f.Add("AQAAAAAAAAAAAAAAAAAAAAAA")
	f.Add("")
	f.Fuzz(func(t *testing.T, cursor string) {
		position, ok := identity.ParsePeoplePosition(cursor)
		if ok && cursor != "" && position.String() != cursor {
			t.Errorf("%q is another spelling of %q", cursor, position)
		}
	})
}

func FuzzLinkToken(f *testing.F) {
	text, _ := identity.MintToken()
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := identity.OpenToken(text); ok && len(text) != 43 {
			t.Errorf("accepted %q", text)
		}
	})
}
