package httpserver

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// socketNumber identifies a socket among those of all machines, so that processes of the platform can
// announce theirs in the database. The kernel numbers the sockets of one boot. 0: the number is not known.
func socketNumber(inode string) uint32 {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || inode == "" {
		return 0
	}
	hash := fnv.New32a()
	_, _ = hash.Write(append(boot, inode...))
	return max(hash.Sum32()>>1, 1) // fits a signed integer of the database
}

// numberOf returns the number of a listener's socket.
func numberOf(listener net.Listener) uint32 {
	holder, ok := listener.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := holder.SyscallConn()
	if err != nil {
		return 0
	}
	var stat syscall.Stat_t
	outer := raw.Control(func(fd uintptr) { err = syscall.Fstat(int(fd), &stat) })
	if outer != nil || err != nil {
		return 0
	}
	return socketNumber(strconv.FormatUint(stat.Ino, 10))
}

// Sockets returns the numbers of the sockets of all programs that listen on the address, or on all addresses
// of this machine with the same port.
func Sockets(address string) (numbers []uint32) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil
	}
	wanted := resolved.AddrPort()
	wanted = netip.AddrPortFrom(wanted.Addr().Unmap().WithZone(""), wanted.Port())
	for _, path := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			const listening = "0A"
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[3] != listening {
				continue
			}
			local, ok := readSocketAddress(fields[1])
			if ok && local.Port() == wanted.Port() && (local.Addr() == wanted.Addr() ||
				local.Addr().IsUnspecified() || wanted.Addr().IsUnspecified()) {
				numbers = append(numbers, socketNumber(fields[9]))
			}
		}
		_ = file.Close()
	}
	return numbers
}

// readSocketAddress reads an address of /proc/net/tcp (proc_pid_net(5)): its 32-bit words in the machine's
// byte order, and the port, all in hexadecimal digits.
func readSocketAddress(text string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := 0; word < len(raw); word += 4 {
		binary.BigEndian.PutUint32(raw[word:], binary.NativeEndian.Uint32(raw[word:]))
	}
	address, ok := netip.AddrFromSlice(raw)
	number, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(address.Unmap(), uint16(number)), ok && err == nil
}
