package e2e

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestMailTest: the command sends one email in the language of the house, and prints the result.
func TestMailTest(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	send := func(exit int, said string, flags ...string) {
		t.Helper()
		r := runCommand(t, i.environment, "", append([]string{"mail:test", "--"}, flags...)...)
		if r.awaitExit(t) != exit || !strings.HasPrefix(r.stdout.String()+r.stderr.String(), said) {
			t.Errorf("mail:test %v: exit %d, stdout %q, stderr %q, want %d and %q", flags, r.awaitExit(t),
				r.stdout.String(), r.stderr.String(), exit, said)
		}
	}
	send(cli.ExitFailure, "NOT_CONFIGURED: ", "--email", ownerAddress)
	box := i.mailbox(t)
	i.db.Exec(t, `UPDATE core.house SET name = 'St. Anna', language = 'de'`)
	send(cli.ExitSuccess, "SENT: ", "--email", ownerAddress)
	text := box.next(t).text(t)
	if !strings.Contains(text, "Guten Tag!") || !strings.Contains(text, "St. Anna") {
		t.Errorf("the mail says %q, want German, signed by St. Anna", text)
	}
	send(cli.ExitFailure, "REJECTED: ", "--email", refusedRecipient)
	send(cli.ExitFailure, "DEFERRED: The mail server has not accepted the mail yet", "--email",
		deferredRecipient)
	send(cli.ExitFailure, "EMAIL_INVALID: ", "--email", "nobody")
	send(cli.ExitUsage, "")
	i.db.Exec(t, `DROP TABLE core.house`)
	send(cli.ExitFailure, "STORE_UNAVAILABLE: ", "--email", ownerAddress)
	if n := len(box.arrived); n != 0 {
		t.Errorf("%d further mails, want none", n)
	}
}
