package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// serveWithStorage starts a module with one bucket, images.
func serveWithStorage(t *testing.T, images facade.Bucket) *sdk.Bucket {
	t.Helper()
	m := &module{}
	config := facade.Config{ModuleID: "keeper", Buckets: map[string]facade.Bucket{"images": images}}
	serveWith(t, m, config).started()
	return m.host.Storage.Bucket("images")
}

func onServer(t *testing.T) (*sdk.Bucket, *storagetest.Server) {
	t.Helper()
	server := storagetest.New(t)
	provider, err := storage.New(server.Settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	return serveWithStorage(t, provider.Bucket("keeper", "images")), server
}

func randomBytes(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	return content
}

func readAll(t *testing.T, body io.ReadCloser, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close(), body.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := body.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Error("a closed body reads:", err)
	}
	return content
}

func TestStorage(t *testing.T) {
	t.Parallel()
	images, _ := onServer(t)
	ctx := t.Context()
	content := randomBytes(700_000)
	for _, c := range []struct {
		key  string
		body io.Reader
		want []byte
	}{
		{"empty", strings.NewReader(""), nil},
		{"small", iotest.OneByteReader(strings.NewReader("small")), []byte("small")},
		{"large", iotest.HalfReader(bytes.NewReader(content)), content},
		{"large", iotest.DataErrReader(bytes.NewReader(content[:300_000])), content[:300_000]},
	} {
		stored, err := images.Put(ctx, c.key, "image/png", c.body)
		if err != nil || stored.Key != c.key || stored.Size != int64(len(c.want)) ||
			stored.ContentType != "image/png" || stored.ETag == "" {
			t.Fatalf("images.Put: error %v, want none; key %v, want %v; size %v, want %v; contentType %.200q, want "+
				"%.200q; ETag %.200q, want another",
				err, stored.Key, c.key, stored.Size, int64(len(c.want)), stored.ContentType, "image/png", stored.ETag)
		}
		object, body, err := images.Get(ctx, c.key)
		if got := readAll(t, body, err); !bytes.Equal(got, c.want) || object.ETag != stored.ETag ||
			object.Modified.IsZero() {
			t.Errorf("Get of %s: %d bytes, want %d; object %+v, want %+v", c.key, len(got), len(c.want),
				object, stored)
		}
	}
	_, body, err := images.GetPart(ctx, "large", 10, 270_000)
	if got := readAll(t, body, err); !bytes.Equal(got, content[10:270_010]) {
		t.Errorf("GetPart: %d bytes, want the 270000 from 10 on", len(got))
	}
	_, body, err = images.Get(ctx, "large")
	if err != nil {
		t.Fatal(err)
	}
	var copied bytes.Buffer
	if n, err := io.Copy(&copied, body); n != 300_000 || err != nil ||
		!bytes.Equal(copied.Bytes(), content[:300_000]) || body.Close() != nil {
		t.Errorf("io.Copy: %d bytes, want the 300000 stored; error %v", n, err)
	}
	page, err := images.List(ctx, "", "", 2)
	if err != nil || len(page.Objects) != 2 || page.Objects[1].Key != "large" || page.Next != "large" {
		t.Errorf("images.List: error %v, want none; number of objects %v, want %v; want page.Objects[1].Key to "+
			"be %v; next %.200q, want %.200q",
			err, len(page.Objects), 2, "large", page.Next, "large")
	}
	if page, err = images.List(ctx, "", page.Next, 0); err != nil || len(page.Objects) != 1 || page.Next != "" {
		t.Errorf("images.List: error %v, want none; number of objects %v, want %v; next %.200q, want %.200q",
			err, len(page.Objects), 1, page.Next, "")
	}
	url, expiresAt, err := images.CreateReadURL(ctx, "small", 0)
	if left := time.Until(expiresAt); err != nil || left < 10*time.Minute || left > 15*time.Minute {
		t.Errorf("time.Until: error %v, want none; left %v, want at least %v; left %v, want at most %v",
			err, left, 10*time.Minute, left, 15*time.Minute)
	}
	response, err := http.Get(url)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("http.Get: error %v, want none; want response.StatusCode to be %v; response %v",
			err, http.StatusOK, response)
	}
	_ = response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	for range 2 {
		if err := images.Delete(ctx, "small"); err != nil {
			t.Error(err)
		}
	}
	if _, err := images.Head(ctx, "small"); !errors.Is(err, sdk.ErrNotFound) {
		t.Errorf("images.Head: error %v, want %v", err, sdk.ErrNotFound)
	}
}

func TestStorageErrors(t *testing.T) {
	t.Parallel()
	images, server := onServer(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var none *sdk.Storage
	get := func(b *sdk.Bucket, ctx context.Context, key string) error {
		_, _, err := b.Get(ctx, key)
		return err
	}
	put := func(b *sdk.Bucket, ctx context.Context, key string, body io.Reader) error {
		_, err := b.Put(ctx, key, "\xff", body)
		return err
	}
	link := func(lifetime time.Duration) error {
		_, _, err := images.CreateReadURL(t.Context(), "a", lifetime)
		return err
	}
	source := errors.New("the camera went away")
	for name, c := range map[string]struct{ got, want error }{
		"no bucket to read":  {get(none.Bucket("images"), t.Context(), "a"), sdk.ErrAccessDenied},
		"no bucket to write": {put(none.Bucket("images"), t.Context(), "a", nil), sdk.ErrAccessDenied},
		"no bucket to empty": {none.Bucket("images").Delete(t.Context(), "a"), sdk.ErrAccessDenied},
		"absent":             {get(images, t.Context(), "a"), sdk.ErrNotFound},
		"no UTF-8":           {get(images, t.Context(), "\xff"), sdk.ErrKeyInvalid},
		"a book for a key":   {get(images, t.Context(), strings.Repeat("x", 2<<20)), sdk.ErrKeyInvalid},
		"the caller is gone": {get(images, gone, "a"), context.Canceled},
		"and does not write": {put(images, gone, "a", strings.NewReader("x")), context.Canceled},
		"59 s":               {link(59 * time.Second), sdk.ErrLifetimeInvalid},
		"a moment":           {link(time.Millisecond), sdk.ErrLifetimeInvalid},
		"a moment too long":  {link(6*time.Hour + 1), sdk.ErrLifetimeInvalid},
		"the body's own": {put(images, t.Context(), "a",
			io.MultiReader(bytes.NewReader(randomBytes(300_000)), iotest.ErrReader(source))), source},
		"a body that stops": {put(images, t.Context(), "a",
			io.MultiReader(strings.NewReader("x"), endlessReader(false))), io.ErrNoProgress},
		"a body without end": {put(images, t.Context(), "a", endlessReader(true)), sdk.ErrTooLarge},
		"no key":             {put(images, t.Context(), "a b", strings.NewReader("x")), sdk.ErrKeyInvalid},
		"no content type":    {put(images, t.Context(), "b", strings.NewReader("x")), nil},
	} {
		if !errors.Is(c.got, c.want) || c.want == nil && c.got != nil {
			t.Errorf("Put of %s: error %v, want %v", name, c.got, c.want)
		}
	}
	for range 5 { // more often than there are slots
		if err := put(images, t.Context(), "a", iotest.ErrReader(source)); err != source {
			t.Fatalf("put: error %v, want %v", err, source)
		}
		func() {
			defer func() { _ = recover() }()
			_ = put(images, t.Context(), "panic", panickingReader{})
		}()
	}
	for _, file := range server.Files(t) {
		if !strings.HasPrefix(file, ".vgwlocks/") && !strings.HasSuffix(file, "/b") {
			t.Error("left behind:", file)
		}
	}
	server.Stop()
	if err := get(images, t.Context(), "b"); err != sdk.ErrUnavailable {
		t.Errorf("get: error %v, want %v", err, sdk.ErrUnavailable)
	}
}

// endlessReader is a body without end. It returns bytes, or no byte at each read.
type endlessReader bool

func (b endlessReader) Read(p []byte) (int, error) {
	if b {
		return len(p), nil
	}
	return 0, nil
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("hunter2") }

// TestStorageCodesAreOne: the SDK does not import the host, so its codes are defined twice and must be equal.
func TestStorageCodesAreOne(t *testing.T) {
	t.Parallel()
	for ours, theirs := range map[sdk.Error]storage.Error{
		sdk.ErrNotFound: storage.ErrNotFound, sdk.ErrKeyInvalid: storage.ErrKey,
		sdk.ErrAccessDenied: storage.ErrAccessDenied,
		sdk.ErrTooLarge:     storage.ErrTooLarge, sdk.ErrLifetimeInvalid: storage.ErrLifetime,
		sdk.ErrTimeout:     storage.ErrTimeout,
		sdk.ErrUnavailable: storage.ErrUnavailable,
	} {
		if ours.Code() != theirs.Code() {
			t.Errorf("the SDK's error %s stands for the platform's %s, want the same code", ours, theirs)
		}
	}
}

// countingBucket counts the open gets and puts.
type countingBucket struct {
	facade.Bucket
	open, most atomic.Int32
}

func (c *countingBucket) begin() {
	now := c.open.Add(1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
}

func (c *countingBucket) Get(context.Context, string, storage.Range) (storage.Object, io.ReadCloser, error) {
	c.begin()
	return storage.Object{Size: 600_000}, &countedBody{endlessReader(true), c}, nil
}

func (c *countingBucket) Put(_ context.Context, key, _ string, body io.Reader) (storage.Object, error) {
	c.begin()
	defer c.open.Add(-1)
	_, err := io.Copy(io.Discard, body)
	return storage.Object{Key: key}, err
}

type countedBody struct {
	io.Reader
	c *countingBucket
}

func (b *countedBody) Close() error {
	b.c.open.Add(-1)
	return nil
}

// TestStorageTakesTurns: many concurrent calls are served one after the other and none is refused, even when
// the body of a Put is an object that Get reads.
func TestStorageTakesTurns(t *testing.T) {
	t.Parallel()
	bucket := &countingBucket{}
	images := serveWithStorage(t, bucket)
	var copies sync.WaitGroup
	for n := range 24 {
		copies.Go(func() {
			_, body, err := images.Get(t.Context(), "a")
			if err != nil {
				t.Error(err)
				return
			}
			if n%3 == 0 { // closed before its end
				_, _ = body.Read(make([]byte, 10))
			} else if _, err := images.Put(t.Context(), "b", "", body); err != nil {
				t.Error(err)
			}
			if err := body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	copies.Wait()
	if open, most := bucket.open.Load(), bucket.most.Load(); open != 0 || most > 8 {
		t.Errorf("%d bodies are open, want none; %d at once, want at most 8", open, most)
	}
}
