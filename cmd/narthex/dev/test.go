package dev

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/scripttest"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// errTestsFailed is returned if tests failed, which are printed already.
var errTestsFailed = cli.NewError("MODULE_TESTS_FAILED", "The tests above failed.")

// ModulesTest is modules:test.
func ModulesTest(p *cli.Program) *cobra.Command {
	var dir, only string
	command := &cobra.Command{
		Use:   "modules:test",
		Short: "Run the tests of a module whose server is TypeScript",
		Long: `Runs the tests in the files of server-src whose names end in .test.ts. Each test gets the module
behind the platform's own gates, with a database of its own on a private PostgreSQL of this machine,
and with what it says of the deployment: configuration, secrets, stand-ins for other modules. It can
break the database, mails, buckets and other modules with one line (@narthex/server/test).`,
		Example: "  narthex-dev modules:test --dir checklists --run reminded",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			chosen, err := regexp.Compile(only)
			if err != nil {
				return cli.UsageError("--run takes a regular expression; this one cannot be read.")
			}
			suite, err := scripttest.Load(dir, p.Stderr)
			if err != nil {
				fmt.Fprintln(p.Stderr, err)
				return errTestsFailed
			}
			defer suite.Close()
			if sdktest.Run(func() int { return runTests(cmd.Context(), suite, chosen, p.Stdout) }) > 0 {
				return errTestsFailed
			}
			return nil
		},
	}
	command.Flags().StringVar(&dir, "dir", ".", "the module's folder")
	command.Flags().StringVar(&only, "run", "", "only tests whose names this regular expression matches")
	return command
}

// runTests prints each test with its result, and returns how many failed.
func runTests(ctx context.Context, suite *scripttest.Suite, only *regexp.Regexp, out io.Writer) (failed int) {
	count := 0
	for _, test := range suite.Tests() {
		if ctx.Err() != nil || !only.MatchString(test.Name) {
			continue
		}
		count++
		if err := suite.Run(ctx, test); err != nil {
			failed++
			fmt.Fprintf(out, "FAIL  %s: %s\n      %s\n", test.File, test.Name,
				strings.ReplaceAll(err.Error(), "\n", "\n      "))
			continue
		}
		fmt.Fprintf(out, "ok    %s: %s\n", test.File, test.Name)
	}
	fmt.Fprintf(out, "\n%d tests, %d failed\n", count, failed)
	return failed
}
