package emails

import (
	"context"

	"github.com/narthex-platform/narthex/mail"
)

// dressing is a Sender of emails that others have composed.
type dressing struct {
	writer *Writer
	sender mail.Sender
}

// ForModules returns a Sender that gives the emails of modules the letterhead of the house: its name below
// the text, and an HTML part with the same words. An email that has an HTML part stays as it is.
func (w *Writer) ForModules(sender mail.Sender) mail.Sender { return dressing{w, sender} }

func (d dressing) Send(ctx context.Context, m mail.Message) mail.SendResult {
	if m.HTML == "" && m.Text != "" {
		dressed := d.writer.letterhead().dress(m)
		// A text that is nearly as long as an email may be is sent alone, rather than not at all.
		if len(dressed.Text)+len(dressed.HTML) <= mail.MaxBodyBytes {
			m = dressed
		}
	}
	return d.sender.Send(ctx, m)
}
