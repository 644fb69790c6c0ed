package configuration_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// TestRevisionCountsDocuments checks that every replacement raises the revision, and that one that names an
// older revision writes nothing.
func TestRevisionCountsDocuments(t *testing.T) {
	t.Parallel()
	h := setup(t)
	shows := func(want int64, rows string) {
		t.Helper()
		if got := decode[view](t, h.get(t, path+"/rota")).Rev; got != want || h.rows(t, "rota") != rows {
			t.Errorf("rev %d with %q, want %d with %q", got, h.rows(t, "rota"), want, rows)
		}
	}
	shows(0, "")
	for _, rev := range []string{"1", "2", "9007199254740992"} { // revisions that no document has had
		wantCode(t, h.putAt(t, "rota", `{"title":"ab"}`, rev), http.StatusConflict, "CONFLICT")
	}
	shows(0, "")
	for want, put := range []func() int64{
		func() int64 { return decode[view](t, h.putAt(t, "rota", `{"title":"ab"}`, "0")).Rev },
		// the same values also raise the revision
		func() int64 { return decode[view](t, h.put(t, "rota", `{"title":"ab"}`)).Rev },
		func() int64 { return decode[view](t, h.putAt(t, "rota", `{"size":4}`, "2")).Rev },
		func() int64 { return decode[view](t, h.putAt(t, "rota", `{}`, "3")).Rev },
		func() int64 { return decode[view](t, h.putAt(t, "rota", `{"title":"cd"}`, "4")).Rev },
	} {
		if got := put(); got != int64(want)+1 {
			t.Errorf("replacement %d returned rev %d", want+1, got)
		}
	}
	for _, rev := range []string{"0", "1", "4", "6"} {
		wantCode(t, h.putAt(t, "rota", `{"title":"old"}`, rev), http.StatusConflict, "CONFLICT")
		wantCode(t, h.putAt(t, "rota", `{"title":1}`, rev), http.StatusBadRequest, "CONFIGURATION_VALUE_INVALID")
		wantCode(t, h.putAt(t, "unknown", `{"title":"old"}`, rev), http.StatusNotFound, "MODULE_NOT_INSTALLED")
	}
	for _, rev := range []string{"-1", "1.0", "1e0", `"5"`, "null", "true", "[]", "{}", "99999999999999999999",
		"05"} {
		wantCode(t, h.putAt(t, "rota", `{"title":"old"}`, rev), http.StatusBadRequest, "REQUEST_INVALID")
	}
	for _, query := range []string{"?rev=5", "?a", "?a=", "?=", "?%zz", "?a;b"} {
		for _, module := range []string{"rota", "unknown"} {
			r := request(t.Context(), http.MethodPut, path+"/"+module+query, `{"values":{"title":"old"},"rev":5}`)
			wantCode(t, h.send(r), http.StatusBadRequest, "REQUEST_INVALID")
		}
	}
	shows(5, "title=cd")
	if got := decode[view](t, h.get(t, path+"/plain")).Rev; got != 0 {
		t.Errorf("another module's rev is %d, want 0", got)
	}
}

// TestOneOfManyAtARevision replaces the same revision from several writers at once. Only one succeeds, also
// for the first document.
func TestOneOfManyAtARevision(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const writers = 8
	for rev := range 20 {
		var callers sync.WaitGroup
		var winner, conflicts atomic.Int64
		start := make(chan struct{})
		for i := range writers {
			callers.Go(func() {
				<-start
				w := h.putAt(t, "rota", fmt.Sprintf(`{"free":%d}`, i), strconv.Itoa(rev))
				switch {
				case w.Code == http.StatusOK:
					winner.Add(int64(i) + 1)
				case w.Code == http.StatusConflict && w.Body.String() == `{"code":"CONFLICT"}`:
					conflicts.Add(1)
				default:
					t.Errorf("PUT at revision %d: status %d, want 200 or 409 CONFLICT; body %s", rev, w.Code, w.Body)
				}
			})
		}
		close(start)
		callers.Wait()
		stored := decode[view](t, h.get(t, path+"/rota")).Rev
		rows, want := h.rows(t, "rota"), fmt.Sprintf("free=%d", winner.Load()-1)
		if conflicts.Load() != writers-1 || rows != want || stored != int64(rev)+1 {
			t.Fatalf("rev %d: %d conflicts, rev %d, stored %q, want %q", rev, conflicts.Load(), stored, rows, want)
		}
	}
}

// TestViewIsOfOneState checks that values, revision and restartRequired are of one state, even if another
// request stores values in the meantime.
func TestViewIsOfOneState(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.put(t, "rota", `{"title":"same"}`)
	h.start(t, h.Pool(t))
	other := true
	h.meanwhile = func() {
		other = !other
		h.Exec(t, `UPDATE core.module_configuration SET value = $1`,
			map[bool]string{true: "other", false: "same"}[other])
	}
	for range 4 {
		shown := decode[view](t, h.get(t, path+"/rota"))
		if title := shown.Keys[0].Value; (title == "other") != other || shown.RestartRequired != other {
			t.Errorf("stored other=%v in a process that runs on same: got %v, restartRequired=%v",
				other, title, shown.RestartRequired)
		}
	}
}
