package archive_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// TestPackIsReproducible packs two copies that differ in everything but the files' bytes, and checks what
// Pack leaves out.
func TestPackIsReproducible(t *testing.T) {
	t.Parallel()
	files := large(t, "people", "1.2.0")
	first := writeTree(t, filepath.Join(t.TempDir(), "people"), files)
	second := filepath.Join(t.TempDir(), "people")
	names := slices.Sorted(maps.Keys(files))
	slices.Reverse(names)
	for _, name := range names {
		writeTree(t, second, tree{name: files[name]})
		path := filepath.Join(second, name)
		must(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1<<30, 0)))
		must(t, os.Chmod(path, 0o700))
		must(t, os.Chmod(filepath.Dir(path), 0o700))
	}
	writeTree(t, second, tree{"main.go": "package main", ".git/config": "x", "ui/index.ts": "x",
		"migrations/.keep": "", "bin/old": "x"})

	var packed []string
	for _, folder := range []string{first, second} {
		path, err := archive.Pack(folder, platform, filepath.Join(t.TempDir(), "new", "folder"))
		must(t, err)
		if filepath.Base(path) != "people-1.2.0.tar.gz" {
			t.Errorf("packed as %s, want people-1.2.0.tar.gz", path)
		}
		data := mustRead(t, path)
		sum := sha256.Sum256([]byte(data))
		if got := mustRead(t, path+".sha256"); got != hex.EncodeToString(sum[:])+"  people-1.2.0.tar.gz\n" {
			t.Errorf("checksum file %q, want the SHA-256 and the name", got)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 2 {
			t.Errorf("the folder has %v, want package and checksum alone; error %v", entries, err)
		}
		packed = append(packed, data)
	}
	if packed[0] != packed[1] {
		t.Error("Pack wrote different bytes for the same files")
	}
	compressed, err := gzip.NewReader(strings.NewReader(packed[0]))
	must(t, err)
	if !compressed.ModTime.IsZero() || compressed.Name != "" {
		t.Errorf("gzip's header is %+v, want no time and no name", compressed.Header)
	}
	for stream := tar.NewReader(compressed); ; {
		header, err := stream.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		if header.ModTime.Unix() != 0 || header.Uid != 0 || header.Gid != 0 || header.Uname+header.Gname != "" {
			t.Errorf("the archive has %+v, want no time, owner or group", header)
		}
	}
}

// TestPackIsPlain reads a package with tar and sha256sum.
func TestPackIsPlain(t *testing.T) {
	t.Parallel()
	files := large(t, "people", "1.2.0")
	path := pack(t, files)
	for tool, args := range map[string][]string{"tar": {"-xzf", path}, "sha256sum": {"-c", path + ".sha256"}} {
		t.Run(tool, func(t *testing.T) {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skip("not at hand")
			}
			command := exec.CommandContext(t.Context(), tool, args...)
			command.Dir = filepath.Dir(path)
			if tool == "tar" {
				command.Dir = t.TempDir()
			}
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%s %q: %v, want success; output %s", tool, args, err, out)
			}
			if got := map[string]string(files); tool == "tar" && !maps.Equal(readTree(t, command.Dir), got) {
				t.Error("tar unpacked other files than were packed")
			}
		})
	}
}

func TestPackTakesOtherMachines(t *testing.T) {
	t.Parallel()
	files := large(t, "people", "1.0.0")
	for _, name := range []string{"bin/linux-arm64/people", "bin/linux-riscv64/people"} {
		if files[name] == "" {
			files[name] = "for another machine"
		}
	}
	beside := maps.Clone(files)
	beside["bin/linux-arm64/other"], beside["bin/linux-vax/people"], beside["bin/people"] = "x", "x", "x"
	dir := t.TempDir()
	_, err := archive.Install(dir, pack(t, beside), platform, archive.Checks{})
	must(t, err)
	assertInstalled(t, dir, files)
}

func TestPackRefusals(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a/", 16) + "b.js"
	for name, c := range map[string]struct {
		prepare func(t *testing.T, folder string)
		want    error
	}{
		"no module": {func(t *testing.T, folder string) { must(t, os.RemoveAll(folder)) },
			catalog.ErrManifestMissing},
		"other folder": {func(t *testing.T, folder string) { writeTree(t, folder, small(t, "others", "1.0.0")) },
			catalog.ErrIDMismatch},
		"script links out": {func(t *testing.T, folder string) {
			secret := filepath.Join(writeTree(t, t.TempDir(), tree{"secret.js": "secret"}), "secret.js")
			must(t, os.Remove(filepath.Join(folder, "ui/index.js")))
			must(t, os.Symlink(secret, filepath.Join(folder, "ui/index.js")))
		}, manifest.ErrArtifactInvalid},
		"other machine's server is a FIFO": {func(t *testing.T, folder string) {
			must(t, os.MkdirAll(filepath.Join(folder, "bin/linux-s390x"), 0o755))
			must(t, syscall.Mkfifo(filepath.Join(folder, "bin/linux-s390x/people"), 0o644))
		}, manifest.ErrArtifactInvalid},
		"too deep": {func(t *testing.T, folder string) {
			writeTree(t, folder, tree{"module.json": manifestOf(t, "people", "1.0.0",
				fields{"entrypoints": fields{"ui": deep}}), deep: ""})
		}, archive.ErrLongName},
		"too large": {func(t *testing.T, folder string) {
			for _, machine := range []string{"arm64", "riscv64", "s390x"} { // sparse: only headers are read
				if name := "bin/linux-" + machine + "/people"; writeTree(t, folder, tree{name: ""}) != "" {
					must(t, os.Truncate(filepath.Join(folder, name), 1<<40))
				}
			}
		}, archive.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := writeTree(t, filepath.Join(t.TempDir(), "people"), large(t, "people", "1.0.0"))
			c.prepare(t, folder)
			out := t.TempDir()
			if path, err := archive.Pack(folder, platform, out); !errors.Is(err, c.want) || path != "" {
				t.Errorf("Pack: path %q, want none; error %v, want %v", path, err, c.want)
			} else if strings.Contains(err.Error(), out) || strings.Contains(err.Error(), folder) {
				t.Errorf("a path is shown: %v", err)
			}
			if entries, err := os.ReadDir(out); err != nil || len(entries) != 0 {
				t.Errorf("left behind %v, want nothing; error %v", entries, err)
			}
		})
	}
	folder := writeTree(t, filepath.Join(t.TempDir(), "people"), small(t, "people", "1.0.0"))
	if _, err := archive.Pack(folder, platform, filepath.Join(folder, "module.json")); err == nil ||
		strings.Contains(err.Error(), folder) {
		t.Errorf("packed into a file, or a path is shown: %v", err)
	}
}
