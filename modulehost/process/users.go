package process

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// The user ids of modules where the whole range is mapped. No distribution assigns any of them.
const (
	firstUser = 0x70000000
	users     = 1 << 27
	// drawings bounds how often an id is drawn again. Only a range of a few ids needs more than two attempts.
	drawings = 1000
	// nobody and the next id, 65535, have a meaning on every machine.
	nobody = 65534
)

// Users draws a user id, which is also the group id, for each module. The kernel counts threads by user for
// the whole machine, so two daemons whose modules shared a user would share its limit. Therefore the ids are
// drawn from a large range with a seed that is random for each daemon, instead of being counted from a fixed
// one.
type Users struct {
	seed  [32]byte
	ids   idRange
	taken map[uint64]bool
}

// NewUsers returns nil if this process may not start children with another uid. Modules then run as its own
// user.
func NewUsers() (*Users, error) {
	if os.Geteuid() != 0 || !mayGiveUIDs() {
		return nil, nil
	}
	var maps [2]io.Reader
	for n, path := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		file, err := os.Open(path)
		if err != nil {
			return nil, withCause(ErrSandboxUnavailable, err)
		}
		defer file.Close()
		maps[n] = file
	}
	var seed [32]byte
	_, _ = rand.Read(seed[:]) // never fails
	return newUsers(seed, maps[0], maps[1]), nil
}

// newUsers reads the maps of the user namespace (user_namespaces(7)). If they lack the usual range, it uses
// the upper half of the highest range that both have, at most 2^27 ids. It returns nil if there are none.
func newUsers(seed [32]byte, uidMap, gidMap io.Reader) *Users {
	groups := readIDMap(gidMap)
	var usual, highest idRange
	for _, u := range readIDMap(uidMap) {
		for _, g := range groups {
			both := idRange{max(u.first, g.first), min(u.end, g.end)}
			if both.first <= firstUser && both.end >= firstUser+users {
				usual = idRange{firstUser, firstUser + users}
			}
			if both.size() > 1 && both.end > highest.end {
				highest = both
			}
		}
	}
	ids := usual
	if ids.size() == 0 {
		ids = highest
		ids.first = max(ids.end-min(users, highest.size()/2), 1) // never root
	}
	if ids.size() == 0 {
		return nil
	}
	return &Users{seed: seed, ids: ids, taken: map[uint64]bool{nobody: true, nobody + 1: true}}
}

// Usual reports whether the ids are from the range that no distribution uses. Ids of any other range may
// belong to somebody.
func (u *Users) Usual() bool { return u.ids.first == firstUser && u.ids.size() == users }

// Range returns the first and the last id that may be drawn.
func (u *Users) Range() (first, last uint64) { return u.ids.first, u.ids.end - 1 }

// Draw returns the credential of one module, different from all that were drawn before while any is left. On
// nil Users it returns nil.
func (u *Users) Draw(moduleID string) *Credential {
	if u == nil {
		return nil
	}
	var drawn uint64
	for again := range uint64(drawings) {
		hash := sha256.New()
		hash.Write(u.seed[:])
		_ = binary.Write(hash, binary.LittleEndian, again)
		hash.Write([]byte(moduleID))
		drawn = u.ids.first + binary.LittleEndian.Uint64(hash.Sum(nil))%u.ids.size()
		if !u.taken[drawn] {
			break
		}
	}
	u.taken[drawn] = true
	return &Credential{UID: uint32(drawn), GID: uint32(drawn)}
}

// idRange is a range of ids inside the user namespace.
type idRange struct{ first, end uint64 }

func (r idRange) size() uint64 {
	if r.end < r.first {
		return 0
	}
	return r.end - r.first
}

// readIDMap reads lines of "first id inside, first id outside, how many".
func readIDMap(from io.Reader) (ranges []idRange) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		var inside, outside, count uint64
		if n, _ := fmt.Sscan(lines.Text(), &inside, &outside, &count); n == 3 {
			ranges = append(ranges, idRange{inside, inside + count})
		}
	}
	return ranges
}
