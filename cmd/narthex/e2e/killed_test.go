package e2e

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestKilledAHundredTimes kills modules while 50 clients send them bodies of every size. Every request gets a
// response, each module is restarted each time, and nothing else is affected. Each module is killed only four
// times, because the platform pauses before the fifth restart. Responses are short, because the loss of the
// rest of a long response can only be seen as a closed connection.
func TestKilledAHundredTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred restarts of modules")
	}
	t.Parallel()
	const modules, kills, senders = 25, 4, 50
	ids := make([]string, modules)
	for n := range ids {
		ids[n] = fmt.Sprintf("victim-%02d", n)
	}
	b := startWithFaulty(t, ids...)
	var target atomic.Pointer[string]
	target.Store(&ids[0])
	var served, sent, killed atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	all := make([]*sender, senders)
	for n := range all {
		body := strings.Repeat(fmt.Sprintf("<%02d>", n), []int{1, 1000, 2100, 30_000}[n%4])
		all[n] = &sender{person: b.newConnection(t), body: body,
			want: fmt.Sprintf("%d %x", len(body), sha256.Sum256([]byte(body)))}
		sending.Go(func() {
			for ctx.Err() == nil {
				if all[n].send(t, context.Background(), *target.Load(), &killed) {
					served.Add(1)
				} else {
					time.Sleep(50 * time.Millisecond) // the pause of a refused client
				}
				sent.Add(1)
			}
		})
	}
	for _, id := range ids {
		target.Store(&id)
		for range kills {
			before := served.Load()
			eventually(t, "the senders are served", func() bool { return served.Load() >= before+senders/2 })
			pid := modulePID(t, b.daemon, id)
			killed.Add(1)
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			b.awaitRestart(t, b.owner, id, pid)
		}
	}
	stop()
	sending.Wait()
	var outlived int64
	for _, s := range all {
		outlived = max(outlived, s.outlived)
	}
	if outlived > 3*kills { // a hanging call would end after 30 s
		t.Errorf("a request outlived %d processes, want at most %d", outlived, 3*kills)
	}
	lost := 0
	for _, id := range ids {
		lost += len(b.lostProcesses(t, id, kills))
	}
	if lost != modules*kills {
		t.Errorf("the log tells of %d lost processes, want %d", lost, modules*kills)
	}
	t.Logf("%d requests, %d served; one outlived %d processes", sent.Load(), served.Load(), outlived)
}

// sender is one of many clients that send requests without pause. It sends no GETs, because net/http repeats
// those if a connection is reset.
type sender struct {
	*person
	body, want string
	outlived   int64 // the most processes that were killed during one request
}

func (s *sender) send(t *testing.T, ctx context.Context, id string, killed *atomic.Int64) (served bool) {
	before := killed.Load()
	got, err := s.doContext(ctx, "POST", "/api/v1/modules/"+id+"/slow",
		io.MultiReader(strings.NewReader(s.body)))
	s.outlived = max(s.outlived, killed.Load()-before)
	switch {
	case err != nil:
		t.Errorf("POST /slow of %s: error %v, want a response", id, err)
	case !isAllowedResponse(got):
		t.Errorf("POST /slow of %s: status %d; body %s, want 200 or an allowed refusal", id, got.status,
			got.body)
	case got.status == http.StatusOK && got.body != s.want:
		t.Errorf("POST .../%s/slow: the response to another request: %.100s", id, got.body)
	}
	return err == nil && got.status == http.StatusOK
}
