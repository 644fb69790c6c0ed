// Command mutations shows what the tests notice. It breaks one guard or boundary at a time in a copy of the
// sources and runs the tests that should fail then, as make test does. What its list breaks would be met by a
// user, an attacker or on a failing machine.
//
// Every test command is first run without a change. It only ever writes into its copy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	pattern := flag.String("run", "", "try the mutations whose file or reason matches this expression")
	all := flag.Bool("all", false, "run the tests as make proof does: all of them, with the race detector")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *pattern, *all); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run tries mutations of the repository in the current folder.
func run(ctx context.Context, report io.Writer, pattern string, all bool) error {
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	mutations, err := readLists()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "narthex-mutations-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := copyTree(ctx, folder); err != nil {
		return err
	}
	t := trial{folder: folder, all: all, sound: make(map[string]bool)}
	caught, tried := 0, 0
	for _, m := range mutations {
		if !chosen.MatchString(m.file + ": " + m.breaks) {
			continue
		}
		failed, err := t.try(ctx, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		tried++
		switch {
		case err != nil:
			fmt.Fprintf(report, "UNTRIED %s: %s: %v\n", m.file, m.breaks, err)
		case failed == "":
			fmt.Fprintf(report, "MISSED  %s: %s\n", m.file, m.breaks)
		default:
			caught++
			fmt.Fprintf(report, "caught  %s: %s (%s)\n", m.file, m.breaks, failed)
		}
	}
	fmt.Fprintf(report, "\n%d of %d caught\n", caught, tried)
	if caught < tried || tried == 0 {
		return errors.New("not every mutation is caught")
	}
	return nil
}

// copyTree copies what git knows or would add, and links to what was built or installed.
func copyTree(ctx context.Context, folder string) error {
	names, err := output(ctx, "", "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range splitZero(names) {
		if err := copyFile(name, filepath.Join(folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	built, err := filepath.Glob("modules/*/bin")
	if err != nil {
		return err
	}
	for _, name := range append(built, ".tools", "bin", "web/node_modules") {
		target, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		if _, err := os.Stat(target); err != nil {
			return fmt.Errorf("%w: run \"make tools modules\" first", err)
		}
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}
