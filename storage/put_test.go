package storage_test

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// lettersReader is an endless source that counts what is read.
type lettersReader struct{ read int64 }

func (l *lettersReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a' + byte((l.read+int64(i))%23)
	}
	l.read += int64(len(p))
	return len(p), nil
}

func TestTheLimitOfAnObject(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	for _, over := range []int64{1, 8 << 20} {
		if testing.Short() && over > 1 {
			t.Skip("moves 130 MiB")
		}
		source := new(lettersReader)
		_, err := b.Put(t.Context(), "a", "", io.LimitReader(source, storage.MaxObject+over))
		wantCode(t, err, storage.ErrTooLarge)
		if source.read > storage.MaxObject+256<<10 {
			t.Errorf("%d bytes were read", source.read)
		}
	}
	if files := server.Files(t); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
	object, err := b.Put(t.Context(), "a", "", io.LimitReader(new(lettersReader), storage.MaxObject))
	if err != nil || object.Size != storage.MaxObject {
		t.Fatalf("Put: error %v, want none; size %v, want %v", err, object.Size, storage.MaxObject)
	}
	_, body, err := b.Get(t.Context(), "a", storage.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	if n := sameLetters(body); n != storage.MaxObject {
		t.Errorf("%d bytes came back as they were", n)
	}
}

// sameLetters counts the bytes of r that are equal to those of lettersReader.
func sameLetters(r io.Reader) (n int64) {
	piece := make([]byte, 64<<10)
	for {
		m, err := r.Read(piece)
		for i := range m {
			if piece[i] != 'a'+byte(n%23) {
				return n
			}
			n++
		}
		if err != nil {
			return n
		}
	}
}

// TestASourceThatFails checks that a truncated body, which net/http reports as io.ErrUnexpectedEOF, is not
// treated as a complete one.
func TestASourceThatFails(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	b := images(t, server)
	broken := errors.New("broken")
	for _, failure := range []error{broken, io.ErrUnexpectedEOF, io.ErrNoProgress} {
		for _, length := range []int64{0, 5, 256 << 10, 20 << 20} {
			source := io.MultiReader(io.LimitReader(new(lettersReader), length), iotest.ErrReader(failure))
			if _, err := b.Put(t.Context(), "a", "", source); err != failure {
				t.Errorf("%d bytes, then %v: %v", length, failure, err)
			}
		}
	}
	if _, err := b.Put(t.Context(), "a", "", idle{}); err != io.ErrNoProgress {
		t.Errorf("Put: error %v, want %v", err, io.ErrNoProgress)
	}
	if files := server.Files(t); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
	put(t, b, "a", "", "old")
	if _, err := b.Put(t.Context(), "a", "",
		io.MultiReader(strings.NewReader("new"), iotest.ErrReader(broken))); err != broken {
		t.Errorf("Put: error %v, want %v", err, broken)
	}
	if _, body := get(t, b, "a", storage.Range{}); body != "old" {
		t.Errorf("get: body %.200q, want %.200q", body, "old")
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestPutOfShortReads(t *testing.T) {
	t.Parallel()
	b := images(t, storagetest.New(t))
	want := strings.Repeat("odd", 100_000)
	for name, source := range map[string]io.Reader{
		"one byte": iotest.OneByteReader(strings.NewReader(want)),
		"half":     iotest.HalfReader(strings.NewReader(want)),
		"data+EOF": iotest.DataErrReader(strings.NewReader(want)),
	} {
		if _, err := b.Put(t.Context(), "a", "", source); err != nil {
			t.Errorf("%v: Put: error %v, want none", name, err)
		} else if _, body := get(t, b, "a", storage.Range{}); body != want {
			t.Errorf("%s: not what was put", name)
		}
	}
}

// TestMemoryAndDisk counts what the process allocates and changes the folder of its temporary files, so it is
// not parallel.
func TestMemoryAndDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 320 MiB")
	}
	server := storagetest.New(t)
	b := images(t, server)
	put(t, b, "warm", "", "x")
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	const rounds = 5
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		seen := sync.OnceFunc(func() { wantEmpty(t, folder) })
		if _, err := b.Put(t.Context(), "a", "",
			lookAt{io.LimitReader(new(lettersReader), storage.MaxObject), seen}); err != nil {
			t.Fatal(err)
		}
		_, body, err := b.Get(t.Context(), "a", storage.Range{})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, body); err != nil || n != storage.MaxObject {
			t.Errorf("Copy: error %v, want none; n %v, want %v", err, n, storage.MaxObject)
		}
		_ = body.Close()
	}
	runtime.ReadMemStats(&after)
	each := (after.TotalAlloc - before.TotalAlloc) / rounds
	t.Logf("%d KiB allocated for each 32 MiB put and read", each>>10)
	if each > 2<<20 {
		t.Errorf("%d bytes allocated for each 32 MiB", each)
	}
	wantEmpty(t, folder)

	t.Setenv("TMPDIR", folder+"/absent")
	_, err := b.Put(t.Context(), "b", "", io.LimitReader(new(lettersReader), 1<<20))
	wantCode(t, err, storage.ErrUnavailable)
	put(t, b, "small", "", "needs no file")
}

// lookAt is a reader that calls seen at its end, when the whole body is in the spool.
type lookAt struct {
	io.Reader
	seen func()
}

func (l lookAt) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err == io.EOF {
		l.seen()
	}
	return n, err
}

func wantEmpty(t testing.TB, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 0 {
		t.Errorf("%v in the temporary folder, %v", entries, err)
	}
}
