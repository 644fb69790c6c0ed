package httpserver

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// taken returns how many bytes the peer's machine has acknowledged so far. Only TCP reports that.
func taken(raw syscall.RawConn) (bytes uint64, ok bool) {
	if raw == nil {
		return 0, false
	}
	_ = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if ok = err == nil; ok {
			bytes = info.Bytes_acked
		}
	})
	return bytes, ok
}

// broken reports whether a socket whose peer has ended its input was reset, or closed by a failed write.
func broken(fd uintptr) bool {
	poll := []unix.PollFd{{Fd: int32(fd)}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// readable reports whether a read or an accept would not wait.
func readable(fd uintptr) bool {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0
}

// unsent returns how many bytes the peer's machine has not acknowledged.
func unsent(raw syscall.RawConn) (bytes int) {
	if raw == nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		bytes, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ)
	})
	return bytes
}

// refuseNew makes a listening socket refuse new connections while the existing ones in its queue are
// accepted. Each SYN is dropped; when the client repeats it, the socket is already closed. Otherwise a
// connection could arrive between the last accept and the close, and would be reset.
func refuseNew(listener net.Listener) {
	raw := rawListener(listener)
	if raw == nil {
		return
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},                  // the TCP header's flags
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0x12},               // SYN and ACK
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0x02, Jt: 0, Jf: 1}, // a first SYN?
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},                                 // dropped
		{Code: unix.BPF_RET | unix.BPF_K, K: 1<<32 - 1},                         // accepted completely
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{
			Len: uint16(len(filter)), Filter: &filter[0],
		})
	})
}
