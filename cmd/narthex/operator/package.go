package operator

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func ModulesPackage(p *cli.Program) *cobra.Command {
	var dir, out string
	command := &cobra.Command{
		Use:   "modules:package",
		Short: "Make a package of a module that was built, and its checksum",
		Long: `Writes <id>-<version>.tar.gz with module.json, the files that it names, the migrations and the server
programs that the folder has, and <id>-<version>.tar.gz.sha256. The module is verified first, as
modules:install does. The same files give the same bytes. To sign it:
ssh-keygen -Y sign -n narthex-module -f KEY PACKAGE`,
		Example: "  narthex modules:package --dir prayer-list",
		Args:    cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			path, err := archive.Pack(dir, abi.PlatformVersion, out)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Packed: %s\n", path)
			return err
		},
	}
	command.Flags().StringVar(&dir, "dir", ".", "the module's folder")
	command.Flags().StringVar(&out, "out", ".", "the folder that the package is written into")
	return command
}
