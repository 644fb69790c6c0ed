package activity_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/people"
	"github.com/narthex-platform/narthex/services/store"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

// harness is the service with its own database.
type harness struct {
	*databasetest.DB
	store   *activity.Store
	service *activity.Service
}

func setup(t testing.TB) harness {
	t.Helper()
	db := databasetest.New(t)
	store := activity.NewStore(db.Pool(t))
	return harness{db, store, activity.New(store, people.NewStore(db.Pool(t)))}
}

// record commits the entries in one transaction.
func (h harness) record(t testing.TB, entries ...chain.Entry) {
	t.Helper()
	err := store.InTx(t.Context(), h.Pool(t), func(_ context.Context, tx *store.Tx) error {
		return chain.Record(tx, entries...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (h harness) person(t testing.TB, name string) (id string) {
	t.Helper()
	err := h.Pool(t).QueryRow(t.Context(), `
		INSERT INTO core.person (email, name)
		VALUES (lower($1) || '@example.org', $1)
		RETURNING id::text`, name).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

type page struct {
	Entries []struct {
		ID, At  string
		Actor   struct{ Kind, UserID string }
		Action  string
		Subject struct{ Kind, ID string }
		Details map[string]any
	}
	People     map[string]string
	Joined     map[string]string
	NextCursor *string
}

// send sends GET /api/v1/activity with the query string.
func (h harness) send(t testing.TB, query string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/activity", http.NoBody)
	r.URL.RawQuery = query
	return httpapitest.Send(r, h.service.Routes(), nil)
}

// get is send, and decodes the body of a 200.
func (h harness) get(t testing.TB, query string) (w *httptest.ResponseRecorder, shown page) {
	t.Helper()
	w = h.send(t, query)
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &shown); err != nil {
			t.Fatalf("GET /api/v1/activity?%s: body %s: %v", query, w.Body, err)
		}
	}
	return w, shown
}

// ids returns the numbers of the entries shown, as one text.
func (p page) ids() (ids string) {
	for _, e := range p.Entries {
		ids += e.ID + " "
	}
	return ids
}

func entry(by chain.Actor, action chain.Action, kind, id string) chain.Entry {
	return chain.Entry{Actor: by, Action: action, Subject: chain.Subject{Kind: kind, ID: id}}
}
