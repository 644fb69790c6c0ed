package process

import "golang.org/x/sys/unix"

// dropCapabilities leaves the module none. A unit's ambient ones would pass through every exec, and root
// regains on exec what its bounding set holds, unless it has a uid of its own by now.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	if unix.Geteuid() != 0 {
		return nil
	}
	for capability := uintptr(0); ; capability++ {
		held, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, capability, 0, 0, 0)
		if err != nil {
			break // the first number that the kernel does not know
		}
		if held == 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
			return err
		}
	}
	// The bounding set does not bound what exec takes from the inheritable one.
	var none [2]unix.CapUserData
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}

// mayGiveUIDs reports whether the host may start a child under another uid, and end it there.
func mayGiveUIDs() bool { return holds(1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID | 1<<unix.CAP_KILL) }

// holds reports whether the host has these capabilities, which are below 32.
func holds(capabilities uint32) bool {
	var held [2]unix.CapUserData
	if unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &held[0]) != nil {
		return false
	}
	return held[0].Effective&capabilities == capabilities
}
