package facade

import (
	"context"
	"sync"
	"time"

	stdmail "net/mail"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The limits of what one module sends: all modules share the installation's reputation with other mail
// servers.
const (
	mailsAtOnce    = 2
	mailsPerWindow = 30
	mailWindow     = time.Minute
	mailWithin     = 30 * time.Second // the wait for a place and the attempt
)

// mailBudget counts attempts, also those that fail.
type mailBudget struct {
	places chan struct{}

	mu    sync.Mutex
	since time.Time
	used  int
}

func newMailBudget() mailBudget { return mailBudget{places: make(chan struct{}, mailsAtOnce)} }

func (b *mailBudget) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.since) >= mailWindow {
		b.since, b.used = now, 0
	}
	b.used++
	return b.used <= mailsPerWindow
}

// sendMail makes one attempt and returns how it ended. Two of a module's attempts run at once and further
// ones wait. More than 30 in a minute are refused without an attempt, with an error, because no result of an
// attempt would say so. The sender is the host's.
func (s *session) sendMail(ctx context.Context, request *abi.SendMailRequest) (proto.Message, error) {
	sender, budget := s.facade.config.Mail, &s.facade.mails
	if sender == nil {
		return &abi.SendMailResponse{Outcome: string(mail.NotConfigured)}, nil
	}
	if !budget.take(time.Now()) {
		return nil, ErrTooManyMails
	}
	ctx, cancel := context.WithTimeout(ctx, mailWithin)
	defer cancel()
	select {
	case budget.places <- struct{}{}:
		defer func() { <-budget.places }()
	case <-ctx.Done():
		return &abi.SendMailResponse{Outcome: string(mail.Timeout)}, nil
	}
	return &abi.SendMailResponse{Outcome: string(sender.Send(ctx, mailMessage(request)))}, nil
}

func mailMessage(request *abi.SendMailRequest) mail.Message {
	m := mail.Message{
		To:      make([]string, len(request.GetTo())),
		Subject: request.GetSubject(),
		Text:    request.GetText(),
		HTML:    request.GetHtml(),
	}
	for n, to := range request.GetTo() {
		m.To[n] = mailbox(to)
	}
	if replyTo := request.GetReplyTo(); replyTo != nil {
		m.ReplyTo = mailbox(replyTo)
	}
	return m
}

// mailbox formats an address for mail.Message. A module cannot smuggle one field into the other: a name
// becomes a quoted or encoded word, and text with more than one address is no valid address.
func mailbox(a *abi.MailAddress) string {
	return (&stdmail.Address{Name: a.GetName(), Address: a.GetAddress()}).String()
}
