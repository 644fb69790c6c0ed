package process

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process/launcher"
)

// landlockRights are the rights that a ruleset removes, by the ABI that introduced them. Each bit set here is
// refused everywhere except where a rule grants it. If an older kernel lacks some, the system call filter
// refuses them (seccomp_linux.go).
var landlockRights = []struct {
	abi                     int
	word                    string // for Report.LandlockLacks
	files, network, outside uint64
}{
	{abi: 1, word: "files", files: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM},
	{abi: 2, word: "refer", files: unix.LANDLOCK_ACCESS_FS_REFER},
	{abi: 3, word: "truncate", files: unix.LANDLOCK_ACCESS_FS_TRUNCATE},
	{abi: 4, word: "tcp", network: unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP},
	{abi: 5, word: "ioctl", files: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	{abi: 6, word: "scopes", outside: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL},
	{abi: 9, word: "unix", files: unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	{abi: 10, word: "udp",
		network: unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP},
}

// landlockABI returns the newest ABI whose rights this kernel accepts; 0 without Landlock.
func landlockABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0,
		unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return usableABI(int(version), func(abi int) error {
		ruleset, err := createRuleset(abi)
		if err == nil {
			_ = unix.Close(ruleset)
		}
		return err
	})
}

// usableABI tries the version that the kernel reports and then older ones, because a vendor's kernel is known
// to report 6 without supporting the scoping of signals.
func usableABI(version int, create func(abi int) error) int {
	for abi := version; abi > 0; abi-- {
		switch create(abi) {
		case nil:
			return abi
		case unix.EINVAL:
			continue
		default:
			return 0
		}
	}
	return 0
}

func createRuleset(abi int) (int, error) {
	var attr unix.LandlockRulesetAttr
	taken := landlockRulesFor(abi)
	attr.Handled_access_fs, attr.Handled_access_net, attr.Scoped = taken.Files, taken.Network, taken.Outside
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr),
		0) // an older kernel accepts zeroes in fields that it does not have
	if errno != 0 {
		return -1, errno
	}
	return int(ruleset), nil
}

// landlockRulesFor returns the launcher's ruleset for an ABI: a module may read its executable and its
// folder, and nothing else.
func landlockRulesFor(abi int) launcher.Landlock {
	rules := launcher.Landlock{
		Executable: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE,
		Folder:     unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR,
	}
	for _, right := range landlockRights {
		if right.abi <= abi {
			rules.Files |= right.files
			rules.Network |= right.network
			rules.Outside |= right.outside
		}
	}
	return rules
}
