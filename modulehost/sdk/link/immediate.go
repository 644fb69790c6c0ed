package link

import (
	"io"
	"syscall"
)

// immediateWriter writes as many bytes as a socket accepts at once. It needs no deadline. So nearly every
// write avoids two changes of a timer, which wake a thread of the runtime.
type immediateWriter struct {
	raw  syscall.RawConn
	send func(fd int, p []byte) (int, error) // does not block

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
	a := &immediateWriter{raw: raw, send: syscall.Write}
	if _, ok := conn.(*blocking); ok {
		a.send = sendNow
	}
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
		n, err := a.send(int(fd), a.out)
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
