package people_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/people"
)

const ownExport = own + "/export"

// exporters are modules with one part each. A module with an empty part fails.
type exporters struct {
	parts map[string]string
	gate  chan struct{} // if not nil, they send to asked and then wait for gate
	asked chan struct{}
}

func (e *exporters) Exporting() []string {
	ids := []string{}
	for id := range e.parts {
		ids = append(ids, id)
	}
	return ids
}

func (e *exporters) Export(_ context.Context, moduleID, _ string) (jsontext.Value, error) {
	if e.gate != nil {
		e.asked <- struct{}{}
		<-e.gate
	}
	if e.parts[moduleID] == "" {
		return nil, errors.New("no")
	}
	return jsontext.Value(e.parts[moduleID]), nil
}

type exported struct {
	ExportedAt string
	Core       struct {
		Account                                        struct{ UserID, Email, Name string }
		Grants                                         []struct{ PermissionID string }
		Sessions, InvitationsReceived, InvitationsSent []map[string]any
		ScreensApproved                                []map[string]any
		Activity                                       []struct{ Entry struct{ Action string } }
	}
	Modules map[string]any
	Missing []string
}

// A person gets the data that Core and the modules store about them, and nothing about others. The export is
// recorded.
func TestExport(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.exporters.parts = map[string]string{"choir": `{"voice":"bass"}`, "songs": "null", "broken": "", "ajar": ""}
	_, anna := p.member(t, "Anna", managePeople, manageGrants)
	_, token := p.invite(t, anna, inviteBert, 201)
	if w := p.accept(token, "Bert"); w.Code != 200 {
		t.Fatalf("accept: status %d, body %s", w.Code, w.Body)
	}
	bert := p.signIn(t, "Bert")
	w := p.send(bert, "GET", ownExport, "")
	got := decode[exported](t, w, 200)
	if got.Core.Account.Email != "bert@example.org" || got.Core.Account.Name != "Bert" || got.ExportedAt == "" ||
		len(got.Core.Grants) != 2 || len(got.Core.Sessions) != 1 || len(got.Core.InvitationsReceived) != 1 ||
		len(got.Core.InvitationsSent) != 0 {
		t.Errorf("Core's part: %+v", got.Core)
	}
	if len(got.Core.Activity) != 3 || got.Core.Activity[0].Entry.Action != "person.joined" {
		t.Errorf("activity: %+v, want that Bert joined and got two grants", got.Core.Activity)
	}
	if text, _ := json.Marshal(got.Modules); string(text) != `{"choir":{"voice":"bass"},"songs":null}` ||
		!slices.Equal(got.Missing, []string{"ajar", "broken"}) {
		t.Errorf("modules: %s, missing %v, want two of each", text, got.Missing)
	}
	for _, secret := range []string{"anna@example.org", "Anna", "argon2", "token", "hash"} {
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("the export tells %q: %s", secret, w.Body)
		}
	}
	if header := w.Header(); header.Get("Content-Disposition") != `attachment; filename="narthex-data.json"` ||
		header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v, want a download that nobody stores", header)
	}
	if !strings.HasSuffix(p.actions(t), " person.exported") {
		t.Errorf("recorded %q, want the export", p.actions(t))
	}
	assertCode(t, "nobody", p.send("", "GET", ownExport, ""), 401, "AUTHENTICATION_REQUIRED")
}

// An administrator can have made more changes than a process should hold in memory. The last 10,000 are
// exported, and the export reports that there are more.
func TestExportOfALongRecord(t *testing.T) {
	t.Parallel()
	p := start(t)
	id, anna := p.member(t, "Anna")
	export := func() (entries int, first, last string, complete bool) {
		t.Helper()
		got := decode[struct {
			Core struct {
				Activity         []struct{ Entry struct{ Action string } }
				ActivityComplete bool
			}
		}](t, p.send(anna, "GET", ownExport, ""), 200).Core
		if len(got.Activity) == 0 {
			return 0, "", "", got.ActivityComplete
		}
		return len(got.Activity), got.Activity[0].Entry.Action, got.Activity[len(got.Activity)-1].Entry.Action,
			got.ActivityComplete
	}
	record := func(from, to int) {
		p.Exec(t, `
			INSERT INTO core.activity (number, at, entry, hash)
			SELECT n, now(), format(
				'{"actor":{"kind":"person","userId":"%s"},"action":"change.%s",'
				'"subject":{"kind":"%s","id":"%s"}}',
				CASE n % 3 WHEN 0 THEN 'another' ELSE $1 END, n, CASE n % 3 WHEN 1 THEN 'module' ELSE 'person' END,
				CASE n % 3 WHEN 1 THEN 'rota' ELSE $1 END
			), ''
			FROM generate_series($2::int, $3::int) n`, id, from, to)
	}
	record(1_001, 11_000)
	if n, first, last, complete := export(); n != 10_000 || first != "change.1001" || last != "change.11000" ||
		!complete {
		t.Errorf("of 10,000 entries %d are exported, from %s to %s, complete %t; want all", n, first, last,
			complete)
	}
	record(11_001, 11_002)
	if n, first, last, complete := export(); n != 10_000 || first != "change.1003" || last != "change.11002" ||
		complete {
		t.Errorf("of 10,002 entries %d are exported, from %s to %s, complete %t; want the last 10,000 and false",
			n, first, last, complete)
	}
}

// One export is made at a time. A second one is refused in the meantime, and succeeds afterwards.
func TestOneExportAtATime(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.exporters.parts = map[string]string{"choir": "{}"}
	p.exporters.gate, p.exporters.asked = make(chan struct{}), make(chan struct{}, 2)
	_, anna := p.member(t, "Anna")
	var first *httptest.ResponseRecorder
	var made sync.WaitGroup
	made.Go(func() { first = p.send(anna, "GET", ownExport, "") })
	<-p.exporters.asked // the first export occupies the only place until gate is closed
	refused := p.send(anna, "GET", ownExport, "")
	assertCode(t, "a second export", refused, 429, "TOO_MANY_REQUESTS")
	if refused.Header().Get("X-Retry-After") == "" {
		t.Errorf("the refusal does not say how long to wait")
	}
	close(p.exporters.gate)
	made.Wait()
	if first.Code != 200 {
		t.Errorf("export: status %d, body %s, want 200", first.Code, first.Body)
	}
	decode[exported](t, p.send(anna, "GET", ownExport, ""), 200)
}

// An operator can export a deactivated person, but not an unknown or erased one.
func TestExportByOperator(t *testing.T) {
	t.Parallel()
	p := start(t)
	id, _ := p.member(t, "Anna")
	p.Exec(t, "UPDATE core.person SET deactivated_at = now() WHERE id = $1", id)
	export := func(userID string) (people.Export, error) {
		return people.MakeExport(t.Context(), p.store, p.exporters, chain.Operator(), userID)
	}
	if made, err := export(id); err != nil || !strings.Contains(string(made.Core), "anna@example.org") {
		t.Errorf("somebody deactivated: %s, error %v", made.Core, err)
	}
	for _, unknown := range []string{"00000000-0000-4000-8000-000000000000", "anna", strings.ToUpper(id)} {
		if _, err := export(unknown); !errors.Is(err, people.ErrUserNotFound) {
			t.Errorf("%s: error %v, want USER_NOT_FOUND", unknown, err)
		}
	}
	p.Exec(t, "UPDATE core.person SET erased_at = now(), email = NULL, name = '', password_hash = NULL")
	if _, err := export(id); !errors.Is(err, people.ErrErased) {
		t.Errorf("somebody erased: error %v, want PERSON_ERASED", err)
	}
	if got := p.actions(t); got != "person.exported" {
		t.Errorf("recorded %q, want one export", got)
	}
}
