package operator

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func Version(p *cli.Program) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the platform's version",
		Args:  cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				fmt.Fprintln(p.Stdout, abi.PlatformVersion)
				return nil
			}
			text, err := json.Marshal(struct {
				Version string `json:"version"`
			}{abi.PlatformVersion})
			fmt.Fprintln(p.Stdout, string(text))
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
