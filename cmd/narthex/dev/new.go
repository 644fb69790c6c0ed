package dev

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/scaffold"
)

func ModulesNew(p *cli.Program) *cobra.Command {
	var id, dir string
	var script bool
	command := &cobra.Command{
		Use:   "modules:new",
		Short: "Write a new module that builds, passes its test and runs at once",
		Long: `Writes a folder with a new module: a server in Go with a table, its migration and its test, and
a page in the Dashboard. Anywhere, it is a Go module by itself, built with the SDK in the folder
narthex-sdk beside it, which is exported when it is not there. In a checkout of the platform's sources
it is written into the checkout's modules, where make dev builds and runs it; with --dir elsewhere, it
is built with that checkout. With --script the server is in TypeScript: the module runs on every
processor, and its author needs neither Go nor Node.`,
		Example: "  narthex-dev modules:new -- --module prayer-list",
		Args:    cli.ModuleGiven(&id),
		RunE: func(*cobra.Command, []string) error {
			here, err := os.Getwd()
			if err != nil {
				return fmt.Errorf("%w: %w", scaffold.ErrWrite, err)
			}
			written, err := scaffold.Write(scaffold.Config{ID: id, Dir: dir, WorkDir: here, Script: script})
			if err != nil {
				return err
			}
			if written.Inside && !script {
				fmt.Fprintf(p.Stdout, "Written: %s. Next: make dev, or go test ./modules/%s\n", id, id)
			} else {
				fmt.Fprintf(p.Stdout, "Written: %s. Next: see README.md in its folder.\n", id)
			}
			return nil
		},
	}
	command.Flags().StringVar(&id, "module", "", "the new module's id (required)")
	command.Flags().BoolVar(&script, "script", false, "write its server in TypeScript, and not in Go")
	command.Flags().StringVar(&dir, "dir", "",
		"where its folder is made (default: here; in a checkout, its modules)")
	return command
}
