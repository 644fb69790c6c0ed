package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// person is one browser.
type person struct {
	address string
	cookie  string
	client  *http.Client
}

// response is the outcome of a request; with an error there is no response, or only a part of it.
type response struct {
	status int
	header http.Header
	body   string
	err    error
	took   time.Duration
}

// String summarises the response.
func (a response) String() string {
	if a.err != nil {
		return fmt.Sprintf("no response (%v)", a.err)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %.120s", a.status, a.body))
}

// is reports whether the response has a status and, unless it is "", a code.
func (a response) is(status int, code string) bool {
	return a.err == nil && a.status == status && (code == "" || a.body == `{"code":"`+code+`"}`)
}

// visitor returns a browser without a session, with connections of its own.
func (p *place) visitor() *person {
	return &person{address: p.address, client: &http.Client{Timeout: patience, Transport: &http.Transport{
		MaxIdleConnsPerHost: 64, IdleConnTimeout: 2 * time.Second}}} // less than the platform's 5 s
}

// as returns a person with the session of another one, on new connections.
func (p *place) as(other *person) *person {
	own := p.visitor()
	own.cookie = other.cookie
	return own
}

// signIn returns a person with a session.
func (p *place) signIn(email, password string) (*person, error) {
	v := p.visitor()
	got := v.do("POST", "/api/auth/sign-in/email", map[string]string{"email": email, "password": password})
	if got.status != http.StatusOK {
		return nil, fmt.Errorf("sign-in: %v", got)
	}
	v.cookie, _, _ = strings.Cut(got.header.Get("Set-Cookie"), ";")
	return v, nil
}

// owner signs the owner in.
func (c *check) owner() *person {
	owner, err := c.signIn(ownerAddress, ownerPassword)
	c.ok(err, "the owner")
	return owner
}

// do sends a request with the headers of the Dashboard and reads the whole response.
func (p *person) do(method, path string, value any) response {
	return p.doContext(context.Background(), method, path, value)
}

func (p *person) doContext(ctx context.Context, method, path string, value any) response {
	return p.doOrigin(ctx, method, path, value, p.address)
}

// doOrigin is doContext for a person whose address differs from the Dashboard's.
func (p *person) doOrigin(ctx context.Context, method, path string, value any, origin string) response {
	began := time.Now()
	got := p.send(ctx, method, path, value, origin)
	got.took = time.Since(began)
	return got
}

func (p *person) send(ctx context.Context, method, path string, value any, origin string) response {
	request, err := p.request(ctx, method, path, value)
	if err != nil {
		return response{err: err}
	}
	if method != http.MethodGet {
		request.Header.Set("Origin", origin)
	}
	received, err := p.client.Do(request)
	if err != nil {
		return response{err: err}
	}
	text, err := io.ReadAll(received.Body)
	err = errors.Join(err, received.Body.Close())
	return response{status: received.StatusCode, header: received.Header, body: string(text), err: err}
}

func (p *person) request(ctx context.Context, method, path string, value any) (*http.Request, error) {
	var body io.Reader
	switch v := value.(type) {
	case nil:
	case io.Reader:
		body = v
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.address+path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if p.cookie != "" {
		request.Header.Set("Cookie", p.cookie)
	}
	return request, nil
}

// stream is one reader of a channel.
type stream struct {
	response *http.Response
	body     *bufio.Reader
	stop     context.CancelFunc
}

// subscribe opens a channel; the caller must close it.
func (p *person) subscribe(ctx context.Context, path string) (*stream, error) {
	ctx, stop := context.WithCancel(ctx)
	request, err := p.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		stop()
		return nil, err
	}
	response, err := p.client.Transport.RoundTrip(request)
	if err != nil {
		stop()
		return nil, err
	}
	s := &stream{response: response, body: bufio.NewReader(response.Body), stop: stop}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		s.close()
		return nil, fmt.Errorf("a stream was refused with %d %s", response.StatusCode, text)
	}
	return s, nil
}

func (s *stream) close() {
	s.stop()
	_ = s.response.Body.Close()
}

// next returns the next event that is not a heartbeat; the error is io.EOF at the end.
func (s *stream) next() (kind, data string, err error) {
	for {
		line, err := s.body.ReadString('\n')
		if err != nil {
			return "", "", err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "event":
			kind = value
		case "data":
			data = value
		case "":
			if kind != "heartbeat" && kind != "" {
				return kind, data, nil
			}
			kind, data = "", ""
		}
	}
}

// isAllowedOfModule reports whether a request to a module whose process dies may get this response
// (docs/reference/error-codes.md).
func isAllowedOfModule(a response) bool {
	switch {
	case a.is(http.StatusOK, ""), a.is(http.StatusInternalServerError, "MODULE_HANDLER_FAILED"),
		a.is(http.StatusServiceUnavailable, "MODULE_OVERLOADED"):
		return true
	case a.is(http.StatusServiceUnavailable, "MODULE_UNAVAILABLE"):
		wait, err := strconv.Atoi(a.header.Get("Retry-After"))
		return err == nil && wait >= 1 && wait <= 30
	}
	return false
}

// bystanders send requests during a fault to routes that it must not affect.
type bystanders struct{ stop func() }

// watch starts to request the paths, each in a goroutine of its own.
func (c *check) watch(owner *person, paths ...string) *bystanders {
	ctx, cancel := context.WithCancel(c.ctx)
	b, asking := &bystanders{}, sync.WaitGroup{}
	counts := make([]int, len(paths))
	for n, path := range paths {
		own := c.as(owner)
		asking.Go(func() {
			since := time.Time{} // not ready since; on a busy machine a single ping may be slow
			for ; ctx.Err() == nil; counts[n]++ {
				got := own.doContext(ctx, "GET", path, nil)
				switch {
				case ctx.Err() != nil:
				case got.status == http.StatusOK:
					since = time.Time{}
				case got.is(503, "NOT_READY") && since.IsZero():
					since = time.Now()
				case got.is(503, "NOT_READY") && time.Since(since) < 5*time.Second:
				default:
					c.wrong("GET %s meanwhile: %v, want 200", path, got)
				}
				select {
				case <-ctx.Done():
				case <-time.After(20 * time.Millisecond): // a steady rate
				}
			}
		})
	}
	b.stop = sync.OnceFunc(func() {
		cancel()
		asking.Wait()
		asked := 0
		for n, count := range counts {
			asked += count
			if count == 0 {
				c.wrong("%s was never asked for", paths[n])
			}
		}
		c.saw("others asked %d times meanwhile", asked)
	})
	c.cleanup(b.stop)
	return b
}

// usualPaths are the paths that a misbehaving module must not affect.
func usualPaths() []string {
	return []string{"/api/v1/principal", "/api/v1/modules/base/plain", "/api/v1/health/ready"}
}

// metric reads a metric without labels from the daemon; -1: it could not be read.
func (p *place) metric(ctx context.Context, name string) float64 {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", p.environment["SERVICE_METRICS_ADDRESS"])
		}}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://metrics/metrics", nil)
	if err != nil {
		return -1
	}
	response, err := client.Do(request)
	if err != nil {
		return -1
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), name+" "); found {
			value, err := strconv.ParseFloat(text, 64)
			if err == nil {
				return value
			}
		}
	}
	return -1
}
