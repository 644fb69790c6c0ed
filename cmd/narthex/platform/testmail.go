package platform

import (
	"context"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/house"
)

// SendTestMail sends one email in the language of the house, in a single attempt.
func SendTestMail(
	ctx context.Context, settings environment.Settings, address string,
) (outcome mail.SendResult, err error) {
	sender, err := mail.New(settings.Mail)
	if err != nil {
		return "", environment.ErrSMTP
	}
	var stored house.House
	err = WithDatabase(ctx, settings.Database, nil, func(db *database.Database) error {
		stored, err = house.NewStore(db.Pool()).Read(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	return sender.Send(ctx, emails.New(settings.Identity.Dashboard, stored).Test(address)), nil
}
