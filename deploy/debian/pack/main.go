// Command pack builds the Debian package: the program, its manual pages and completions, the units, and the
// files beside this folder. It needs dpkg-deb, and runs in the root of the checkout (make deb).
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra/doc"

	"github.com/narthex-platform/narthex/cmd/narthex/program"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func main() {
	log.SetFlags(0)
	binary := flag.String("binary", "bin/narthex", "the program, built for the architecture")
	arch := flag.String("arch", "amd64", "Debian's name of the architecture")
	version := flag.String("version", abi.PlatformVersion, "version of the package")
	out := flag.String("out", "bin", "folder for the package")
	flag.Parse()
	if err := pack(*binary, *arch, *version, *out); err != nil {
		log.Fatal(err)
	}
}

func pack(binary, arch, version, out string) error {
	root, err := os.MkdirTemp("", "narthex-deb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	tree := &tree{root: root, err: os.Chmod(root, 0o755)} // the package's root folder has this mode
	tree.copy(binary, "usr/bin/narthex", 0o755)
	for from, file := range files {
		tree.copy(from, file.to, file.mode)
	}
	tree.handbook()
	tree.pages()
	tree.page("deploy/debian/narthexctl.8")
	tree.completions()
	tree.changelog(version)
	tree.control(arch, version)
	if tree.err != nil {
		return tree.err
	}
	path := filepath.Join(out, fmt.Sprintf("narthex_%s_%s.deb", version, arch))
	build := exec.Command("dpkg-deb", "--root-owner-group", "--build", root, path)
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	return build.Run()
}

// files are copied unchanged.
var files = map[string]struct {
	to   string
	mode fs.FileMode
}{
	"deploy/systemd/narthex.service":         {"usr/lib/systemd/system/narthex.service", 0o644},
	"deploy/systemd/narthex.socket":          {"usr/lib/systemd/system/narthex.socket", 0o644},
	"deploy/systemd/narthex-backup.service":  {"usr/lib/systemd/system/narthex-backup.service", 0o644},
	"deploy/systemd/narthex-backup.timer":    {"usr/lib/systemd/system/narthex-backup.timer", 0o644},
	"deploy/systemd/narthex@.service":        {"usr/lib/systemd/system/narthex@.service", 0o644},
	"deploy/systemd/narthex@.socket":         {"usr/lib/systemd/system/narthex@.socket", 0o644},
	"deploy/systemd/narthex@.timer":          {"usr/lib/systemd/system/narthex@.timer", 0o644},
	"deploy/systemd/narthex-wake@.service":   {"usr/lib/systemd/system/narthex-wake@.service", 0o644},
	"deploy/systemd/narthex-backup@.service": {"usr/lib/systemd/system/narthex-backup@.service", 0o644},
	"deploy/systemd/narthex-backup@.timer":   {"usr/lib/systemd/system/narthex-backup@.timer", 0o644},
	"deploy/debian/houses":                   {"usr/lib/narthex/houses", 0o755},
	"deploy/backup/nightly":                  {"usr/lib/narthex/nightly-backup", 0o755},
	"deploy/debian/narthex.env":              {"usr/share/narthex/narthex.env", 0o644},
	"deploy/debian/narthexctl":               {"usr/sbin/narthexctl", 0o755},
	"deploy/debian/lintian-overrides":        {"usr/share/lintian/overrides/narthex", 0o644},
	"deploy/debian/copyright":                {"usr/share/doc/narthex/copyright", 0o644},
	"deploy/debian/postinst":                 {"DEBIAN/postinst", 0o755},
	"deploy/debian/prerm":                    {"DEBIAN/prerm", 0o755},
	"deploy/debian/postrm":                   {"DEBIAN/postrm", 0o755},
	"deploy/postgresql/prepare":              {"usr/share/narthex/prepare-postgresql", 0o755},
	"deploy/postgresql/roles.sql":            {"usr/share/narthex/roles.sql", 0o644},
	"deploy/proxy/Caddyfile":                 {"usr/share/doc/narthex/examples/Caddyfile", 0o644},
	"deploy/proxy/nginx.conf":                {"usr/share/doc/narthex/examples/nginx.conf", 0o644},
	"deploy/postgresql/patroni.yml":          {"usr/share/doc/narthex/examples/patroni.yml", 0o644},
	"deploy/proxy/several.haproxy.cfg":       {"usr/share/doc/narthex/examples/several.haproxy.cfg", 0o644},
	"deploy/proxy/several.Caddyfile":         {"usr/share/doc/narthex/examples/several.Caddyfile", 0o644},
	"deploy/proxy/several.nginx.conf":        {"usr/share/doc/narthex/examples/several.nginx.conf", 0o644},
	"deploy/proxy/storage.Caddyfile":         {"usr/share/doc/narthex/examples/storage.Caddyfile", 0o644},
	"deploy/storage/narthex-storage.service": {"usr/share/doc/narthex/examples/narthex-storage.service", 0o644},
	"deploy/monitoring/alerts.yml":           {"usr/share/doc/narthex/examples/alerts.yml", 0o644},
	"deploy/monitoring/dashboard.json":       {"usr/share/doc/narthex/examples/dashboard.json", 0o644},
}

// tree builds the package's content. After the first error it does nothing more.
type tree struct {
	root string
	err  error
}

func (t *tree) write(to string, mode fs.FileMode, content []byte) {
	if t.err != nil {
		return
	}
	path := filepath.Join(t.root, to)
	if t.err = os.MkdirAll(filepath.Dir(path), 0o755); t.err == nil {
		t.err = os.WriteFile(path, content, mode)
	}
	if t.err == nil {
		t.err = os.Chmod(path, mode) // regardless of the umask
	}
	for dir := filepath.Dir(path); dir != t.root && t.err == nil; dir = filepath.Dir(dir) {
		t.err = os.Chmod(dir, 0o755)
	}
}

func (t *tree) copy(from, to string, mode fs.FileMode) {
	if t.err != nil {
		return
	}
	content, err := os.ReadFile(from)
	if err != nil {
		t.err = err
		return
	}
	t.write(to, mode, content)
}

// compressed writes gzip data that is the same each time for the same content.
func (t *tree) compressed(to string, content []byte) {
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = writer.Write(content)
	}
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		t.err = err
		return
	}
	t.write(to+".gz", 0o644, out.Bytes())
}

// pages writes the manual pages, one for each command. A page's name cannot contain a colon.
func (t *tree) pages() {
	command := program.Describe("narthex")
	command.DisableAutoGenTag = true
	dir, err := os.MkdirTemp("", "narthex-pages-")
	if err != nil {
		t.err = err
		return
	}
	defer os.RemoveAll(dir)
	date := time.Unix(0, 0)
	header := &doc.GenManHeader{Title: "NARTHEX", Section: "1", Source: "Narthex", Manual: "Narthex",
		Date: &date}
	if err := doc.GenManTree(command, header, dir); err != nil {
		t.err = err
		return
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		t.err = err
		return
	}
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.err = err
			return
		}
		t.compressed("usr/share/man/man1/"+strings.ReplaceAll(filepath.Base(page), ":", "-"), content)
	}
}

// page writes a manual page that was written by hand.
func (t *tree) page(from string) {
	content, err := os.ReadFile(from)
	if err != nil {
		t.err = err
		return
	}
	t.compressed("usr/share/man/man8/"+filepath.Base(from), content)
}

func (t *tree) completions() {
	command := program.Describe("narthex")
	var bash, zsh, fish bytes.Buffer
	for _, err := range []error{command.GenBashCompletionV2(&bash, true), command.GenZshCompletion(&zsh),
		command.GenFishCompletion(&fish, true)} {
		if err != nil {
			t.err = err
			return
		}
	}
	t.write("usr/share/bash-completion/completions/narthex", 0o644, bash.Bytes())
	t.write("usr/share/zsh/vendor-completions/_narthex", 0o644, zsh.Bytes())
	t.write("usr/share/fish/vendor_completions.d/narthex.fish", 0o644, fish.Bytes())
}

func (t *tree) changelog(version string) {
	t.compressed("usr/share/doc/narthex/changelog", []byte(fmt.Sprintf(`narthex (%s) stable; urgency=medium

  * See CHANGELOG.md of the sources.

 -- %s  Thu, 01 Jan 2026 00:00:00 +0000
`, version, maintainer)))
}

const maintainer = "The Narthex engineers <packages@narthex.invalid>"

// control writes the metadata for dpkg.
func (t *tree) control(arch, version string) {
	var sums bytes.Buffer
	size := int64(0)
	err := filepath.WalkDir(t.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(t.root, path)
		if err != nil || strings.HasPrefix(name, "DEBIAN/") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size += int64(len(content))
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(content), name)
		return nil
	})
	if err != nil && t.err == nil {
		t.err = err
	}
	t.write("DEBIAN/md5sums", 0o644, sums.Bytes())
	t.write("DEBIAN/control", 0o644, []byte(fmt.Sprintf(`Package: narthex
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Depends: adduser, ca-certificates
Recommends: postgresql, postgresql-client, caddy | nginx
Section: web
Priority: optional
Homepage: https://github.com/narthex-platform/narthex
Description: platform for the software of a congregation
 One daemon runs what a congregation needs: people sign in to a one-page
 Dashboard, feature modules run as supervised and sandboxed processes, and
 screens on walls show what they should.
`, version, arch, maintainer, (size+1023)/1024)))
}
