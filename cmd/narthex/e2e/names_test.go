package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// withoutLocale returns a database whose locale knows no letters but A to Z.
func withoutLocale(t *testing.T) *databasetest.DB {
	t.Helper()
	db := databasetest.Empty(t)
	name := db.Settings.Name + "_without_locale"
	db.Exec(t, `CREATE DATABASE `+name+` ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0`)
	t.Cleanup(func() {
		_, err := db.Pool(t).Exec(context.WithoutCancel(t.Context()), `DROP DATABASE `+name+` WITH (FORCE)`)
		if err != nil {
			t.Error(err)
		}
	})
	address, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	other := &databasetest.DB{URL: address.String(), Settings: db.Settings}
	other.Settings.Name = name
	return other
}

// TestNamesWithoutALocale: people are found by any word of their name and address, whatever its case and
// marks, and listed by name, in a database whose locale knows no letters but A to Z. Whatever changes a
// name or an address changes what finds the person.
func TestNamesWithoutALocale(t *testing.T) {
	t.Parallel()
	i := prepare(t, withoutLocale(t))
	i.migrateWithOwner(t)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	find := func(query string) string {
		t.Helper()
		response := owner.do("GET", "/api/v1/people?query="+url.QueryEscape(query), nil)
		var page struct{ People []struct{ Name *string } }
		if err := json.Unmarshal([]byte(response.body), &page); err != nil || response.status != 200 {
			t.Fatalf("GET /api/v1/people?query=%s: status %d, body %s", query, response.status, response.body)
		}
		names := make([]string, len(page.People))
		for n, p := range page.People {
			if p.Name != nil {
				names[n] = *p.Name
			}
		}
		return strings.Join(names, ", ")
	}
	people := map[string]string{"klaus.oe@example.org": "Klaus Öffne", "zoe@example.org": "Zoë Adler",
		"aerzte@example.org": "Ärzte Straße", "bea+choir@example.org": "bea Maier-Öztürk"}
	for address, name := range people {
		r := runCommand(t, i.environment, "", "identity:invite", "--email", address)
		_, token, _ := strings.Cut(strings.TrimSpace(r.stdout.String()), "accept-invitation&token=")
		joined := i.visitor(t).do("POST", "/api/v1/invitations/accept",
			map[string]string{"token": token, "name": name, "password": ownerPassword})
		if joined.status != 200 && joined.status != 201 {
			t.Fatalf("%s cannot join: status %d, body %s", name, joined.status, joined.body)
		}
	}
	for query, want := range map[string]string{
		"öffne": "Klaus Öffne", "Öffne": "Klaus Öffne", "OFFNE kl": "Klaus Öffne", "o\u0308ff": "Klaus Öffne",
		"ärzte": "Ärzte Straße", "STRASSE": "Ärzte Straße", "adler": "Zoë Adler", "ZOË": "Zoë Adler",
		"öztürk": "bea Maier-Öztürk", "choir": "bea Maier-Öztürk", "oe": "Klaus Öffne", "ffne": "",
		"example öz": "bea Maier-Öztürk",
	} {
		if got := find(query); got != want {
			t.Errorf("people for %q: %q, want %q", query, got, want)
		}
	}
	const byName = "Ärzte Straße, bea Maier-Öztürk, Klaus Öffne, owner, Zoë Adler"
	if got := find("example"); got != byName {
		t.Errorf("people by name: %q, want %q", got, byName)
	}

	klaus := i.signIn(t, "klaus.oe@example.org", ownerPassword)
	if r := klaus.do("PUT", "/api/v1/account", map[string]any{"name": "Ağaç Ünal"}); r.status != 200 {
		t.Fatalf("PUT /api/v1/account: status %d, body %s", r.status, r.body)
	}
	for query, want := range map[string]string{"öffne": "", "unal": "Ağaç Ünal", "klaus": "Ağaç Ünal"} {
		if got := find(query); got != want {
			t.Errorf("after a change of the name, people for %q: %q, want %q", query, got, want)
		}
	}
	id := i.db.Pool(t).QueryRow(t.Context(), `SELECT id::text FROM core.person WHERE name LIKE 'bea %'`)
	var bea string
	if err := id.Scan(&bea); err != nil {
		t.Fatal(err)
	}
	if got := find(bea); got != "bea Maier-Öztürk" {
		t.Errorf("people for a whole id: %q, want bea", got)
	}
	for _, step := range []string{"deactivate", "erase"} {
		if r := owner.do("POST", "/api/v1/people/"+bea+"/"+step, struct{}{}); r.status != 200 {
			t.Fatalf("%s: status %d, body %s", step, r.status, r.body)
		}
	}
	if got := find("öztürk"); got != "" {
		t.Errorf("after an erasure, people for öztürk: %q, want none", got)
	}
}

// TestModulesWithoutALocale: songs are found and listed, and volunteers told apart and listed, in a database
// whose locale knows no letters but A to Z.
func TestModulesWithoutALocale(t *testing.T) {
	t.Parallel()
	i := prepare(t, withoutLocale(t), "stage", "rota")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.migrateWithOwner(t)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value)
		VALUES ('rota', 'teamName', 'Team'), ('rota', 'dashboardLink', 'http://localhost:1')`)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	for _, title := range []string{"Zion", "Öffne meine Augen", "Anker", "Ärzte", "Straße"} {
		if r := owner.do("POST", "/api/v1/modules/stage/songs", map[string]any{"title": title, "credit": "",
			"sections": []map[string]string{{"label": "", "text": "x"}}}); r.status != 201 {
			t.Fatalf("POST /songs: status %d, body %s", r.status, r.body)
		}
	}
	for query, want := range map[string]string{
		"?limit=10":                          "Anker, Ärzte, Öffne meine Augen, Straße, Zion",
		"?q=" + url.QueryEscape("öffne"):     "Öffne meine Augen",
		"?q=" + url.QueryEscape("OFFNE"):     "Öffne meine Augen",
		"?q=" + url.QueryEscape("o\u0308ff"): "Öffne meine Augen",
		"?q=STRASSE":                         "Straße",
	} {
		var page struct{ Songs []struct{ Title string } }
		r := owner.do("GET", "/api/v1/modules/stage/songs"+query, nil)
		if err := json.Unmarshal([]byte(r.body), &page); err != nil {
			t.Fatalf("GET /songs%s: status %d, body %s", query, r.status, r.body)
		}
		titles := make([]string, len(page.Songs))
		for n, song := range page.Songs {
			titles[n] = song.Title
		}
		if got := strings.Join(titles, ", "); got != want {
			t.Errorf("GET /songs%s: %q, want %q", query, got, want)
		}
	}
	volunteer := func(label string) int {
		return owner.do("POST", "/api/v1/modules/rota/volunteers", map[string]any{"label": label, "email": "",
			"language": "", "digest": false, "roleIds": []string{}}).status
	}
	for _, label := range []string{"Zoë", "Änne", "Bea"} {
		if got := volunteer(label); got != 201 {
			t.Errorf("POST /volunteers %s: status %d, want 201", label, got)
		}
	}
	if got := volunteer("änne"); got != 409 {
		t.Errorf("POST /volunteers änne beside Änne: status %d, want 409", got)
	}
}

// TestVolunteersWhoBecomeAlike: volunteers whom a database without a locale told apart, and the platform does
// not any more, get numbers, whatever names there are already and however long they are.
func TestVolunteersWhoBecomeAlike(t *testing.T) {
	t.Parallel()
	i := prepare(t, withoutLocale(t), "stage", "rota")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	modules, older := i.environment["SERVICE_MODULES_DIR"], t.TempDir()
	for _, module := range []string{"stage", "rota"} {
		if err := os.CopyFS(filepath.Join(older, module), os.DirFS(builtModule(t, module))); err != nil {
			t.Fatal(err)
		}
	}
	migrations, err := filepath.Glob(filepath.Join(older, "rota", "migrations", "*.sql")) // in their order
	if err != nil || len(migrations) < 2 {
		t.Fatalf("rota's migrations: %q, %v", migrations, err)
	}
	for _, migration := range migrations[1:] {
		if err := os.Remove(migration); err != nil {
			t.Fatal(err)
		}
	}
	i.environment["SERVICE_MODULES_DIR"] = older
	i.migrateWithOwner(t)
	long := strings.Repeat("y", 71) + "Ä"
	low := strings.ToLower(long)
	for n, label := range []string{"Änne", "änne", "ÄNNE (2)", "änne (2)", "Bea", long + "12345678",
		low + "12345678", long + "12345679", low + "12345679", "Ünal", "ünal"} {
		email := ""
		if strings.EqualFold(label, "ünal") {
			email = fmt.Sprintf("%d@example.org", n) // they are told apart by this
		}
		i.db.Exec(t, `INSERT INTO module_rota.volunteers (id, label, email, language, digest)
			VALUES (format('00000000-0000-0000-0000-%s', lpad($1::int::text, 12, '0'))::uuid, $2, $3, '', false)`,
			n, label, email)
	}
	i.environment["SERVICE_MODULES_DIR"] = modules
	if r := runCommand(t, i.environment, "", "migrations:apply"); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatalf("migrations:apply: %s", r.stderr.String())
	}

	var labels []string
	err = i.db.Pool(t).QueryRow(t.Context(),
		`SELECT array_agg(label ORDER BY id) FROM module_rota.volunteers`).Scan(&labels)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Änne", "änne (3)", "ÄNNE (2)", "änne (2) (2)", "Bea", long + "12345678",
		low + "1234 (2)", long + "12345679", low + "1234 (3)", "Ünal", "ünal"}
	if !slices.Equal(labels, want) {
		t.Errorf("the volunteers are %q, want %q", labels, want)
	}
}
