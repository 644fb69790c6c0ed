package programpages

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// written stands in the part of the program that a process does write.
var written = []string{"as", "linked"}

// TestRelease: the process has fewer pages of its file afterwards, goes on, and keeps what it has written.
func TestRelease(t *testing.T) {
	if _, err := readOnly(); err == errMoved {
		t.Skip("this test was linked to be loaded anywhere")
	}
	written[1] = strconv.Itoa(os.Getpid())
	before := resident(t)
	Release()
	after := resident(t)
	if after >= before {
		t.Errorf("%d KiB of the program are resident, want fewer than the %d before", after, before)
	}
	runtime.GC() // it walks through the program's constants and stacks
	if want := strconv.Itoa(os.Getpid()); written[0] != "as" || written[1] != want {
		t.Errorf("what was written is %q, want as and %s", written, want)
	}
}

// resident is how much of the test's program is mapped to read or execute, in KiB.
func resident(t *testing.T) (kib int) {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	counted := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case strings.Contains(fields[0], "-"):
			counted = fields[len(fields)-1] == program && !strings.Contains(fields[1], "w")
		case fields[0] == "Rss:" && counted:
			size, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			kib += size
		}
	}
	return kib
}
