package operator

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
)

var (
	errPasswordFlag = cli.NewError("PASSWORD_FLAG_REFUSED",
		"A password on the command line would stay in the shell's history; the command asks for it, or "+
			"reads it from standard input.")
	errPasswordInput = cli.NewError("PASSWORD_INVALID",
		"No password could be read, or the two entries differ; nothing was changed.")
)

func CreateInitialOwner(p *cli.Program) *cobra.Command {
	var owner identity.Owner
	var password string
	command := &cobra.Command{
		Use:   "identity:create-initial-owner",
		Short: "Create the first person, verified, and make it the owner of the platform",
		Long: `Creates a person whose address counts as verified and makes it the platform's owner. A person
who exists and has a password is adopted instead: the password stays as it is. The password is
asked for without echo, or read as the first line of standard input. Reads DATABASE_URL,
SERVICE_DATABASE_* and NODE_ENV.`,
		Example: "  narthex identity:create-initial-owner -- --email office@church.example.org",
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := environment.Load(p.Lookup, environment.DatabaseSection)
			if err != nil {
				return err
			}
			owner.Password = func(ctx context.Context) (environment.Secret, error) { return askPassword(ctx, p) }
			outcome, err := platform.CreateOwner(cmd.Context(), settings.Database, owner)
			if err != nil {
				return err
			}
			if outcome.Adopted {
				fmt.Fprintln(p.Stdout, "Adopted: this person existed already and now owns the platform; the password "+
					"was left as it is.")
			} else {
				fmt.Fprintln(p.Stdout, "Created: this person now owns the platform and can sign in.")
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&owner.Email, "email", "", "the person's e-mail address (required)")
	flags.StringVar(&owner.Name, "name", "", "the person's name (default: what stands before the @)")
	flags.StringVar(&password, "password", "", "")
	flags.Lookup("password").NoOptDefVal = " " // so that --password is refused with and without a value
	_ = flags.MarkHidden("password")
	command.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case flags.Changed("password"):
			return errPasswordFlag
		case owner.Email == "":
			return cli.UsageError("--email is required; see: narthex identity:create-initial-owner --help")
		}
		return cli.NoArguments(cmd, args)
	}
	return command
}

func BootstrapOwner(p *cli.Program) *cobra.Command {
	var who identity.Existing
	command := &cobra.Command{
		Use:   "authorization:bootstrap-owner",
		Short: "Make a person who exists the owner of the platform, once",
		Long: `Gives a person who exists, with a password, the authority over the whole platform. It works once
in the life of an installation. Reads DATABASE_URL, SERVICE_DATABASE_* and NODE_ENV.`,
		Example: "  narthex authorization:bootstrap-owner -- --email office@church.example.org",
		Args: func(cmd *cobra.Command, args []string) error {
			if (who.Email == "") == (who.UserID == "") {
				return cli.UsageError("Exactly one of --email and --user-id is required; see: narthex " +
					"authorization:bootstrap-owner --help")
			}
			return cli.NoArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := environment.Load(p.Lookup, environment.DatabaseSection)
			if err != nil {
				return err
			}
			return platform.WithStore(cmd.Context(), settings.Database, func(store *identity.Store) error {
				userID, err := identity.BootstrapOwner(cmd.Context(), store, who)
				if err == nil {
					fmt.Fprintf(p.Stdout, "Granted: the person with the id %s now owns the platform.\n", userID)
				}
				return err
			})
		},
	}
	command.Flags().StringVar(&who.Email, "email", "", "the person's e-mail address")
	command.Flags().StringVar(&who.UserID, "user-id", "", "the person's id, in place of the address")
	return command
}

func TransferOwner(p *cli.Program) *cobra.Command {
	var to identity.Existing
	command := &cobra.Command{
		Use:   "authorization:transfer-owner",
		Short: "Make another person the owner of the platform",
		Long: `Moves the authority over the whole platform from its owner to another person who exists, with a
password. The former owner keeps an ordinary account, with the permissions that were granted to
it. It takes effect at once, also while the platform runs. Reads DATABASE_URL,
SERVICE_DATABASE_* and NODE_ENV.`,
		Example: "  narthex authorization:transfer-owner -- --to-email anna@church.example.org",
		Args: func(cmd *cobra.Command, args []string) error {
			if (to.Email == "") == (to.UserID == "") {
				return cli.UsageError("Exactly one of --to-email and --to-user-id is required; see: " +
					"narthex authorization:transfer-owner --help")
			}
			return cli.NoArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := environment.Load(p.Lookup, environment.DatabaseSection)
			if err != nil {
				return err
			}
			return platform.WithStore(cmd.Context(), settings.Database, func(store *identity.Store) error {
				userID, moved, err := identity.TransferOwner(cmd.Context(), store, to)
				switch {
				case err != nil:
					return err
				case moved:
					fmt.Fprintf(p.Stdout, "Transferred: the person with the id %s now owns the platform.\n", userID)
				default:
					fmt.Fprintf(p.Stdout, "Nothing to do: the person with the id %s owned the platform already.\n", userID)
				}
				return nil
			})
		},
	}
	command.Flags().StringVar(&to.Email, "to-email", "", "the new owner's e-mail address")
	command.Flags().StringVar(&to.UserID, "to-user-id", "", "the new owner's id, in place of the address")
	return command
}
