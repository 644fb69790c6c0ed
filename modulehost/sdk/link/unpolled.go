package link

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// unpolled is a socket of a module's process that the runtime's poller does not watch. Whatever arrives at a
// watched socket wakes a thread of the poller, even if no goroutine waits for it yet. Its receiver and its
// sender are each for one goroutine at a time.
type unpolled struct {
	*os.File
	raw      syscall.RawConn
	receiver *immediateReader
	sender   *immediateWriter
}

func newUnpolled(descriptor int, name string) (*unpolled, error) {
	if err := unix.SetNonblock(descriptor, false); err != nil { // otherwise NewFile gives it to the poller
		return nil, os.NewSyscallError("fcntl", err)
	}
	file := os.NewFile(uintptr(descriptor), name)
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(descriptor, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return &unpolled{file, raw, newImmediateReader(raw), newImmediateWriter(file)}, nil
}

// Close also ends a Read and a Write in progress.
func (u *unpolled) Close() error {
	_ = u.raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) })
	return u.File.Close()
}

// bodyStream is a body socket that the poller watches only while its reader has to wait. The host sends a
// body before its call, so that a watched socket would wake a thread for each of them in vain (measured: 1.15
// of the processor time of a body of 64 KiB). It has no deadlines.
type bodyStream struct {
	*unpolled

	// of the reader
	watched *os.File // the same socket, watched by the poller; nil: it is not
	atOnce  int      // reads in a row that did not wait

	writing sync.Mutex // a response may begin while another goroutine reads, which reports free slots
}

// watchedReads is after how many reads that did not wait the poller stops to watch a socket. A body that was
// sent before its call takes two; to watch again for each piece of a stream takes a tenth of its time.
const watchedReads = 4

// NewBodyStream takes over the descriptor of a body socket in a module's process. It fails if there is none.
func NewBodyStream(descriptor int) (Stream, error) {
	u, err := newUnpolled(descriptor, "body")
	if err != nil {
		return nil, err
	}
	return &bodyStream{unpolled: u}, nil
}

// Read returns bytes that have arrived, and waits if there are none.
func (b *bodyStream) Read(p []byte) (n int, err error) {
	n, err = b.receiver.read(p)
	if err == unix.EAGAIN {
		return b.waitAndRead(p)
	}
	if b.atOnce++; b.watched != nil && (b.atOnce == watchedReads || err != nil) {
		_ = b.watched.Close()
		b.watched = nil
	}
	return n, err
}

func (b *bodyStream) waitAndRead(p []byte) (n int, err error) {
	if b.watched == nil {
		if b.watched, err = b.watch(); err != nil {
			return 0, err
		}
	}
	b.atOnce = 0
	return b.watched.Read(p)
}

// Write returns when everything is written. It may be called concurrently.
func (b *bodyStream) Write(p []byte) (int, error) {
	b.writing.Lock()
	defer b.writing.Unlock()
	n, err := b.sender.write(p)
	if n == len(p) || err != nil {
		return n, err
	}
	watched, err := b.watch()
	if err != nil {
		return n, err
	}
	defer watched.Close()
	more, err := watched.Write(p[n:])
	return n + more, err
}

// watch returns the same socket with a descriptor of its own, which the poller watches until it is closed.
func (b *bodyStream) watch() (file *os.File, err error) {
	failed := b.raw.Control(func(fd uintptr) {
		var second int
		if second, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); err == nil {
			file = os.NewFile(uintptr(second), "body")
		}
	})
	return file, errors.Join(failed, os.NewSyscallError("fcntl", err))
}
