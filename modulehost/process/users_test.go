package process_test

import (
	"strconv"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/process"
)

const everything = "0 0 4294967295"

// TestUsers: the range of modules' ids in a user namespace with these maps.
func TestUsers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		uids, gids  string
		first, last uint64 // 0: modules have no users of their own
		usual       bool
	}{
		"a machine": {everything, everything, 0x70000000, 0x77ffffff, true},
		"the usual range alone": {"0 100000 1\n1879048192 0 134217728", everything, 0x70000000, 0x77ffffff,
			true},
		"a container":               {"0 100000 65536", "0 100000 65536", 32768, 65535, false},
		"a container of two ranges": {"0 1000 1\n1 100000 65536", "0 1000 1\n1 100000 65536", 32769, 65536, false},
		"fewer groups than users":   {everything, "0 100000 65536", 32768, 65535, false},
		"one short of the usual":    {"0 0 2013265919", everything, 2013265919 - 1<<27, 2013265918, false},
		"two ids":                   {"0 1000 2", "0 1000 2", 1, 1, false},
		"root alone":                {"0 1000 1", "0 1000 1", 0, 0, false},
		"nothing in common":         {"0 0 10", "100 0 10", 0, 0, false},
		"no map":                    {"", "", 0, 0, false},
	} {
		users := process.Drawing([32]byte{}, row.uids, row.gids)
		if users == nil {
			if row.first != 0 {
				t.Errorf("%s: no users, want %d to %d", name, row.first, row.last)
			}
			continue
		}
		if first, last := users.Range(); first != row.first || last != row.last || users.Usual() != row.usual {
			t.Errorf("%s: %d to %d, usual %t; want %d to %d, %t", name, first, last, users.Usual(), row.first,
				row.last, row.usual)
		}
		for n := range 100 {
			drawn := users.Draw("m-" + strconv.Itoa(n))
			if id := uint64(drawn.UID); id < row.first || id > row.last || drawn.GID != drawn.UID {
				t.Errorf("%s: drew %d:%d, want one id from %d to %d", name, drawn.UID, drawn.GID, row.first, row.last)
			}
		}
	}
}

// TestUsersAreDrawn: a daemon draws the same ids for the same modules from its seed, two daemons draw
// different ones, and no two modules of a daemon get the same id, even from a small range.
func TestUsersAreDrawn(t *testing.T) {
	t.Parallel()
	const few = "0 100000 400" // half of it: 200 ids
	one, again, other := process.Drawing([32]byte{1}, everything, everything),
		process.Drawing([32]byte{1}, everything, everything),
		process.Drawing([32]byte{2}, everything, everything)
	if a, b, c := *one.Draw("sample"), *again.Draw("sample"), *other.Draw("sample"); a != b || a == c {
		t.Errorf("the same daemon drew %d and %d, another %d; want the first two equal", a.UID, b.UID, c.UID)
	}
	crowded, seen := process.Drawing([32]byte{}, few, few), make(map[uint32]string)
	for n := range 150 {
		id := "m-" + strconv.Itoa(n)
		drawn := crowded.Draw(id).UID
		if before, taken := seen[drawn]; taken {
			t.Errorf("%s and %s both drew %d", before, id, drawn)
		}
		seen[drawn] = id
	}
	container := process.Drawing([32]byte{}, "0 0 65537", "0 0 65537")
	for n := range 10_000 {
		if drawn := container.Draw("m-" + strconv.Itoa(n)).UID; drawn == 65534 || drawn == 65535 {
			t.Errorf("drew %d, which is nobody's", drawn)
		}
	}
	var none *process.Users
	if drawn := none.Draw("sample"); drawn != nil {
		t.Errorf("no users drew %v, want nil", drawn)
	}
}
