package gateway_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/gateway"
)

var sizes = []int{0, 1, 8 << 10, 8<<10 + 1, 48<<10 - 1, 48 << 10, 64 << 10, 64<<10 + 1, 200_000, 1 << 20}

func TestResponsesOfEverySize(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for _, size := range append(sizes, 32<<20) {
		want := pattern(size)
		for _, path := range []string{"/bytes/", "/known/"} {
			got := p.do("GET", path+strconv.Itoa(size), nil)
			if got.StatusCode != 200 || got.body != want || got.err != nil {
				t.Errorf("GET %s%d: status %d, want 200; %d bytes; error %v", path, size, got.StatusCode,
					len(got.body), got.err)
			}
			if known := size <= 64<<10 || path == "/known/"; known && got.ContentLength != int64(size) {
				t.Errorf("GET %s%d: Content-Length %d, want %d", path, size, got.ContentLength, size)
			}
		}
		head := p.do("HEAD", "/known/"+strconv.Itoa(size), nil)
		if head.StatusCode != 200 || head.body != "" || head.ContentLength != int64(size) {
			t.Errorf("HEAD /known/%d: status %d, want 200; Content-Length %d", size, head.StatusCode,
				head.ContentLength)
		}
	}
}

func TestRequestsOfEverySize(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for _, size := range sizes {
		body := pattern(size)
		for name, reader := range map[string]io.Reader{"declared": strings.NewReader(body),
			"chunked": unsized(body)} {
			if got := p.do("POST", "/echo", reader); got.StatusCode != 200 || got.body != body {
				t.Errorf("POST /echo of %d bytes, %s: status %d, want 200; %d bytes", size, name,
					got.StatusCode, len(got.body))
			}
		}
		if got := p.do("POST", "/ignored", strings.NewReader(body)); got.body != strconv.Itoa(size) {
			t.Errorf("POST /ignored of %d bytes: body %s, want their number", size, got.body)
		}
		want := fmt.Sprintf("%d %d %x", size, size, sha256.Sum256([]byte(body)))
		if got := p.do("POST", "/upload", strings.NewReader(body)); got.body != want {
			t.Errorf("POST /upload of %d bytes: status %d; body %s, want %s", size, got.StatusCode, got.body,
				want)
		}
		if want = "-1" + strings.TrimPrefix(want, strconv.Itoa(size)); size > 0 {
			if got := p.do("POST", "/upload", unsized(body)); got.body != want {
				t.Errorf("chunked POST /upload of %d bytes: status %d; body %s, want %s", size,
					got.StatusCode, got.body, want)
			}
		}
	}
	body := pattern(32 << 20)
	want := fmt.Sprintf("%d %d %x", len(body), len(body), sha256.Sum256([]byte(body)))
	if got := p.do("POST", "/large", strings.NewReader(body)); got.body != want {
		t.Errorf("POST /large of 32 MiB: status %d; body %s, want %s", got.StatusCode, got.body, want)
	}
}

// TestNothingLeaksFromOneRequestIntoAnother mixes bodies that are read, cut short, left unread and aborted,
// in both directions, many at once on few sockets. Every caller must receive its own response.
func TestNothingLeaksFromOneRequestIntoAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("sends 288 long bodies")
	}
	t.Parallel()
	p := start(t, gateway.Limits{})
	var clients sync.WaitGroup
	for client := range 24 {
		clients.Go(func() {
			for i := range 12 {
				switch own := strings.Repeat(fmt.Sprintf("<%d.%d>", client, i), 20_000); (client + i) % 6 {
				case 0:
					if got := p.do("POST", "/echo", strings.NewReader(own)); got.body != own {
						t.Errorf("POST /echo: status %d; %d bytes, want the %d sent; error %v",
							got.StatusCode, len(got.body), len(own), got.err)
					}
				case 1:
					want := fmt.Sprintf("%d %d %x", len(own), len(own), sha256.Sum256([]byte(own)))
					if got := p.do("POST", "/upload", strings.NewReader(own)); got.body != want {
						t.Errorf("POST /upload: status %d; body %s, want %s", got.StatusCode, got.body, want)
					}
				case 2:
					if got := p.do("POST", "/part", strings.NewReader(own)); got.body != "part" {
						t.Errorf("POST /part: status %d; body %s, want part", got.StatusCode, got.body)
					}
				case 3:
					size := 70_000 + 1000*client + i
					if got := p.do("GET", "/bytes/"+strconv.Itoa(size), nil); got.body != pattern(size) {
						t.Errorf("GET /bytes/%d: status %d; %d bytes", size, got.StatusCode, len(got.body))
					}
				case 4: // reads a little of a long response and disconnects
					if response, err := p.client.Do(p.request(t.Context(), "GET", "/endless", nil)); err == nil {
						_, _ = io.ReadFull(response.Body, make([]byte, 100_000))
						_ = response.Body.Close()
					}
				case 5:
					got := p.do("GET", "/stray", nil)
					if rest, own := strings.CutPrefix(got.body, pattern(100<<10)); !own ||
						strings.Trim(rest, "stray") != "" {
						t.Errorf("GET /stray: status %d; %d bytes, want its own alone", got.StatusCode,
							len(got.body))
					}
				}
			}
		})
	}
	clients.Wait()
	p.awaitFreeSockets(t)
}

// awaitFreeSockets waits until every socket is free and usable again.
func (p *platform) awaitFreeSockets(t *testing.T) {
	t.Helper()
	var clients sync.WaitGroup
	for range 32 {
		clients.Go(func() {
			if got := p.do("POST", "/echo", strings.NewReader(pattern(100_000))); got.StatusCode != http.StatusOK ||
				got.body != pattern(100_000) {
				t.Errorf("POST /echo afterwards: status %d, want 200; %d bytes, want 100000", got.StatusCode,
					len(got.body))
			}
		})
	}
	clients.Wait()
}
