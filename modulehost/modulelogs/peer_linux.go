package modulelogs

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the user and the process at the other end, according to the kernel.
func peer(conn *net.UnixConn) (user, pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var credentials *unix.Ucred
	if outer := raw.Control(func(fd uintptr) {
		credentials, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); outer != nil {
		return 0, 0, outer
	}
	if err != nil {
		return 0, 0, err
	}
	return int(credentials.Uid), int(credentials.Pid), nil
}
