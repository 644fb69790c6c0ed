package programpages

import (
	"bufio"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// written is in a writable segment of the program.
var written = []string{"as", "linked"}

// TestRelease: after Release fewer pages of the program are resident, and written data is kept.
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
	runtime.GC() // uses the program's code and constants again
	if want := strconv.Itoa(os.Getpid()); written[0] != "as" || written[1] != want {
		t.Errorf("what was written is %q, want as and %s", written, want)
	}
}

// resident returns how much memory the test program's file mappings occupy, without the writable ones, in
// KiB.
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
