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

// Rehearsal is the result of upgrade:rehearse: what an upgrade would do. Durations are in seconds.
type Rehearsal struct {
	Platform   string               `json:"platform"` // version of this program
	Verdict    Verdict              `json:"verdict"`
	Findings   []RehearsalFinding   `json:"findings"` // failures first
	Database   RehearsalDatabase    `json:"database"`
	Migrations []RehearsedMigration `json:"migrations"` // in the order of application
	Pending    []PendingMigration   `json:"pending"`    // not applied because of a failure
	Started    float64              `json:"startSeconds"`
	Modules    []RehearsedModule    `json:"modules"`

	cause error // of a migration that failed
}

// Verdict is the overall result of a rehearsal.
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

// RehearsedMigration is one file that was applied or that failed.
type RehearsedMigration struct {
	Line    string          `json:"line"` // "core" or a module's id
	File    string          `json:"file"`
	Seconds float64         `json:"seconds"`
	Failed  bool            `json:"failed"`
	Locks   []RehearsedLock `json:"locks"` // on tables that existed before it
}

// RehearsedLock is a lock that a migration held.
type RehearsedLock struct {
	Table   string  `json:"table"`
	Mode    string  `json:"mode"` // as in pg_locks
	Seconds float64 `json:"seconds"`
	Rows    int64   `json:"rows"` // of the table now
}

// PendingMigration is a file that was not applied.
type PendingMigration struct {
	Line string `json:"line"`
	File string `json:"file"`
}

// RehearsedModule is one module as the upgrade would leave it.
type RehearsedModule struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Installed string          `json:"installed,omitzero"` // version now; "": not installed
	Version   string          `json:"version"`
	Next      catalog.Runtime `json:"next"` // its state after the next start
	Because   string          `json:"-"`    // why it would not run, for people
	Changes   ModuleChanges   `json:"changes"`
	UI        []AskedScript   `json:"ui"`   // its scripts, as served
	Read      *AskedRoute     `json:"read"` // the one read that was requested; null: none was
}

// ModuleChanges are the differences between the given module and the installed one.
type ModuleChanges struct {
	PermissionsAdded   []string `json:"permissionsAdded"`
	PermissionsRemoved []string `json:"permissionsRemoved"`
	RoutesAdded        []string `json:"routesAdded"`
	RoutesRemoved      []string `json:"routesRemoved"`
	Migrations         []string `json:"migrations"` // files to apply
}

// AskedScript is a script that was requested.
type AskedScript struct {
	Path   string `json:"path"`
	Status int    `json:"status"` // 0: no response
}

// AskedRoute is a route that was requested as the owner, with "1" for each wildcard.
type AskedRoute struct {
	Route  string `json:"route"`
	Status int    `json:"status"` // 0: no response
	code   string
}

// LongLock is how long a migration may lock a table that has rows before the rehearsal warns.
const LongLock = time.Second

// blockingModes are the lock modes that prevent others from writing, or even reading, a table's rows.
var blockingModes = map[string]string{
	"ShareLock":             "nobody can write to it",
	"ShareRowExclusiveLock": "nobody can write to it",
	"ExclusiveLock":         "nobody can write to it",
	"AccessExclusiveLock":   "nobody can read it",
}

// observe adds the result of a migration.
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

// failWith adds every coded failure of an error, without its causes.
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

// conclude sorts the findings and sets the verdict.
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

// Sentence returns the verdict in one line.
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

// String returns the finding on one line.
func (f RehearsalFinding) String() string {
	if f.Code == "" {
		return f.Text
	}
	return f.Code + ": " + f.Text
}

// Cause returns the failure of a migration, for migrations.Stopped; nil if none failed.
func (r *Rehearsal) Cause() error { return r.cause }
