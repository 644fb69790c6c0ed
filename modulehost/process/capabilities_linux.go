package process

import "golang.org/x/sys/unix"

// mayGiveUIDs reports whether the host may start a child with another uid and send it signals.
func mayGiveUIDs() bool {
	return hasCapabilities(1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID | 1<<unix.CAP_KILL)
}

// hasCapabilities reports whether the host has these capabilities, given as bits below 32.
func hasCapabilities(capabilities uint32) bool {
	var held [2]unix.CapUserData
	if unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &held[0]) != nil {
		return false
	}
	return held[0].Effective&capabilities == capabilities
}
