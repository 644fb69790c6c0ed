package stream

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Watch is one epoll for the sockets of all readers of the process. Go's own poller waits for it, so it needs
// only one goroutine. Data that a client sends stays in the kernel. Both begin with the first reader.
type Watch struct {
	mu      sync.Mutex
	file    *os.File // the epoll; nil: no reader yet
	epoll   syscall.RawConn
	ended   chan struct{}
	readers map[int32]watched // by descriptor
	serial  int32
}

// open is called with the lock held. It fails if the process has no descriptor left.
func (w *Watch) open() error {
	if w.file != nil {
		return nil
	}
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err := unix.SetNonblock(fd, true); err != nil { // otherwise Go's poller refuses it
		return errors.Join(err, unix.Close(fd))
	}
	file := os.NewFile(uintptr(fd), "epoll")
	epoll, err := file.SyscallConn()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	w.file, w.epoll, w.ended, w.readers = file, epoll, make(chan struct{}), make(map[int32]watched)
	go w.run(epoll, w.ended)
	return nil
}

// close waits for the goroutine.
func (w *Watch) close() {
	w.mu.Lock()
	file, ended := w.file, w.ended
	w.file = nil
	w.mu.Unlock()
	if file != nil {
		_ = file.Close()
		<-ended
	}
}

// run passes events to the shards until the watch is closed.
func (w *Watch) run(epoll syscall.RawConn, ended chan struct{}) {
	defer close(ended)
	var events [128]unix.EpollEvent
	for {
		n := 0
		err := epoll.Read(func(fd uintptr) bool {
			n, _ = unix.EpollWait(int(fd), events[:], 0)
			return n > 0
		})
		if err != nil {
			return
		}
		for _, e := range events[:n] {
			if r := w.reader(e.Fd, e.Pad); r != nil {
				r.Ready(e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0)
			}
		}
	}
}

// watched is a reader with a number that distinguishes it from a later one with the same descriptor.
type watched struct {
	*Reader
	serial int32
}

// reader returns nil for an event of an earlier stream with the same descriptor.
func (w *Watch) reader(fd, serial int32) *Reader {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.readers[fd]; r.serial == serial {
		return r.Reader
	}
	return nil
}

// descriptor is the Socket of a connection.
type descriptor struct {
	fd, serial int32
	watch      *Watch // nil: none yet
}

// SocketOf returns the socket of a connection. If raw is nil, it is a closed one.
func SocketOf(raw syscall.RawConn) Socket {
	d := &descriptor{fd: -1}
	if raw == nil {
		return d
	}
	_ = raw.Control(func(fd uintptr) { d.fd = int32(fd) })
	return d
}

// Watch registers a reader for edges: a full socket has room again, or the client has disconnected or closed
// its side. The kernel also reports a state that was reached before. The caller holds the shard's lock, also
// for Unwatch and Write.
func (d *descriptor) Watch(w *Watch, r *Reader) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open() != nil {
		return false
	}
	w.serial++
	d.watch, d.serial = w, w.serial
	w.readers[d.fd] = watched{r, d.serial}
	return w.control(unix.EPOLL_CTL_ADD, d.fd, &unix.EpollEvent{
		Events: unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: d.fd, Pad: d.serial})
}

func (d *descriptor) Unwatch() {
	w := d.watch
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.readers[d.fd].serial == d.serial {
		delete(w.readers, d.fd)
	}
	_ = w.control(unix.EPOLL_CTL_DEL, d.fd, nil)
}

// control is called with the lock held.
func (w *Watch) control(operation int, fd int32, event *unix.EpollEvent) (ok bool) {
	err := w.epoll.Control(func(epoll uintptr) {
		ok = unix.EpollCtl(int(epoll), operation, int(fd), event) == nil
	})
	return err == nil && ok
}

// Write does not notify the scheduler, because it never blocks: that would take a fifth more time.
func (d *descriptor) Write(p []byte) int {
	if len(p) == 0 {
		return 0
	}
	n, _, failure := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(d.fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	switch failure {
	case 0:
		return int(n)
	case syscall.EAGAIN, syscall.EINTR:
		return 0
	}
	return -1
}
