package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// request is a request of the trial.
type request struct {
	route  *abi.Route
	caller string
	origin string    // "": the trusted one
	body   io.Reader // nil: none
	length int64     // of the body; -1: chunked
	within time.Duration
}

// answer is the response to it.
type answer struct {
	status int
	code   string // of a refusal in the platform's form, by the platform or by the module
	bytes  int64
	err    error // there is no response, or it was cut off
}

// String describes the response to an author.
func (a answer) String() string {
	switch {
	case errors.Is(a.err, context.DeadlineExceeded):
		return "no answer in time"
	case a.err != nil && a.status != 0:
		return fmt.Sprintf("status %d, cut off after %d bytes", a.status, a.bytes)
	case a.err != nil:
		return "no answer: the connection was closed"
	case a.code != "":
		return fmt.Sprintf("status %d %s", a.status, a.code)
	}
	return fmt.Sprintf("status %d, %d bytes", a.status, a.bytes)
}

// failedByHost reports whether the platform sent the response because the module did not.
func (a answer) failedByHost() bool {
	switch a.code {
	case "MODULE_HANDLER_FAILED", "MODULE_UNAVAILABLE", "MODULE_OVERLOADED":
		return true
	}
	return a.err != nil
}

// What the trial reads of an endless response, such as an event stream.
const (
	readAtMost = 1 << 20
	readWithin = time.Second
)

// send sends a request and reads its response, or the beginning of an endless one.
func (i *installation) send(ctx context.Context, q request) answer { return i.sendBy(ctx, i.client, q) }

func (i *installation) sendBy(ctx context.Context, client *http.Client, q request) (a answer) {
	ctx, cancel := context.WithTimeout(ctx, q.within)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, q.route.GetMethod(), i.root+gateway.Prefix+
		i.trial.module.Manifest.ID+examplePath(q.route.GetPath()), q.body)
	if err != nil {
		return answer{err: err}
	}
	if q.body != nil {
		r.ContentLength = q.length
		r.Header.Set("Content-Type", "application/json")
	}
	if q.caller != nobody {
		r.Header.Set(callerHeader, i.token+" "+q.caller)
	}
	r.Header.Set("Origin", home)
	if q.origin != "" {
		r.Header.Set("Origin", q.origin)
	}
	response, err := client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return answer{err: err}
	}
	defer response.Body.Close()
	a.status = response.StatusCode
	body, ended, err := readSome(response.Body, cancel)
	if ended {
		a.err = err
	}
	a.bytes = int64(len(body))
	if a.status >= 400 && a.err == nil {
		a.code = codeIn(body)
	}
	return a
}

// readSome reads a body to its end, or at most readAtMost; ended reports which.
func readSome(from io.Reader, leave func()) (body []byte, ended bool, err error) {
	var left atomic.Bool
	timer := time.AfterFunc(readWithin, func() { left.Store(true); leave() })
	defer timer.Stop()
	body, err = io.ReadAll(io.LimitReader(from, readAtMost))
	return body, !left.Load() && (err != nil || len(body) < readAtMost), err
}

// codeIn returns the code of a refusal in the platform's own form; "" if it is not one.
func codeIn(body []byte) string {
	var refusal struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(body, &refusal)
	if len(refusal.Code) > 64 {
		return ""
	}
	return refusal.Code
}

// examplePath fills a path's wildcards.
func examplePath(path string) string {
	segments := strings.Split(path, "/")
	for n, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			segments[n] = "1"
		}
	}
	return strings.Join(segments, "/")
}

// pattern returns a route's method and path for an author.
func pattern(route *abi.Route) string { return route.GetMethod() + " " + route.GetPath() }

// small returns a request with a small body that most handlers accept, if the route takes a body at all.
func (i *installation) small(route *abi.Route, caller string) request {
	q := request{route: route, caller: caller, within: i.trial.options.response}
	if route.GetMaxBodyBytes() >= 2 {
		q.body, q.length = strings.NewReader("{}"), 2
	}
	return q
}

// filler returns a body of n bytes that is JSON if n is large enough.
func filler(n int64) io.Reader {
	if n < 2 {
		return bytes.NewReader(bytes.Repeat([]byte("1"), int(n)))
	}
	return io.MultiReader(strings.NewReader(`"`), io.LimitReader(letters{}, n-2), strings.NewReader(`"`))
}

// letters is an endless reader.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// pieces returns a body 64 KiB at a time.
type pieces struct{ io.Reader }

func (r pieces) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 64<<10)]) }
