package dev

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/authoring"
)

func ModulesBuild(p *cli.Program) *cobra.Command {
	var dir string
	command := &cobra.Command{
		Use:   "modules:build",
		Short: "Build a module: its server for this machine, and the scripts of its pages",
		Long: `Builds what module.json of a folder names: the server from the Go package in the folder itself,
static, for this machine, or server/index.js from server-src/index.ts; ui/index.js, display/index.js and
link/index.js from ui-src, display-src and link-src (index.tsx, index.ts or index.js); and
contributions/NAME.js from each contributions-src/NAME.tsx, .ts or .js. Pages may import @narthex/sdk,
@narthex/kit, preact and @preact/signals, a server in TypeScript @narthex/server; these come with this
program. A server in Go needs Go; nothing needs Node. Where TypeScript is installed (tsc in node_modules or
in the PATH), it checks what has a tsconfig.json. modules:package makes a package of the result.`,
		Example: "  narthex-dev modules:build --dir prayer-list",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			written, err := authoring.Build(cmd.Context(), dir, p.Stderr)
			if err != nil {
				return err
			}
			for _, file := range written {
				fmt.Fprintf(p.Stdout, "Built: %s\n", file)
			}
			return nil
		},
	}
	command.Flags().StringVar(&dir, "dir", ".", "the module's folder")
	return command
}
