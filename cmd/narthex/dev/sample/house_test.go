package sample

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMachineZone: only the name of a zone is taken, from TZ or from the link of the machine's zone file.
func TestMachineZone(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "localtime")
	if err := os.Symlink("/usr/share/zoneinfo/Pacific/Apia", link); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	for _, c := range []struct{ tz, file, want string }{
		{"", link, "Pacific/Apia"}, {"Europe/Berlin", link, "Europe/Berlin"},
		{":Europe/Berlin", link, "Europe/Berlin"},
		{"UTC", link, ""}, {"Etc/UTC", link, ""}, {"CET-1CEST,M3.5.0,M10.5.0/3", link, ""},
		{"Europe/Nowhere", link, ""},
		{"", plain, ""},
	} {
		if got := machineZone(c.tz, c.file); got != c.want {
			t.Errorf("TZ=%q with %s: %q, want %q", c.tz, filepath.Base(c.file), got, c.want)
		}
	}
}
