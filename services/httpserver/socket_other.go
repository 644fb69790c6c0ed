//go:build unix && !linux

package httpserver

import (
	"net"
	"syscall"
)

// On other systems the kernel is not queried: a response is sent in pieces, and a stop may reset connections
// that are made at the same time.

const kernelReportsTaken = false

func taken(syscall.RawConn) (uint64, bool) { return 0, false }

func broken(uintptr) bool { return true }

func readable(uintptr) bool { return false }

func unsent(syscall.RawConn) int { return 0 }

func refuseNew(net.Listener) {}
