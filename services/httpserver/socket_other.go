//go:build unix && !linux

package httpserver

import (
	"net"
	"syscall"
)

// Elsewhere the kernel is not asked: an answer leaves piece by piece, and a stop may reset who connects at
// that moment.

const kernelReportsTaken = false

func taken(syscall.RawConn) (uint64, bool) { return 0, false }

func broken(uintptr) bool { return true }

func readable(uintptr) bool { return false }

func unsent(syscall.RawConn) int { return 0 }

func refuseNew(net.Listener) {}
