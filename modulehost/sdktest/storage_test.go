package sdktest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestBucket: what a module's own routes and the SDK do with a bucket.
func TestBucket(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	if stored := m.Stored("images"); len(stored) != 0 {
		t.Error("a bucket that has not begun holds ", stored)
	}
	writer := m.Person("posters.write")
	large := strings.Repeat("x", 700_000) // several pieces
	for name, content := range map[string]string{"advent": "<svg/>", "lent": large, "empty": ""} {
		request := writer.Request("PUT", "/posters/"+name, strings.NewReader(content))
		request.Header.Set("Content-Type", "image/svg+xml")
		if got := writer.Send(request); got.Status != http.StatusOK {
			t.Errorf("%v: writer.Send: status %v, want %v", name, got.Status, http.StatusOK)
		}
		if got, want := m.Stored("images")[name],
			(sdktest.Object{ContentType: "image/svg+xml", Content: content}); got != want {
			t.Errorf("%s: stored %d bytes of %s, want %d of %s", name, len(got.Content), got.ContentType,
				len(want.Content), want.ContentType)
		}
	}
	images, ctx := module.images(), t.Context()
	if object, err := images.Head(ctx, "lent"); err != nil || object.Size != int64(len(large)) ||
		object.Modified.IsZero() || object.ETag == "" {
		t.Errorf("Head of lent: %+v, error %v; want %d bytes, a time and an ETag", object, err, len(large))
	}
	if got := content(t, images, "lent"); got != large {
		t.Errorf("content: got %v, want %v; number of got %v", got, large, len(got))
	}
	if got := writer.Do("DELETE", "/posters/lent", nil); got.Status != http.StatusNoContent {
		t.Errorf("DELETE /posters/lent: status %v, want %v", got.Status, http.StatusNoContent)
	}
	if stored := m.Stored("images"); len(stored) != 2 {
		t.Error(len(stored), " objects")
	}
	if _, err := images.Head(ctx, "lent"); err != sdk.ErrNotFound {
		t.Errorf("images.Head: error %v, want %v", err, sdk.ErrNotFound)
	}
}

func content(t *testing.T, bucket *sdk.Bucket, key string) string {
	t.Helper()
	_, body, err := bucket.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	all, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	return string(all)
}

// TestBucketPages: pages of every size join without gaps, even if the last key of a page was deleted.
func TestBucketPages(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	images, ctx := module.images(), t.Context()
	var want []string
	for n := range 34 { // more than Stored reads at once
		for _, form := range []string{"a/%02d!", "b(%02d)'*", "c_%02d.x-y"} {
			key := fmt.Sprintf(form, n)
			if _, err := images.Put(ctx, key, "", strings.NewReader(key)); err != nil {
				t.Fatal(err)
			}
			want = append(want, key)
		}
	}
	slices.Sort(want)
	for _, limit := range []int{7, 101, 102, 0} {
		var got []string
		for after, last := "", false; !last; last = after == "" {
			page, err := images.List(ctx, "", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, object := range page.Objects {
				got = append(got, object.Key)
			}
			after = page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %q, want %q", limit, got, want)
		}
	}
	if err := images.Delete(ctx, "b(30)'*"); err != nil {
		t.Error(err)
	}
	page, err := images.List(ctx, "b", "b(30)'*", 0)
	if err != nil || len(page.Objects) != 3 || page.Objects[0].Key != "b(31)'*" {
		t.Errorf("images.List: error %v, want none; number of objects %v, want %v; want page.Objects[0].Key to "+
			"be %v; page %v",
			err, len(page.Objects), 3, "b(31)'*", page)
	}
	if stored := m.Stored("images"); len(stored) != len(want)-1 || stored["a/00!"].Content != "a/00!" {
		t.Errorf("Stored: number of stored %v, want %v; want stored[\"a/00!\"].Content to be %v",
			len(stored), len(want)-1, "a/00!")
	}
}

// TestReadURL: a URL that the module made reads one object, also in parts, and allows nothing else.
func TestReadURL(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	reader := m.Person()
	m.Person("posters.write").Do("PUT", "/posters/advent", `"come"`)
	var url, again string
	reader.Do("GET", "/posters/advent", nil).JSON(&url)
	reader.Do("GET", "/posters/advent", nil).JSON(&again)
	if url != again {
		t.Error("two URLs of one window: ", url, again)
	}
	bare, _, _ := strings.Cut(url, "?")
	for _, c := range []struct{ name, method, url, part, want string }{
		{"it reads", "GET", url, "", `200 "come"`},
		{"it reads a part", "GET", url, "bytes=1-2", "206 co"},
		{"it does not write", "PUT", url, "", "403 "},
		{"it does not delete", "DELETE", url, "", "403 "},
		{"without a signature", "GET", bare, "", "403 "},
	} {
		if got := fetch(t, c.method, c.url, c.part); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	_, expires, err := module.images().CreateReadURL(t.Context(), "advent", time.Hour)
	if left := time.Until(expires); err != nil || left < 39*time.Minute || left > time.Hour {
		t.Errorf("time.Until: error %v, want none; left %v, want at least %v; left %v, want at most %v",
			err, left, 39*time.Minute, left, time.Hour)
	}
	if _, _, err := module.images().CreateReadURL(t.Context(), "advent",
		time.Second); err != sdk.ErrLifetimeInvalid {
		t.Errorf("CreateReadURL: error %v, want %v", err, sdk.ErrLifetimeInvalid)
	}
	named, _, err := module.images().CreateReadURL(t.Context(), "advent", 0, sdk.DownloadAs("advent poster.png"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(named)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if got, want := response.Header.Get("Content-Disposition"),
		`attachment; filename="advent poster.png"`; got != want {
		t.Errorf("Content-Disposition %s, want %s", got, want)
	}
	if _, _, err := module.images().CreateReadURL(t.Context(), "advent", 0,
		sdk.DownloadAs("a/b")); err != sdk.ErrKeyInvalid {
		t.Errorf("a name with a slash: %v, want %v", err, sdk.ErrKeyInvalid)
	}
}

func fetch(t *testing.T, method, url, part string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if part != "" {
		request.Header.Set("Range", part)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, body)
}

// TestBucketRefusals: the codes that a module gets.
func TestBucketRefusals(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	undeclared := module.host.Storage.Bucket("sounds")
	for name, c := range map[string]struct {
		do   func(context.Context) error
		want error
	}{
		"an undeclared bucket is not listed": {func(ctx context.Context) error {
			_,
				err := undeclared.List(ctx, "", "", 0)
			return err
		}, sdk.ErrAccessDenied},
		"nor read": {func(ctx context.Context) error {
			_, _,
				err := undeclared.Get(ctx, "a")
			return err
		}, sdk.ErrAccessDenied},
		"nor written": {func(ctx context.Context) error {
			_, err := undeclared.Put(ctx, "a", "", strings.NewReader("a"))
			return err
		}, sdk.ErrAccessDenied},
		"nor has it URLs": {func(ctx context.Context) error {
			_, _,
				err := undeclared.CreateReadURL(ctx, "a", 0)
			return err
		}, sdk.ErrAccessDenied},
		"a key is none": {func(ctx context.Context) error { return module.images().Delete(ctx, "a//b") },
			sdk.ErrKeyInvalid},
		"an object is not there": {func(ctx context.Context) error {
			_, _,
				err := module.images().Get(ctx, "a")
			return err
		}, sdk.ErrNotFound},
	} {
		if err := c.do(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if stored := m.Stored("images"); len(stored) != 0 {
		t.Error(len(stored), " objects")
	}
	got := failure(t, func(t testing.TB) {
		sdktest.Start(t, &posters{}, sdktest.Options{Folder: "testdata/posters"}).Stored("sounds")
	})
	if got != "sdktest: the manifest does not declare the bucket sounds" {
		t.Errorf("failure: got %.200q, want %.200q",
			got, "sdktest: the manifest does not declare the bucket sounds")
	}
}
