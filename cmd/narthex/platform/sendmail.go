package platform

import (
	"context"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/house"
)

// SendMail sends one email of a command in the language of the house, in a single attempt. The settings need
// the sections of the database, of identity and of the host.
func SendMail(
	ctx context.Context, settings environment.Settings, write func(*emails.Writer) mail.Message,
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
	return sender.Send(ctx, write(emails.New(settings.Identity.Dashboard, stored))), nil
}
