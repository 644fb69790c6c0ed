package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/authoring"
	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

// workshop builds packages from modules' sources, in a folder of its own: an author's folder is only read.
// Every package is a new folder, because a platform that runs an older one reads its files again when it
// restarts a module's process.
type workshop struct {
	dir      string
	report   io.Writer // gets warnings
	count    int
	servers  map[string]string          // built executables by module id
	scripts  map[string][]bundle.Script // bundled scripts by module id
	packages map[string]string          // folder of the latest package by module id
	edition  map[string]int             // how many packages of each module were made
	built    func(moduleID string, scripts []bundle.Script)
}

func newWorkshop(dir string, report io.Writer) (*workshop, error) {
	if err := os.RemoveAll(dir); err != nil { // left by an earlier run
		return nil, err
	}
	return &workshop{dir: dir, report: report, servers: make(map[string]string),
		scripts: make(map[string][]bundle.Script), packages: make(map[string]string),
		edition: make(map[string]int), built: func(string, []bundle.Script) {}}, os.MkdirAll(dir, 0o755)
}

// change is a set of the kinds of files of a module that were saved.
type change uint8

const (
	changedServer     change = 1 << iota // Go sources
	changedScripts                       // sources of scripts
	changedMigrations                    // or the manifest, which names them
	changedPackage                       // another installed file
)

// stepError describes a failed step to the author.
type stepError struct {
	module string
	step   string
	text   string
}

func (e *stepError) Error() string { return e.module + ": " + e.step + ": " + e.text }

// outdated returns what has to be built of a module when dev starts: everything whose sources are newer than
// the result.
func outdated(s source) change {
	var needed change
	o, _, err := readOutline(s.folder)
	if err != nil {
		return 0
	}
	server := serverPackage(s.folder)
	if server != "" && o.Entrypoints.Server.executable != "" && inGoModule(server) {
		program := filepath.Join(s.folder, executablePath(o))
		if olderThan(program, s.folder, func(name string) bool {
			return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		}) {
			needed |= changedServer
		}
	}
	scripts := map[string]string{o.Entrypoints.Server.script: "server-src", o.Entrypoints.UI: "ui-src",
		o.Entrypoints.Display.Artifact: "display-src", o.Entrypoints.Link.Artifact: "link-src"}
	for _, contribution := range o.Contributions {
		scripts[contribution.Artifact] = "contributions-src"
	}
	for script, sources := range scripts {
		folder := filepath.Join(s.folder, sources)
		if _, err := os.Stat(folder); err == nil && script != "" &&
			olderThan(filepath.Join(s.folder, script), folder, func(string) bool { return true }) {
			needed |= changedScripts
		}
	}
	return needed
}

// inGoModule reports whether Go finds a go.mod for a folder. A package that is not meant to be built here has
// none.
func inGoModule(folder string) bool {
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return true
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return false
		}
		folder = parent
	}
}

func olderThan(file, folder string, counts func(name string) bool) bool {
	built, err := os.Stat(file)
	if err != nil {
		return true
	}
	older := false
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !counts(entry.Name()) {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.ModTime().After(built.ModTime()) {
			older = true
		}
		return nil
	})
	return older
}

func executablePath(o outline) string {
	return strings.NewReplacer("{os}", runtime.GOOS, "{arch}", runtime.GOARCH).Replace(
		o.Entrypoints.Server.executable)
}

// serverPackage returns the folder of the server's Go sources: the module's folder, or server in it; "" if
// neither has any.
func serverPackage(folder string) string {
	for _, dir := range []string{folder, filepath.Join(folder, "server")} {
		if found, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(found) > 0 {
			return dir
		}
	}
	return ""
}

// build builds what has changed.
func (w *workshop) build(ctx context.Context, s source, what change) error {
	if what&changedServer != 0 && serverPackage(s.folder) != "" {
		if err := w.buildServer(ctx, s); err != nil {
			return err
		}
	}
	if what&changedScripts != 0 {
		sdk, err := bundle.ReadSDK(web.SDK())
		if err != nil {
			return err
		}
		w.scripts[s.id], err = bundle.Module(s.folder, sdk)
		if err != nil {
			return &stepError{s.id, "bundling its scripts", err.Error()}
		}
		w.built(s.id, w.scripts[s.id])
		for _, script := range w.scripts[s.id] {
			for _, warning := range script.Warnings {
				fmt.Fprintf(w.report, "%s: warning: %s\n", s.id, warning)
			}
		}
	}
	return nil
}

func (w *workshop) buildServer(ctx context.Context, s source) error {
	w.count++
	program := filepath.Join(w.dir, fmt.Sprintf("%s-%d", s.id, w.count))
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o",
		program, ".")
	build.Dir = serverPackage(s.folder)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := build.CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(said))
		switch {
		case errors.Is(err, exec.ErrNotFound):
			text = authoring.GoMissing
		case text == "":
			text = err.Error()
		}
		return &stepError{s.id, "go build in " + build.Dir, text}
	}
	w.servers[s.id] = program
	return nil
}

// pack makes a package from the built files and the module's folder. Each further package of a module gets a
// version of its own (semver build metadata), so that open pages recognise a new version and mount it.
func (w *workshop) pack(s source) error {
	o, manifest, err := readOutline(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.count++
	folder := filepath.Join(w.dir, "packages", fmt.Sprint(w.count), s.id)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if manifest != nil {
		if w.edition[s.id]++; w.edition[s.id] > 1 {
			manifest = stamped(manifest, o.Version, w.edition[s.id])
		}
		if err := os.WriteFile(filepath.Join(folder, "module.json"), manifest, 0o644); err != nil {
			return err
		}
	}
	for _, part := range o.parts() {
		if err := copyPart(filepath.Join(s.folder, part), filepath.Join(folder, part)); err != nil {
			return &stepError{s.id, "copying " + part, err.Error()}
		}
	}
	for _, script := range w.scripts[s.id] {
		text := fmt.Appendf(script.Bytes[:len(script.Bytes):len(script.Bytes)], "//# sourceMappingURL=%s%s/%s\n",
			mapPath, s.id, script.Path)
		if err := writeFile(filepath.Join(folder, script.Path), bytes.NewReader(text), 0o644); err != nil {
			return err
		}
	}
	if program := w.servers[s.id]; program != "" && o.Entrypoints.Server.executable != "" {
		file, err := os.Open(program)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := writeFile(filepath.Join(folder, executablePath(o)), file, 0o755); err != nil {
			return err
		}
	}
	w.packages[s.id] = folder
	return readableByAll(folder)
}

// stamped adds a suffix to the manifest's version. If the version is not found in the text, nothing changes.
func stamped(manifest []byte, version string, edition int) []byte {
	quoted := []byte(`"` + version + `"`)
	key := bytes.Index(manifest, []byte(`"version"`))
	if version == "" || key < 0 {
		return manifest
	}
	at := bytes.Index(manifest[key:], quoted)
	if at < 0 {
		return manifest
	}
	separator := "+"
	if strings.Contains(version, "+") {
		separator = "."
	}
	at += key + len(quoted) - 1
	suffix := fmt.Appendf(nil, "%sdev.%d", separator, edition)
	return append(append(append([]byte(nil), manifest[:at]...), suffix...), manifest[at:]...)
}

// modulesDir creates a modules directory from the latest packages.
func (w *workshop) modulesDir(sources []source) (string, error) {
	w.count++
	dir := filepath.Join(w.dir, "modules", fmt.Sprint(w.count))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, s := range sources {
		if err := os.Symlink(w.packages[s.id], filepath.Join(dir, s.id)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// clear removes files that no platform uses any more. It is called when only the platform on modulesDir runs.
func (w *workshop) clear(modulesDir string) {
	used := map[string]bool{modulesDir: true}
	for _, folder := range w.packages {
		used[filepath.Dir(folder)] = true
	}
	for _, program := range w.servers {
		used[program] = true
	}
	for _, pattern := range []string{"*-*", "packages/*", "modules/*"} {
		made, _ := filepath.Glob(filepath.Join(w.dir, pattern))
		for _, path := range made {
			if !used[path] {
				_ = os.RemoveAll(path) // leftovers are removed at the next start
			}
		}
	}
}

// readableByAll gives the folders and files of a package the modes of an installed one, whatever the umask
// and the modes of the sources are, because a module may run as a user of its own.
func readableByAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode(); {
		case mode.IsDir(), mode.IsRegular() && mode&0o100 != 0:
			return os.Chmod(path, 0o755)
		case mode.IsRegular():
			return os.Chmod(path, 0o644)
		}
		return nil
	})
}

// copyPart copies a file or a folder. It ignores a missing one, which discovery reports.
func copyPart(from, to string) error {
	info, err := os.Stat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return os.CopyFS(to, os.DirFS(from))
	}
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	return writeFile(to, file, info.Mode().Perm())
}
