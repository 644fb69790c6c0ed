package storage_test

import (
	"io"
	"os"
	"testing"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// A module's bodies in progress use no more disk space than its limit; those of other modules are not
// counted.
func TestSpoolLimit(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	provider := open(t, storagetest.New(t).Settings)
	provider.SetSpool(8 * mib)
	images, sounds, other := provider.Bucket("m", "images"), provider.Bucket("m", "sounds"),
		provider.Bucket("n", "images")
	body := func() io.Reader { return io.LimitReader(new(lettersReader), 4*mib) }
	full, release := make(chan struct{}, 2), make(chan struct{})
	ended := make(chan error, 2)
	for i, b := range []*storage.Bucket{images, sounds} {
		go func() {
			_, err := b.Put(t.Context(), []string{"a", "b"}[i], "", lookAt{body(), func() {
				full <- struct{}{}
				<-release
			}})
			ended <- err
		}()
	}
	<-full
	<-full
	_, err := images.Put(t.Context(), "c", "", body())
	wantCode(t, err, storage.ErrUnavailable)
	if _, err := other.Put(t.Context(), "c", "", body()); err != nil {
		t.Errorf("another module's put: %v", err)
	}
	put(t, images, "small", "", "needs no file")
	close(release)
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("a put within the limit: %v", err)
		}
	}
	for range 3 { // all of the space is free again, also after a refusal
		if _, err := images.Put(t.Context(), "c", "", io.LimitReader(new(lettersReader), 7*mib)); err != nil {
			t.Errorf("a put afterwards: %v", err)
		}
	}
}

// Bodies are written to the configured directory. doctor reports a directory that is in memory or cannot be
// used.
func TestSpoolDirectory(t *testing.T) {
	t.Parallel()
	settings := storagetest.New(t).Settings
	settings.Spool = t.TempDir()
	b := open(t, settings).Bucket("m", "b")
	if _, err := b.Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), 1<<20)); err != nil {
		t.Error(err)
	}
	wantEmpty(t, settings.Spool)
	if err := os.Remove(settings.Spool); err != nil {
		t.Fatal(err)
	}
	_, err := b.Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), 1<<20))
	wantCode(t, err, storage.ErrUnavailable)
	states := map[string]storage.SpoolState{settings.Spool: storage.SpoolUnusable}
	if _, err := os.Stat("/dev/shm"); err == nil {
		states["/dev/shm"] = storage.SpoolInMemory
	}
	for dir, want := range states {
		if got := storage.Spool(setting.Storage{Spool: dir}); got != want {
			t.Errorf("the state of %s: %d, want %d", dir, got, want)
		}
	}
}
