package stream

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watch is one epoll for the sockets of all readers of the process. Go's own poller waits for it, so it needs
// only one goroutine. Data that a client sends stays in the kernel.
type watch struct {
	file  *os.File // the epoll
	epoll syscall.RawConn
	ended chan struct{}

	mu      sync.Mutex
	readers map[int32]*Reader // by descriptor
	serial  int32
}

// newWatch fails if the process has no descriptor left.
func newWatch() (*watch, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil { // otherwise Go's poller refuses it
		return nil, errors.Join(err, unix.Close(fd))
	}
	w := &watch{file: os.NewFile(uintptr(fd), "epoll"), ended: make(chan struct{}),
		readers: make(map[int32]*Reader)}
	if w.epoll, err = w.file.SyscallConn(); err != nil {
		return nil, errors.Join(err, w.file.Close())
	}
	go w.run()
	return w, nil
}

// close waits for the goroutine.
func (w *watch) close() {
	_ = w.file.Close()
	<-w.ended
}

// run passes events to the shards until the watch is closed.
func (w *watch) run() {
	defer close(w.ended)
	var events [128]unix.EpollEvent
	for {
		n := 0
		err := w.epoll.Read(func(fd uintptr) bool {
			n, _ = unix.EpollWait(int(fd), events[:], 0)
			return n > 0
		})
		if err != nil {
			return
		}
		for _, e := range events[:n] {
			if r := w.reader(e.Fd, e.Pad); r != nil {
				r.shard.ready(r, e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0)
			}
		}
	}
}

// reader returns nil for an event of an earlier stream with the same descriptor.
func (w *watch) reader(fd, serial int32) *Reader {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.readers[fd]; r != nil && r.serial == serial {
		return r
	}
	return nil
}

// add registers a reader for edges: a full socket has room again, or the client has disconnected or closed
// its side. The kernel also reports a state that was reached before. The caller holds the shard's lock, also
// for drop.
func (w *watch) add(r *Reader) bool {
	w.mu.Lock()
	w.serial++
	r.serial = w.serial
	w.readers[r.fd] = r
	w.mu.Unlock()
	event := unix.EpollEvent{
		Events: unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: r.fd, Pad: r.serial}
	return w.control(unix.EPOLL_CTL_ADD, r, &event)
}

func (w *watch) drop(r *Reader) {
	w.mu.Lock()
	if w.readers[r.fd] == r {
		delete(w.readers, r.fd)
	}
	w.mu.Unlock()
	_ = w.control(unix.EPOLL_CTL_DEL, r, nil)
}

func (w *watch) control(operation int, r *Reader, event *unix.EpollEvent) bool {
	err := w.epoll.Control(func(epoll uintptr) {
		if unix.EpollCtl(int(epoll), operation, int(r.fd), event) != nil {
			event = nil
		}
	})
	return err == nil && event != nil
}

// write writes as many bytes as the socket accepts now; -1 means that it is closed. It never blocks, so it
// does not notify the scheduler, which would take a fifth more time.
func write(fd int32, p []byte) int {
	if len(p) == 0 {
		return 0
	}
	n, _, failure := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	switch failure {
	case 0:
		return int(n)
	case syscall.EAGAIN, syscall.EINTR:
		return 0
	}
	return -1
}
