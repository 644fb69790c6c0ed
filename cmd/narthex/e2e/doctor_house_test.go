package e2e

import (
	"strings"
	"testing"
)

// TestDoctorOnTheHouse: doctor asks for the zone of a house that has none, and names stored values that no
// module reads, such as the zones that modules had of their own.
func TestDoctorOnTheHouse(t *testing.T) {
	t.Parallel()
	i := install(t, "calendar")
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('calendar'), ('gone')`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('calendar', 'timeZone', 'Europe/Berlin'), ('calendar', 'weekStartsOn', 'sunday'),
		('gone', 'timeZone', 'Europe/Berlin')`)
	const (
		missing = "warning   HOUSE_TIME_ZONE_MISSING: "
		unread  = "warning   SETTING_UNREAD: Nothing reads timeZone of the module calendar"
		chosen  = "ok        House: its times are those of Pacific/Apia."
	)
	report, status := examined(t, i.environment)
	for _, want := range []string{missing, unread} {
		if !strings.Contains(report, want) || status != 0 {
			t.Errorf("doctor on a house without a zone: exit status %d, want 0 and %q:\n%s", status, want, report)
		}
	}
	if strings.Contains(report, "weekStartsOn") || strings.Contains(report, "gone") {
		t.Errorf("doctor names a setting that is read, or of a module that is not installed:\n%s", report)
	}
	i.db.Exec(t, `UPDATE core.house SET time_zone = 'Pacific/Apia', rev = rev + 1`)
	if report, _ := examined(t, i.environment); !strings.Contains(report, chosen) ||
		strings.Contains(report, missing) {
		t.Errorf("doctor on a house with a zone, want %q:\n%s", chosen, report)
	}
}
