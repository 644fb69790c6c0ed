package e2e

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// TestRestartsRefuseNobody restarts the platform repeatedly behind a socket that another process keeps open,
// as narthex.socket does, and behind nginx and Caddy. Clients open a connection for each request, to the
// proxies and to the socket itself. Every request gets a response.
func TestRestartsRefuseNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("restarts under load")
	}
	t.Parallel()
	const restarts = 20
	i := install(t, "base")
	listener, socket := heldSocket(t)
	p := startProxies(t, listener.Addr().String())
	i.useProxies(p)
	start := func() *invocation {
		r := startPrepared(t, commandWithSockets(t, i.environment, socket))
		r.awaitOutput(t, &r.stderr, `"msg":"ready"`)
		return r
	}
	daemon := start()

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var load sync.WaitGroup
	var answered atomic.Int64
	for n := range 6 {
		client := p.browser(n)
		requests := [][2]string{{"GET", "/"}, {"GET", "/api/v1/principal"}, {"POST", "/api/auth/sign-out"}}
		if n >= 4 { // without a proxy the platform has no address for these clients
			client.address = "http://" + listener.Addr().String()
			requests = [][2]string{{"GET", "/api/v1/health/live"}}
		}
		client.transport.DisableKeepAlives = true
		load.Go(func() { askAlone(ctx, client, requests, &answered) })
	}
	for range restarts {
		before := answered.Load()
		eventually(t, "requests are answered", func() bool { return answered.Load() > before+50 })
		daemon.signal(t, syscall.SIGTERM)
		if status := daemon.awaitExit(t); status != cli.ExitSuccess {
			t.Errorf("a stop under load: exit status %d, want %d", status, cli.ExitSuccess)
		}
		daemon = start()
	}
	stop()
	load.Wait()
	t.Logf("%d restarts, %d requests, each on a connection of its own", restarts, answered.Load())
}

// askAlone sends one request after another until ctx ends. Each must succeed.
func askAlone(ctx context.Context, client *person, requests [][2]string, answered *atomic.Int64) {
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		method, path := requests[n%len(requests)][0], requests[n%len(requests)][1]
		var body any
		if method == http.MethodPost {
			body = object{}
		}
		got, err := client.doContext(context.WithoutCancel(ctx), method, path, body)
		if err != nil || got.status != http.StatusOK {
			client.t.Errorf("%s %s%s, after %d answers: status %d, error %v, body %.200q; want 200", method,
				client.address, path, answered.Load(), got.status, err, got.body)
			return
		}
		answered.Add(1)
		<-pace.C
	}
}
