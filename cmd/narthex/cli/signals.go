package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// StopSignals returns a context that Ctrl-C, SIGTERM and SIGHUP end; a second signal ends the process at
// once. A process that was started by nohup(1) ignores SIGHUP, and so outlives its terminal.
func StopSignals() context.Context {
	signal.Ignore(syscall.SIGPIPE) // if the reader of the log exits, writes fail, but the process continues
	stopping := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stopping = append(stopping, syscall.SIGHUP)
	}
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2) // two, so that a second signal right after the first is not lost
	signal.Notify(signals, stopping...)
	go func() { // runs until the process ends
		<-signals
		stop()
		second := (<-signals).(syscall.Signal)
		signal.Reset(second)
		_ = syscall.Kill(os.Getpid(), second)
	}()
	return ctx
}

// IgnoreHangup makes the daemon ignore SIGHUP: it has nothing to reload, and a SIGHUP that is meant as
// "reload" must not end it.
func IgnoreHangup() { signal.Ignore(syscall.SIGHUP) }

// DieQuietly makes the process end without printing stacks on the signals for which Go's runtime prints those
// of all goroutines, SIGABRT of systemd's watchdog among them. No traceback level prevents that, because the
// runtime raises the level for these signals. Only signals sent from outside arrive here: a fault of this
// process itself, such as an invalid address, is handled by the runtime.
func DieQuietly() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS,
		syscall.SIGSTKFLT,
		syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV)
	go func() { // runs until the process ends
		got := (<-signals).(syscall.Signal)
		fmt.Fprintln(os.Stderr, "Ended by "+unix.SignalName(got)+".")
		os.Exit(128 + int(got))
	}()
}
