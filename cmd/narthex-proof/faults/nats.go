package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
)

// natsArgument makes this program run as a NATS server, so that the server is a process that can be frozen
// and killed.
const natsArgument = "nats-server"

// serveNATS runs the server until it is asked to end.
func serveNATS(port string) {
	number, err := strconv.Atoi(port)
	if err != nil {
		os.Exit(2)
	}
	server, err := nats.NewServer(&nats.Options{Host: "127.0.0.1", Port: number, NoLog: true, NoSigs: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server.Start()
	if !server.ReadyForConnections(patience) {
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "ready")
	<-ctx.Done()
	server.Shutdown()
	server.WaitForShutdown()
}

// startNATS starts a server in a process of its own.
func startNATS(port int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(self, natsArgument, strconv.Itoa(port))
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
