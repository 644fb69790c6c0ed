package browsertest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fault is a failure between a screen and the platform.
type fault int32

const (
	passes          fault = iota
	refuses               // connections are closed without a response
	badGateway            // 502 with HTML
	portal                // 200 with HTML, as from a captive portal
	unknownStream         // 404 in plain text for streams alone, as from a proxy that is being set up
	forbiddenStream       // 403 with HTML for streams alone, as from a firewall
	cutsBodies            // the header and half of the body
	staysSilent           // accepts the request and never responds
)

// faultProxy is a proxy in front of the platform with an origin of its own. It can simulate faults.
type faultProxy struct {
	origin string
	fault  atomic.Int32
	asked  atomic.Int32 // requests that met the present fault
	beats  atomic.Bool  // adds comments to streams, for pages whose clock runs fast
	gate   atomic.Pointer[gate]
	update atomic.Pointer[update]
	script atomic.Pointer[hostScript]

	scriptFault atomic.Pointer[scriptFault]

	server *http.Server
	open   *connections
}

// newFront listens at once, because the platform needs its origin before it starts.
func newFront(t *testing.T, platformPort string) *faultProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse("http://127.0.0.1:" + platformPort)
	if err != nil {
		t.Fatal(err)
	}
	f := &faultProxy{origin: "http://" + listener.Addr().String(), open: &connections{all: map[net.Conn]bool{}}}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(f.update.Load().target(r.In.URL.Path, target))
			r.Out.Host = r.In.Host
			f.script.Load().rewrite(r.Out)
		},
		FlushInterval:  -1,
		ModifyResponse: f.modify,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	f.server = &http.Server{Handler: f.handler(proxy), ConnState: f.open.note}
	go func() { _ = f.server.Serve(listener) }()
	t.Cleanup(func() { _ = f.server.Close() })
	return f
}

// untrusted is an address of the same pages whose origin the platform does not trust.
func (f *faultProxy) untrusted() string {
	return strings.Replace(f.origin, "127.0.0.1", "localhost", 1)
}

// setFault begins a fault and closes open connections, except if the fault is silence.
func (f *faultProxy) setFault(how fault) {
	f.fault.Store(int32(how))
	f.asked.Store(0)
	if how != passes && how != staysSilent {
		f.open.cut()
	}
}

func (f *faultProxy) handler(platform http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const page = "<!doctype html><title>Not the platform</title><p>Sign in to the guest network."
		how := fault(f.fault.Load())
		if (how == unknownStream || how == forbiddenStream) && !strings.Contains(r.URL.Path, "/module-realtime/") {
			how = passes
		}
		if how != passes {
			f.asked.Add(1)
		}
		switch how {
		case refuses:
			panic(http.ErrAbortHandler)
		case badGateway:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, page)
		case portal:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, page)
		case unknownStream:
			http.Error(w, "404 page not found", http.StatusNotFound)
		case forbiddenStream:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, page)
		case staysSilent:
			<-r.Context().Done()
		default:
			if !f.scriptFault.Load().handles(w, r) && f.gate.Load().passes(r) {
				platform.ServeHTTP(w, r)
			}
		}
	})
}

func (f *faultProxy) modify(response *http.Response) error {
	if fault(f.fault.Load()) == cutsBodies {
		body, err := io.ReadAll(io.LimitReader(response.Body, 64))
		if err != nil {
			return err
		}
		length := max(len(body), 2)
		response.Body = io.NopCloser(io.MultiReader(&prefix{body[:len(body)/2]}, failing{}))
		response.ContentLength = int64(length)
		response.Header.Set("Content-Length", fmt.Sprint(length))
		response.Header.Del("Content-Encoding")
		return nil
	}
	if response.Header.Get("Content-Type") == "text/event-stream" && f.beats.Load() {
		response.Body = beating(response.Body)
	}
	return f.script.Load().modify(response)
}

// prefix is a reader of the given bytes.
type prefix struct{ rest []byte }

func (p *prefix) Read(into []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(into, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("cut") }

// beating adds a comment line to a stream ten times a second, between two reads of the original stream.
func beating(body io.ReadCloser) io.ReadCloser {
	out, in := io.Pipe()
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		buffer := make([]byte, 64<<10)
		for {
			n, err := body.Read(buffer)
			if n > 0 {
				chunks <- append([]byte(nil), buffer[:n]...)
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		broken := false
		for {
			var next []byte
			select {
			case chunk, more := <-chunks:
				if !more {
					_ = in.CloseWithError(io.ErrUnexpectedEOF)
					return
				}
				next = chunk
			case <-tick.C:
				next = []byte(":\n")
			}
			if broken {
				continue // drain the stream to its end, so that its reader does not block for ever
			}
			if _, err := in.Write(next); err != nil {
				broken = true
				_ = body.Close()
			}
		}
	}()
	return out
}
