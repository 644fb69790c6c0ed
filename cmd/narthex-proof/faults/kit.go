package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

const (
	ownerAddress, ownerPassword = "owner@example.org", "correct horse battery"

	// moduleSources are the modules that the tests of the whole program use.
	moduleSources = "cmd/narthex/e2e/testdata/modules"
	// misbehaving is the module that does harm on request. It is installed under several names.
	misbehaving = "misbehaving"
)

// installed are the modules of every installation.
func installed() []string { return []string{"base", "board", "files", "glutton"} }

// kit holds what all installations share: the program, built modules, a migrated database to copy and an
// object storage.
type kit struct {
	binary  string
	folder  string // for programs; modules run as other users, who must be able to enter it
	memory  string // for databases; in memory if there is space
	storage *storagetest.Server

	networks atomic.Int64 // that were made
}

func newKit(ctx context.Context, binary string) (k *kit, err error) {
	if _, err := os.Stat(moduleSources); err != nil {
		return nil, errors.New("this needs the checkout: run it in the folder of go.mod")
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("there is no %s: run make build", binary)
	}
	k = &kit{binary: binary}
	partial := k // a return with an error sets k to nil
	defer func() {
		if err != nil {
			partial.close()
		}
	}()
	if k.folder, err = openFolder(os.TempDir()); err != nil {
		return nil, err
	}
	k.memory = k.folder
	if fs := (syscall.Statfs_t{}); syscall.Statfs("/dev/shm", &fs) == nil &&
		fs.Bavail*uint64(fs.Bsize) > 2<<30 {
		if k.memory, err = openFolder("/dev/shm"); err != nil {
			return nil, err
		}
	}
	for _, id := range append(installed(), misbehaving) {
		if err := k.build(ctx, id); err != nil {
			return nil, err
		}
	}
	if k.storage, err = storagetest.Start(ctx, k.folder); err != nil {
		return nil, err
	}
	return k, k.makeTemplate(ctx)
}

// openFolder creates a folder that every user may enter.
func openFolder(parent string) (string, error) {
	folder, err := os.MkdirTemp(parent, "narthex-faults-")
	if err != nil {
		return "", err
	}
	return folder, os.Chmod(folder, 0o755)
}

func (k *kit) close() {
	if k.storage != nil {
		k.storage.Stop()
	}
	for _, folder := range []string{k.folder, k.memory} {
		if folder != "" {
			_ = os.RemoveAll(folder)
		}
	}
}

// platform returns the folder of a module's program for this machine.
func platform() string { return filepath.Join("bin", runtime.GOOS+"-"+runtime.GOARCH) }

// build builds a module into the kit's folder.
func (k *kit) build(ctx context.Context, id string) error {
	source, target := filepath.Join(moduleSources, id), filepath.Join(k.folder, "built", id)
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o",
		filepath.Join(target, platform(), id), "./"+filepath.Join(source, "server"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the module %s: %w\n%s", id, err, output)
	}
	if err := copyFile(filepath.Join(source, "module.json"), filepath.Join(target, "module.json"),
		0o644); err != nil {
		return err
	}
	migrations := filepath.Join(source, "migrations")
	if _, err := os.Stat(migrations); err != nil {
		return nil
	}
	return os.CopyFS(filepath.Join(target, "migrations"), os.DirFS(migrations))
}

// modulesFolder creates a modules directory with the modules of every installation and with misbehaving ones.
func (k *kit) modulesFolder(folder string, wild []string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for _, id := range installed() {
		if err := os.Symlink(filepath.Join(k.folder, "built", id), filepath.Join(folder, id)); err != nil {
			return err
		}
	}
	source := filepath.Join(k.folder, "built", misbehaving)
	manifest, err := os.ReadFile(filepath.Join(source, "module.json"))
	if err != nil {
		return err
	}
	for _, id := range wild {
		programs := filepath.Join(folder, id, platform())
		if err := os.MkdirAll(programs, 0o755); err != nil {
			return err
		}
		named := bytes.ReplaceAll(manifest, []byte(`"`+misbehaving), []byte(`"`+id))
		named = bytes.ReplaceAll(named, []byte("/"+misbehaving), []byte("/"+id))
		if err := errors.Join(os.WriteFile(filepath.Join(folder, id, "module.json"), named, 0o644),
			copyFile(filepath.Join(source, platform(), misbehaving), filepath.Join(programs, id), 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// template returns the folder of the migrated database.
func (k *kit) template() string { return filepath.Join(k.memory, "template") }

// makeTemplate migrates a database once and creates an owner in it, so that each installation can begin with
// a copy.
func (k *kit) makeTemplate(ctx context.Context) error {
	postgres, err := cluster.Start(ctx, cluster.Options{Dir: k.template(), Tools: ".tools", FsyncOff: true})
	if err != nil {
		return explained(err)
	}
	defer func() { _ = postgres.Stop() }()
	p := &place{kit: k, folder: filepath.Join(k.folder, "template")}
	if err := os.Mkdir(p.folder, 0o755); err != nil {
		return err
	}
	if err := k.modulesFolder(filepath.Join(p.folder, "modules"), nil); err != nil {
		return err
	}
	p.prepareEnvironment(postgres.URL("postgres"), 1)
	if _, err := runCommand(ctx, k.binary, p.variables(), "", "migrations:apply"); err != nil {
		return err
	}
	_, err = runCommand(ctx, k.binary, p.variables(), ownerPassword+"\n", "identity:create-initial-owner",
		"--email", ownerAddress)
	return err
}

// explained adds the causes that coded errors do not print.
func explained(err error) error {
	if wrapped, ok := err.(interface{ Unwrap() []error }); ok {
		return fmt.Errorf("%w: %w", err, errors.Join(wrapped.Unwrap()...))
	}
	return err
}

// onlyRoot returns why a fault needs root, or "" for root.
func onlyRoot() string {
	if os.Geteuid() != 0 {
		return "this needs root"
	}
	return ""
}

// hostAndPort returns the address in a PostgreSQL URL.
func hostAndPort(url string) string {
	_, rest, _ := strings.Cut(url, "@")
	address, _, _ := strings.Cut(rest, "/")
	return address
}
