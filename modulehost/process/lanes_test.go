package process

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestLanesGiveTheirPagesBack: after idle lanes are emptied they use no memory, and both ends keep their
// mappings.
func TestLanesGiveTheirPagesBack(t *testing.T) {
	var inherited descriptors
	defer inherited.close()
	lanes, far := inherited.lanes()
	if lanes == nil {
		t.Fatal("this kernel has no memory for lanes")
	}
	defer lanes.close()
	theirs, err := unix.Mmap(int(far.Fd()), 0, lanesBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(theirs) }()
	blocks := func() int64 {
		var stat unix.Stat_t
		if err := unix.Fstat(int(far.Fd()), &stat); err != nil {
			t.Fatal(err)
		}
		return stat.Blocks * 512
	}
	if blocks() != 0 {
		t.Errorf("%d bytes before the first body, want none", blocks())
	}
	for i := range theirs {
		theirs[i] = 1
	}
	if blocks() != lanesBytes || lanes.memory.Bytes[lanesBytes-1] != 1 {
		t.Errorf("%d bytes, want %d that both ends see", blocks(), lanesBytes)
	}
	lanes.memory.Empty()
	if blocks() != 0 || theirs[0] != 0 {
		t.Errorf("%d bytes after Empty, want none", blocks())
	}
	theirs[5] = 7
	if lanes.memory.Bytes[5] != 7 {
		t.Error("the ends do not share the memory any more")
	}
}
