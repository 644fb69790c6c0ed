package storage_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "4") // the tests wait for deadlines; -parallel on the command line wins
	leaktest.Main(m)
}

func open(t testing.TB, settings setting.Storage) *storage.Provider {
	t.Helper()
	provider, err := storage.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	return provider
}

func images(t testing.TB, server *storagetest.Server) *storage.Bucket {
	t.Helper()
	return open(t, server.Settings).Bucket("announcements", "images")
}

func put(t testing.TB, b *storage.Bucket, key, contentType, body string) storage.Object {
	t.Helper()
	object, err := b.Put(t.Context(), key, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
	return object
}

func get(t testing.TB, b *storage.Bucket, key string, part storage.Range) (storage.Object, string) {
	t.Helper()
	object, body, err := b.Get(t.Context(), key, part)
	if err != nil {
		t.Fatalf("get %s %v: %v", key, part, err)
	}
	defer func() { _ = body.Close() }()
	content, err := io.ReadAll(body)
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	return object, string(content)
}

func wantCode(t testing.TB, err error, code storage.Error) {
	t.Helper()
	if err != code {
		t.Errorf("storage: error %v, want %v", err, code)
	}
}

func keys(page storage.Page) (keys []string) {
	for _, object := range page.Objects {
		keys = append(keys, object.Key)
	}
	return keys
}

const everyCharacter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/0123456789/!_.*'()-"

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	for _, c := range []struct{ key, contentType, stored, body string }{
		{"plain", "text/plain; charset=utf-8", "text/plain; charset=utf-8", "hello"},
		{"empty", "image/png", "image/png", ""},
		{everyCharacter, "", "application/octet-stream", "x"},
		{"injected", "text/html\r\nX-Amz-Acl: public-read", "application/octet-stream", "y"},
		{"piece", "image/png", "image/png", strings.Repeat("p", 256<<10)},
		{"file", "image/png", "image/png", strings.Repeat("f", 256<<10+1)},
	} {
		began := time.Now().Truncate(time.Second) // the server's times have whole seconds
		made := put(t, b, c.key, c.contentType, c.body)
		head, err := b.Head(t.Context(), c.key)
		if err != nil {
			t.Fatal(err)
		}
		read, body := get(t, b, c.key, storage.Range{})
		if body != c.body || read != head || head.ContentType != c.stored || head.Size != int64(len(c.body)) {
			t.Errorf("%s: %d bytes, %+v, %+v", c.key, len(body), read, head)
		}
		if head.Modified.Before(began) || head.Modified.After(time.Now()) {
			t.Errorf("%s: modified at %v, want a time since %v", c.key, head.Modified, began)
		}
		if head.Modified = (time.Time{}); made != head {
			t.Errorf("%s: put said %+v, head %+v", c.key, made, head)
		}
	}
	put(t, b, "plain", "text/plain", "replaced")
	if _, body := get(t, b, "plain", storage.Range{}); body != "replaced" {
		t.Errorf("after a second Put the object is %s, want what was put last", body)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	b := images(t, storagetest.New(t))
	put(t, b, "ten", "text/plain", "0123456789")
	put(t, b, "none", "text/plain", "")
	for _, c := range []struct {
		key  string
		part storage.Range
		want string
	}{
		{"ten", storage.Range{Length: 1}, "0"},
		{"ten", storage.Range{Offset: 3, Length: 4}, "3456"},
		{"ten", storage.Range{Offset: 9}, "9"},
		{"ten", storage.Range{Offset: 8, Length: 100}, "89"},
		{"ten", storage.Range{Offset: 8, Length: 1<<64 - 1}, "89"},
		{"ten", storage.Range{Offset: 10}, ""},
		{"ten", storage.Range{Offset: 1<<64 - 1, Length: 1<<64 - 1}, ""},
		{"none", storage.Range{Length: 1}, ""},
	} {
		if object, body := get(t, b, c.key, c.part); body != c.want || c.key == "ten" && object.Size != 10 {
			t.Errorf("%s %+v: %q of %d", c.key, c.part, body, object.Size)
		}
	}
	_, _, err := b.Get(t.Context(), "absent", storage.Range{Offset: 5})
	wantCode(t, err, storage.ErrNotFound)
}

// TestCallsWithoutABucket checks that calls respond the same with and without a bucket, and that only a put
// creates one.
func TestCallsWithoutABucket(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	absent := func() {
		t.Helper()
		page, err := b.List(t.Context(), "", "", 0)
		if err != nil || len(page.Objects) != 0 || page.Next != "" {
			t.Errorf("List: error %v, want none; number of objects %v, want %v; next %.200q, want %.200q",
				err, len(page.Objects), 0, page.Next, "")
		}
		_, err = b.Head(t.Context(), "a")
		wantCode(t, err, storage.ErrNotFound)
		_, _, err = b.Get(t.Context(), "a", storage.Range{})
		wantCode(t, err, storage.ErrNotFound)
		if err := b.Delete(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	absent()
	other := open(t, server.Settings).Bucket("announcements", "other")
	put(t, other, "a", "", "not in this bucket")
	absent()
	put(t, b, "a", "", "x")
	for range 2 {
		if err := b.Delete(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	absent()
	if _, body := get(t, other, "a", storage.Range{}); body != "not in this bucket" {
		t.Errorf("get: body %.200q, want %.200q", body, "not in this bucket")
	}
}

func TestInvalidKeysAreRefusedWithoutAsking(t *testing.T) {
	t.Parallel()
	settings := storagetest.New(t).Settings
	settings.Endpoint = "http://127.0.0.1:1" // no server
	b := open(t, settings).Bucket("m", "b")
	for _, key := range []string{"", "../x", "a b", strings.Repeat("k", 513)} {
		_, err := b.Head(t.Context(), key)
		wantCode(t, err, storage.ErrKey)
		_, _, err = b.Get(t.Context(), key, storage.Range{})
		wantCode(t, err, storage.ErrKey)
		_, err = b.Put(t.Context(), key, "", strings.NewReader(""))
		wantCode(t, err, storage.ErrKey)
		wantCode(t, b.Delete(t.Context(), key), storage.ErrKey)
		_, _, err = b.CreateReadURL(t.Context(), key, 0, storage.Delivery{})
		wantCode(t, err, storage.ErrKey)
	}
	for _, position := range [][2]string{{"a b", ""}, {"", "\x00"}, {"", "\xff"},
		{"", strings.Repeat("k", 1025)}} {
		_, err := b.List(t.Context(), position[0], position[1], 0)
		wantCode(t, err, storage.ErrKey)
	}
}

func TestListPaging(t *testing.T) {
	t.Parallel()
	b := images(t, storagetest.New(t))
	var all []string
	for i := range 25 {
		all = append(all, fmt.Sprintf("slides/%02d", i))
	}
	all = append(all, "slides.txt", "slides-old/a", "slides/"+everyCharacter, "z")
	for _, key := range all {
		put(t, b, key, "", key)
	}
	slices.Sort(all)
	for _, c := range []struct {
		prefix string
		limit  int
	}{{"", 0}, {"", 1}, {"", 7}, {"slides/", 10}, {"slides", 1000}, {"sl", 1 << 30}, {"absent/", 3}, {"..", 0}} {
		var want, got []string
		for _, key := range all {
			if strings.HasPrefix(key, c.prefix) {
				want = append(want, key)
			}
		}
		for after, pages := "", 0; pages <= len(all); pages++ {
			page, err := b.List(t.Context(), c.prefix, after, c.limit)
			if err != nil {
				t.Fatalf("List: error %v, want none; c %v", err, c)
			}
			if c.limit > 0 && len(page.Objects) > c.limit {
				t.Errorf("List of %+v: a page of %d objects, which is not what was asked for", c, len(page.Objects))
			}
			got = append(got, keys(page)...)
			if after = page.Next; after == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("List with %+v: keys\n%v\nwant\n%v", c, got, want)
		}
	}
	page, err := b.List(t.Context(), "slides/07", "", 1)
	if err != nil || len(page.Objects) != 1 {
		t.Fatalf("List: error %v, want none; number of objects %v, want %v; page %v",
			err, len(page.Objects), 1, page)
	}
	if object := page.Objects[0]; object.Size != 9 || object.ETag == "" || object.Modified.IsZero() {
		t.Errorf("object %+v, want 9 bytes with an ETag and a time", object)
	}
}

func TestConcurrentFirstUse(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	var waiting sync.WaitGroup
	for _, provider := range []*storage.Provider{open(t, server.Settings), open(t, server.Settings)} {
		for i := range 20 {
			waiting.Go(func() {
				key := fmt.Sprintf("%p/%d", provider, i)
				if _, err := provider.Bucket("m", "b").Put(t.Context(), key, "", strings.NewReader(key)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	waiting.Wait()
	page, err := open(t, server.Settings).Bucket("m", "b").List(t.Context(), "", "", 0)
	if err != nil || len(page.Objects) != 40 {
		t.Errorf("%d objects, want 40; error %v", len(page.Objects), err)
	}
}

// TestALargeFirstPut is refused while its body is still being sent, so the client often does not receive the
// refusal.
func TestALargeFirstPut(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 80 MiB")
	}
	t.Parallel()
	server := storagetest.New(t)
	big := strings.Repeat("y", 8<<20)
	for range 10 {
		put(t, images(t, server), "a", "", big)
		server.Remove(t)
	}
}

func TestDeletedBucketIsCreatedAgain(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	put(t, b, "a", "", "x")
	server.Remove(t)
	big := strings.Repeat("y", 3<<20)
	put(t, b, "a", "", big)
	if _, body := get(t, b, "a", storage.Range{}); body != big {
		t.Error("not what was put")
	}
}

func TestHostsOfBuckets(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t, "--virtual-domain", "s3.test")
	settings := server.Settings
	settings.Endpoint, settings.Delivery, settings.ForcePathStyle = "http://s3.test", "http://s3.test", false
	provider := open(t, settings)
	provider.DialTo(server.Address)
	b := provider.Bucket("announcements", "images")
	put(t, b, everyCharacter, "text/plain", "by host")
	if _, body := get(t, b, everyCharacter, storage.Range{}); body != "by host" {
		t.Errorf("get: body %.200q, want %.200q", body, "by host")
	}
	url, _, err := b.CreateReadURL(t.Context(), everyCharacter, 0, storage.Delivery{})
	host := "http://" + storage.PhysicalName("narthex", "announcements", "images") + ".s3.test/ABC"
	if err != nil || !strings.HasPrefix(url, host) {
		t.Fatalf("CreateReadURL: %s, want it to begin with %s; error %v", url, host, err)
	}
	if result := fetch(t, server.Address, url, ""); result.status != 200 || result.body != "by host" {
		t.Errorf("fetch: status %v, want %v; body %.200q, want %.200q",
			result.status, 200, result.body, "by host")
	}
}

func TestNewRefusesWhatIsNoService(t *testing.T) {
	t.Parallel()
	good := setting.Storage{Endpoint: "https://s3.example.org", Delivery: "https://s3.example.org"}
	open(t, good)
	for _, broken := range []setting.Storage{{}, {Endpoint: good.Endpoint},
		{Endpoint: "s3.example.org", Delivery: good.Delivery},
		{Endpoint: "ftp://s3.example.org", Delivery: good.Delivery},
		{Endpoint: good.Endpoint, Delivery: "https://"}} {
		if _, err := storage.New(broken); !errors.Is(err, storage.ErrSettings) {
			t.Errorf("storage.New: error %v, want %v; broken %v",
				err, storage.ErrSettings, broken)
		}
	}
}

func TestNothingPrintsSecrets(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	provider := open(t, server.Settings)
	b := provider.Bucket("m", "b")
	put(t, b, "a", "", "x")
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		fmt.Fprintf(&out, verb+verb, provider, b)
	}
	for _, secret := range []string{storagetest.AccessKey, storagetest.SecretKey} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("provider and bucket are printed with the secret %s, want it left out: %s", secret, &out)
		}
	}
}
