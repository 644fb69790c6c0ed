package link

import (
	"io"
	"syscall"
)

// immediateWriter writes as many bytes as a socket accepts at once. It needs no deadline. So nearly every
// write avoids two changes of a timer, which wake a thread of the runtime.
type immediateWriter struct {
	raw syscall.RawConn

	out []byte // the bytes of the current write
	n   int
	err error
	run func(fd uintptr) bool
}

func newImmediateWriter(conn io.Writer) *immediateWriter {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	a := &immediateWriter{raw: raw}
	a.run = a.writeOnce
	return a
}

// write returns how many bytes the socket has accepted. 0 without an error means that the socket is full. It
// is not safe for concurrent use.
func (a *immediateWriter) write(out []byte) (int, error) {
	if a == nil {
		return 0, nil
	}
	a.out, a.n, a.err = out, 0, nil
	err := a.raw.Write(a.run)
	a.out = nil
	if a.err != nil {
		err = a.err
	}
	return a.n, err
}

func (a *immediateWriter) writeOnce(fd uintptr) bool {
	for {
		n, err := syscall.Write(int(fd), a.out)
		switch err {
		case nil:
			a.n = n
			return true
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return true
		default:
			a.err = err
			return true
		}
	}
}

// immediateReader reads the bytes that have arrived at a socket. It needs no memory for a read.
type immediateReader struct {
	raw syscall.RawConn

	in  []byte // the room of the current read
	n   int
	err error
	run func(fd uintptr) bool
}

func newImmediateReader(raw syscall.RawConn) *immediateReader {
	r := &immediateReader{raw: raw}
	r.run = r.readOnce
	return r
}

// read returns syscall.EAGAIN if nothing has arrived, and io.EOF at the end. It is not safe for concurrent
// use.
func (r *immediateReader) read(p []byte) (int, error) {
	r.in = p
	failed := r.raw.Read(r.run)
	r.in = nil
	switch {
	case failed != nil:
		return 0, failed
	case r.err != nil:
		return 0, r.err
	case r.n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return r.n, nil
}

func (r *immediateReader) readOnce(fd uintptr) bool {
	for {
		if r.n, r.err = syscall.Read(int(fd), r.in); r.err != syscall.EINTR {
			return true
		}
	}
}
