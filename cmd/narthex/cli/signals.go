package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// StopSignals ends the context on Ctrl-C, SIGTERM and the end of the terminal; a second signal ends the
// process at once. Who was started by nohup(1) outlives the terminal.
func StopSignals() context.Context {
	signal.Ignore(syscall.SIGPIPE) // a reader of the log that goes away ends nothing
	stopping := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stopping = append(stopping, syscall.SIGHUP)
	}
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2) // a second one that comes at once is not lost
	signal.Notify(signals, stopping...)
	go func() { // ends with the process
		<-signals
		stop()
		second := (<-signals).(syscall.Signal)
		signal.Reset(second)
		_ = syscall.Kill(os.Getpid(), second)
	}()
	return ctx
}

// IgnoreHangup is for the daemon, which has nothing to read again: a SIGHUP that is meant as "reload" must
// not end it.
func IgnoreHangup() { signal.Ignore(syscall.SIGHUP) }

// DieQuietly ends the process on the signals for which Go's runtime would print the stacks of all
// goroutines, SIGABRT of systemd's watchdog among them. No traceback level prevents that: the runtime
// raises it for these signals. A signal that a fault of this process raises, and not another process, stays
// the runtime's.
func DieQuietly() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS,
		syscall.SIGSTKFLT,
		syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV)
	go func() { // ends with the process
		got := (<-signals).(syscall.Signal)
		fmt.Fprintln(os.Stderr, "Ended by "+unix.SignalName(got)+".")
		os.Exit(128 + int(got))
	}()
}
