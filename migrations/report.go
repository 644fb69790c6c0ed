package migrations

import (
	"context"
	"slices"
	"time"
)

// Report is the state of all lines: Core's first, then the modules', then those of absent modules.
type Report struct {
	Lines []LineReport `json:"lines"`
}

// Pending reports whether anything is left to apply.
func (r Report) Pending() bool {
	return slices.ContainsFunc(r.Lines, func(line LineReport) bool { return len(line.Pending) > 0 })
}

// LineReport is the state of one line.
type LineReport struct {
	Line     string  `json:"line"`               // "core" or a module's id
	Retained bool    `json:"retained,omitempty"` // the module is not installed; its tables and its history stay
	Applied  []Entry `json:"applied"`
	Pending  []Entry `json:"pending"`
}

// Entry is one file.
type Entry struct {
	Version   int        `json:"version"`
	Name      string     `json:"name"`
	AppliedAt *time.Time `json:"appliedAt,omitempty"`
	New       bool       `json:"new,omitempty"` // applied by this run
	// pending: a run was interrupted while applying it; the next run finds out whether it was applied
	Interrupted bool `json:"interrupted,omitempty"`
}

// Status reports which files are applied and which are pending. It changes nothing; on an empty database
// everything is pending. Errors: ErrUnreachable, ErrHistoryChanged, ErrDowngrade, ErrFiles.
func Status(ctx context.Context, q Querier, modules []Line) (Report, error) {
	core, err := Core()
	if err != nil {
		return Report{}, err
	}
	return status(ctx, q, core, modules)
}

func status(ctx context.Context, q Querier, core Line, modules []Line) (Report, error) {
	lines, read, _, err := inspect(ctx, q, core, modules)
	if err != nil {
		return Report{}, err
	}
	var report Report
	for _, line := range lines {
		applied, err := line.verify(read[line.ID])
		if err != nil {
			return Report{}, err
		}
		state := newLineReport(line.ID, read[line.ID])
		state.Pending = state.Pending[:0] // filled from the files, below
		for i, file := range line.Files[applied:] {
			interrupted := applied+i < len(read[line.ID])
			state.Pending = append(state.Pending, Entry{Version: file.Version, Name: file.Name,
				Interrupted: interrupted})
		}
		report.Lines = append(report.Lines, state)
		delete(read, line.ID)
	}
	for _, absent := range sortedKeys(read) {
		state := newLineReport(absent, read[absent])
		state.Retained = true
		report.Lines = append(report.Lines, state)
	}
	return report, nil
}

// newLineReport returns the ledger's rows of a line as a report.
func newLineReport(line string, history []entry) LineReport {
	state := LineReport{Line: line, Applied: []Entry{}, Pending: []Entry{}}
	for _, row := range history {
		if row.applied {
			at := row.at.UTC()
			state.Applied = append(state.Applied, Entry{Version: row.version, Name: row.name, AppliedAt: &at})
		} else {
			state.Pending = append(state.Pending, Entry{Version: row.version, Name: row.name, Interrupted: true})
		}
	}
	return state
}

// changes are the files that this run has applied.
type changes map[string][]int

func (c changes) add(line string, version int) { c[line] = append(c[line], version) }

func (c changes) mark(report Report) {
	for _, line := range report.Lines {
		for i := range line.Applied {
			line.Applied[i].New = slices.Contains(c[line.Line], line.Applied[i].Version)
		}
	}
}
