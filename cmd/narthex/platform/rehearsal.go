package platform

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/backup"
)

// Rehearsal is what an upgrade would do: what upgrade:rehearse prints. Durations are seconds.
type Rehearsal struct {
	Platform   string               `json:"platform"` // version of this program
	Verdict    Verdict              `json:"verdict"`
	Findings   []RehearsalFinding   `json:"findings"` // failures first
	Database   RehearsalDatabase    `json:"database"`
	Migrations []RehearsedMigration `json:"migrations"` // in the order in which they were applied
	Pending    []PendingMigration   `json:"pending"`    // that a failure kept from being applied
	Started    float64              `json:"startSeconds"`
	Modules    []RehearsedModule    `json:"modules"`

	cause error // of a migration that failed
}

// Verdict is what a rehearsal comes to.
type Verdict string

// The verdicts.
const (
	WouldWork Verdict = "works"
	WouldWarn Verdict = "works-with-warnings"
	WouldFail Verdict = "fails"
)

// RehearsalFinding is a failure or a warning.
type RehearsalFinding struct {
	Failure bool   `json:"failure"`
	Module  string `json:"module,omitzero"`
	Code    string `json:"code,omitzero"`
	Text    string `json:"text"`
}

// RehearsalDatabase is the copy that was made.
type RehearsalDatabase struct {
	Tables  int     `json:"tables"`
	Rows    int64   `json:"rows"`
	Seconds float64 `json:"seconds"` // to copy it
}

// RehearsedMigration is one file that was applied, or that failed.
type RehearsedMigration struct {
	Line    string          `json:"line"` // "core" or a module's id
	File    string          `json:"file"`
	Seconds float64         `json:"seconds"`
	Failed  bool            `json:"failed"`
	Locks   []RehearsedLock `json:"locks"` // on tables that were there before it
}

// RehearsedLock is a lock of a migration.
type RehearsedLock struct {
	Table   string  `json:"table"`
	Mode    string  `json:"mode"` // as pg_locks has it
	Seconds float64 `json:"seconds"`
	Rows    int64   `json:"rows"` // that the table has now
}

// PendingMigration is a file that was not reached.
type PendingMigration struct {
	Line string `json:"line"`
	File string `json:"file"`
}

// RehearsedModule is one module as the upgrade would leave it.
type RehearsedModule struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Installed string          `json:"installed,omitzero"` // version now; "": it is not installed
	Version   string          `json:"version"`
	Next      catalog.Runtime `json:"next"` // what a start would make of it
	Because   string          `json:"-"`    // why not, for people
	Changes   ModuleChanges   `json:"changes"`
	UI        []AskedScript   `json:"ui"`   // its scripts, as they were served
	Read      *AskedRoute     `json:"read"` // the one of its reads that was asked; null: none was
}

// ModuleChanges are what the given module would change against the installed one.
type ModuleChanges struct {
	PermissionsAdded   []string `json:"permissionsAdded"`
	PermissionsRemoved []string `json:"permissionsRemoved"`
	RoutesAdded        []string `json:"routesAdded"`
	RoutesRemoved      []string `json:"routesRemoved"`
	Migrations         []string `json:"migrations"` // files to come
}

// AskedScript is a script that was asked for.
type AskedScript struct {
	Path   string `json:"path"`
	Status int    `json:"status"` // 0: no answer
}

// AskedRoute is a route that was asked as the owner, with "1" for each wildcard.
type AskedRoute struct {
	Route  string `json:"route"`
	Status int    `json:"status"` // 0: no answer
	code   string
}

// LongLock is how long a migration may keep others from a table with rows before the rehearsal warns.
const LongLock = time.Second

// blockingModes are the locks with which a table's rows cannot be written, or not even read.
var blockingModes = map[string]string{
	"ShareLock":             "nobody can write to it",
	"ShareRowExclusiveLock": "nobody can write to it",
	"ExclusiveLock":         "nobody can write to it",
	"AccessExclusiveLock":   "nobody can read it",
}

// observe adds a migration.
func (r *Rehearsal) observe(o migrations.Observation, tables []backup.Table) {
	done := RehearsedMigration{Line: o.Line, File: o.File, Seconds: seconds(o.Took), Failed: o.Failed,
		Locks: []RehearsedLock{}}
	for _, lock := range o.Locks {
		held := RehearsedLock{Table: lock.Schema + "." + lock.Table, Mode: lock.Mode, Seconds: seconds(lock.Held)}
		for _, table := range tables {
			if table.Schema == lock.Schema && table.Name == lock.Table {
				held.Rows = table.Rows
			}
		}
		done.Locks = append(done.Locks, held)
		if cannot := blockingModes[lock.Mode]; cannot != "" && held.Rows > 0 && lock.Held > LongLock {
			r.warn(o.Line, "", fmt.Sprintf("%s/%s holds %s on %s (%d rows) for %.1f s, in which %s.",
				o.Line, o.File, lock.Mode, held.Table, held.Rows, held.Seconds, cannot))
		}
	}
	r.Migrations = append(r.Migrations, done)
}

func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}

func (r *Rehearsal) warn(module, code, text string) {
	r.Findings = append(r.Findings, RehearsalFinding{false, module, code, text})
}

func (r *Rehearsal) fail(module, code, text string) {
	r.Findings = append(r.Findings, RehearsalFinding{true, module, code, text})
}

// failWith adds every coded failure of an error, without what is behind it.
func (r *Rehearsal) failWith(err error) {
	lines := failureLines(err)
	for _, line := range lines {
		code, text, _ := strings.Cut(line, ": ")
		r.fail("", code, text)
	}
	if len(lines) == 0 {
		r.fail("", "INTERNAL_ERROR", "Something unexpected failed.")
	}
}

// conclude sorts the findings and gives the verdict.
func (r *Rehearsal) conclude() {
	slices.SortStableFunc(r.Findings, func(a, b RehearsalFinding) int {
		switch {
		case a.Failure == b.Failure:
			return 0
		case a.Failure:
			return -1
		}
		return 1
	})
	switch {
	case len(r.Findings) == 0:
		r.Verdict = WouldWork
	case r.Findings[0].Failure:
		r.Verdict = WouldFail
	default:
		r.Verdict = WouldWarn
	}
}

// Sentence is the verdict in one line.
func (r *Rehearsal) Sentence() string {
	var texts []string
	for _, f := range r.Findings {
		if f.Failure || r.Verdict == WouldWarn {
			texts = append(texts, f.String())
		}
	}
	switch r.Verdict {
	case WouldFail:
		return "The upgrade would fail: " + strings.Join(texts, " ")
	case WouldWarn:
		return "The upgrade would work, but: " + strings.Join(texts, " ")
	}
	running, took := 0, 0.0
	for _, m := range r.Modules {
		if m.Next.State == catalog.Running {
			running++
		}
	}
	for _, m := range r.Migrations {
		took += m.Seconds
	}
	return fmt.Sprintf("The upgrade would work: %d migrations in %.1f s, %d of %d modules would run.",
		len(r.Migrations), took, running, len(r.Modules))
}

// String is the finding on one line.
func (f RehearsalFinding) String() string {
	if f.Code == "" {
		return f.Text
	}
	return f.Code + ": " + f.Text
}

// Cause is why a migration failed, for migrations.Stopped; nil: none did.
func (r *Rehearsal) Cause() error { return r.cause }
