package sdktest

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Moment is the call that a module is about to make when the client of its request disconnects.
type Moment int

const (
	AtStatement Moment = iota + 1 // a statement of the database, or a batch of them
	AtCommit
	AtStorage // a call of a bucket
	AtMail
	AtPermission // Host.Can
)

func momentOf(method abi.Method) Moment {
	switch {
	case method == abi.Method_METHOD_QUERY, method == abi.Method_METHOD_EXEC, method == abi.Method_METHOD_BATCH:
		return AtStatement
	case method == abi.Method_METHOD_COMMIT:
		return AtCommit
	case method == abi.Method_METHOD_SEND_MAIL:
		return AtMail
	case method == abi.Method_METHOD_ALLOWED:
		return AtPermission
	case method >= abi.Method_METHOD_BUCKET_LIST && method <= abi.Method_METHOD_BUCKET_READ_URL:
		return AtStorage
	}
	return 0
}

// Disconnect sends a request and resets its connection when the module is about to make the call that when
// names. The request's context ends before the call is executed. Disconnect fails the test when the module
// responds first.
func (c *Caller) Disconnect(request *http.Request, when Moment) {
	c.module.tb.Helper()
	var connection net.Conn
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (conn net.Conn, err error) {
			connection, err = new(net.Dialer).DialContext(ctx, network, address)
			return connection, err
		},
	}
	c.module.faults.disconnectAt(when, func() {
		if tcp, reliable := connection.(*net.TCPConn); reliable {
			_ = tcp.SetLinger(0) // a normal close does not cancel a request in progress
		}
		_ = connection.Close()
	})
	response, err := transport.RoundTrip(request)
	if err == nil {
		_ = response.Body.Close()
		c.module.tb.Fatalf("sdktest: the module responded %d before its client had left", response.StatusCode)
	}
}

func (f *faults) disconnectAt(when Moment, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancel = map[Moment]func(){when: leave}
}

// leave makes the client disconnect if the test has requested it for this moment. It waits until the module
// has been notified and has cancelled its call.
func (f *faults) leave(ctx context.Context, moment Moment) {
	f.mu.Lock()
	cancel := f.cancel[moment]
	delete(f.cancel, moment)
	f.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel()
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second): // a call whose context is not the request's continues
	}
}
