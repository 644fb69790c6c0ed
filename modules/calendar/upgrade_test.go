package main

import (
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestUpgradeOfSheets: a house with sign-ups for single events keeps them, and its sheets have the ids of
// their events, because printed addresses name those.
func TestUpgradeOfSheets(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := catalog.Sources(folder, abi.PlatformVersion)
	if err != nil {
		t.Fatal(err)
	}
	db := databasetest.New(t)
	upTo := func(version int) {
		t.Helper()
		line := migrations.Line{ID: "calendar"}
		for _, file := range sources.Migrations {
			if file.Version <= version {
				line.Files = append(line.Files,
					migrations.File{Version: file.Version, Name: file.Name, SQL: file.SQL})
			}
		}
		if _, err := migrations.Apply(t.Context(), migrations.Options{Connect: database.Config(db.Settings),
			Modules: []migrations.Line{line}}); err != nil {
			t.Fatal(err)
		}
	}
	upTo(9)
	db.Exec(t, `
		INSERT INTO module_calendar.events (id, title, text, starts, minutes, all_day, rule, rooms)
		VALUES ($1, 'Camp', '', '2030-01-01 10:00', 60, false, '', '{}')`, morning)
	db.Exec(t, `
		INSERT INTO module_calendar.sheets (event_id, places, queue, questions, rev)
		VALUES ($1, 2, true, '[]', 3)`, morning)
	db.Exec(t, `
		INSERT INTO module_calendar.participants (id, event_id, name, email, language, answers, waits, told)
		VALUES ($1, $2, 'Anna', 'anna@example.org', 'en', '{}', false, '2030-01-01T10:00 60 false')`,
		evening, morning)
	db.Exec(t, `
		INSERT INTO module_calendar.erased_signups (event_id, at, erased_on) VALUES ($1, now(), CURRENT_DATE)`,
		morning)
	upTo(len(sources.Migrations))

	var state string
	err = db.AnotherPool(t, `SET search_path = module_calendar`).QueryRow(t.Context(), `
		SELECT s.id::text || ' ' || coalesce(s.recurrence::text, 'once') || ' ' || s.gone || ' ' || s.rev || ' ' ||
		       p.name || ' ' || (p.told = `+stateOf+`) || ' ' ||
		       (SELECT count(*) FROM erased_signups WHERE sheet_id = s.id)
		FROM sheets s
		JOIN participants p ON p.sheet_id = s.id
		JOIN `+onDates+` ON d.sheet = s.id`).Scan(&state)
	if want := morning + " once false 3 Anna true 1"; err != nil || state != want {
		t.Errorf("after the upgrade: %q, %v; want %q", state, err, want)
	}
}
