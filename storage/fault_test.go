package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// everyCall makes each call that reaches the storage service, within 2 minutes for all, and returns their
// errors.
func everyCall(ctx context.Context, b *storage.Bucket) map[string]error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	failures := make(map[string]error)
	_, failures["list"] = b.List(ctx, "", "", 0)
	_, failures["head"] = b.Head(ctx, "a")
	_, _, failures["get"] = b.Get(ctx, "a", storage.Range{})
	_, _, failures["part"] = b.Get(ctx, "a", storage.Range{Offset: 1, Length: 2})
	_, failures["put"] = b.Put(ctx, "a", "", strings.NewReader("x"))
	_, failures["large put"] = b.Put(ctx, "a", "", io.LimitReader(new(lettersReader), 8<<20))
	failures["delete"] = b.Delete(ctx, "a")
	return failures
}

// wantEvery compares with ==: no error is wrapped, so no verb of fmt can print more than the code.
func wantEvery(t *testing.T, failures map[string]error, code storage.Error) {
	t.Helper()
	for call, err := range failures {
		if err != code {
			t.Errorf("%s: error %v, want %v", call, err, code)
		}
	}
}

// through returns a bucket behind a proxy.
func through(t *testing.T, server *storagetest.Server, up, down wire) (*storage.Provider, *storage.Bucket) {
	t.Helper()
	settings := server.Settings
	settings.Endpoint = "http://" + proxy(t, server.Address, up, down)
	provider := open(t, settings)
	return provider, provider.Bucket("announcements", "images")
}

func TestAServerThatIsDown(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	put(t, b, "a", "", "x")
	server.Stop()
	wantEvery(t, everyCall(t.Context(), b), storage.ErrUnavailable)
}

func TestAServerThatDenies(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	put(t, images(t, server), "a", "", "x")
	for name, change := range map[string]func(*setting.Storage){
		"secret": func(s *setting.Storage) { s.SecretKey = setting.NewSecret("wrong") },
		"key":    func(s *setting.Storage) { s.AccessKey = setting.NewSecret("stranger") },
	} {
		t.Run(name, func(t *testing.T) {
			settings := server.Settings
			change(&settings)
			failures := everyCall(t.Context(), open(t, settings).Bucket("announcements", "images"))
			if name == "key" {
				delete(failures, "head") // versitygw responds 404, without a body that has a code
			}
			wantEvery(t, failures, storage.ErrAccessDenied)
		})
	}
}

// TestAServerThatHangs: how long each call waits, TestEveryCallEndsInTime checks.
func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	provider, b := through(t, storagetest.New(t), freezeAfter(t.Context(), 0), freezeAfter(t.Context(), 0))
	provider.Shorten(300 * time.Millisecond)
	wantEvery(t, everyCall(t.Context(), b), storage.ErrTimeout)
}

func TestACallerThatGivesUp(t *testing.T) {
	t.Parallel()
	_, b := through(t, storagetest.New(t), freezeAfter(t.Context(), 0), freezeAfter(t.Context(), 0))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	wantEvery(t, everyCall(ctx, b), storage.ErrTimeout)
}

// TestTruncatedResponse cuts the response at many places: no cut may look like an object, complete or
// partial.
func TestTruncatedResponse(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	const size = 300 << 10
	_, err := images(t, server).Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), size))
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int64{0, 1, 20, 200, 2000, 100_000, size, size + 100} {
		_, b := through(t, server, asItIs, cutAfter(after))
		for _, part := range []storage.Range{{}, {Offset: 0, Length: size}} {
			_, body, err := b.Get(t.Context(), "a", part)
			if err == nil {
				var n int64
				n, err = io.Copy(io.Discard, body)
				_ = body.Close()
				if n >= size {
					t.Errorf("cut after %d: all %d bytes", after, n)
				}
			}
			wantCode(t, err, storage.ErrUnavailable)
		}
	}
	for _, after := range []int64{0, 10, 100} {
		_, b := through(t, server, asItIs, cutAfter(after))
		wantEvery(t, everyCall(t.Context(), b), storage.ErrUnavailable)
	}
}

func TestACutRequest(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	put(t, images(t, server), "old", "", "x")
	before := fmt.Sprint(server.Files(t))
	for _, after := range []int64{0, 100, 4000, 1 << 20} {
		_, b := through(t, server, cutAfter(after), asItIs)
		_, err := b.Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), 3<<20))
		wantCode(t, err, storage.ErrUnavailable)
	}
	if files := fmt.Sprint(server.Files(t)); files != before {
		t.Errorf("left behind: %v", files)
	}
}

// TestAChangedRequest checks that the signed hash covers the body, also without TLS.
func TestAChangedRequest(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	put(t, images(t, server), "old", "", "x")
	before := fmt.Sprint(server.Files(t))
	_, b := through(t, server, flip(1<<20), asItIs)
	if _, err := b.Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), 3<<20)); err == nil {
		t.Error("a changed body was stored")
	}
	if files := fmt.Sprint(server.Files(t)); files != before {
		t.Errorf("left behind: %v", files)
	}
}

func TestAReadThatFreezes(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	_, err := images(t, server).Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), 4<<20))
	if err != nil {
		t.Fatal(err)
	}
	provider, b := through(t, server, asItIs, freezeAfter(t.Context(), 1<<20))
	provider.Shorten(3 * time.Second) // longer than the server needs for its first megabyte
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, body, err := b.Get(ctx, "a", storage.Range{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.Copy(io.Discard, body); err != storage.ErrTimeout || ctx.Err() != nil {
		t.Errorf("read of a stalled body: error %v, want %v; context %v, want it not over", err,
			storage.ErrTimeout,
			ctx.Err())
	}
	_ = body.Close()

	_, b = through(t, server, asItIs, freezeAfter(t.Context(), 1<<20))
	_, body, err = b.Get(t.Context(), "a", storage.Range{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, body)
		ended <- err
	}()
	_ = body.Close() // whether or not the read is already waiting
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a closed read looks complete")
		}
	case <-time.After(20 * time.Second): // shorter than the 30 s after which it ends by itself
		t.Error("Close did not end the read")
	}
}

// TestLimitsAreThoseOfTheReference compares the limits with the reference, which promises a result while a
// module's handler can still respond.
func TestLimitsAreThoseOfTheReference(t *testing.T) {
	provider, _ := service(t, func(http.ResponseWriter, *http.Request) {})
	page, err := os.ReadFile("../docs/reference/modules.md")
	if err != nil {
		t.Fatal(err)
	}
	call, stall := provider.Limits()
	want := fmt.Sprintf("| storage call | %v, two attempts; "+
		"with more than 256 KiB of an object %v for each wait |", call, stall)
	if want = strings.ReplaceAll(want, "5s", "5 s"); !strings.Contains(string(page), want) {
		t.Errorf("docs/reference/modules.md has no line %q", want)
	}
}

// TestASmallPutIsOneCall: the second attempt does not start the time limit again. Without the limit for the
// call, both attempts would time out, and a request for the bucket would follow.
func TestASmallPutIsOneCall(t *testing.T) {
	t.Parallel()
	var puts, questions atomic.Int32
	over := make(chan struct{})
	provider, b := service(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			questions.Add(1)
			return
		}
		puts.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		<-over
	})
	defer close(over)
	const limit = 3 * time.Second
	provider.Shorten(limit)
	provider.AwaitHeaders(limit * 2 / 3)
	_, err := b.Put(t.Context(), "a", "", strings.NewReader("x"))
	if !errors.Is(err, storage.ErrTimeout) || puts.Load() != 2 || questions.Load() != 0 {
		t.Errorf("a put that is not answered: error %v after %d attempts and %d questions; want %v, 2 and 0", err,
			puts.Load(), questions.Load(), storage.ErrTimeout)
	}
}

// service serves scripted responses that no correct service sends.
func service(t *testing.T, handler http.HandlerFunc) (*storage.Provider, *storage.Bucket) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	provider := open(t, setting.Storage{Endpoint: server.URL, Delivery: server.URL, Region: "eu-central-1",
		ForcePathStyle: true,
		AccessKey:      setting.NewSecret("key"), SecretKey: setting.NewSecret("secret")})
	return provider, provider.Bucket("m", "b")
}

func TestMalformedResponses(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("a redirect was followed")
	}))
	t.Cleanup(stranger.Close)
	for name, handler := range map[string]http.HandlerFunc{
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html><body>Sign in to the network</body></html>")
		},
		"a page, 404": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<html>no such page</html>")
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stranger.URL, http.StatusTemporaryRedirect)
		},
		"an error with names in it": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, "<Error><Code>secret-bucket</Code><Message>secret.host</Message></Error>")
		},
		"endless": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			if r.Method == http.MethodHead {
				return
			}
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("<Error>", 10_000)); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, b := service(t, handler)
			failures := everyCall(t.Context(), b)
			if strings.HasPrefix(name, "a page") {
				delete(failures, "delete") // has no response body that could be wrong
			}
			if name == "a page, 404" {
				delete(failures, "head") // nor does this
			}
			wantEvery(t, failures, storage.ErrUnavailable)
		})
	}
}

func TestListsThatWouldGoRoundInACircle(t *testing.T) {
	t.Parallel()
	var result atomic.Pointer[string]
	_, b := service(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<ListBucketResult>"+*result.Load()+"</ListBucketResult>")
	})
	for _, bad := range []string{
		"<IsTruncated>true</IsTruncated>",
		"<IsTruncated>true</IsTruncated><Contents><Key>p/1</Key></Contents>",
		"<IsTruncated>false</IsTruncated><Contents><Key>other/9</Key></Contents>",
		"<IsTruncated>false</IsTruncated><Contents></Contents>",
		"<IsTruncated>false</IsTruncated>" + strings.Repeat(" ", 9<<20),
	} {
		result.Store(&bad)
		_, err := b.List(t.Context(), "p/", "p/1", 0)
		wantCode(t, err, storage.ErrUnavailable)
	}
	good := "<IsTruncated>true</IsTruncated><Contents><Key>p/a b</Key></Contents>"
	result.Store(&good)
	page, err := b.List(t.Context(), "p/", "", 0)
	if err != nil || len(page.Objects) != 0 || page.Next != "p/a b" {
		t.Fatalf("List: error %v, want none; number of objects %v, want %v; next %.200q, want %.200q",
			err, len(page.Objects), 0, page.Next, "p/a b")
	}
	end := "<IsTruncated>false</IsTruncated><Contents><Key>p/b</Key></Contents>"
	result.Store(&end)
	if page, err = b.List(t.Context(), "p/", page.Next, 0); err != nil || len(page.Objects) != 1 ||
		page.Next != "" {
		t.Fatalf("List: error %v, want none; number of objects %v, want %v; next %.200q, want %.200q",
			err, len(page.Objects), 1, page.Next, "")
	}
}

func TestGetsWithoutWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	part := storage.Range{Offset: 2, Length: 3}
	for name, c := range map[string]struct {
		part   storage.Range
		header string // header lines
		status int
	}{
		"the whole for a part":  {part, "ETag: e\nContent-Length: 10", 200},
		"another part":          {part, "ETag: e\nContent-Length: 3\nContent-Range: bytes 3-5/10", 206},
		"a shorter part":        {part, "ETag: e\nContent-Length: 2\nContent-Range: bytes 2-3/10", 206},
		"a part of bad length":  {part, "ETag: e\nContent-Length: 10\nContent-Range: bytes 2-4/10", 206},
		"a part of what":        {part, "ETag: e\nContent-Length: 3\nContent-Range: bytes 2-4/*", 206},
		"a part for the whole":  {storage.Range{}, "ETag: e\nContent-Length: 3\nContent-Range: bytes 2-4/10", 206},
		"without a length":      {storage.Range{}, "ETag: e", 200},
		"part without a length": {part, "ETag: e\nContent-Range: bytes 2-4/10", 206},
	} {
		_, b := service(t, func(w http.ResponseWriter, _ *http.Request) {
			for line := range strings.SplitSeq(c.header, "\n") {
				name, value, _ := strings.Cut(line, ": ")
				w.Header().Set(name, value)
			}
			w.WriteHeader(c.status)
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, "0123456789")
		})
		_, _, err := b.Get(t.Context(), "a", c.part)
		if err != storage.ErrUnavailable {
			t.Errorf("%v: Get: error %v, want %v", name, err, storage.ErrUnavailable)
		}
	}
}

// TestABucketThatAppearsLate uses a service that refuses the second of two requests that create a bucket, and
// in which the new bucket is not visible at once.
func TestABucketThatAppearsLate(t *testing.T) {
	t.Parallel()
	for lateness, code := range map[int32]error{1: nil, 3: nil, 100: storage.ErrUnavailable} {
		var puts, creations atomic.Int32
		_, b := service(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch isObject := strings.HasSuffix(r.URL.Path, "/a"); {
			case !isObject:
				creations.Add(1)
				if !strings.Contains(string(body), "<LocationConstraint>eu-central-1</LocationConstraint>") {
					t.Errorf("created elsewhere: %s", body)
				}
				w.WriteHeader(http.StatusConflict)
				_, _ = io.WriteString(w, "<Error><Code>OperationAborted</Code></Error>")
			case puts.Add(1) <= lateness:
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, "<Error><Code>NoSuchBucket</Code></Error>")
			case string(body) != "whole":
				t.Errorf("put %d has the body %q, want \"whole\"", puts.Load(), body)
			default:
				w.Header().Set("ETag", `"e"`)
			}
		})
		if _, err := b.Put(t.Context(), "a", "", strings.NewReader("whole")); err != code || creations.Load() > 4 {
			t.Errorf("%d late: %v after %d creations", lateness, err, creations.Load())
		}
	}
}

// TestARefusalLostOnTheWay puts a proxy before a service that refuses a body without reading it and closes
// the connection; the proxy sees only that.
func TestARefusalLostOnTheWay(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{"nothing": "", "a page": "<html>Bad Gateway</html>"} {
		var made atomic.Bool
		_, b := service(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			switch isObject := strings.HasSuffix(r.URL.Path, "/a"); {
			case r.Method == http.MethodPut && !isObject:
				made.Store(true)
			case made.Load():
				w.Header().Set("ETag", `"e"`)
			case isObject:
				w.WriteHeader(http.StatusBadGateway)
				_, _ = io.WriteString(w, page)
			default:
				w.WriteHeader(http.StatusNotFound)
			}
		})
		if _, err := b.Put(t.Context(), "a", "", strings.NewReader("whole")); err != nil {
			t.Errorf("%v: Put: error %v, want none", name, err)
		}
	}
}

func TestAnUntrustedCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("something was asked")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	provider := open(t, setting.Storage{Endpoint: server.URL, Delivery: server.URL, Region: "us-east-1",
		ForcePathStyle: true,
		AccessKey:      setting.NewSecret("key"), SecretKey: setting.NewSecret("secret")})
	wantEvery(t, everyCall(t.Context(), provider.Bucket("m", "b")), storage.ErrUnavailable)
}

// TestAConnectionThatWasClosedMeanwhile checks that a call succeeds although the service has closed the idle
// connection.
func TestAConnectionThatWasClosedMeanwhile(t *testing.T) {
	t.Parallel()
	var server *httptest.Server
	calls := 0
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if calls++; calls == 2 { // as if it had been closed just before
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("ETag", `"e"`)
	}))
	t.Cleanup(server.Close)
	b := open(t, setting.Storage{Endpoint: server.URL, Delivery: server.URL, Region: "us-east-1",
		ForcePathStyle: true,
		AccessKey:      setting.NewSecret("key"), SecretKey: setting.NewSecret("secret")}).Bucket("m", "b")
	for range 3 {
		put(t, b, "a", "", "x")
	}
}
