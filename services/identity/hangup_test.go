package identity_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/identity"
)

// When a browser disconnects while it waits in the queue, its place is free at once. The test needs a real
// connection.
func TestHangUpInTheQueue(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	server := httptest.NewServer(http.HandlerFunc(h.handle))
	defer server.Close()
	gate := identity.CheckSemaphore(h.service)
	leave := gate.TakeAll()
	defer leave()

	ctx, hangUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		server.URL+signInPath,
		strings.NewReader(credentials("anna@example.org", password)),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	responded := make(chan error, 1)
	go func() {
		response, err := server.Client().Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		responded <- err
	}()
	await(t, func() bool { return gate.Waiting() == 1 })
	start := time.Now()
	hangUp()
	if err := <-responded; err == nil {
		t.Error("there was a response")
	}
	await(t, func() bool { return gate.Waiting() == 0 })
	if waited := time.Since(start); waited >= identity.MaxWait {
		t.Errorf("left after %v, when its time was up anyway", waited)
	}
	if h.sessions(t) != 0 {
		t.Error("a session was made")
	}
}

// await waits until condition holds. It fails the test after a time that no healthy run needs.
func await(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not hold within the deadline")
		}
	}
}
