package storage_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

type httpResponse struct {
	status int
	body   string
	header http.Header
}

// fetch reads a URL as a browser would, at address whatever its host.
func fetch(t testing.TB, address, target, part string) httpResponse {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if part != "" {
		request.Header.Set("Range", part)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return httpResponse{response.StatusCode, string(body), response.Header}
}

func TestReadURL(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	put(t, b, everyCharacter, "image/png", "the picture")
	put(t, b, "other", "image/png", "other")
	target, _, err := b.CreateReadURL(t.Context(), everyCharacter, 0, storage.Delivery{})
	if err != nil {
		t.Fatal(err)
	}
	read := fetch(t, server.Address, target, "")
	if read.status != 200 || read.body != "the picture" || read.header.Get("Content-Type") != "image/png" {
		t.Errorf("fetch: status %v, want %v; body %.200q, want %.200q; Content-Type %.200q, want %.200q",
			read.status, 200, read.body, "the picture", read.header.Get("Content-Type"), "image/png")
	}
	if part := fetch(t, server.Address, target, "bytes=2-4"); part.status != 206 || part.body != "e p" {
		t.Errorf("fetch: status %v, want %v; body %.200q, want %.200q",
			part.status, 206, part.body, "e p")
	}
	escaped := strings.Index(target, "?")
	for name, tampered := range map[string]string{
		"lifetime":  strings.Replace(target, "X-Amz-Expires=900", "X-Amz-Expires=9000", 1),
		"key":       target[:strings.Index(target, "/ABC")] + "/other" + target[escaped:],
		"signature": target[:len(target)-1] + string("01"[(target[len(target)-1]&1)^1]),
		"unsigned":  target[:escaped],
	} {
		if tampered == target {
			t.Fatalf("%s: not tampered with", name)
		}
		if result := fetch(t, server.Address, tampered, ""); result.status != 403 ||
			strings.Contains(result.body, "the picture") {
			t.Errorf("%v: fetch: status %v, want %v; body %.400q, want it without %q",
				name, result.status, 403, result.body, "the picture")
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target,
		strings.NewReader("overwritten"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if _, body := get(t, b, everyCharacter, storage.Range{}); response.StatusCode != 403 ||
		body != "the picture" {
		t.Errorf("PUT to a URL for reading: status %d, want a refusal", response.StatusCode)
	}
}

func TestAReadURLExpires(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	provider := open(t, server.Settings)
	b := provider.Bucket("m", "b")
	put(t, b, "a", "", "x")
	provider.SetClock(func() time.Time { return time.Now().Add(-2 * time.Minute) })
	target, expiresAt, err := b.CreateReadURL(t.Context(), "a", time.Minute, storage.Delivery{})
	if err != nil || !expiresAt.Before(time.Now()) {
		t.Fatal(expiresAt, err)
	}
	if result := fetch(t, server.Address, target, ""); result.status != 403 {
		t.Errorf("fetch: status %v, want %v", result.status, 403)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	settings := storagetest.New(t).Settings
	one, two := open(t, settings), open(t, settings)
	for _, lifetime := range []time.Duration{time.Minute, 100 * time.Second, 15 * time.Minute,
		4001 * time.Second, 6 * time.Hour} {
		window := lifetime / 3
		begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Truncate(window).Add(window)
		at := func(p *storage.Provider, since time.Duration) (string, time.Time) {
			p.SetClock(func() time.Time { return begin.Add(since) })
			target, expiresAt, err := p.Bucket("m", "b").CreateReadURL(t.Context(), "a", lifetime,
				storage.Delivery{Unchanging: true})
			if err != nil {
				t.Fatal(err)
			}
			return target, expiresAt
		}
		first, expiresAt := at(one, 0)
		last, lastExpiresAt := at(two, window-1)
		if first != last || expiresAt != lastExpiresAt {
			t.Errorf("%v: two URLs in a window:\n%s\n%s", lifetime, first, last)
		}
		if next, _ := at(one, window); next == first {
			t.Errorf("%v: one URL in two windows", lifetime)
		}
		if left := expiresAt.Sub(begin.Add(window)); left < lifetime-window-time.Second ||
			expiresAt.After(begin.Add(lifetime)) {
			t.Errorf("%v: %v left at the end of the window", lifetime, left)
		}
		parsed, err := url.Parse(first)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := time.Parse("20060102T150405Z", parsed.Query().Get("X-Amz-Date"))
		seconds, badly := time.ParseDuration(parsed.Query().Get("X-Amz-Expires") + "s")
		if err != nil || badly != nil || !signed.Add(seconds).Equal(expiresAt) {
			t.Errorf("%v: expires at %v, not as the URL says", lifetime, expiresAt)
		}
	}
}

func TestLifetimes(t *testing.T) {
	t.Parallel()
	b := open(t, storagetest.New(t).Settings).Bucket("m", "b")
	for _, lifetime := range []time.Duration{-1, 1, time.Minute - 1, 6*time.Hour + 1, -time.Hour, 1<<63 - 1} {
		target, _, err := b.CreateReadURL(t.Context(), "a", lifetime, storage.Delivery{})
		wantCode(t, err, storage.ErrLifetime)
		if target != "" {
			t.Errorf("CreateReadURL for %v: %s, want no URL", lifetime, target)
		}
	}
	for lifetime, seconds := range map[time.Duration]string{
		0: "900", time.Minute: "60", 6 * time.Hour: "21600", 90*time.Second + 5: "90",
	} {
		target, _, err := b.CreateReadURL(t.Context(), "a", lifetime, storage.Delivery{})
		if err != nil || !strings.Contains(target, "X-Amz-Expires="+seconds+"&") {
			t.Errorf("CreateReadURL: error %v, want none; target %.400q, want %q in it; lifetime %v",
				err, target, "X-Amz-Expires="+seconds+"&", lifetime)
		}
	}
}

// TestUnchangingObjects: a browser keeps an object that never changes as long as its URL can be valid, and no
// other.
func TestUnchangingObjects(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	put(t, b, "a", "image/png", "x")
	for unchanging, want := range map[bool]string{true: "private, max-age=7200, immutable", false: ""} {
		target, _, err := b.CreateReadURL(t.Context(), "a", 2*time.Hour, storage.Delivery{Unchanging: unchanging})
		if err != nil {
			t.Fatal(err)
		}
		got := fetch(t, server.Address, target, "")
		if kept := got.header.Get("Cache-Control"); got.status != 200 || kept != want {
			t.Errorf("unchanging %v: status %d, Cache-Control %q; want 200, %q", unchanging, got.status, kept, want)
		}
	}
}

func TestDeliveryEndpoint(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	put(t, images(t, server), "a", "", "delivered")
	settings := server.Settings
	settings.Endpoint, settings.Delivery = "http://inside.example.org:9000", "http://media.example.org"
	target, _, err := open(t, settings).Bucket("announcements", "images").CreateReadURL(t.Context(), "a", 0,
		storage.Delivery{})
	if err != nil || !strings.HasPrefix(target, "http://media.example.org/") ||
		strings.Contains(target, "inside") {
		t.Fatalf("CreateReadURL: error %v, want none; target %.400q, want it to begin with %q; target %.400q, "+
			"want it without %q",
			err, target, "http://media.example.org/", target, "inside")
	}
	if result := fetch(t, server.Address, target, ""); result.status != 200 || result.body != "delivered" {
		t.Errorf("fetch: status %v, want %v; body %.200q, want %.200q",
			result.status, 200, result.body, "delivered")
	}
}
