package cluster

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// neededByRoot are the capabilities with which root gives the folder to the server's account, runs the server
// as it and stops it again (capabilities(7)).
var neededByRoot = []struct {
	bit  uint
	name string
}{
	{unix.CAP_CHOWN, "CAP_CHOWN"},
	{unix.CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
	{unix.CAP_FOWNER, "CAP_FOWNER"},
	{unix.CAP_KILL, "CAP_KILL"},
	{unix.CAP_SETGID, "CAP_SETGID"},
	{unix.CAP_SETUID, "CAP_SETUID"},
}

// check returns ErrRights if this process is root, but may not run the server as the account: a container may
// have taken capabilities from root, and a user namespace may have no other user.
func (a account) check() error {
	if !a.switched {
		return nil
	}
	var held [2]unix.CapUserData
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&header, &held[0]); err != nil {
		return fail(ErrRights, err)
	}
	var lacking []string
	for _, needed := range neededByRoot {
		if held[0].Effective&(1<<needed.bit) == 0 {
			lacking = append(lacking, needed.name)
		}
	}
	if lacking != nil {
		return because(ErrRights, syscall.EPERM, "It lacks "+strings.Join(lacking, ", ")+
			"; run the command as another user, or give these capabilities back (in a container: --cap-add).")
	}
	if !mapped("/proc/self/uid_map", a.uid) || !mapped("/proc/self/gid_map", a.gid) {
		return because(ErrRights, syscall.EINVAL, "Its user namespace has no such user; run the command outside, "+
			"or map more users into the namespace.")
	}
	return nil
}

// mapped reports whether the user namespace has the id. Each line of the map is "first id inside, first id
// outside, how many" (user_namespaces(7)). Without a map every id exists.
func mapped(path string, id uint32) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var inside, outside, count uint64
		if n, _ := fmt.Sscan(lines.Text(), &inside, &outside, &count); n == 3 &&
			inside <= uint64(id) && uint64(id) < inside+count {
			return true
		}
	}
	return false
}
