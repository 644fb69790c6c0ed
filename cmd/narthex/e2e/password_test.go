package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// terminalUser is the user's side of a terminal in which the program runs.
type terminalUser struct {
	*os.File // the user's side of the terminal
	tty      *os.File
	command  *exec.Cmd
	screen   strings.Builder
}

func atTerminal(t *testing.T, i *installation, args ...string) *terminalUser {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	command := newCommand(t, i.environment, args...)
	command.Stdin, command.Stdout, command.Stderr = tty, tty, tty
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	return &terminalUser{File: master, tty: tty, command: command}
}

// awaitText reads until a text is on the screen.
func (p *terminalUser) awaitText(t *testing.T, text string) {
	t.Helper()
	piece := make([]byte, 256)
	eventually(t, fmt.Sprintf("the screen shows %q", text), func() bool {
		if strings.Contains(p.screen.String(), text) {
			return true
		}
		n, err := unix.Read(int(p.Fd()), piece)
		if n > 0 {
			p.screen.Write(piece[:n])
		} else if err != unix.EAGAIN {
			t.Fatalf("the screen does not show %q but %q: %v", text, p.screen.String(), err)
		}
		return false
	})
}

func (p *terminalUser) enter(t *testing.T, text string) {
	t.Helper()
	if _, err := unix.Write(int(p.Fd()), []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func (p *terminalUser) hasEcho(t *testing.T) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(p.tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

func TestPasswordIsAskedWithoutEcho(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	p := atTerminal(t, i, "identity:create-initial-owner", "--email", ownerAddress)
	p.awaitText(t, "Password (8 to 128 characters): ")
	p.enter(t, "open sesame\nopen sesame\n") // pasted before the second prompt
	p.awaitText(t, "Created: ")
	if err := p.command.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(p.screen.String(), "sesame") {
		t.Errorf("the screen shows the password: %q", p.screen.String())
	}
	if !p.hasEcho(t) {
		t.Error("the terminal stays silent")
	}
}

// TestNoPasswordChangesNothing: the entry is interrupted, or the second one differs from the first.
func TestNoPasswordChangesNothing(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	for _, typed := range []string{"open\x03", "open sesame\nopen barley\n"} { // the first with Ctrl-C
		p := atTerminal(t, i, "identity:create-initial-owner", "--email", ownerAddress)
		p.awaitText(t, "Password (8 to 128 characters): ")
		p.enter(t, typed)
		p.awaitText(t, "PASSWORD_INVALID: ")
		if err := p.command.Wait(); err == nil || p.command.ProcessState.ExitCode() != cli.ExitFailure {
			t.Errorf("%q: the command ended with %v", typed, err)
		}
		if !p.hasEcho(t) {
			t.Errorf("%q: the terminal stays silent", typed)
		}
	}
	var people int
	if err := i.db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM core.person`).Scan(&people); err != nil ||
		people != 0 {
		t.Errorf("core.person has %d rows, want none; error %v", people, err)
	}
}
