package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

func (p *program) version() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the platform's version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				fmt.Fprintln(p.stdout, abi.PlatformVersion)
				return nil
			}
			text, err := json.Marshal(struct {
				Version string `json:"version"`
			}{abi.PlatformVersion})
			fmt.Fprintln(p.stdout, string(text))
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
