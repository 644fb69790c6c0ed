package identity_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/waittest"
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
	gate.WaitAtMost(time.Hour) // so that only the hang-up ends the wait
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
	waittest.Until(t, "the sign-in waits", func() bool { return gate.Waiting() == 1 })
	hangUp()
	if err := <-responded; err == nil {
		t.Error("there was a response")
	}
	waittest.Until(t, "nobody waits", func() bool { return gate.Waiting() == 0 })
	if h.sessions(t) != 0 {
		t.Error("a session was made")
	}
}
