package operator

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
)

func MailTest(p *cli.Program) *cobra.Command {
	var address string
	command := &cobra.Command{
		Use:   "mail:test",
		Short: "Send one mail and print what came of it",
		Long: `Sends one mail in the language of the house, in one attempt, and prints its outcome: SENT, or why it
was not sent. Reads DATABASE_URL, SERVICE_DATABASE_*, NODE_ENV, the variables of identity, which
name the Dashboard, and SERVICE_SMTP_*.`,
		Example: "  narthex mail:test -- --email office@church.example.org",
		Args: func(cmd *cobra.Command, args []string) error {
			if address == "" {
				return cli.UsageError("--email is required; see: narthex mail:test --help")
			}
			return cli.NoArguments(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !mail.IsMailbox(address) {
				return identity.ErrEmail
			}
			settings, err := environment.Load(p.Lookup, environment.DatabaseSection|environment.IdentitySection|
				environment.HostSection)
			if err != nil {
				return err
			}
			return sendTest(cmd.Context(), p, settings, address)
		},
	}
	command.Flags().StringVar(&address, "email", "", "where to send it (required)")
	return command
}

func sendTest(ctx context.Context, p *cli.Program, settings environment.Settings, address string) error {
	outcome, err := platform.SendMail(ctx, settings,
		func(w *emails.Writer) mail.Message { return w.Test(address) })
	switch {
	case err != nil:
		return err
	case outcome != mail.Sent:
		return cli.NewError(string(outcome), unsent(outcome))
	}
	fmt.Fprintln(p.Stdout, "SENT: the mail server has taken the mail.")
	return nil
}

// unsent explains to the operator an outcome other than SENT.
func unsent(outcome mail.SendResult) string {
	switch outcome {
	case mail.NotConfigured:
		return "This installation sends no mail; set SERVICE_SMTP_HOST and SERVICE_SMTP_FROM."
	case mail.ConnectionFailed:
		return "There was no connection to the mail server, or it broke; check its host and port."
	case mail.TLSFailed:
		return "The connection could not be encrypted with a trusted certificate; nothing secret was sent."
	case mail.AuthenticationFailed:
		return "The mail server refused the account; check its user name and password."
	case mail.Rejected:
		return "The mail server refused the sender, the recipient or the mail."
	case mail.Deferred:
		return "The mail server has not accepted the mail yet, as with greylisting; send it again later."
	case mail.Timeout:
		return "The mail server took too long; it may have taken the mail."
	}
	return "The mail breaks a rule and was not sent."
}
