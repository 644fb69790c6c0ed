package stream

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// yielder yields a processor to the goroutines whose sockets have become ready. runtime.Gosched does not: the
// scheduler comes back to the goroutine that called it without asking which sockets are ready, so while every
// processor writes to readers, that is found out once in 10 ms. So a yielder waits for a descriptor, which
// makes the scheduler ask, and makes that descriptor ready just before. It is not safe for concurrent use.
type yielder struct {
	file  *os.File // an eventfd; nil: not used yet, or the process has no descriptor left
	event syscall.RawConn
}

func (y *yielder) yield() {
	if y.file == nil && y.open() != nil {
		runtime.Gosched()
		return
	}
	waited := false
	number := [8]byte{1}
	_ = y.event.Read(func(fd uintptr) bool {
		if !waited { // the poller is asked after this call, so it cannot miss what is written here
			waited = true
			_, err := unix.Write(int(fd), number[:])
			return err != nil
		}
		_, _ = unix.Read(int(fd), number[:])
		return true
	})
}

func (y *yielder) open() error {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(fd), "eventfd")
	if y.event, err = file.SyscallConn(); err != nil {
		_ = file.Close()
		return err
	}
	y.file = file
	return nil
}

func (y *yielder) close() {
	if y.file != nil {
		_ = y.file.Close()
		y.file = nil
	}
}
