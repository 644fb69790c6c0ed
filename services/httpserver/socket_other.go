//go:build unix && !linux

package httpserver

import (
	"net"
	"syscall"
)

// Elsewhere the kernel is not asked: a response is sent piece by piece, and a stop may reset connections made
// at that moment.

const kernelReportsTaken = false

func taken(syscall.RawConn) (uint64, bool) { return 0, false }

func broken(uintptr) bool { return true }

func readable(uintptr) bool { return false }

func unsent(syscall.RawConn) int { return 0 }

func refuseNew(net.Listener) {}
