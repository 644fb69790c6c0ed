package archive_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/archive"
)

// TestKilled kills a process with SIGKILL at many points of its work. Afterwards the complete old module or
// the complete new one is installed, and the next run deletes what was left. The platform remembers what the
// versions that were installed came from, and no other version.
func TestKilled(t *testing.T) {
	t.Parallel()
	before, after := large(t, "people", "1.0.0"), large(t, "people", "2.0.0")
	installed := t.TempDir()
	_, err := archive.Install(installed, pack(t, before), platform, archive.Checks{})
	must(t, err)
	kept := filepath.Join(installed, "people")
	next, last := pack(t, after), small(t, "announcements", "1.0.0")
	path := pack(t, last)
	for name, c := range map[string]struct {
		command, what string
		before, after tree     // nil = not installed
		seen          []string // what the kills must have met, or they came at the wrong moments
	}{
		"first install": {"install", next, nil, after, []string{"before, and a leftover", "after"}},
		"replacement": {"install", next, before, after,
			[]string{"before, and a leftover", "after, and a leftover", "after"}},
		"removal": {"remove", "people", before, nil, []string{"before", "after, and a leftover", "after"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]int{}
			round := func(run func(process *exec.Cmd, dir string)) {
				dir := t.TempDir()
				if c.before != nil {
					must(t, os.CopyFS(filepath.Join(dir, "people"), os.DirFS(kept)))
				}
				run(child(t, c.command, []string{dir, c.what}), dir)
				now := state(t, dir, c.before, c.after)
				seen[now]++
				if _, err := archive.Install(dir, path, platform, archive.Checks{}); err != nil {
					t.Fatal(err)
				}
				if left := leftovers(t, dir); len(left) != 0 {
					t.Errorf("left behind %v, want nothing", left)
				}
				for version, want := range map[string]bool{
					"1.0.0": c.before != nil,
					"2.0.0": c.after != nil && strings.HasPrefix(now, "after"),
				} {
					if got, err := archive.IsVersionTaken(dir, "people", version); err != nil || got != want {
						t.Errorf("%s, then a kill with %q: %s is taken: %v, want %v; error %v", c.command, now,
							version, got, want, err)
					}
				}
				must(t, os.RemoveAll(dir))
			}
			whole := 0
			round(func(process *exec.Cmd, dir string) { // a run without a kill shows how many changes there are
				whole = killAtChange(t, process, dir, writes|names, math.MaxInt)
			})
			missing := func() bool {
				return slices.ContainsFunc(c.seen,
					func(want string) bool { return seen[want] == 0 })
			}
			const points = 12
			for n := 0; n < points || missing() && n < 20*points; n++ {
				round(func(process *exec.Cmd, dir string) {
					killAtChange(t, process, dir, writes|names, whole*(n%points)/points)
				})
				round(func(process *exec.Cmd, dir string) { killAtChange(t, process, dir, names, 1+n%points) })
			}
			if missing() {
				t.Errorf("the kills met only %v", seen)
			}
		})
	}
}

// state describes what is installed after a kill.
func state(t *testing.T, dir string, before, after tree) string {
	t.Helper()
	var got tree
	if _, err := os.Lstat(filepath.Join(dir, "people")); err == nil {
		got = readTree(t, filepath.Join(dir, "people"))
	}
	result := "after"
	if maps.Equal(got, before) {
		result = "before"
	} else if !maps.Equal(got, after) {
		t.Fatalf("neither the old nor the new: %d files", len(got))
	}
	if len(leftovers(t, dir)) > 0 {
		result += ", and a leftover"
	}
	return result
}

// leftovers returns what interrupted work has left in a modules directory.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	must(t, err)
	isKept := func(name string) bool { return filepath.Base(name) == archive.VersionsFolder }
	return slices.DeleteFunc(left, isKept)
}

// The changes at which killAtChange can kill.
const (
	names  = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM
	writes = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB
)

// killAtChange runs the process and kills it at the n-th change in the modules directory or below it, unless
// the process ends earlier. With names alone it counts only those in the directory and in the installed
// module. It returns how many changes it has seen.
func killAtChange(t *testing.T, process *exec.Cmd, dir string, mask uint32, n int) (seen int) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	must(t, err)
	changes := os.NewFile(uintptr(fd), "changes")
	defer changes.Close()
	folders := make(map[int32]string)
	watch := func(folder string) {
		watched, err := unix.InotifyAddWatch(fd, folder, mask)
		if err != nil && err != unix.ENOENT {
			t.Fatal(err)
		}
		folders[int32(watched)] = folder
	}
	watch(dir)
	watch(filepath.Join(dir, "people"))
	watch(filepath.Join(dir, "people", "migrations"))
	must(t, process.Start())
	ended := make(chan struct{})
	go func() {
		_ = process.Wait()
		_ = changes.SetReadDeadline(time.Now())
		close(ended)
	}()
	defer func() { <-ended }()
	const header, newFolder = unix.SizeofInotifyEvent, unix.IN_CREATE | unix.IN_ISDIR
	buffer := make([]byte, header+unix.NAME_MAX+1) // room for a few events; the kernel queues others
	for seen < n {
		size, err := changes.Read(buffer)
		if err != nil {
			return seen
		}
		for events := buffer[:size]; len(events) > 0; seen++ {
			number := func(at int) uint32 { return binary.NativeEndian.Uint32(events[at:]) }
			end := header + number(12)
			if name, _, _ := bytes.Cut(events[header:end], []byte{0}); mask&writes != 0 &&
				number(4)&newFolder == newFolder {
				watch(filepath.Join(folders[int32(number(0))], string(name)))
			}
			events = events[end:]
		}
	}
	_ = process.Process.Kill()
	return seen
}
