package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is one run of the program.
type process struct {
	command *exec.Cmd
	log     transcript // its standard error
	ended   chan struct{}
}

// transcript collects the output of a process.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the text.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

// String returns the text so far.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// startProcess starts a command; its standard error is collected in the log unless the command sets another
// one.
func startProcess(command *exec.Cmd) (*process, error) {
	p := &process{command: command, ended: make(chan struct{})}
	if command.Stderr == nil {
		command.Stderr = &p.log
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		_ = command.Wait()
	}()
	return p, nil
}

func (p *process) pid() int { return p.command.Process.Pid }

func (p *process) signal(s syscall.Signal) { _ = p.command.Process.Signal(s) }

// hasEnded reports whether the process has ended, without waiting.
func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// awaitEnd returns the exit status.
func (p *process) awaitEnd(within time.Duration) (status int, err error) {
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode(), nil
	case <-time.After(within):
		return 0, fmt.Errorf("the process did not end within %v", within)
	}
}

// kill ends the process with SIGKILL, and waits for its end.
func (p *process) kill() {
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// tail returns the end of the log.
func (p *process) tail() string {
	lines := strings.Split(strings.TrimSpace(p.log.String()), "\n")
	return "        " + strings.Join(lines[max(0, len(lines)-8):], "\n        ")
}

// logLine holds the fields of a log line that the checks read.
type logLine struct {
	Level, Time, Msg, Module, Service, Reason, Code, Why string
	Pause                                                float64 // seconds
}

// lines returns the log lines that fulfil a condition.
func (p *process) lines(wanted func(logLine) bool) (found []logLine) {
	for text := range strings.Lines(p.log.String()) {
		var line logLine
		if strings.HasSuffix(text, "\n") && json.Unmarshal([]byte(text), &line) == nil && wanted(line) {
			found = append(found, line)
		}
	}
	return found
}

// linesOf returns a module's log lines with a message.
func (p *process) linesOf(module, message string) []logLine {
	return p.lines(func(l logLine) bool {
		return l.Msg == message && (l.Module == module || l.Service == "module "+module)
	})
}

// runCommand runs a command of the program to its end; the error contains its output.
func runCommand(
	ctx context.Context, binary string, environment []string, stdin string, arguments ...string,
) (string, error) {
	command := exec.CommandContext(ctx, binary, arguments...)
	command.Env, command.Stdin = environment, strings.NewReader(stdin)
	output, err := command.CombinedOutput()
	if err != nil {
		return string(output), fmt.Errorf("%s: %w\n%s", arguments[0], err, output)
	}
	return string(output), nil
}

// copyTree copies a folder with owners and modes.
func copyTree(ctx context.Context, from, to string) error {
	output, err := exec.CommandContext(ctx, "cp", "--archive", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

// copyFile copies a file and sets its mode.
func copyFile(from, to string, mode os.FileMode) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
