package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// system is a server in a process of its own.
type system struct {
	name    string
	address string
	origin  string   // of a page that may write
	cookies []string // header lines of signed-in people
	command *exec.Cmd
	ended   chan struct{}
	behind  *system  // the server behind a proxy
	alive   string   // a path whose response is a 200; empty: livePath
	channel *channel // the readers' channel; nil: pulse
	// house returns the same program with the sample modules and their data; nil if it has none.
	house func(context.Context) (*system, error)
	// twin returns the same program with the module that is written twice; nil if it has none.
	twin func(ctx context.Context, language string) (*system, error)
	// announces reports whether it writes readyLine to standard error.
	announces bool
	// again returns a command that starts another server of the same kind beside this one, with that many
	// modules, from a copy of the program, and the address on which it will listen.
	again func(modules int) (command *exec.Cmd, address string, err error)

	visitors clientAddresses
}

func (s *system) stop() {
	if s == nil || s.command == nil {
		return
	}
	_ = s.command.Process.Signal(syscall.SIGTERM)
	<-s.ended
}

// start runs a command, and waits for the line that reports readiness.
func start(name string, command *exec.Cmd, output io.Reader, ready string) (*system, string, error) {
	if err := command.Start(); err != nil {
		return nil, "", err
	}
	s := &system{name: name, command: command, ended: make(chan struct{})}
	lines := bufio.NewScanner(output)
	line := ""
	for lines.Scan() {
		if line = lines.Text(); strings.Contains(line, ready) {
			break
		}
	}
	go func() {
		defer close(s.ended)
		_, _ = io.Copy(io.Discard, output)
		_ = command.Wait()
	}()
	if !strings.Contains(line, ready) {
		<-s.ended
		return nil, "", fmt.Errorf("%s did not start: %s", filepath.Base(command.Path), line)
	}
	return s, line, nil
}

// startAnnounced starts a program that prints the address on which it listens.
func startAnnounced(name string, command *exec.Cmd) (*system, error) {
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s, line, err := start(name, command, output, "ready ")
	if err == nil {
		s.address = strings.TrimPrefix(line, "ready ")
	}
	return s, err
}

// cpu returns the processor time that the server, its children (the modules) and the server behind it have
// used so far.
func (s *system) cpu() (used time.Duration) {
	if s.behind != nil {
		used = s.behind.cpu()
	}
	for _, pid := range family(s.command.Process.Pid) {
		fields := statOf(pid)
		if len(fields) < 13 {
			continue
		}
		user, _ := strconv.Atoi(fields[11])
		kernel, _ := strconv.Atoi(fields[12])
		used += time.Duration(user+kernel) * 10 * time.Millisecond // Linux counts in hundredths of a second
	}
	return used
}

// memory returns the anonymous memory of the server and its children, in bytes: without the pages of their
// programs, which the kernel can take back and which processes share.
func (s *system) memory() (bytes int64, err error) {
	return anonymousMemory(family(s.command.Process.Pid))
}

func anonymousMemory(pids []int) (bytes int64, err error) {
	for _, pid := range pids {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
		if err != nil {
			return 0, err
		}
		_, rest, found := strings.Cut(string(text), "\nRssAnon:")
		fields := strings.Fields(rest)
		if !found || len(fields) == 0 {
			return 0, errors.New("the kernel reports no anonymous memory")
		}
		kib, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return 0, err
		}
		bytes += kib << 10
	}
	return bytes, nil
}

// family returns a process and its children.
func family(parent int) []int {
	pids := []int{parent}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if fields := statOf(pid); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// statOf returns the fields of a process's stat after its name; nil if it has ended.
func statOf(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
}

func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(err, listener.Close())
}
