// Package conformance tests whether a packaged module keeps the contract between host and module
// (docs/link.md, docs/reference/modules.md). Such a test is called a trial.
//
// A trial runs the module as the platform does: unpacked and inspected, in its sandbox, on its link, behind
// the platform's own route table, with its own role in a PostgreSQL database. Only a trial has two invented
// callers, a bucket store in memory, a mail server that accepts everything, and a value for every required
// setting and secret. There are no other modules.
//
// The checks are the rows of one table (table.go). Each checks one promise of the contract. For each there is
// a module in testdata/broken that breaks the promise, and the check must fail for it.
package conformance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

// Verdict is the result of a check.
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
	Asked    string  `json:"asked"`              // the action of the trial
	Seen     string  `json:"seen,omitempty"`     // what the module did, or why the check does not apply
	Expected string  `json:"expected,omitempty"` // the rule, if the check failed
	Remedy   string  `json:"remedy,omitempty"`   // what the author should do, if the check failed
	Rule     string  `json:"rule,omitempty"`     // of docs/link.md, number and words, that the module broke
}

// Options configure a trial.
type Options struct {
	// Package is a .tar.gz with its .sha256 beside it, or a folder that is named after the module's id.
	Package string
	// Database opens a scratch database, for a module that declares one. It is called at most once. close
	// releases the database.
	Database func(ctx context.Context) (settings environment.Database, close func() error, err error)

	deadlines process.Deadlines // 0: the platform's
	response  time.Duration     // timeout of a whole request; 0: patience
	calls     int               // how many requests the memory check sends; 0: manyCalls
	fault     fault             // breaks the trial itself, so that a test can see a check of the host fail
}

// fault is a guard of the host that a test removes.
type fault int

const (
	noFault         fault = iota
	everyoneAllowed       // the gates allow every caller
	folderChanged         // a file in the module's folder is changed
)

// Run tests a module, and reports each result as soon as it is known, in the order of the table. An error
// means that the trial itself could not be carried out; ctx ends it early. It takes some seconds for a module
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

// outcome is the result of a check's function.
type outcome struct {
	verdict Verdict
	asked   string // "": the table's text
	seen    string
	rule    string // of docs/link.md, number and words, that the module broke; "": none
}

// result adds the texts of the table.
func (c check) result(o outcome) Result {
	r := Result{Check: c.name, Verdict: o.verdict, Asked: c.asked, Seen: o.seen}
	if o.asked != "" {
		r.Asked = o.asked
	}
	if o.verdict == Failed {
		r.Expected, r.Remedy, r.Rule = c.expected, c.remedy, o.rule
		if number, words, broken := strings.Cut(o.rule, " "); broken {
			r.Seen = fmt.Sprintf("%s; it broke rule %s of docs/link.md: %s", r.Seen, number, words)
			r.Remedy = "let the module's side of the link keep rule " + number + " of docs/link.md"
		}
	}
	return r
}
