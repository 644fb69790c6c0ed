package links_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/services/principal"
)

// TestLink: an address is given once. Whoever opens it has a cookie with another secret, and is the link's
// principal with it, beside whatever other cookies, until the link is revoked or ends, or whose link it is is
// deactivated.
func TestLink(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	for name, end := range map[string]func(){
		"revoked": func() {
			if err := p.Revoke(t.Context(), "", "rota", "revoked"); err != nil {
				t.Error(err)
			}
		},
		"ended": func() { db.Exec(t, `UPDATE core.link SET ends_at = now() WHERE subject = 'ended'`) },
		"of somebody who is deactivated": func() {
			db.Exec(t, `UPDATE core.person SET deactivated_at = now() WHERE name = 'of somebody who is deactivated'`)
		},
	} {
		secret := p.linkOf(t, personIn(t, db, name), name, time.Now().Add(time.Hour))
		w := p.open(t, "192.0.2.1", "rota", secret)
		attributes := strings.SplitN(w.Header().Get("Set-Cookie"), ";", 2)
		cookie := cookieOf(w)
		if w.Code != 200 || w.Body.String() != `{"moduleId":"rota"}` ||
			attributes[1] != " Path=/; HttpOnly; Secure; SameSite=Lax" ||
			!strings.HasPrefix(cookie, "__Host-narthex_link=") || strings.Contains(cookie, secret) {
			t.Fatalf("open: %d %s, cookie %v", w.Code, w.Body, attributes)
		}
		if again := cookieOf(p.open(t, "192.0.2.1", "rota", secret)); again != cookie {
			t.Errorf("another browser has the cookie %s, want the same", again)
		}
		who := p.holder(t, "__Host-narthex_session=x", cookie, "__Host-narthex_device=y")
		if who.Kind != principal.Link || who.Subject != name || who.LinkID == "" || who.UserID != "" {
			t.Fatalf("the cookie is %+v, want the link for %s", who, name)
		}
		if got, err := p.Permission(t.Context(), who.LinkID); got != answer || err != nil {
			t.Errorf("the permission is %q (%v), want %s", got, err, answer)
		}
		end()
		if got := p.holder(t, cookie); got != (principal.Principal{}) {
			t.Errorf("%s: the cookie is %+v, want nobody", name, got)
		}
		if got, err := p.Permission(t.Context(), who.LinkID); got != "" || err != nil {
			t.Errorf("%s: the permission is %q (%v), want none", name, got, err)
		}
		assertNotFound(t, name, p, "rota", secret)
	}
	if _, err := p.Create(t.Context(), "", "anna", "rota", answer, "x", time.Time{}); err != links.ErrSubject {
		t.Errorf("a link of a person whose id is none: %v, want %v", err, links.ErrSubject)
	}
}

// TestReactivated: the link of somebody who is back works again.
func TestReactivated(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	secret := p.linkOf(t, personIn(t, db, "Anna"), "anna", time.Time{})
	db.Exec(t, `UPDATE core.person SET deactivated_at = now()`)
	assertNotFound(t, "of somebody who is deactivated", p, "rota", secret)
	db.Exec(t, `UPDATE core.person SET deactivated_at = NULL`)
	if w := p.open(t, "192.0.2.1", "rota", secret); w.Code != 200 {
		t.Errorf("of somebody who is back: %d, want 200", w.Code)
	}
}

// TestAssign: the links of a subject become those of somebody who has an account now, or of nobody again;
// those of other subjects, and of another module, stay as they were.
func TestAssign(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	person := personIn(t, db, "Anna")
	theirs, others := p.link(t, "anna", time.Time{}), p.link(t, "ben", time.Time{})
	db.Exec(t, `UPDATE core.person SET deactivated_at = now()`)
	for _, assigned := range []struct{ module, person, subject string }{
		{"stage", person, "anna"}, {"rota", "", "ben"},
	} {
		if err := p.Assign(t.Context(), assigned.person, assigned.module, assigned.subject); err != nil {
			t.Fatal(err)
		}
		if w := p.open(t, "192.0.2.1", "rota", theirs); w.Code != 200 {
			t.Errorf("the link of nobody, after %+v: %d, want 200", assigned, w.Code)
		}
	}
	assign := func(to string) {
		t.Helper()
		if err := p.Assign(t.Context(), to, "rota", "anna"); err != nil {
			t.Fatal(err)
		}
	}
	assign(person)
	assertNotFound(t, "of somebody who has an account now, and is deactivated", p, "rota", theirs)
	if w := p.open(t, "192.0.2.2", "rota", others); w.Code != 200 {
		t.Errorf("the link of another subject: %d, want 200", w.Code)
	}
	assign("")
	if w := p.open(t, "192.0.2.3", "rota", theirs); w.Code != 200 {
		t.Errorf("the link of nobody again: %d, want 200", w.Code)
	}
	for _, wrong := range [][2]string{{"anna", "x"}, {person, ""}} {
		if err := p.Assign(t.Context(), wrong[0], "rota", wrong[1]); err != links.ErrSubject {
			t.Errorf("assigning %q: %v, want %v", wrong, err, links.ErrSubject)
		}
	}
}

// TestOneAnswer: whatever is wrong, the answer is the same and sets no cookie.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	good := p.link(t, "good", time.Time{})
	raw, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil || len(raw) != 32 {
		t.Fatalf("the secret is %q, want 32 bytes", good)
	}
	for what, secret := range map[string]string{
		"unknown": strings.Repeat("A", 43), "empty": "", "short": good[:42], "long": good + "A",
		"padded": good[:42] + "=", "another alphabet": "+" + good[1:], "a line end": good[:42] + "\n",
		"ended": p.link(t, "ended", time.Now().Add(-time.Minute)),
	} {
		assertNotFound(t, what, p, "rota", secret)
	}
	for _, module := range []string{"stage", "", "ro\x00ta", "rota "} {
		assertNotFound(t, "the module "+module, p, module, good)
	}
	var stored int
	err = db.Pool(t).QueryRow(t.Context(), `
		SELECT count(*) FROM core.link l WHERE l::text LIKE '%' || $1 || '%' OR l::text LIKE '%' || $2 || '%'`,
		good, fmt.Sprintf("%x", raw)).Scan(&stored)
	if err != nil || stored != 0 {
		t.Errorf("%d rows (%v) have the secret", stored, err)
	}
	hash := sha256.Sum256(raw)
	err = db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM core.link WHERE secret_hash = $1`,
		hash[:]).Scan(&stored)
	if err != nil || stored != 1 {
		t.Errorf("%d rows (%v) have its hash, want one", stored, err)
	}
	if got := p.holder(t, "__Host-narthex_link="+good); got != (principal.Principal{}) {
		t.Errorf("with the secret of the address as a cookie: %+v, want nobody", got)
	}
	if got := p.holder(t, "narthex_link="+strings.TrimPrefix(cookieOf(p.open(t, "192.0.2.7", "rota", good)),
		"__Host-narthex_link=")); got != (principal.Principal{}) {
		t.Errorf("with a cookie of the name for http: %+v, want nobody", got)
	}
}

func assertNotFound(t *testing.T, what string, p *platform, module, secret string) {
	t.Helper()
	w := p.open(t, "192.0.2.2", module, secret)
	if w.Code != 404 || w.Body.String() != `{"code":"LINK_NOT_FOUND"}` || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("%s: %d %s, cookie %q, want 404 LINK_NOT_FOUND", what, w.Code, w.Body,
			w.Header().Get("Set-Cookie"))
	}
}

// TestGuesses: one client opens thirty in a minute, others are not concerned.
func TestGuesses(t *testing.T) {
	t.Parallel()
	p, _ := setup(t)
	good := p.link(t, "good", time.Time{})
	for n := range 31 {
		if w := p.open(t, "192.0.2.3", "rota", strings.Repeat("B", 43)); (w.Code == 429) != (n == 30) {
			t.Fatalf("guess %d: %d, want 404 thirty times and then 429", n+1, w.Code)
		} else if w.Code == 429 && w.Header().Get("X-Retry-After") == "" {
			t.Error("429 without X-Retry-After")
		}
	}
	if w := p.open(t, "192.0.2.3", "rota", good); w.Code != 429 {
		t.Errorf("the right secret after 30 guesses: %d, want 429", w.Code)
	}
	if w := p.open(t, "192.0.2.4", "rota", good); w.Code != 200 {
		t.Errorf("another client: %d, want 200", w.Code)
	}
}

// TestWrites: one client changes something thirty times in a minute, with whatever links. What reads, and
// what is no route for links, is not counted.
func TestWrites(t *testing.T) {
	t.Parallel()
	p, _ := setup(t)
	reached := 0
	handle := func(*httpapi.Call) error { reached++; return nil }
	rows := p.Limit([]httpapi.Route{
		{Method: "POST", Link: true, Handle: handle}, {Method: "PUT", Link: true, Handle: handle},
		{Method: "GET", Link: true, Handle: handle}, {Method: "POST", Handle: handle},
	})
	send := func(row int, from string) (code int, waits string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", http.NoBody)
		r.RemoteAddr = from + ":1000"
		if err := clientaddress.New(environment.ClientAddress{}).Stamp(r); err != nil {
			t.Fatal(err)
		}
		if err := rows[row].Handle(&httpapi.Call{Writer: w, Request: r}); err != nil {
			httpapi.WriteError(w, err)
		}
		return w.Code, w.Header().Get("X-Retry-After")
	}
	for n := range 31 {
		if code, waits := send(n%2, "192.0.2.9"); (code == 429) != (n == 30) || (waits != "") != (n == 30) {
			t.Fatalf("write %d: %d, wait %q, want thirty and then 429", n+1, code, waits)
		}
	}
	for what, got := range map[string]func() (int, string){
		"a read":         func() (int, string) { return send(2, "192.0.2.9") },
		"a person":       func() (int, string) { return send(3, "192.0.2.9") },
		"another client": func() (int, string) { return send(0, "192.0.2.10") },
	} {
		if code, _ := got(); code != 200 {
			t.Errorf("%s: %d, want 200", what, code)
		}
	}
	if reached != 33 {
		t.Errorf("%d requests were handled, want 33", reached)
	}
}

// TestActivity: what a person makes and ends is recorded, once, and what the module does by itself is not.
func TestActivity(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	const anna = "00000000-0000-4000-8000-00000000000a"
	p.link(t, "mail", time.Time{})
	for range 2 {
		if _, err := p.Create(t.Context(), anna, "", "rota", answer, "poster", time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, by := range []string{"", anna, anna} {
		for _, subject := range []string{"poster", "mail", "nothing"} {
			if by == "" && subject == "poster" {
				continue
			}
			if err := p.Revoke(t.Context(), by, "rota", subject); err != nil {
				t.Fatal(err)
			}
		}
	}
	var recorded string
	err := db.Pool(t).QueryRow(t.Context(), `
		SELECT string_agg(concat_ws(' ', action, actor_id, subject_kind, entry::jsonb -> 'details' ->> 'moduleId',
			(SELECT subject FROM core.link WHERE id::text = subject_id)), ', ' ORDER BY number)
		FROM core.activity`).Scan(&recorded)
	made, ended := "link.made "+anna+" link rota poster", "link.revoked "+anna+" link rota poster"
	if want := strings.Join([]string{made, made, ended, ended}, ", "); err != nil || recorded != want {
		t.Errorf("recorded: %s (%v), want %s", recorded, err, want)
	}
}

// TestSubjects: a link is revoked by its module and its subject, and no other is.
func TestSubjects(t *testing.T) {
	t.Parallel()
	p, _ := setup(t)
	for _, subject := range []string{"", strings.Repeat("x", 129), "a\x00b", "\xff"} {
		_, err := p.Create(t.Context(), "", "", "rota", answer, subject, time.Time{})
		if !errors.Is(err, links.ErrSubject) {
			t.Errorf("a link for %q: %v, want REQUEST_INVALID", subject, err)
		}
		if err := p.Revoke(t.Context(), "", "rota", subject); !errors.Is(err, links.ErrSubject) {
			t.Errorf("revoking %q: %v, want REQUEST_INVALID", subject, err)
		}
	}
	longest := strings.Repeat("ü", 64)
	first, second, other := p.link(t, longest, time.Time{}), p.link(t, longest, time.Time{}),
		p.link(t, "other", time.Time{})
	if err := p.Revoke(t.Context(), "", "stage", longest); err != nil {
		t.Error(err)
	}
	for _, secret := range []string{first, second, other} {
		if w := p.open(t, "192.0.2.5", "rota", secret); w.Code != 200 {
			t.Errorf("after another module has revoked: %d, want 200", w.Code)
		}
	}
	for range 2 {
		if err := p.Revoke(t.Context(), "", "rota", longest); err != nil {
			t.Error(err)
		}
	}
	for secret, want := range map[string]int{first: 404, second: 404, other: 200} {
		if w := p.open(t, "192.0.2.6", "rota", secret); w.Code != want {
			t.Errorf("after its module has revoked: %d, want %d", w.Code, want)
		}
	}
}

// TestFiftyOpenings: of fifty browsers that open a link at once in two processes while it is revoked, each
// has the one cookie or the one 404; afterwards it opens no more, and nobody is anybody.
func TestFiftyOpenings(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	other := process(t, db.AnotherPool(t), base)
	secret := p.link(t, "race", time.Time{})
	want := cookieOf(p.open(t, "192.0.2.7", "rota", secret))
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			if n == 25 {
				if err := p.Revoke(t.Context(), "", "rota", "race"); err != nil {
					t.Error(err)
				}
			}
			w := []*platform{p, other}[n%2].open(t, fmt.Sprintf("198.51.100.%d", n), "rota", secret)
			if cookie := cookieOf(w); w.Code == 200 && cookie != want || w.Code != 200 && w.Code != 404 ||
				w.Code == 404 && cookie != "" {
				t.Errorf("opening %d: %d with the cookie %q", n, w.Code, cookie)
			}
		})
	}
	all.Wait()
	for _, process := range []*platform{p, other} {
		if got := process.holder(t, want); got != (principal.Principal{}) {
			t.Errorf("the cookie is %+v after all, want nobody", got)
		}
		assertNotFound(t, "revoked in the race", process, "rota", secret)
	}
}

// TestCapacity: a module has 50,000 live links; those that have ended do not count, nor do other modules'.
func TestCapacity(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	db.Exec(t, `
		INSERT INTO core.link (id, module_id, permission_id, subject, secret_hash, cookie_hash, ends_at)
		SELECT gen_random_uuid(), 'rota', $2, 'many', sha256(('s' || n)::bytea), sha256(('c' || n)::bytea),
		       CASE n WHEN 1 THEN now() + interval '1 hour' END
		FROM generate_series(1, $1::int) AS n`, links.MaxLive, answer)
	if _, err := p.Create(t.Context(), "", "", "rota", answer, "one more", time.Time{}); !errors.Is(err,
		links.ErrCapacity) {
		t.Errorf("one link too many: %v, want LINK_CAPACITY", err)
	}
	if _, err := p.Create(t.Context(), "", "", "stage", answer, "another module's", time.Time{}); err != nil {
		t.Errorf("a link of another module: %v", err)
	}
	live, err := p.store.Live(t.Context())
	if want := []links.Live{{"rota", links.MaxLive}, {"stage", 1}}; err != nil || !slices.Equal(live, want) {
		t.Errorf("links that work: %v (%v), want %v", live, err, want)
	}
	db.Exec(t, `UPDATE core.link SET ends_at = now() WHERE ends_at IS NOT NULL`)
	if _, err := p.Create(t.Context(), "", "", "rota", answer, "one more", time.Time{}); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

// TestSweep: links are kept for 30 days after their end.
func TestSweep(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	for _, subject := range []string{"lives", "revoked", "ended", "lately"} {
		p.link(t, subject, time.Time{})
	}
	db.Exec(t, `UPDATE core.link SET revoked_at = now() - interval '31 days' WHERE subject = 'revoked'`)
	db.Exec(t, `UPDATE core.link SET ends_at = now() - interval '31 days' WHERE subject = 'ended'`)
	db.Exec(t, `UPDATE core.link SET ends_at = now() - interval '29 days' WHERE subject = 'lately'`)
	if deleted, err := p.store.SweepEnded(t.Context()); deleted != 2 || err != nil {
		t.Errorf("%d deleted (%v), want 2", deleted, err)
	}
	var left string
	err := db.Pool(t).QueryRow(t.Context(),
		`SELECT string_agg(subject, ' ' ORDER BY subject) FROM core.link`).Scan(&left)
	if err != nil || left != "lately lives" {
		t.Errorf("%q are left (%v), want those that live or ended lately", left, err)
	}
}

// TestLastUse: an opening is recorded once a minute.
func TestLastUse(t *testing.T) {
	t.Parallel()
	p, db := setup(t)
	secret := p.link(t, "one", time.Time{})
	used := func() (at *time.Time) {
		t.Helper()
		if err := db.Pool(t).QueryRow(t.Context(), `SELECT last_used_at FROM core.link`).Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	if at := used(); at != nil {
		t.Fatalf("a new link was used at %v", at)
	}
	p.open(t, "192.0.2.8", "rota", secret)
	first := used()
	p.open(t, "192.0.2.8", "rota", secret)
	if at := used(); first == nil || !at.Equal(*first) {
		t.Errorf("used at %v, then at %v, want one time within a minute", first, at)
	}
	db.Exec(t, `UPDATE core.link SET last_used_at = now() - interval '2 minutes'`)
	p.open(t, "192.0.2.8", "rota", secret)
	if at := used(); !at.After(*first) {
		t.Errorf("used at %v after two minutes, want later than %v", at, first)
	}
}

// TestStatements: the statements fit the schema.
func TestStatements(t *testing.T) {
	t.Parallel()
	_, db := setup(t)
	db.PrepareAll(t, links.Statements())
}
