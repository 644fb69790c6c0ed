package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// tools are the paths of pg_dump and pg_restore of one version.
type tools struct{ dump, restore string }

// debianPrograms is where Debian keeps the programs of each version.
const debianPrograms = "/usr/lib/postgresql/*/bin/pg_dump"

// findTools returns the newest programs of the machine that are as new as the server, whose version is
// server_version_num: pg_dump refuses a newer server. Its error is ErrToolsMissing.
func findTools(ctx context.Context, server int) (tools, error) {
	candidates, _ := filepath.Glob(debianPrograms)
	if found, err := exec.LookPath("pg_dump"); err == nil {
		candidates = append(candidates, found)
	}
	wanted := server / 10000
	newest, found := 0, tools{}
	for _, dump := range candidates {
		restore := filepath.Join(filepath.Dir(dump), "pg_restore")
		version := min(majorVersion(ctx, dump), majorVersion(ctx, restore))
		if version >= wanted && version > newest {
			newest, found = version, tools{dump, restore}
		}
	}
	if newest == 0 {
		return tools{}, fail(ErrToolsMissing, fmt.Sprintf("pg_dump and pg_restore of PostgreSQL %d or newer are "+
			"needed; on Debian: apt install postgresql-client-%d.", wanted, wanted), nil)
	}
	return found, nil
}

var versionText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\(PostgreSQL\) ([0-9]+)`)
})

// majorVersion returns a program's major version, or 0 if it cannot be found out.
func majorVersion(ctx context.Context, program string) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	output, err := exec.CommandContext(ctx, program, "--version").Output()
	match := versionText().FindSubmatch(output)
	if err != nil || match == nil {
		return 0
	}
	version, _ := strconv.Atoi(string(match[1]))
	return version
}

// program is a run of one of the tools. Its output may contain hosts and data, so it is never shown.
type program struct {
	path        string
	arguments   []string
	environment []string // how it connects to the database
	in          io.Reader
}

// run starts the program, calls out with its standard output, and waits for its end. It returns an error if
// the program fails, even if out succeeded.
func (p program) run(ctx context.Context, out func(io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	command := exec.CommandContext(ctx, p.path, p.arguments...)
	// not the caller's environment, which may contain PG* variables; LC_ALL makes error messages English
	command.Env = append(slices.Clone(p.environment), "LC_ALL=C", "PATH="+os.Getenv("PATH"))
	command.Stdin = p.in
	command.WaitDelay = 5 * time.Second
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // ends it when the caller is killed
	var said tail
	command.Stderr = &said
	written, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return fail(ErrFailed, "", err)
	}
	used := out(written)
	if used != nil {
		cancel()
	}
	if err := command.Wait(); err != nil && used == nil {
		used = fail(ErrFailed, "", errors.Join(err, errors.New(said.String())))
	}
	return used
}

// tail keeps the last 4 KiB that are written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	n, err := t.Buffer.Write(p)
	if excess := t.Len() - most; excess > 0 {
		t.Next(excess)
	}
	return n, err
}
