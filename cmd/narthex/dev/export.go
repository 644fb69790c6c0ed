package dev

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/scaffold"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdkexport"
)

func SDKExport(p *cli.Program) *cobra.Command {
	var dir string
	command := &cobra.Command{
		Use:   "sdk:export",
		Short: "Write the SDK that this program speaks: for Go, for browsers, and the test kit",
		Long: `Writes the SDK of this release into a folder, in place of an older one: a Go module, an npm package
with the browser SDK and the types of the kit, and the sources that tests of modules need. Modules that
modules:new has written without a checkout find it beside them, in narthex-sdk; export it there again
after the platform has changed.`,
		Example: "  narthex-dev sdk:export",
		Args:    cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := sdkexport.Write(dir); err != nil {
				return err
			}
			_, err := fmt.Fprintf(p.Stdout, "Written: the SDK %s\n", abi.PlatformVersion)
			return err
		},
	}
	command.Flags().StringVar(&dir, "dir", scaffold.SDKFolder, "the folder that is written")
	return command
}
