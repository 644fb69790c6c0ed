// Package authoring builds a module from its folder: its server for the machine of the platform, and the
// scripts of its pages.
package authoring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

// Error is a stable code; its text also says what to do.
type Error string

func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrNoModule: the folder has no module.json that can be read.
	ErrNoModule = Error("MANIFEST_MISSING")
	// ErrBuild: the compiler failed and has written why to the report.
	ErrBuild = Error("MODULE_NOT_BUILT")
)

// GoMissing is what an author reads who has no Go.
const GoMissing = "Go is not installed, or not in the PATH; see https://go.dev/doc/install"

func (e Error) sentence() string {
	if e == ErrNoModule {
		return "The folder has no module.json that can be read."
	}
	return "The module was not built; the lines above say why."
}

// Build builds the module in a folder, and returns the paths, in the folder, of the files that it has
// written. The server is the Go package in the folder itself, built static for this machine. Compilers write
// to report. Errors: ErrNoModule, ErrBuild, catalog.Findings.
func Build(ctx context.Context, folder string, report io.Writer) ([]string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoModule, err)
	}
	module, err := catalog.Sources(folder, abi.PlatformVersion)
	if findings := catalog.Findings(nil); errors.As(err, &findings) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoModule, err)
	}
	if err := typeCheck(ctx, folder, report); err != nil {
		return nil, err
	}
	var written []string
	if server := module.Manifest.Server; server != "" {
		if err := buildServer(ctx, folder, server, report); err != nil {
			return nil, err
		}
		written = append(written, server)
	}
	scripts, err := buildScripts(folder)
	if err != nil {
		fmt.Fprintln(report, err)
		return nil, ErrBuild
	}
	for _, script := range scripts {
		for _, warning := range script.Warnings {
			fmt.Fprintln(report, "warning: "+warning)
		}
		path := filepath.Join(folder, script.Path)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, script.Bytes, 0o644))
		if err != nil {
			fmt.Fprintln(report, script.Path, "cannot be written.")
			return nil, ErrBuild
		}
		written = append(written, script.Path)
	}
	return written, nil
}

func buildScripts(folder string) ([]bundle.Script, error) {
	sdk, err := bundle.ReadSDK(web.SDK())
	if err != nil {
		return nil, err
	}
	return bundle.Module(folder, sdk)
}

// buildServer omits version control information, so that the same sources give the same bytes.
func buildServer(ctx context.Context, folder, server string, report io.Writer) error {
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err == nil && len(sources) == 0 {
		_, err = os.Stat(filepath.Join(folder, server))
		if err == nil {
			return nil // a server in another language, which its author builds
		}
	}
	if err != nil {
		fmt.Fprintln(report, "The folder has no Go package, and no", server)
		return fmt.Errorf("%w: %w", ErrBuild, err)
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w",
		"-o", server, ".")
	command.Dir, command.Stdout, command.Stderr = folder, report, report
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if err := command.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			fmt.Fprintln(report, GoMissing)
		}
		return fmt.Errorf("%w: %w", ErrBuild, err)
	}
	return nil
}
