// Package conform owns the command that tests a packaged module against the contract
// (modulehost/conformance), and the scratch database that the test uses.
package conform

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/conformance"
	"github.com/narthex-platform/narthex/modulehost/process"
)

// errNotConforming is returned if checks failed. The failed checks are printed already.
var errNotConforming = cli.NewError("MODULE_NOT_CONFORMING",
	"The module breaks promises of the contract; the failed checks above say which, and what to do.")

// ModulesConform is modules:conform.
func ModulesConform(p *cli.Program) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "modules:conform PACKAGE",
		Short: "Try a packaged module: does it keep the contract between platform and module?",
		Long: `Runs the module of <id>-<version>.tar.gz, with its .sha256 beside it, or of a folder that is named
after the module's id, as the platform does: in its sandbox, on its link, behind the platform's
gates, with a database. It sends the module what clients may send, kills it, stops it half-way,
and prints for each promise of the contract whether the module kept it. A module in any language
can be tried. Other modules are absent; required settings and secrets get made-up values.

A module with a database gets a scratch one, which is dropped afterwards: on the server of
DATABASE_URL, whose user must be allowed to create databases and roles, or, without that
variable, on a private PostgreSQL of this machine, as narthex-dev dev runs one. It takes some
seconds, and minutes for a module that misses its deadlines.`,
		Example: "  narthex-dev modules:conform bin/modules/announcements-1.0.0.tar.gz",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.UsageError("This command takes one package; see: narthex-dev modules:conform --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := process.Harden(); err != nil {
				return err
			}
			return try(cmd.Context(), p, args[0], asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// summary is the JSON of --json.
type summary struct {
	Checks        []conformance.Result `json:"checks"`
	Passed        int                  `json:"passed"`
	Failed        int                  `json:"failed"`
	NotApplicable int                  `json:"notApplicable"`
}

func try(ctx context.Context, p *cli.Program, path string, asJSON bool) error {
	var s summary
	err := conformance.Run(ctx, conformance.Options{
		Package:  path,
		Database: scratches{p.Lookup}.open,
	}, func(r conformance.Result) {
		s.add(r)
		if !asJSON {
			printResult(p, r)
		}
	})
	switch {
	case err != nil:
		return err
	case asJSON:
		if err := p.PrintJSON(s); err != nil {
			return err
		}
	default:
		fmt.Fprintf(p.Stdout, "\n%d passed, %d failed, %d not applicable\n", s.Passed, s.Failed, s.NotApplicable)
	}
	if s.Failed > 0 {
		return errNotConforming
	}
	return nil
}

func (s *summary) add(r conformance.Result) {
	s.Checks = append(s.Checks, r)
	switch r.Verdict {
	case conformance.Passed:
		s.Passed++
	case conformance.Failed:
		s.Failed++
	default:
		s.NotApplicable++
	}
}

// printResult prints one row, and below a failed check its details. The details may quote names that the
// module chose.
func printResult(p *cli.Program, r conformance.Result) {
	if r.Verdict != conformance.Failed {
		fmt.Fprintf(p.Stdout, "%-28s%-16s%s\n", r.Check, r.Verdict, printable(r.Seen))
		return
	}
	fmt.Fprintf(p.Stdout, "%-28s%s\n", r.Check, r.Verdict)
	for _, part := range [][2]string{{"asked", r.Asked}, {"seen", r.Seen}, {"expected", r.Expected},
		{"remedy", r.Remedy}} {
		fmt.Fprintf(p.Stdout, "    %-10s%s\n", part[0], printable(part[1]))
	}
}

// printable replaces characters that a terminal would interpret, because a module chose the names in the
// text.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}
