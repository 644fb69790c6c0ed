// Package conformance owns the trial of a packaged module: does it keep the contract between host and module
// (docs/link.md, docs/reference/modules.md)?
//
// A trial runs the module as the platform does: unpacked and inspected, in its sandbox, on its link, behind
// the platform's own route table, with its own role in a PostgreSQL database. What the trial alone has are
// two made-up callers, a bucket store in memory, a mail server that takes everything, and a value for every
// setting and secret that the module cannot do without. Other modules are absent.
//
// The checks are the rows of one table (table.go). Each looks at one promise and is written so that a module
// that breaks it is seen to: testdata/broken has such a module for each.
package conformance

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

// Verdict is what a check came to.
type Verdict string

// The verdicts.
const (
	Passed        Verdict = "passed"
	Failed        Verdict = "failed"
	NotApplicable Verdict = "not applicable"
)

// Result is one check of one module.
type Result struct {
	Check    string  `json:"check"`
	Verdict  Verdict `json:"verdict"`
	Asked    string  `json:"asked"`              // what the trial did
	Seen     string  `json:"seen,omitempty"`     // what the module did, or why the check does not apply
	Expected string  `json:"expected,omitempty"` // the rule; of a failed check
	Remedy   string  `json:"remedy,omitempty"`   // of a failed check
}

// Options are what a trial needs.
type Options struct {
	// Package is a .tar.gz with its .sha256 beside it, or a folder that is named after the module's id.
	Package string
	// Database opens a scratch database, for a module that has one. It is called at most once. close gives the
	// database back.
	Database func(ctx context.Context) (settings environment.Database, close func() error, err error)

	deadlines process.Deadlines // 0: the platform's
	response  time.Duration     // how long a request may take in all; 0: patience
	calls     int               // how many requests the memory check sends; 0: manyCalls
	fault     fault             // breaks the trial itself, so that a test sees a check of the host fail
}

// fault is a guard of the host that is missing.
type fault int

const (
	noFault         fault = iota
	everyoneAllowed       // the gates let every caller in
	folderChanged         // something writes into the module's folder
)

// Run tries a module, and reports each result as soon as it is there, in the order of the table. Its error
// says that the trial itself could not be carried out; ctx ends it early. It takes some seconds for a module
// that keeps the contract, and minutes for one that misses its deadlines.
func Run(ctx context.Context, options Options, report func(Result)) (err error) {
	t, err := newTrial(options)
	if err != nil {
		return err
	}
	defer func() {
		if closing := t.close(); err == nil {
			err = closing
		}
	}()
	for _, c := range table() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o := t.need(c.needs)
		if o == nil {
			found := c.run(ctx, t)
			o = &found
		}
		report(c.result(*o))
	}
	return t.broken
}

// outcome is what a check found.
type outcome struct {
	verdict Verdict
	asked   string // "": as the table says
	seen    string
}

// result adds the table's words.
func (c check) result(o outcome) Result {
	r := Result{Check: c.name, Verdict: o.verdict, Asked: c.asked, Seen: o.seen}
	if o.asked != "" {
		r.Asked = o.asked
	}
	if o.verdict == Failed {
		r.Expected, r.Remedy = c.expected, c.remedy
	}
	return r
}
