package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// trial tries mutations in a copy of the sources.
type trial struct {
	folder string
	all    bool
	sound  map[string]bool // the commands that have passed without a change
}

// try returns the name of a test that fails with a mutation, or "".
func (t *trial) try(ctx context.Context, m mutation) (failed string, err error) {
	for _, c := range m.tests {
		arguments, folder := c.arguments(t.all)
		key := strings.Join(arguments, " ")
		if t.sound[key] {
			continue
		}
		if said, err := output(ctx, filepath.Join(t.folder, folder), "go", arguments...); err != nil {
			return "", fmt.Errorf("go %s fails without a change:\n%s", key, said)
		}
		t.sound[key] = true
	}
	content, err := os.ReadFile(filepath.Join(t.folder, m.file))
	if err != nil {
		return "", err
	}
	changed, err := m.apply(string(content))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, t.write(context.WithoutCancel(ctx), m, string(content))) }()
	if err := t.write(ctx, m, changed); err != nil {
		return "", err
	}
	for _, c := range m.tests {
		arguments, folder := c.arguments(t.all)
		said, err := output(ctx, filepath.Join(t.folder, folder), "go", append(arguments, "-count=1")...)
		if unusable.MatchString(said) {
			return "", fmt.Errorf("the change cannot be built:\n%s", said)
		}
		if err != nil {
			return firstFailure(said), nil
		}
	}
	return "", nil
}

// write writes the content of the file and, if a test runs it in a browser, what is built from it.
func (t *trial) write(ctx context.Context, m mutation, content string) error {
	err := os.WriteFile(filepath.Join(t.folder, m.file), []byte(content), 0o644)
	if err != nil || !m.inBrowser() {
		return err
	}
	if said, err := output(ctx, t.folder, "go", "run", "./web/build"); err != nil {
		return fmt.Errorf("go run ./web/build: %w\n%s", err, said)
	}
	return nil
}

// inBrowser reports whether a test runs what is built for browsers. The tests of web/build build what they
// run.
func (m mutation) inBrowser() bool {
	return slices.ContainsFunc(m.tests, func(c command) bool { return c.pkg == "./web/browsertest" })
}

// goModules are the folders of the Go modules beside that of the root.
var goModules = []string{"modulehost/sdk", "cmd/narthex-proof"}

// arguments returns those of the go command, and where it runs.
func (c command) arguments(all bool) (arguments []string, folder string) {
	pkg := c.pkg
	for _, module := range goModules {
		if rest, inside := strings.CutPrefix(pkg+"/", "./"+module+"/"); inside {
			pkg, folder = "./"+rest, module
		}
	}
	arguments = []string{"test", "-timeout", "5m"}
	if !all {
		arguments = append(arguments, "-short")
	}
	if all || c.race {
		arguments = append(arguments, "-race")
	}
	if c.pattern != "" {
		arguments = append(arguments, "-run", c.pattern)
	}
	return append(arguments, pkg), folder
}

var (
	unusable = regexp.MustCompile(`\[(build|setup) failed\]|no tests to run|\[no test files\]`)
	failure  = regexp.MustCompile(`--- FAIL: (\S+)`)
)

// firstFailure returns the name of a failed test, or what else ended the run, such as a panic.
func firstFailure(said string) string {
	if match := failure.FindStringSubmatch(said); match != nil {
		return match[1]
	}
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return "the run failed"
}

// output runs a program, with its children in a group that ends with ctx.
func output(ctx context.Context, folder, name string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir = folder
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = 20 * time.Second
	said, err := command.CombinedOutput()
	return string(said), err
}
