package manifest_test

import (
	"crypto/sha256"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// openers are the two ways of opening a file in a package. Both must refuse the same files.
var openers = map[string]func(string) (*manifest.Package, error){
	"kernel":  manifest.OpenPackage,
	"walking": manifest.OpenPackageInRoot,
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, open := range openers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, outside := t.TempDir(), t.TempDir()
			write(t, filepath.Join(outside, "secret.js"), "secret")
			write(t, filepath.Join(folder, "ui/index.js"), "export {}")
			in := func(path string) string { return filepath.Join(folder, path) }
			must(t, os.Symlink(filepath.Join(outside, "secret.js"), in("absolute.js")))
			must(t, os.Symlink(relative(t, folder, outside, "secret.js"), in("relative.js")))
			must(t, os.Symlink(outside, in("elsewhere")))
			must(t, os.Symlink("/proc/self/environ", in("environ.js")))
			must(t, os.Symlink("loop.js", in("loop.js")))
			must(t, os.Symlink("gone.js", in("dangling.js")))
			must(t, os.Symlink("ui/index.js", in("inside.js")))
			must(t, os.Link(filepath.Join(outside, "secret.js"), in("hard.js")))
			must(t, syscall.Mkfifo(in("fifo.js"), 0o644))
			socket, err := net.Listen("unix", in("s.js"))
			must(t, err)
			defer socket.Close()
			must(t, os.Truncate(create(t, in("sparse.js")), 10<<30))
			must(t, os.Truncate(create(t, in("limit.js")), manifest.MaxScriptBytes))
			must(t, os.Truncate(create(t, in("over.js")), manifest.MaxScriptBytes+1))
			write(t, in("latin1.js"), "export default '\xe9'")

			pkg, err := open(folder)
			must(t, err)
			defer pkg.Close()
			const inside = "must stay inside the package, also through symbolic links."
			for path, want := range map[string]string{
				"absolute.js": inside, "relative.js": inside, "elsewhere/secret.js": inside, "environ.js": inside,
				"loop.js": inside, "../" + filepath.Base(outside) + "/secret.js": inside,
				"dangling.js":   "names a file that the package does not have.",
				"gone.js":       "names a file that the package does not have.",
				"ui/index.js/x": "names a file that the package does not have.",
				"hard.js":       "must not be a hard link.",
				"fifo.js":       "must be a regular file.", "ui": "must be a regular file.",
				"s.js":      "must be a regular file.",
				"sparse.js": "must not be larger than 4 MiB.", "over.js": "must not be larger than 4 MiB.",
				"latin1.js": "must be UTF-8 text.",
				"inside.js": "", "ui/index.js": "", "limit.js": "",
			} {
				script, err := pkg.Script(path)
				switch {
				case want == "" && err != nil:
					t.Errorf("Script(%s): error %v, want none", path, err)
				case want != "" && (err == nil || err.Error() != want):
					t.Errorf("%s: got %v, want %q", path, err, want)
				case want != "" && code(err) != "ARTIFACT_INVALID":
					t.Errorf("Script(%s): code %q, want ARTIFACT_INVALID", path, code(err))
				case want != "" && script != nil:
					t.Errorf("%s: a script came with the refusal", path)
				}
			}
		})
	}
}

func TestScriptIsReadWithItsIdentity(t *testing.T) {
	t.Parallel()
	for name, open := range openers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "ui/index.js")
			write(t, path, "export {}")
			pkg, err := open(folder)
			must(t, err)
			defer pkg.Close()
			first, err := pkg.Script("ui/index.js")
			must(t, err)
			if string(first.Bytes) != "export {}" || first.SHA256 != sha256.Sum256(first.Bytes) ||
				first.Identity.Size != 9 {
				t.Errorf("Script read %+v, want its 9 bytes with their hash and size", first)
			}
			file, again, err := pkg.Open("ui/index.js")
			must(t, err)
			must(t, file.Close())
			if again != first.Identity {
				t.Errorf("an unchanged file has another identity: %+v, %+v", again, first.Identity)
			}
			// A replaced file has another identity even with the same name, size and time.
			info, err := os.Stat(path)
			must(t, err)
			write(t, path+".new", "export []")
			must(t, os.Chtimes(path+".new", info.ModTime(), info.ModTime()))
			must(t, os.Rename(path+".new", path))
			file, again, err = pkg.Open("ui/index.js")
			must(t, err)
			must(t, file.Close())
			if again == first.Identity {
				t.Error("a replaced file has the identity of the old one")
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"b.sql", "a.sql", ".hidden", "sub/c.sql"} {
		write(t, filepath.Join(folder, "migrations", name), "x")
	}
	must(t, os.Mkdir(filepath.Join(folder, "empty"), 0o755))
	must(t, os.Symlink("/etc", filepath.Join(folder, "out")))
	pkg, err := manifest.OpenPackage(folder)
	must(t, err)
	defer pkg.Close()
	for path, want := range map[string]string{
		"migrations": "a.sql b.sql sub", "empty": "",
		"migrations/a.sql": "must be a folder.", "gone": "names a file that the package does not have.",
		"out": "must stay inside the package, also through symbolic links.",
	} {
		names, err := pkg.Names(path)
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	folder := t.TempDir()
	write(t, filepath.Join(folder, "a.js"), "x")
	must(t, os.Chmod(filepath.Join(folder, "a.js"), 0))
	pkg, err := manifest.OpenPackage(folder)
	must(t, err)
	defer pkg.Close()
	if _, err := pkg.Script("a.js"); err == nil || err.Error() != "must be readable by the service." {
		t.Errorf("Script of an unreadable file: %v, want that it must be readable", err)
	}
}

// TestAbsoluteLinkInside: a link with an absolute target is refused even if the target is inside the package,
// because a package must work in every folder.
func TestAbsoluteLinkInside(t *testing.T) {
	t.Parallel()
	for name, open := range openers {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "a.js"), "x")
		must(t, os.Symlink(filepath.Join(folder, "a.js"), filepath.Join(folder, "b.js")))
		pkg, err := open(folder)
		must(t, err)
		if _, err := pkg.Script("b.js"); err == nil {
			t.Errorf("%s: an absolute link was followed", name)
		}
		must(t, pkg.Close())
	}
}

func code(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func create(t testing.TB, path string) string {
	t.Helper()
	write(t, path, "")
	return path
}

func relative(t testing.TB, from, to, name string) string {
	t.Helper()
	path, err := filepath.Rel(from, filepath.Join(to, name))
	must(t, err)
	return path
}

// TestFileOfAnotherLength reads files of the kernel whose content is longer or shorter than their size, like
// a file that changes while it is read.
func TestFileOfAnotherLength(t *testing.T) {
	t.Parallel()
	for folder, name := range map[string]string{"/proc/self": "status",
		"/sys/kernel/mm/transparent_hugepage": "enabled"} {
		pkg, err := manifest.OpenPackage(folder)
		if errors.Is(err, os.ErrNotExist) {
			t.Logf("no %s here", folder)
			continue
		}
		must(t, err)
		if _, err := pkg.Script(name); err == nil || err.Error() != "must not change while it is read." {
			t.Errorf("Script(%s): error %v, want it refused as a file that changes", name, err)
		}
		must(t, pkg.Close())
	}
}
