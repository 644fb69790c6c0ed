package house_test

import (
	"archive/zip"
	_ "embed"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

//go:embed zones.txt
var zones string

// TestZonesAreThoseOfModules: zones.txt has the names of package time/tzdata, which every module has in its
// sandbox. Factory is none: its clock is said to be unknown, and browsers do not have it.
func TestZonesAreThoseOfModules(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the go command is not here: ", err)
	}
	table, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var want []string
	for _, file := range table.File {
		if !strings.HasSuffix(file.Name, "/") && file.Name != "Factory" {
			want = append(want, file.Name)
		}
	}
	slices.Sort(want)
	listed := strings.Split(strings.TrimSuffix(zones, "\n"), "\n")
	if !slices.Equal(listed, want) {
		t.Errorf("zones.txt has %d names, Go's table %d: write these into it:\n%s", len(listed), len(want),
			strings.Join(want, "\n"))
	}
	for _, name := range listed {
		if _, err := time.LoadLocation(name); err != nil || len(name) > 64 {
			t.Errorf("zone %s (%d bytes): %v", name, len(name), err)
		}
	}
}
