package archive_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/archive"
)

// The test binary is also the child process that installs or removes one module, so that it can be killed,
// run without permissions, or run without disk space.
const (
	commandVariable = "NARTHEX_TEST_COMMAND"
	// the most bytes of a file; a write beyond fails as on a full disk
	fileSizeVariable = "NARTHEX_TEST_FILE_SIZE"
)

func TestMain(m *testing.M) {
	if command := os.Getenv(commandVariable); command != "" {
		os.Exit(runCommand(command, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func runCommand(command string, args []string) int {
	if size, err := strconv.ParseUint(os.Getenv(fileSizeVariable), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}); err != nil {
			fmt.Println(err)
			return 2
		}
	}
	var result any
	var err error
	switch command {
	case "install":
		result, err = archive.Install(args[0], args[1], platform, archive.Checks{})
	case "remove":
		err = archive.Remove(args[0], args[1])
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		return 2
	}
	return 0
}

// child returns a process that runs one command, with further environment variables.
func child(t testing.TB, command string, args []string, environment ...string) *exec.Cmd {
	t.Helper()
	process := exec.CommandContext(t.Context(), "/proc/self/exe", args...)
	process.Env = append([]string{commandVariable + "=" + command}, environment...)
	process.Dir = "/"
	return process
}
