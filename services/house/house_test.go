package house_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/waittest"
)

func TestHouse(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	p := started(t, db.Pool(t), time.Hour)
	p.assertShown(t, initial)
	for _, body := range []string{
		`{"name":"Church of St Anne","accent":"plum","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":null,"accent":"plum","language":"de","timeZone":"Europe/Berlin","secondFactor":"administrators"}`,
		`{"name":null,"accent":"plum","language":"de","timeZone":"America/Argentina/ComodRivadavia"` +
			`,"secondFactor":"optional"}`,
		`{"name":"` + strings.Repeat("ä", 80) + `","accent":"teal","language":"en","timeZone":null` +
			`,"secondFactor":"optional"}`,
		initial,
	} {
		if w := p.send("PUT", path, body); w.Code != 200 || withoutRevision(w) != body {
			t.Errorf("PUT %s %s: status %d, body %s, want 200 and the same", path, body, w.Code, w.Body)
		}
		p.assertShown(t, body)
		started(t, db.Pool(t), time.Hour).assertShown(t, body)
	}
	if _, language, _ := p.service.Letterhead(); language != "en" {
		t.Errorf("the letterhead's language is %q, want en", language)
	}
}

// The table accepts every accent and language of the code.
func TestListsMatchTheSchema(t *testing.T) {
	t.Parallel()
	p := started(t, databasetest.New(t).Pool(t), time.Hour)
	for _, accent := range house.Accents {
		for _, language := range house.Languages() {
			body := fmt.Sprintf(`{"name":null,"accent":%q,"language":%q,"timeZone":null`+
				`,"secondFactor":"optional"}`, accent, language)
			if w := p.send("PUT", path, body); w.Code != 200 {
				t.Errorf("PUT %s: status %d, want 200; body %s", body, w.Code, w.Body)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	p := started(t, db.Pool(t), time.Hour)
	good := `{"name":"A house","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`
	for what, refused := range map[string]struct {
		status  int
		code    string
		headers []string
	}{
		"no Origin":             {403, "ORIGIN_NOT_TRUSTED", []string{"Origin", ""}},
		"a foreign Origin":      {403, "ORIGIN_NOT_TRUSTED", []string{"Origin", "https://example.com"}},
		"nobody signed in":      {401, "AUTHENTICATION_REQUIRED", []string{"Test-Holds", ""}},
		"without permission":    {403, "PERMISSION_DENIED", []string{"Test-Holds", "core.devices.manage"}},
		"another Content-Type":  {400, "REQUEST_INVALID", []string{"Content-Type", "text/plain"}},
		"without Content-Type":  {400, "REQUEST_INVALID", []string{"Content-Type", ""}},
		"a form's Content-Type": {400, "REQUEST_INVALID", []string{"Content-Type", "multipart/form-data"}},
	} {
		assertCode(t, what, p.send("PUT", path, good, refused.headers...), refused.status, refused.code)
	}
	long := `{"name":"` + strings.Repeat("x", 16<<10) + `","accent":"ruby","language":"de","timeZone":null` +
		`,"secondFactor":"optional"}`
	assertCode(t, "17 KiB", p.send("PUT", path, long), 413, "REQUEST_BODY_TOO_LARGE")
	for _, body := range []string{
		``, `null`, `[]`, `{}`, good + `{}`,
		`{"accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"A house","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"A house","accent":"ruby"}`,
		`{"name":"A house","accent":null,"language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"A house","accent":"ruby","language":null,"timeZone":null,"secondFactor":"optional"}`,
		`{"name":null,"accent":"pink","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":null,"accent":"Blue","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":null,"accent":"","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":null,"accent":"ruby","language":"fr","timeZone":null,"secondFactor":"optional"}`,
		`{"name":null,"accent":"ruby","language":"de-DE","timeZone":null,"secondFactor":"optional"}`,
		`{"name":null,"accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional","rev":"0"}`,
		`{"name":null,"accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional","rev":null}`,
		`{"name":null,"accent":"ruby","language":"de","timeZone":0,"secondFactor":"optional"}`,
		`{"name":null,"accent":"ruby","language":"de","secondFactor":"optional"}`,
		`{"name":null,"accent":"ruby","language":"de","timeZone":null}`,
		`{"name":null,"accent":"ruby","language":"de","timeZone":null,"secondFactor":null}`,
		`{"name":null,"accent":"ruby","language":"de","timeZone":null,"secondFactor":"everybody"}`,
		`{"name":null,"accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional","more":0}`,
		`{"name":null,"name":"A house","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"Name":null,"accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":" ","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":7,"accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"a\nb","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"a\u0000b","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"a\u202eb","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"a\u2028b","accent":"ruby","language":"de","timeZone":null,"secondFactor":"optional"}`,
		`{"name":"` + strings.Repeat("ä", 81) + `","accent":"ruby","language":"de","timeZone":null` +
			`,"secondFactor":"optional"}`,
		"{\"name\":\"\xff\",\"accent\":\"ruby\",\"language\":\"de\",\"timeZone\":null}",
	} {
		assertCode(t, body, p.send("PUT", path, body), 400, "REQUEST_INVALID")
	}
	for _, name := range []string{"", "Local", "Berlin", "europe/berlin", "Europe/Berlin ", "CEST", "+02:00",
		"Europe/Berlin\\nUTC", "Factory", "posix/Europe/Berlin", "right/Europe/Berlin", "../etc/passwd"} {
		body := `{"name":null,"accent":"ruby","language":"de","timeZone":"` + name + `","secondFactor":"optional"}`
		assertCode(t, body, p.send("PUT", path, body), 400, "REQUEST_INVALID")
	}
	p.assertShown(t, initial)
	started(t, db.Pool(t), time.Hour).assertShown(t, initial)
}

// Of simultaneous changes in several processes, one is stored, complete, and every process returns it.
func TestRaceOfChanges(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	processes := []*process{
		started(t, db.Pool(t), 3*time.Millisecond),
		started(t, db.Pool(t), 3*time.Millisecond),
	}
	var wait sync.WaitGroup
	for n := range 40 {
		wait.Go(func() {
			body := fmt.Sprintf(`{"name":"House %d","accent":%q,"language":%q,"timeZone":null`+
				`,"secondFactor":"optional"}`, n,
				house.Accents[n%8], house.Languages()[n%2])
			if w := processes[n%2].send("PUT", path, body); w.Code != 200 || withoutRevision(w) != body {
				t.Errorf("PUT %s: status %d, want 200 and the same; body %s", body, w.Code, w.Body)
			}
		})
	}
	wait.Wait()
	stored, err := house.NewStore(db.Pool(t)).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscanf(*stored.Name, "House %d", &n); err != nil || stored.Accent != house.Accents[n%8] ||
		stored.Language != house.Languages()[n%2] {
		t.Errorf("stored is a mix: %q %q %q", *stored.Name, stored.Accent, stored.Language)
	}
	for _, p := range processes {
		waittest.Until(t, "the stored house is shown",
			func() bool { return *p.service.Current().Name == *stored.Name })
	}
}

// A read that began before a change and ended after it does not restore the old state.
func TestOlderStateIsNotKept(t *testing.T) {
	t.Parallel()
	s := house.New(house.NewStore(nil), nil)
	s.Keep(house.House{Accent: "ruby", Language: "de"}, 2)
	s.Keep(house.House{Accent: "teal", Language: "en"}, 1)
	if got := s.Current().Accent; got != "ruby" {
		t.Errorf("after an older state: accent %q, want ruby", got)
	}
	s.Keep(house.House{Accent: "teal", Language: "en"}, 3)
	if got := s.Current().Accent; got != "teal" {
		t.Errorf("after a newer state: accent %q, want teal", got)
	}
}

// A change in one process is found by another process, which reads the row regularly.
func TestProcessesShareTheHouse(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	writer := started(t, db.Pool(t), time.Hour)
	reader := started(t, db.AnotherPool(t), time.Millisecond)
	body := `{"name":"A house","accent":"olive","language":"de","timeZone":null,"secondFactor":"optional"}`
	if w := writer.send("PUT", path, body); w.Code != 200 {
		t.Fatalf("PUT %s: status %d, want 200; body %s", body, w.Code, w.Body)
	}
	waittest.Until(t, "the other process shows the change",
		func() bool { return withoutRevision(reader.send("GET", path, "")) == body })
}

// A house that is submitted unchanged is not written again.
func TestUnchangedHouseIsNotWritten(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	p := started(t, db.Pool(t), time.Hour)
	for range 3 {
		w := p.send("PUT", path, `{"name":"A house","accent":"ruby","language":"de","timeZone":"Asia/Kathmandu"`+
			`,"secondFactor":"optional"}`)
		if w.Code != 200 {
			t.Fatalf("PUT: status %d, want 200; body %s", w.Code, w.Body)
		}
	}
	var rev int
	if err := db.Pool(t).QueryRow(t.Context(), `SELECT rev FROM core.house`).Scan(&rev); err != nil || rev != 1 {
		t.Errorf("revision %d (%v), want 1", rev, err)
	}
}

// A change that names an older revision is refused, so that no administrator undoes what another has changed.
func TestOldRevisionIsRefused(t *testing.T) {
	t.Parallel()
	p := started(t, databasetest.New(t).Pool(t), time.Hour)
	body := func(name string, rev int) string {
		return fmt.Sprintf(`{"name":%q,"accent":"ruby","language":"de","timeZone":null`+
			`,"secondFactor":"optional","rev":%d}`, name, rev)
	}
	if w := p.send("PUT", path, body("First", 0)); w.Code != 200 || w.Body.String() != body("First", 1) {
		t.Errorf("the first change: status %d, body %s, want 200 and revision 1", w.Code, w.Body)
	}
	assertCode(t, "an old revision", p.send("PUT", path, body("Second", 0)), 409, "CONFLICT")
	p.assertShown(t, `{"name":"First","accent":"ruby","language":"de","timeZone":null`+
		`,"secondFactor":"optional"}`)
	if w := p.send("PUT", path, body("First", 0)); w.Code != 200 { // nothing to change
		t.Errorf("the same house: status %d, body %s, want 200", w.Code, w.Body)
	}
	if w := p.send("PUT", path, body("Second", 1)); w.Code != 200 {
		t.Errorf("the newest revision: status %d, body %s, want 200", w.Code, w.Body)
	}
}
