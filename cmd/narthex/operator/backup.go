package operator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/backup"
	"github.com/narthex-platform/narthex/services/environment"
)

// backupSections are the sections of the environment that the backup commands read.
const backupSections = SchemaSections | environment.HostSection

// BackupCreate is backup:create: it writes the whole installation into one file.
func BackupCreate(p *cli.Program) *cobra.Command {
	var to string
	var options backup.CreateOptions
	command := &cobra.Command{
		Use:   "backup:create",
		Short: "Write the database and the files of all modules into one file",
		Long: `Writes one file, which only its owner can read: the database as it is at one moment, and the files of
the installed modules. The platform may run meanwhile. The file takes its name, also from an older one,
when it is whole. Sessions, mailed links and the passwords of database roles are left out. With
--recipient only the holder of the age key can read it (age-keygen makes one). Beside it <FILE>.erased
lists the people who were erased, for backup:restore --erased. Uses pg_dump of the server's version.
Reads DATABASE_URL, SERVICE_DATABASE_*, SERVICE_OBJECT_STORAGE_*, SERVICE_MODULES_DIR and NODE_ENV.`,
		Example: "  narthex backup:create -- --to /var/backups/narthex/sunday.narthex",
		Args: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return cli.UsageError("--to is required; see: narthex backup:create --help")
			}
			return cli.NoArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withBackups(cmd.Context(), p, func(ctx context.Context, i backup.Installation, _ opened) error {
				began := time.Now()
				made, err := backup.Create(ctx, i, to, options)
				if err != nil {
					return err
				}
				fmt.Fprintf(p.Stdout, "Backed up: %s, in %s.\n", contents(made), time.Since(began).Round(time.Second/10))
				if made.Vanished > 0 {
					fmt.Fprintf(p.Stdout, "%d files were deleted while they were copied.\n", made.Vanished)
				}
				fmt.Fprintln(p.Stdout, "Next: narthex backup:verify FILE proves that it can be restored.")
				return nil
			})
		},
	}
	command.Flags().StringVar(&to, "to", "", "the file to write (required)")
	command.Flags().BoolVar(&options.WithoutObjects, "without-objects", false, "leave the files of modules out")
	command.Flags().StringArrayVar(&options.Recipients, "recipient", nil,
		"encrypt for this age public key; may be given several times")
	return command
}

// BackupVerify is backup:verify: it proves that a backup can be restored.
func BackupVerify(p *cli.Program) *cobra.Command {
	var identity string
	var asJSON bool
	command := &cobra.Command{
		Use:   "backup:verify FILE",
		Short: "Prove that a backup can be restored, in a database of its own beside the installation's",
		Long: `Reads every byte of the file, restores it into a new database of the same server, counts the rows,
applies the migrations of this program and of the installed modules, and drops the database again. The
installation's own database is not touched; the verdict is written into it, for administrators. The
database user needs the right to create databases and roles.`,
		Example: "  narthex backup:verify /var/backups/narthex/sunday.narthex",
		Args:    oneBackup("backup:verify"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withBackups(cmd.Context(), p, func(ctx context.Context, i backup.Installation, o opened) error {
				began := time.Now()
				found, err := backup.Verify(ctx, i, args[0], identity, platform.MigrationLines(o.installed))
				if err != nil {
					return err
				}
				if asJSON {
					return p.PrintJSON(verified{true, found.CreatedAt, found.Platform, len(found.Tables),
						found.Rows(), found.Objects(), found.Bytes(), time.Since(began).Seconds()})
				}
				fmt.Fprintf(p.Stdout, "Good: %s, made %s; restored and counted in %s.\n", contents(found),
					found.CreatedAt.Format("2006-01-02 15:04 UTC"), time.Since(began).Round(time.Second/10))
				return nil
			})
		},
	}
	command.Flags().StringVar(&identity, "identity", "", "the file of the age key of an encrypted backup")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// verified is the JSON of backup:verify --json.
type verified struct {
	Valid     bool      `json:"valid"`
	CreatedAt time.Time `json:"createdAt"`
	Platform  string    `json:"platform"`
	Tables    int       `json:"tables"`
	Rows      int64     `json:"rows"`
	Objects   int       `json:"objects"`
	Bytes     int64     `json:"bytes"`
	Seconds   float64   `json:"seconds"`
}

// BackupRestore is backup:restore.
func BackupRestore(p *cli.Program) *cobra.Command {
	var identity, list string
	command := &cobra.Command{
		Use:   "backup:restore FILE",
		Short: "Bring a backup back into an empty database and empty buckets",
		Long: `Checks every byte first. Then restores the database and the files, counts the rows, and applies the
migrations of this program and of the installed modules. What fails leaves everything empty; a run that
was cut is run again with the same file, and nothing starts before. People keep their passwords, screens
stay paired (with the same SERVICE_IDENTITY_SECRET); sessions, open invitations and mailed links are
gone, and module roles get new passwords. --erased names the list beside the newest backup: whom it names
is erased again. Install the modules of the backup first.`,
		Example: "  narthex backup:restore /var/backups/narthex/sunday.narthex",
		Args:    oneBackup("backup:restore"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var erased []string
			if list != "" {
				var err error
				if erased, err = backup.ReadErased(list); err != nil {
					return err
				}
			}
			return withBackups(cmd.Context(), p, func(ctx context.Context, i backup.Installation, o opened) error {
				began := time.Now()
				found, owners, err := platform.Restore(ctx, o.settings, o.installed, i, args[0], identity, erased)
				if err != nil {
					return err
				}
				fmt.Fprintf(p.Stdout, "Restored: %s, as of %s, in %s.\n", contents(found),
					found.CreatedAt.Format("2006-01-02 15:04 UTC"), time.Since(began).Round(time.Second/10))
				for _, id := range owners {
					fmt.Fprintf(p.Stdout, "Not erased: %s, who owned the platform then. Hand the ownership on "+
						"(authorization:transfer-owner), then erase them.\n", id)
				}
				fmt.Fprintln(p.Stdout, "Next: narthex doctor, then narthex api:start.")
				return nil
			})
		},
	}
	command.Flags().StringVar(&identity, "identity", "", "the file of the age key of an encrypted backup")
	command.Flags().StringVar(&list, "erased", "", "the list of people to erase again")
	return command
}

// opened holds the settings and the modules that the backup commands read.
type opened struct {
	settings  environment.Settings
	installed *catalog.Catalog
}

func withBackups(
	ctx context.Context, p *cli.Program, f func(context.Context, backup.Installation, opened) error,
) error {
	settings, installed, err := discover(p, backupSections)
	if err != nil {
		return err
	}
	return platform.WithBackups(ctx, settings, installed,
		func(ctx context.Context, i backup.Installation) error {
			var end func()
			i.Progress, end = showProgress(p)
			defer end()
			return f(ctx, i, opened{settings, installed})
		},
	)
}

func oneBackup(command string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return cli.UsageError("This command takes one backup; see: narthex " + command + " --help")
		}
		return nil
	}
}

// contents returns a summary of what a backup holds, with numbers.
func contents(m backup.Manifest) string {
	return fmt.Sprintf("%d rows of %d tables and %d files, %s", m.Rows(), len(m.Tables), m.Objects(),
		size(m.Bytes()))
}

func size(bytes int64) string {
	const unit = 1 << 10
	if bytes < unit {
		return fmt.Sprintf("%d bytes", bytes)
	}
	value, names := float64(bytes), "KMGTP"
	at := -1
	for value >= unit && at < len(names)-1 {
		value /= unit
		at++
	}
	return fmt.Sprintf("%.1f %ciB", value, names[at])
}

// showProgress returns functions that show the progress on a terminal. Elsewhere they do nothing.
func showProgress(p *cli.Program) (tell func(step string, bytes int64), end func()) {
	if !cli.IsTerminal(p.Stderr) {
		return func(string, int64) {}, func() {}
	}
	line := &progressLine{p: p}
	return line.tell, line.end
}

// progressLine shows the progress of a long run on one line of a terminal.
type progressLine struct {
	p       *cli.Program
	lastLen int
}

func (l *progressLine) tell(step string, bytes int64) {
	text := step + " ..."
	if bytes > 0 {
		text = step + ": " + size(bytes)
	}
	fmt.Fprint(l.p.Stderr, "\r", text, strings.Repeat(" ", max(0, l.lastLen-len(text))))
	l.lastLen = len(text)
}

// end clears the line.
func (l *progressLine) end() { fmt.Fprint(l.p.Stderr, "\r", strings.Repeat(" ", l.lastLen), "\r") }
