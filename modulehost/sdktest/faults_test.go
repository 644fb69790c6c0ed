package sdktest_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// startWithHandler starts a module with one route, which calls do.
func startWithHandler(
	t *testing.T,
	do func(ctx context.Context, h *sdk.Host) error,
) (*sdktest.Module, *seats) {
	t.Helper()
	s := &seats{}
	s.register = func(r *sdk.Registry) {
		r.HandleFunc("POST /do", "seats.write", sdk.NoBody,
			func(ctx context.Context, _ *http.Request) (any, error) { return nil, do(ctx, s.host) })
		r.PersonErased(func(context.Context, string) error { return nil })
	}
	return sdktest.Start(t, s, options()), s
}

func TestLosingTheDatabase(t *testing.T) {
	t.Parallel()
	seen := make(chan error, 1)
	m, _ := startWithHandler(t, func(ctx context.Context, h *sdk.Host) error {
		err := h.DB.InTx(ctx, func(tx *sdk.Tx) error {
			if _, err := tx.Exec(ctx, `INSERT INTO seats (name) VALUES ('one')`); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO seats (name) VALUES ('two')`)
			return err
		})
		seen <- err
		return err
	})
	person := m.Person("seats.write")
	var count map[string]any
	for n, c := range []struct {
		when sdktest.DatabaseLoss
		kept float64 // the number of rows so far
	}{{sdktest.BeforeCommit, 0}, {sdktest.AfterCommit, 2}, {0, 4}} {
		if c.when != 0 {
			m.LoseDatabase(c.when)
		}
		got, err := person.Do("POST", "/do", nil), <-seen
		said := (*sdk.DatabaseError)(nil)
		lost := errors.Is(err, sdk.ErrDatabaseUnavailable) || errors.As(err, &said) && said.SQLState == "57P01"
		if c.when != 0 && (!lost || got.String() != `503 {"code":"STORE_UNAVAILABLE"}`) ||
			c.when == 0 && got.Status != 204 {
			t.Errorf("loss %d: the module saw %v and its client %s", n, err, got)
		}
		err = m.Ask("stage", "seats.free", "count", "", &count)
		for try := 0; err != nil && try < 4; try++ { // the pool notices a lost connection only when it uses it
			err = m.Ask("stage", "seats.free", "count", "", &count)
		}
		if err != nil || count["count"] != c.kept {
			t.Errorf("after loss %d: %v rows, error %v, want %v", n, count["count"], err, c.kept)
		}
	}
}

func TestFailingCalls(t *testing.T) {
	t.Parallel()
	seen := make(chan error, 1)
	calls := map[string]func(ctx context.Context, h *sdk.Host) error{
		"can":   func(ctx context.Context, h *sdk.Host) error { _, err := h.Can(ctx, "seats.write"); return err },
		"names": func(ctx context.Context, h *sdk.Host) error { _, err := h.People.Names(ctx, nil); return err },
		"absent": func(ctx context.Context, h *sdk.Host) error {
			return h.Capability("stage.services").Call(ctx, "next", nil, nil)
		},
		"overloaded": func(ctx context.Context, h *sdk.Host) error {
			_, err := h.DB.Exec(ctx, `SELECT`)
			return err
		},
	}
	var call atomic.Value
	m, _ := startWithHandler(t, func(ctx context.Context, h *sdk.Host) error {
		err := calls[call.Load().(string)](ctx, h)
		seen <- err
		return err
	})
	person := m.Person("seats.write")
	for name, c := range map[string]struct {
		on       func()
		want     error
		response string
	}{
		"can": {func() { m.FailPermissions(1) }, sdk.ErrPrincipalUnresolved,
			`503 {"code":"PRINCIPAL_RESOLUTION_FAILED"}`},
		"names": {func() { m.FailNames(1) }, sdk.ErrStoreUnavailable, `503 {"code":"STORE_UNAVAILABLE"}`},
		"absent": {func() { m.FailCapability("stage.services", sdk.ErrCapabilityAbsent) }, sdk.ErrCapabilityAbsent,
			`503 {"code":"MODULE_UNAVAILABLE"}`},
		"overloaded": {func() { m.Overload(1) }, sdk.ErrHostOverloaded, `503 {"code":"MODULE_OVERLOADED"}`},
	} {
		call.Store(name)
		c.on()
		got, err := person.Do("POST", "/do", nil), <-seen
		if !errors.Is(err, c.want) || got.String() != c.response {
			t.Errorf("%s: the module saw %v and its client %s, want %v and %s", name, err, got, c.want, c.response)
		}
		if name == "absent" {
			continue // the stand-in has no method next
		}
		if got, err := person.Do("POST", "/do", nil), <-seen; err != nil || got.Status != 204 {
			t.Errorf("%s, the call after: the module saw %v and its client %s, want 204", name, err, got)
		}
	}
}

func TestNamesAndPermissionsOfCallers(t *testing.T) {
	t.Parallel()
	var ids []string
	found := make(chan map[string]string, 1)
	allowed := make(chan bool, 1)
	m, _ := startWithHandler(t, func(ctx context.Context, h *sdk.Host) error {
		names, err := h.People.Names(ctx, ids)
		if err != nil {
			return err
		}
		found <- names
		can, err := h.Can(ctx, "seats.write")
		allowed <- can
		return err
	})
	ruth, boaz := m.Person("seats.write").Named("Ruth"), m.Person()
	screen := m.Device("seats.read")
	ids = []string{ruth.ID, boaz.ID, screen.ID, "nobody"}
	ruth.Do("POST", "/do", nil)
	if got := <-found; !maps.Equal(got, map[string]string{ruth.ID: "Ruth", boaz.ID: "Person 1"}) || !<-allowed {
		t.Errorf("names: %v, want those of Ruth and Person 1", got)
	}
	if err := m.Erase(boaz.ID); err != nil {
		t.Fatal(err)
	}
	ruth.Do("POST", "/do", nil)
	if got := <-found; !maps.Equal(got, map[string]string{ruth.ID: "Ruth"}) || !<-allowed {
		t.Errorf("names after one person was erased: %v, want that of Ruth alone", got)
	}
	ruth.Revoke("seats.write")
	if got := ruth.Do("POST", "/do", nil); got.Status != http.StatusForbidden {
		t.Errorf("POST /do without the permission: %s, want 403", got)
	}
}

func TestNamesAreForWhoAsks(t *testing.T) {
	t.Parallel()
	p := &posters{}
	sdktest.Start(t, p, sdktest.Options{Folder: "testdata/posters"})
	if _, err := p.host.People.Names(t.Context(), nil); !errors.Is(err, sdk.ErrPermissionDenied) {
		t.Errorf("Names for a manifest without people: %v, want %v", err, sdk.ErrPermissionDenied)
	}
}

func TestLosingTheLink(t *testing.T) {
	t.Parallel()
	entered, seen := make(chan struct{}), make(chan error, 1)
	m, s := startWithHandler(t, func(ctx context.Context, h *sdk.Host) error {
		close(entered)
		<-ctx.Done()
		_, err := h.DB.Exec(context.WithoutCancel(ctx), `SELECT`)
		seen <- err
		return err
	})
	person := m.Person("seats.write")
	responded := make(chan *sdktest.Response, 1)
	go func() { responded <- person.Do("POST", "/do", nil) }()
	<-entered
	m.LoseLink()
	if got := <-responded; got.String() != `500 {"code":"MODULE_HANDLER_FAILED"}` {
		t.Errorf("the request in progress: %s, want 500", got)
	}
	if err := <-seen; !errors.Is(err, sdk.ErrLinkLost) {
		t.Errorf("a call of the module after the loss: %v, want %v", err, sdk.ErrLinkLost)
	}
	if got := person.Do("POST", "/do", nil); got.String() != `503 {"code":"MODULE_UNAVAILABLE"}` {
		t.Errorf("a request after the loss: %s, want 503", got)
	}
	m.Restart(&seats{register: s.register})
	if got := person.Do("GET", "/panic", nil); got.Status != 500 {
		t.Errorf("a request after the restart: %s, want the module's 500", got)
	}
}

func TestLeavingClient(t *testing.T) {
	t.Parallel()
	seen := make(chan error, 1)
	m, _ := startWithHandler(t, func(ctx context.Context, h *sdk.Host) error {
		err := h.DB.InTx(ctx, func(tx *sdk.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO seats (name) VALUES ('one')`)
			return err
		})
		seen <- err
		return err
	})
	person := m.Person("seats.write")
	for name, when := range map[string]sdktest.Moment{
		"statement": sdktest.AtStatement, "commit": sdktest.AtCommit,
	} {
		person.Disconnect(person.Request("POST", "/do", nil), when)
		if err := <-seen; !errors.Is(err, context.Canceled) {
			t.Errorf("a client that left at the %s: the module saw %v, want %v", name, err, context.Canceled)
		}
	}
}

func TestAdvance(t *testing.T) {
	t.Parallel()
	var hourly, daily int
	fail := false
	m := sdktest.Start(t, &seats{register: func(r *sdk.Registry) {
		r.Every("hourly", time.Hour, func(context.Context) error {
			if hourly++; fail {
				fail = false
				return errors.New("not now")
			}
			return nil
		})
		r.Every("daily", 24*time.Hour, func(context.Context) error { daily++; return nil })
	}}, options())
	for _, c := range []struct {
		by            time.Duration
		hourly, daily int
	}{{59 * time.Minute, 0, 0}, {2 * time.Minute, 1, 0}, {23 * time.Hour, 24, 1}, {48 * time.Hour, 72, 3}} {
		if err := m.Advance(c.by); err != nil || hourly != c.hourly || daily != c.daily {
			t.Errorf("Advance(%v): %d hourly and %d daily runs, error %v, want %d and %d", c.by, hourly, daily, err,
				c.hourly, c.daily)
		}
	}
	fail = true
	if err := m.Advance(time.Hour); err == nil || hourly != 74 {
		t.Errorf("Advance over a run that fails once: %d runs, error %v, want two more and a failure", hourly, err)
	}
}

func reader(text string) io.Reader { return strings.NewReader(text) }

func TestFailingStorage(t *testing.T) {
	t.Parallel()
	p := &posters{}
	m := sdktest.Start(t, p, sdktest.Options{Folder: "testdata/posters"})
	bucket, ctx := p.host.Storage.Bucket("images"), t.Context()
	if _, err := bucket.Put(ctx, "advent", "text/plain", reader("come, all of you")); err != nil {
		t.Fatal(err)
	}
	for _, code := range []sdk.Error{sdk.ErrNotFound, sdk.ErrKeyInvalid, sdk.ErrAccessDenied, sdk.ErrTooLarge,
		sdk.ErrLifetimeInvalid, sdk.ErrTimeout, sdk.ErrUnavailable} {
		for name, call := range map[string]func() error{
			"Head":   func() error { _, err := bucket.Head(ctx, "advent"); return err },
			"Get":    func() error { _, _, err := bucket.Get(ctx, "advent"); return err },
			"List":   func() error { _, err := bucket.List(ctx, "", "", 0); return err },
			"Delete": func() error { return bucket.Delete(ctx, "advent") },
			"URL":    func() error { _, _, err := bucket.CreateReadURL(ctx, "advent", 0); return err },
			"Put": func() error {
				_, err := bucket.Put(ctx, "advent", "", reader("gone"))
				return err
			},
		} {
			m.FailStorage(code)
			if err := call(); !errors.Is(err, code) {
				t.Errorf("%s with %s: error %v", name, code, err)
			}
		}
	}
	m.CutObjects(5)
	_, body, err := bucket.Get(ctx, "advent")
	if err == nil {
		var content []byte
		content, err = io.ReadAll(body)
		if string(content) != "come," && len(content) > 0 {
			t.Errorf("an object that breaks off: %q, want no more than its first 5 bytes", content)
		}
		_ = body.Close()
	}
	if !errors.Is(err, sdk.ErrUnavailable) {
		t.Errorf("an object that breaks off: error %v, want %v", err, sdk.ErrUnavailable)
	}
	m.CutObjects(-1)
	m.SlowStorage(time.Minute)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := bucket.Head(short, "advent"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Head of a slow storage: error %v, want %v", err, context.DeadlineExceeded)
	}
	m.SlowStorage(0)
	if got := m.Stored("images")["advent"].Content; got != "come, all of you" {
		t.Errorf("after all failures: %q, want the object as it was", got)
	}
}

// TestManyTransactions: any number of requests can lock the same row one after the other. Requests that wait
// for a connection do not block those that have one.
func TestManyTransactions(t *testing.T) {
	t.Parallel()
	m, _ := startWithHandler(t, func(ctx context.Context, h *sdk.Host) error {
		return h.DB.InTx(ctx, func(tx *sdk.Tx) error {
			if _, err := tx.Exec(ctx, `LOCK TABLE seats IN EXCLUSIVE MODE`); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO seats (name) VALUES ('one')`)
			return err
		})
	})
	const requests = 60
	results := make(chan int, requests)
	for range requests {
		go func() { results <- m.Person("seats.write").Do("POST", "/do", nil).Status }()
	}
	for range requests {
		if status := <-results; status != http.StatusNoContent {
			t.Errorf("one of %d requests for one row: status %d, want 204", requests, status)
		}
	}
}
