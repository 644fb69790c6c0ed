package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/narthex-platform/narthex/services/buildtest"
)

// startNATS starts a server in a process of its own.
func startNATS(port int, options ...string) (*process, error) {
	program, err := buildtest.Tool("nats")
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, append([]string{"-port", strconv.Itoa(port)}, options...)...)
	if _, err := command.StdinPipe(); err != nil { // its end is the server's
		return nil, err
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	server, err := startProcess(command)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(patience); server.log.String() == ""; {
		if server.hasEnded() || time.Now().After(deadline) {
			server.kill()
			return nil, fmt.Errorf("the NATS server did not start: %s", server.log.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
	return server, nil
}
