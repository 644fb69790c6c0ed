package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxProductionBytes is the maximum size of the stripped production program.
const maxProductionBytes = 25_500_000

// TestProductionWeight builds the programs as make does. If one package calls methods by names that are only
// known at run time, as package template does, the linker keeps every exported method of every type.
func TestProductionWeight(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the programs")
	}
	t.Parallel()
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`(?m)^FLAGS +:= (.*)$`).FindSubmatch(makefile)
	if flags == nil {
		t.Fatal("the Makefile does not name the flags of a build")
	}
	out := t.TempDir()
	command := exec.CommandContext(t.Context(), "sh", "-c",
		"CGO_ENABLED=0 go build "+string(flags[1])+" -o "+out+"/ ../../narthex ../../narthex-dev")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	for _, program := range strings.Fields("narthex narthex-dev") {
		info, err := os.Stat(filepath.Join(out, program))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", program, float64(info.Size())/1e6)
		if program == "narthex" && info.Size() > maxProductionBytes {
			t.Errorf("narthex has %d bytes, want at most %d", info.Size(), maxProductionBytes)
		}
	}
}
