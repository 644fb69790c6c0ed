package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/environment"
)

// doctorLimit bounds all that doctor waits for: it is asked when something is wrong.
const doctorLimit = 30 * time.Second

// errUnhealthy ends a doctor with blocking findings, which it has printed already.
const errUnhealthy = commandError("DOCTOR_FINDINGS")

func (p *program) doctor() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Examine this installation and say what is wrong with it, and what to do",
		Long: `Examines the environment, the installed modules, the database, the sandbox and what modules are offered, with the very
settings the platform itself would be started with. It changes nothing. Findings are blocking (the platform would not start, or not
safely) or warnings; the exit status is 1 when one is blocking.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorLimit)
			defer cancel()
			e := &examination{lookup: p.lookup, Findings: []healthFinding{}, Modules: []listedModule{}, Contributions: []listedContribution{}}
			e.run(ctx)
			return p.printExamination(e, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// level is how much a finding of doctor matters.
type level string

const (
	levelOK       level = "ok"
	levelWarning  level = "warning"
	levelBlocking level = "blocking"
)

// healthFinding is one line. It holds no value, host name or path.
type healthFinding struct {
	Level   level  `json:"level"`
	Code    string `json:"code,omitempty"` // of everything that is not ok
	Message string `json:"message"`
}

// examination is one run of doctor: what it looked at and what it found.
type examination struct {
	lookup    environment.Lookup
	settings  environment.Settings
	sound     environment.Section // the sections without a finding
	installed *catalog.Catalog    // nil: discovery failed

	Healthy       bool                 `json:"healthy"` // nothing blocks
	Topology      string               `json:"topology,omitempty"`
	Findings      []healthFinding      `json:"findings"`
	Modules       []listedModule       `json:"modules"` // nothing without a usable database
	Contributions []listedContribution `json:"contributions"`
}

// run goes from what everything needs to what builds on it; what cannot be examined for want of something earlier is left out.
func (e *examination) run(ctx context.Context) {
	e.environment()
	e.topology()
	e.packages()
	e.store(ctx)
	e.offers()
	e.backplane(ctx)
	e.sandbox()
	e.Healthy = true
	for _, f := range e.Findings {
		e.Healthy = e.Healthy && f.Level != levelBlocking
	}
}

func (e *examination) ok(format string, args ...any) {
	e.Findings = append(e.Findings, healthFinding{Level: levelOK, Message: fmt.Sprintf(format, args...)})
}

func (e *examination) warn(code, message string) {
	e.Findings = append(e.Findings, healthFinding{Level: levelWarning, Code: code, Message: message})
}

func (e *examination) block(code, message string) {
	e.Findings = append(e.Findings, healthFinding{Level: levelBlocking, Code: code, Message: message})
}

// blockAll reports a failure that any command would have printed.
func (e *examination) blockAll(err error) {
	for _, f := range failures(err) {
		e.block(f.Code(), withoutCode(f))
	}
}

func (p *program) printExamination(e *examination, asJSON bool) error {
	var failure error
	if !e.Healthy {
		failure = errUnhealthy
	}
	if asJSON {
		if err := p.printJSON(e); err != nil {
			return err
		}
		return failure
	}
	for _, f := range e.Findings {
		text := f.Message
		if f.Code != "" {
			text = f.Code + ": " + text
		}
		fmt.Fprintf(p.stdout, "%-9s %s\n", f.Level, text)
	}
	return failure
}
