package main

import (
	_ "embed" // for the table
	"strings"
)

// windowsZones has a line for each zone of Windows: its name, and the zone of IANA that it means in most
// places of the world, as the Unicode Common Locale Data Repository says.
//
//go:embed windowszones.txt
var windowsZones string

// windowsZone finds the zone of a name of Windows.
func windowsZone(name string) (zone, bool) {
	for line := range strings.Lines(windowsZones) {
		windows, iana, _ := strings.Cut(strings.TrimSpace(line), "=")
		if strings.EqualFold(windows, name) {
			return loadZone(iana)
		}
	}
	return zone{}, false
}
