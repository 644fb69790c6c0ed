package operator

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/modulelogs"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/environment"
)

func ModulesLogs(p *cli.Program) *cobra.Command {
	var id string
	var follow bool
	command := &cobra.Command{
		Use:   "modules:logs",
		Short: "Show what a module wrote to standard output and error, and how its runs ended",
		Long: `Asks the running platform on this machine for the last 64 KiB that a module's process wrote, a
panic with its stack among them, and for the last ends of the process. The text may hold anything the module
knows. Characters that a terminal would obey are shown as \x1b and the like. The platform answers root and
its own user, over a private socket; the command finds it by SERVICE_API_PORT, RUNTIME_DIRECTORY and
XDG_RUNTIME_DIR, which have to be the platform's own.`,
		Example: "  narthex modules:logs --module announcements --follow",
		Args:    cli.ModuleGiven(&id),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := environment.Load(p.Lookup, environment.ServerSection)
			if err != nil {
				return err
			}
			printer := &logPrinter{text: modulelogs.Escaper{To: p.Stdout}, program: p}
			return modulelogs.Read(cmd.Context(), modulelogs.Options{
				Folder:   modulelogs.Folder(p.Lookup, int(settings.Server.Port)),
				ModuleID: id,
				Follow:   follow,
			}, printer.print, printer.end)
		},
	}
	command.Flags().StringVar(&id, "module", "", "the module's id (required)")
	command.Flags().BoolVar(&follow, "follow", false, "go on with what the module writes from now on")
	return command
}

// logPrinter prints a module's output, and the end of each run on a line of its own.
type logPrinter struct {
	text    modulelogs.Escaper
	program *cli.Program
	midLine bool
}

func (l *logPrinter) print(text []byte) error {
	l.midLine = text[len(text)-1] != '\n'
	_, err := l.text.Write(text)
	return err
}

func (l *logPrinter) end(end modulelogs.End) error {
	if l.midLine {
		fmt.Fprintln(l.program.Stdout)
	}
	l.midLine = false
	_, err := fmt.Fprintf(l.program.Stdout, "── %s the process ended: %s ──\n",
		end.At.UTC().Format(time.RFC3339), howEnded(end))
	return err
}

func howEnded(end modulelogs.End) string {
	var code int
	if end.Code != nil {
		code = *end.Code
	}
	switch end.Kind {
	case process.EndExit:
		return fmt.Sprintf("exit status %d", code)
	case process.EndSignal:
		return fmt.Sprintf("signal %d", code)
	case process.EndMemory:
		return "its memory was used up"
	case process.EndDeadline:
		return "the platform ended it, because it was too late"
	}
	return "its link was lost"
}
