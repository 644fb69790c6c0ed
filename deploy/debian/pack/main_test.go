package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/services/buildtest"
)

// TestPackage builds a package and checks it with Debian's own tools. With -short the package has another,
// small program, and lintian does not run.
func TestPackage(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	defer syscall.Umask(syscall.Umask(0o077)) // a careful administrator's, which the package must not inherit
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv("DPKG_DEB_COMPRESSOR_LEVEL", "1") // size does not matter; level 6 takes ten times as long
	folder := t.TempDir()
	binary := "/bin/true"
	if !testing.Short() {
		binary = filepath.Join(folder, "narthex")
		if err := buildtest.Program(binary, "./cmd/narthex", "-trimpath", "-tags", "nomsgpack"); err != nil {
			t.Fatal(err)
		}
	}
	if err := pack(binary, "amd64", "9.8.7", folder); err != nil {
		t.Fatal(err)
	}
	deb := filepath.Join(folder, "narthex_9.8.7_amd64.deb")
	contents, err := exec.Command("dpkg-deb", "--contents", deb).CombinedOutput()
	if err != nil {
		t.Fatalf("dpkg-deb --contents: %v\n%s", err, contents)
	}
	for _, line := range []string{
		"drwxr-xr-x root/root ./",
		"drwxr-xr-x root/root ./usr/share/doc/narthex/operations/",
		"-rw-r--r-- root/root ./usr/share/doc/narthex/operations/install.md",
		"-rw-r--r-- root/root ./usr/share/doc/narthex/reference/error-codes.md",
		"-rw-r--r-- root/root ./usr/share/doc/narthex/images/sign-in.png",
		"-rwxr-xr-x root/root ./usr/bin/narthex",
		"-rw-r--r-- root/root ./usr/share/narthex/narthex.env",
		"-rw-r--r-- root/root ./usr/lib/systemd/system/narthex.service",
		"-rw-r--r-- root/root ./usr/share/man/man1/narthex-doctor.1.gz",
		"-rw-r--r-- root/root ./usr/share/bash-completion/completions/narthex",
	} {
		if !matchesEntry(string(contents), line) {
			t.Errorf("the package lacks %q:\n%s", line, contents)
		}
	}
	unpacked := filepath.Join(folder, "unpacked")
	if out, err := exec.Command("dpkg-deb", "--extract", deb, unpacked).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb --extract: %v\n%s", err, out)
	}
	checkLinks(t, filepath.Join(unpacked, "usr/share/doc/narthex"))
	checkSize(t, deb, unpacked)
	if lintian, err := exec.LookPath("lintian"); err == nil && !testing.Short() {
		if out, err := exec.Command(lintian, "--allow-root", deb).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("lintian: %v\n%s", err, out)
		}
	}
}

// checkSize compares the size that the package claims, in KiB, with that of its files.
func checkSize(t *testing.T, deb, unpacked string) {
	t.Helper()
	claimed, err := exec.Command("dpkg-deb", "--field", deb, "Installed-Size").Output()
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	err = filepath.WalkDir(unpacked, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		size += info.Size()
		return err
	})
	want := strconv.FormatInt((size+1023)>>10, 10)
	if got := strings.TrimSpace(string(claimed)); err != nil || got != want {
		t.Errorf("the package claims %s KiB, its files have %d bytes; want %s, error %v", got, size, want, err)
	}
}

var (
	markdownCode    = regexp.MustCompile("(?ms)^\\s*```.*?^\\s*```|`[^`\\n]+`")
	markdownLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	markdownHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchor     = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// checkLinks follows every link of an unpacked handbook to another file of it, and to a heading in it.
func checkLinks(t *testing.T, handbook string) {
	t.Helper()
	followed := 0
	err := filepath.WalkDir(handbook, func(page string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(page) != ".md" {
			return err
		}
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		text = markdownCode.ReplaceAll(text, nil)
		for _, found := range markdownLink.FindAllSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(string(found[1]), "#")
			if strings.Contains(target, "://") {
				continue
			}
			followed++
			at := page
			if target != "" {
				at = filepath.Join(filepath.Dir(page), target)
			}
			there, err := os.ReadFile(at)
			if err != nil || !strings.HasPrefix(at, handbook) {
				t.Errorf("%s links to %s, which is not in the handbook", strings.TrimPrefix(page, handbook), found[1])
			} else if anchor != "" && !slices.Contains(anchors(there), anchor) {
				t.Errorf("%s links to %s, but there is no such heading", strings.TrimPrefix(page, handbook), found[1])
			}
		}
		return nil
	})
	if err != nil || followed < 50 {
		t.Errorf("the handbook has %d links to its own pages, want at least 50; error %v", followed, err)
	}
}

// anchors returns the names by which links reach the headings of a page.
func anchors(page []byte) (names []string) {
	for _, heading := range markdownHeading.FindAllSubmatch(page, -1) {
		name := notInAnchor.ReplaceAllString(strings.ToLower(string(heading[1])), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// matchesEntry reports whether a line of dpkg-deb --contents has the wanted mode, owner and name; size and
// time are ignored.
func matchesEntry(contents, want string) bool {
	for line := range strings.Lines(contents) {
		fields := strings.Fields(line)
		if len(fields) == 6 && fields[0]+" "+fields[1]+" "+fields[5] == want {
			return true
		}
	}
	return false
}

// TestUnits checks the units with systemd's own tools.
func TestUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	units := filepath.Join("..", "..", "systemd")
	for _, unit := range []string{"narthex.service", "narthex-backup.service", "narthex@.service",
		"narthex-backup@.service"} {
		// the maximum exposure, in tenths
		out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=15",
			filepath.Join(units, unit)).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze security %s: %v\n%s", unit, err, out)
		}
	}
}

// TestUnitsOfHouses: the units of a house are those of the only installation, except for the lines that name
// the house and that let its process sleep.
func TestUnitsOfHouses(t *testing.T) {
	house := strings.NewReplacer("narthex-%i", "narthex", "narthex@%i", "narthex", " of %i", "",
		"/houses/%i.", "/narthex.", "narthex-houses/%i", "narthex")
	for unit, differences := range map[string]string{
		"narthex.service": `
+# An idle process ends with status 0 and stays off until the socket or the timer starts it. A house whose
+# schema narthexctl upgrade has not migrated yet cannot start: with this pause it does not reach the limit of
+# starts (5 in 10 s), at which systemd would close its address, and its connections wait.
+Restart=on-failure
+RestartSec=3
-Restart=always
-RestartSec=2
-
-[Install]
-WantedBy=multi-user.target
`,
		"narthex-backup.service": "\n+Environment=NARTHEX_BACKUPS=/var/backups/narthex\n",
	} {
		only, err := os.ReadFile(filepath.Join("..", "..", "systemd", unit))
		if err != nil {
			t.Fatal(err)
		}
		many, err := os.ReadFile(filepath.Join("..", "..", "systemd", strings.Replace(unit, ".", "@.", 1)))
		if err != nil {
			t.Fatal(err)
		}
		before := strings.SplitAfter(string(only), "\n")
		var got strings.Builder
		got.WriteString("\n")
		for line := range strings.Lines(house.Replace(string(many))) {
			n := slices.Index(before, line)
			if n < 0 {
				got.WriteString("+" + line)
				continue
			}
			for _, gone := range before[:n] {
				got.WriteString("-" + gone)
			}
			before = before[n+1:]
		}
		for _, gone := range before {
			if gone != "" {
				got.WriteString("-" + gone)
			}
		}
		if got.String() != differences {
			t.Errorf("%s of a house differs by\n%swant\n%s", unit, &got, differences)
		}
	}
}
