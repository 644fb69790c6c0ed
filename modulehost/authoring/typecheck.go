package authoring

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// typeCheck lets the TypeScript compiler check the module by each tsconfig.json that it has, if there is a
// compiler: in node_modules of the folder or of one above it, in the checkout, or in the PATH. The build
// needs none, so without it, or without the Node that it needs, nothing is checked.
func typeCheck(ctx context.Context, folder string, report io.Writer) error {
	compiler := findCompiler(folder)
	if compiler == "" {
		return nil
	}
	var failed error
	for _, part := range []string{"server-src", "."} {
		if _, err := os.Stat(filepath.Join(folder, part, "tsconfig.json")); err != nil {
			continue
		}
		var found bytes.Buffer
		command := exec.CommandContext(ctx, compiler, "--noEmit", "--pretty", "false", "-p", part)
		command.Dir, command.Stdout = folder, &found
		err := command.Run()
		exit := (*exec.ExitError)(nil)
		if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 2) {
			_, _ = report.Write(found.Bytes())
			failed = ErrBuild
		}
	}
	return failed
}

// findCompiler returns the path of tsc; "" if there is none.
func findCompiler(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		for _, packages := range []string{"node_modules", "web/node_modules"} {
			path := filepath.Join(dir, packages, ".bin", "tsc")
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	path, err := exec.LookPath("tsc")
	if err != nil {
		return ""
	}
	return path
}
