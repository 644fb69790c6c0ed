package operator

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/secondfactor"
)

// RemoveSecondFactor is identity:remove-second-factor.
func RemoveSecondFactor(p *cli.Program) *cobra.Command {
	var email string
	command := &cobra.Command{
		Use:   "identity:remove-second-factor",
		Short: "Remove a person's passkeys and recovery codes",
		Long: `The way out for somebody who has lost them all: the password alone lets them in again, and they can
add a passkey. Their sessions go on, and they are told by mail. Make sure that it is they who ask. It takes
effect at once, also while the platform runs. Reads DATABASE_URL, SERVICE_DATABASE_*, NODE_ENV, the
variables of identity, which name the Dashboard, and SERVICE_SMTP_*.`,
		Example: "  narthex identity:remove-second-factor -- --email anna@church.example.org",
		Args:    emailGiven(&email),
		RunE: func(cmd *cobra.Command, _ []string) error {
			address, ok := identity.ParseAddress(email)
			if !ok {
				return identity.ErrEmail
			}
			settings, err := environment.Load(p.Lookup,
				environment.DatabaseSection|environment.IdentitySection|environment.HostSection)
			if err != nil {
				return err
			}
			return removeSecondFactor(cmd.Context(), p, settings, address)
		},
	}
	command.Flags().StringVar(&email, "email", "", "the person's e-mail address (required)")
	return command
}

// removeSecondFactor succeeds also when the mail about it could not be sent, because the passkeys are gone.
func removeSecondFactor(
	ctx context.Context, p *cli.Program, settings environment.Settings, address string,
) error {
	var userID string
	var removed int
	err := platform.WithDatabase(ctx, settings.Database, nil, func(db *database.Database) (err error) {
		userID, removed, err = secondfactor.RemoveByOperator(ctx, secondfactor.NewStore(db.Pool()), address,
			identity.ErrNotFound)
		return platform.StoreFailure(err)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "Passkeys removed: %d, of the person with the id %s.\n", removed, userID)
	if removed == 0 {
		return nil
	}
	outcome, err := platform.SendMail(ctx, settings,
		func(w *emails.Writer) mail.Message { return w.PasskeyRemoved(address) })
	switch {
	case err != nil:
		fmt.Fprintln(p.Stdout, "They were not told by mail: the settings of the house could not be read.")
	case outcome != mail.Sent:
		fmt.Fprintln(p.Stdout, "They were not told by mail. "+unsent(outcome))
	default:
		fmt.Fprintln(p.Stdout, "They were told by mail.")
	}
	return nil
}
