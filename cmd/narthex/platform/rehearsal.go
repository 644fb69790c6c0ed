package platform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// Rehearsal is the result of upgrade:rehearse: what an upgrade would do. Durations are in seconds.
type Rehearsal struct {
	Platform   string                   `json:"platform"` // version of this program
	Verdict    Verdict                  `json:"verdict"`
	Findings   []RehearsalFinding       `json:"findings"` // failures first
	Database   RehearsalDatabase        `json:"database"`
	Migrations []migrations.Observation `json:"migrations"` // in the order of application
	Pending    []PendingMigration       `json:"pending"`    // not applied because of a failure
	Started    float64                  `json:"startSeconds"`
	Modules    []RehearsedModule        `json:"modules"`

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

// PendingMigration is a file that was not applied.
type PendingMigration struct {
	Line string `json:"line"`
	File string `json:"file"`
}

// RehearsedModule is one module as the upgrade would leave it, compared with the installed one.
type RehearsedModule struct {
	ListedModule
	Installed string `json:"installed,omitzero"` // version now; "": not installed
	Changes   struct {
		PermissionsAdded   []string `json:"permissionsAdded"`
		PermissionsRemoved []string `json:"permissionsRemoved"`
		RoutesAdded        []string `json:"routesAdded"`
		RoutesRemoved      []string `json:"routesRemoved"`
		Migrations         []string `json:"migrations"` // files to apply
	} `json:"changes"`
	UI   []AskedScript `json:"ui"`   // its scripts, as served
	Read *AskedRoute   `json:"read"` // the one read that was requested; null: none was
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
}

// longLock is how many seconds a migration may lock a table that has rows before the rehearsal warns.
const longLock = 1

// blockingModes are the lock modes that prevent others from writing, or even reading, a table's rows.
var blockingModes = map[string]string{
	"ShareLock":             "nobody can write to it",
	"ShareRowExclusiveLock": "nobody can write to it",
	"ExclusiveLock":         "nobody can write to it",
	"AccessExclusiveLock":   "nobody can read it",
}

// observe adds the result of a migration. rows are those of the tables in the backup.
func (r *Rehearsal) observe(o migrations.Observation, rows map[string]int64) {
	for i := range o.Locks {
		lock := &o.Locks[i]
		lock.Rows = rows[lock.Table]
		if cannot := blockingModes[lock.Mode]; cannot != "" && lock.Rows > 0 && lock.Seconds > longLock {
			r.warn(o.Line, "", fmt.Sprintf("%s/%s holds %s on %s (%d rows) for %.1f s, in which %s.",
				o.Line, o.File, lock.Mode, lock.Table, lock.Rows, lock.Seconds, cannot))
		}
	}
	r.Migrations = append(r.Migrations, o)
}

func (r *Rehearsal) warn(module, code, text string) {
	r.Findings = append(r.Findings, RehearsalFinding{false, module, code, text})
	if r.Verdict == WouldWork {
		r.Verdict = WouldWarn
	}
}

func (r *Rehearsal) fail(module, code, text string) {
	failures := 0
	for failures < len(r.Findings) && r.Findings[failures].Failure {
		failures++
	}
	r.Findings = slices.Insert(r.Findings, failures, RehearsalFinding{true, module, code, text})
	r.Verdict = WouldFail
}

// failWith adds every coded failure of an error, without its causes. about begins the texts, if it is not "".
func (r *Rehearsal) failWith(about string, err error) {
	if err == nil {
		return
	}
	lines := failureLines(err)
	if len(lines) == 0 {
		lines = []string{"INTERNAL_ERROR: Something unexpected failed."}
	}
	for _, line := range lines {
		code, text, _ := strings.Cut(line, ": ")
		if about != "" {
			text = about + ": " + text
		}
		r.fail("", code, text)
	}
}

// Sentence returns the verdict in one line.
func (r *Rehearsal) Sentence() string {
	switch r.Verdict {
	case WouldFail:
		return "The upgrade would fail:" + r.texts(true)
	case WouldWarn:
		return "The upgrade would work, but:" + r.texts(false)
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

// texts returns the failures, or the warnings.
func (r *Rehearsal) texts(failures bool) (all string) {
	for _, f := range r.Findings {
		if f.Failure == failures {
			all += " " + strings.TrimPrefix(f.Code+": "+f.Text, ": ")
		}
	}
	return all
}

// Cause returns the failure of a migration, for migrations.Stopped; nil if none failed.
func (r *Rehearsal) Cause() error { return r.cause }
