package operator

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/people"
)

const maxPersonName = 200 // characters

// Invite prints a link for joining.
func Invite(p *cli.Program) *cobra.Command {
	var email, name string
	command := &cobra.Command{
		Use:   "identity:invite",
		Short: "Print a link with which a person can join; send nothing",
		Long: `Makes an invitation and prints its link, once. The link works for seven days, and once. An older link
of the same address is dead. The person gets an account without permissions. Reads DATABASE_URL,
SERVICE_DATABASE_*, SERVICE_IDENTITY_*, SERVICE_DASHBOARD_ORIGIN and NODE_ENV.`,
		Example: "  narthex identity:invite -- --email anna@church.example.org",
		Args:    emailGiven(&email),
		RunE: func(cmd *cobra.Command, _ []string) error {
			address, ok := identity.ParseAddress(email)
			if !ok {
				return identity.ErrEmail
			}
			var called *string
			if name != "" {
				if called = &name; !httpapi.IsName(name, maxPersonName) {
					return identity.ErrName
				}
			}
			return withLinks(cmd.Context(), p, func(db *database.Database, links *emails.Writer) error {
				token, err := people.InviteByOperator(cmd.Context(), people.NewStore(db.Pool()), address, called)
				if err == nil {
					fmt.Fprintln(p.Stdout, links.InvitationLink(token))
				}
				return platform.StoreFailure(err)
			})
		},
	}
	command.Flags().StringVar(&email, "email", "", "the person's e-mail address (required)")
	command.Flags().StringVar(&name, "name", "", "the name that the page proposes")
	return command
}

// ResetLink prints a link for setting a new password.
func ResetLink(p *cli.Program) *cobra.Command {
	var email string
	command := &cobra.Command{
		Use:   "identity:reset-link",
		Short: "Print a link with which a person can choose a new password; send nothing",
		Long: `Prints the link once. It works for one hour, and once. Of five other links of the person the oldest
one ends. Reads DATABASE_URL, SERVICE_DATABASE_*, SERVICE_IDENTITY_*, SERVICE_DASHBOARD_ORIGIN and
NODE_ENV.`,
		Example: "  narthex identity:reset-link -- --email anna@church.example.org",
		Args:    emailGiven(&email),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withLinks(cmd.Context(), p, func(db *database.Database, links *emails.Writer) error {
				token, err := identity.IssueResetLink(cmd.Context(), identity.NewStore(db.Pool()), email)
				if err == nil {
					fmt.Fprintln(p.Stdout, links.ResetLink(token))
				}
				return err
			})
		},
	}
	command.Flags().StringVar(&email, "email", "", "the person's e-mail address (required)")
	return command
}

// emailGiven requires --email, and refuses positional arguments.
func emailGiven(email *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *email == "" {
			return cli.UsageError("--email is required; see: narthex " + cmd.Name() + " --help")
		}
		return cli.NoArguments(cmd, args)
	}
}

// withLinks opens the database and calls f with it, and with the writer of links to the Dashboard.
func withLinks(ctx context.Context, p *cli.Program, f func(*database.Database, *emails.Writer) error) error {
	settings, err := environment.Load(p.Lookup, environment.DatabaseSection|environment.IdentitySection)
	if err != nil {
		return err
	}
	links := emails.New(settings.Identity.Dashboard, nil)
	return platform.WithDatabase(ctx, settings.Database, nil,
		func(db *database.Database) error { return f(db, links) })
}

// Deactivate is identity:deactivate.
func Deactivate(p *cli.Program) *cobra.Command {
	return decideOn(p, "identity:deactivate", "End all that a person can do: sessions, links and invitations",
		"Sign-in and recovery then answer as for an unknown address. Grants stay; identity:reactivate lets the\n"+
			"person in again.",
		"Deactivated", func(ctx context.Context, db *database.Database, who people.Existing) (string, error) {
			accounts := identity.NewStore(db.Pool())
			return people.DeactivateByOperator(ctx, people.NewStore(db.Pool()), accounts, who)
		})
}

// Reactivate is identity:reactivate.
func Reactivate(p *cli.Program) *cobra.Command {
	return decideOn(p, "identity:reactivate", "Let a deactivated person in again",
		"The person signs in with the password and has the grants from before.",
		"Reactivated", func(ctx context.Context, db *database.Database, who people.Existing) (string, error) {
			return people.ReactivateByOperator(ctx, people.NewStore(db.Pool()), who)
		})
}

func decideOn(
	p *cli.Program, name, short, long, done string,
	decide func(context.Context, *database.Database, people.Existing) (userID string, err error),
) *cobra.Command {
	var who people.Existing
	command := &cobra.Command{
		Use:   name,
		Short: short,
		Long: short + ".\n" + long + `
It takes effect at once, also while the platform runs. Reads DATABASE_URL, SERVICE_DATABASE_* and NODE_ENV.`,
		Example: "  narthex " + name + " -- --email anna@church.example.org",
		Args: func(cmd *cobra.Command, args []string) error {
			if (who.Email == "") == (who.UserID == "") {
				return cli.UsageError("Exactly one of --email and --user-id is required; see: narthex " + name +
					" --help")
			}
			return cli.NoArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if who.Email != "" {
				var ok bool
				if who.Email, ok = identity.ParseAddress(who.Email); !ok {
					return identity.ErrEmail
				}
			}
			settings, err := environment.Load(p.Lookup, environment.DatabaseSection)
			if err != nil {
				return err
			}
			return platform.WithDatabase(cmd.Context(), settings.Database, nil, func(db *database.Database) error {
				userID, err := decide(cmd.Context(), db, who)
				if err == nil {
					fmt.Fprintf(p.Stdout, "%s: the person with the id %s.\n", done, userID)
				}
				return platform.StoreFailure(err)
			})
		},
	}
	command.Flags().StringVar(&who.Email, "email", "", "the person's e-mail address")
	command.Flags().StringVar(&who.UserID, "user-id", "", "the person's id, in place of the address")
	return command
}
