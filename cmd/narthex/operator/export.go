package operator

import (
	"errors"
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/people"
)

// Export is the command that writes everything that is kept about a person into a file.
func Export(p *cli.Program) *cobra.Command {
	var userID, to string
	command := &cobra.Command{
		Use:   "identity:export",
		Short: "Write everything that is kept of a person into a file",
		Long: `Writes one JSON file, which only its owner can read: what the platform keeps of the person, and what
each module keeps that a start would run. The modules are started for it, also while the platform runs,
and stopped again. A module that fails is named in the file and on the terminal. A file that exists is
not overwritten. Reads the whole environment, as api:start does.`,
		Example: "  narthex identity:export -- --user-id 4a5e... --to anna.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if userID == "" || to == "" {
				return cli.UsageError("--user-id and --to are required; see: narthex identity:export --help")
			}
			return cli.NoArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := environment.Load(p.Lookup, environment.Everything)
			if other := process.Harden(); err != nil || other != nil {
				return errors.Join(err, other)
			}
			return cli.IntoNewFile(to, func(file *os.File) error {
				s := platform.NewServer(settings, platform.Secrets{Lookup: p.Lookup}, zap.NewNop())
				return s.ExportPerson(cmd.Context(), userID, func(made people.Export) error {
					for _, moduleID := range made.Missing {
						fmt.Fprintf(p.Stderr, "Without the data of the module %s, which failed.\n", moduleID)
					}
					if err := json.MarshalWrite(file, made, jsontext.WithIndent("  ")); err != nil {
						return cli.ErrNotWritten
					}
					return nil
				})
			})
		},
	}
	command.Flags().StringVar(&userID, "user-id", "", "the person's id (required)")
	command.Flags().StringVar(&to, "to", "", "the file to write (required)")
	return command
}
