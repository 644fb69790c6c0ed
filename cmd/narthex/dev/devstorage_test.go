package dev

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/storage"
)

// serveObjects runs the storage until the test ends or stop is called.
func serveObjects(t *testing.T, address, folder string) (stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	service := &devStorage{listener, "key", devObjects(folder)}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- service.Serve(ctx) }()
	ended := false
	stop = func() {
		cancel()
		if !ended {
			ended = true
			<-served
		}
	}
	t.Cleanup(stop)
	return stop
}

// TestDevStorage: everything that package storage uses works, and the objects are still there after a
// restart.
func TestDevStorage(t *testing.T) {
	t.Parallel()
	folder, address := t.TempDir(), net.JoinHostPort("127.0.0.1", strconv.Itoa(porttest.Free(t)))
	stop := serveObjects(t, address, folder)
	provider, err := storage.New(environment.Storage{
		Endpoint: "http://" + address, Delivery: "http://" + address, Region: "us-east-1", ForcePathStyle: true,
		BucketPrefix: "narthex",
		AccessKey:    environment.NewSecret("key"), SecretKey: environment.NewSecret("secret"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	images := provider.Bucket("announcements", "images")
	ctx := t.Context()
	if _, err := images.Head(ctx, "a"); err != storage.ErrNotFound {
		t.Errorf("images.Head: error %v, want %v", err, storage.ErrNotFound)
	}
	content := make([]byte, 700_000)
	_, _ = rand.Read(content) // never fails
	for _, key := range []string{"b", "a/" + strings.Repeat("x", 500), "a", "empty"} {
		body := content
		if key == "empty" {
			body = nil
		}
		if _, err := images.Put(ctx, key, "image/png", bytes.NewReader(body)); err != nil {
			t.Fatalf("%v: images.Put: error %v, want none", key, err)
		}
	}
	if _, err := images.Put(ctx, "late", "", &failing{}); err == nil {
		t.Error("a body that fails was stored")
	}
	stop()
	if _, err := images.Head(ctx, "a"); err != storage.ErrUnavailable {
		t.Errorf("images.Head: error %v, want %v", err, storage.ErrUnavailable)
	}
	serveObjects(t, address, folder)

	page, err := images.List(ctx, "a", "", 1)
	if err != nil || len(page.Objects) != 1 || page.Objects[0].Key != "a" ||
		page.Objects[0].Size != int64(len(content)) || page.Next != "a" {
		t.Errorf("images.List: error %v, want none; number of objects %v, want %v; want page.Objects[0].Key to "+
			"be %v; want page.Objects[0].Size to be %v; next %.200q, want %.200q",
			err, len(page.Objects), 1, "a", int64(len(content)), page.Next, "a")
	}
	if page, err = images.List(ctx, "", page.Next, 0); err != nil || len(page.Objects) != 3 || page.Next != "" {
		t.Errorf("images.List: error %v, want none; number of objects %v, want %v; next %.200q, want %.200q",
			err, len(page.Objects), 3, page.Next, "")
	}
	for key, part := range map[string]storage.Range{"a": {}, "b": {Offset: 300_000, Length: 5}, "empty": {}} {
		object, body, err := images.Get(ctx, key, part)
		if err != nil {
			t.Fatalf("%v: images.Get: error %v, want none", key, err)
		}
		got, err := io.ReadAll(body)
		want := content[part.Offset:]
		switch {
		case key == "empty":
			want = nil
		case part.Length > 0:
			want = want[:part.Length]
		}
		if err != nil || body.Close() != nil || !bytes.Equal(got, want) || object.ContentType != "image/png" ||
			object.Modified.IsZero() {
			t.Errorf("Get of %s: %d bytes, want %d; object %+v, want image/png; error %v", key, len(got),
				len(want), object, err)
		}
	}
	if err := errors.Join(images.Delete(ctx, "b"), images.Delete(ctx, "b")); err != nil {
		t.Error(err)
	}
	if _, _, err := images.Get(ctx, "b", storage.Range{}); err != storage.ErrNotFound {
		t.Errorf("images.Get: error %v, want %v", err, storage.ErrNotFound)
	}
	if _, err := images.Put(ctx, "page", "text/html", strings.NewReader("<script>")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "attachment text/html",
		"rota.pdf": "attachment; filename=rota.pdf application/octet-stream"} {
		link, _, err := images.CreateReadURL(ctx, "page", 0, storage.Delivery{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Get(link)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := response.Header.Get("Content-Disposition") + " " +
			response.Header.Get("Content-Type"); got != want {
			t.Errorf("a read URL named %q delivers %s, want %s", name, got, want)
		}
	}
	link, _, err := images.CreateReadURL(ctx, "a", 0, storage.Delivery{})
	if err != nil {
		t.Fatal(err)
	}
	foreign := strings.Replace(link, "X-Amz-Credential=key", "X-Amz-Credential=other", 1)
	over := strings.Replace(link, "X-Amz-Date="+time.Now().UTC().Format("2006"), "X-Amz-Date=2001", 1)
	bare, _, _ := strings.Cut(link, "?")
	for _, c := range []struct {
		method, url string
		status      int
	}{
		{"GET", link, 206}, {"HEAD", link, 206}, {"PUT", link, 403}, {"DELETE", link, 403}, {"POST", link, 403},
		{"GET", foreign, 403}, {"GET", over, 403}, {"GET", bare, 403}, {"GET", "http://" + address + "/", 403},
	} {
		request, err := http.NewRequestWithContext(ctx, c.method, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Range", "bytes=5-9")
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != c.status || c.method == "GET" && c.status == 206 &&
			!bytes.Equal(got, content[5:10]) {
			t.Errorf("%s %s: status %d, want %d; %d bytes", c.method, c.url, response.StatusCode, c.status,
				len(got))
		}
	}
	if _, err := images.Head(ctx, "a"); err != nil {
		t.Error("an unsigned request has changed the object:", err)
	}
}

// failing is a body whose Read fails after its first piece.
type failing struct{ read bool }

func (f *failing) Read(p []byte) (int, error) {
	if f.read {
		return 0, errors.New("broken off")
	}
	f.read = true
	return len(p), nil
}
