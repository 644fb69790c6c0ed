package leaktest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestLeaker leaves a goroutine behind, and fails if that is wanted, when TestLeaksAreReported starts it.
func TestLeaker(t *testing.T) {
	wanted := os.Getenv("LEAKTEST")
	if wanted == "" {
		t.Skip("TestLeaksAreReported runs it in a process of its own")
	}
	go blockForEver()
	if wanted == "fail" {
		t.Fatal("as wanted")
	}
}

func blockForEver() { select {} }

func TestLeaksAreReported(t *testing.T) {
	for _, result := range []string{"pass", "fail"} {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLeaker$")
		command.Env = append(os.Environ(), "LEAKTEST="+result)
		output, err := command.CombinedOutput()
		if err == nil || !strings.Contains(string(output), "blockForEver") {
			t.Errorf("a leak in a test with result %s: error %v, want one, and the goroutine's name:\n%s",
				result, err, output)
		}
	}
}
