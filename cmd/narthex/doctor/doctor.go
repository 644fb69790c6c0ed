// Package doctor owns the diagnosis of an installation: what is wrong with it, and how to repair it.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

// doctorLimit limits the duration of the whole diagnosis, because doctor is used when something does not
// respond.
const doctorLimit = 30 * time.Second

// errUnhealthy is returned if findings block. They are printed already.
var errUnhealthy = cli.NewError("DOCTOR_FINDINGS",
	"Something blocks this installation; the findings above say what, and what to do.")

func Doctor(p *cli.Program) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Examine this installation and say what is wrong with it, and what to do",
		Long: `Examines the environment, the address, the installed modules, the database, the sandbox and what
modules are offered, with the very settings the platform itself would be started with. It stores an
object and deletes it again, signs in to the mail server without sending, and changes nothing else.
Findings are blocking (the platform would not start, or not safely) or warnings; the exit status
is 1 when one is blocking.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorLimit)
			defer cancel()
			return printExamination(p, examine(ctx, p), asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// level is the severity of a finding.
type level string

const (
	levelOK       level = "ok"
	levelWarning  level = "warning"
	LevelBlocking level = "blocking"
)

// healthFinding is one line of the diagnosis. It holds no value, host name or path.
type healthFinding struct {
	Level   level  `json:"level"`
	Code    string `json:"code,omitempty"` // empty only for level ok
	Message string `json:"message"`
}

// Examination is one run of doctor: its input, which is never printed, and its findings.
type Examination struct {
	lookup    environment.Lookup
	environ   []string
	Settings  environment.Settings `json:"-"`
	Sound     environment.Section  `json:"-"` // the sections without a finding
	Installed *catalog.Catalog     `json:"-"` // nil: discovery failed

	listening      []uint32 // sockets of the platform's processes (httpserver.Sockets)
	listeningKnown bool     // whether the database could be asked

	Healthy       bool                          `json:"healthy"` // nothing blocks
	Topology      string                        `json:"topology,omitempty"`
	Findings      []healthFinding               `json:"findings"`
	Modules       []platform.ListedModule       `json:"modules"` // empty without a usable database
	Contributions []platform.ListedContribution `json:"contributions"`
}

func examine(ctx context.Context, p *cli.Program) *Examination {
	e := &Examination{lookup: p.Lookup, environ: p.Environ, Findings: []healthFinding{},
		Modules: []platform.ListedModule{}, Contributions: []platform.ListedContribution{}}
	e.run(ctx)
	return e
}

// run examines the parts in the order of their dependencies. A part is skipped if something that it needs was
// not found.
func (e *Examination) run(ctx context.Context) {
	e.environment()
	e.topology()
	e.clientAddresses()
	e.names(ctx)
	e.packages()
	e.ineffectiveVariables()
	e.Store(ctx)
	e.address(ctx)
	e.hostServices(ctx)
	e.backplane(ctx)
	e.disks()
	e.sandbox(process.InspectSandbox())
	e.cgroups(ctx)
	e.sort()
	e.Healthy = true
	for _, f := range e.Findings {
		e.Healthy = e.Healthy && f.Level != LevelBlocking
	}
}

// sort puts the blocking findings first, then the warnings, each in the order of discovery.
func (e *Examination) sort() {
	order := []level{LevelBlocking, levelWarning, levelOK}
	slices.SortStableFunc(e.Findings, func(a, b healthFinding) int {
		return slices.Index(order, a.Level) - slices.Index(order, b.Level)
	})
}

func (e *Examination) ok(format string, args ...any) {
	e.Findings = append(e.Findings, healthFinding{Level: levelOK, Message: fmt.Sprintf(format, args...)})
}

func (e *Examination) warn(code, message string) {
	e.Findings = append(e.Findings, healthFinding{Level: levelWarning, Code: code, Message: message})
}

func (e *Examination) block(code, message string) {
	e.Findings = append(e.Findings, healthFinding{Level: LevelBlocking, Code: code, Message: message})
}

// blockAll adds the failures that any command would have printed.
func (e *Examination) blockAll(err error) {
	for _, f := range platform.Failures(err) {
		e.block(f.Code(), withoutCode(f))
	}
}

func printExamination(p *cli.Program, e *Examination, asJSON bool) error {
	var failure error
	if !e.Healthy {
		failure = errUnhealthy
	}
	if asJSON {
		if err := p.PrintJSON(e); err != nil {
			return err
		}
		return failure
	}
	for _, f := range e.Findings {
		text := f.Message
		if f.Code != "" {
			text = f.Code + ": " + text
		}
		fmt.Fprintf(p.Stdout, "%-9s %s\n", f.Level, text)
	}
	return failure
}
