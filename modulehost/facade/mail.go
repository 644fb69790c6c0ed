package facade

import (
	"context"
	"sync"
	"time"

	stdmail "net/mail"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The limits of one module's mails. All modules share the installation's reputation with other mail servers.
const (
	mailsAtOnce    = 2
	mailsPerWindow = 30
	mailWindow     = time.Minute
)

// mailBudget counts attempts, including failed ones.
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

// sendMail makes one attempt and returns its result. A module has at most two attempts in progress; further
// ones wait. An attempt beyond 30 in a minute is not made. That is an error, because no SendResult means it.
// The sender's address is the host's.
func (s *session) sendMail(ctx context.Context, request *abi.SendMailRequest) (proto.Message, error) {
	sender, budget := s.facade.config.Mail, &s.facade.mails
	if sender == nil {
		return &abi.SendMailResponse{Outcome: string(mail.NotConfigured)}, nil
	}
	if !budget.take(time.Now()) {
		return nil, ErrTooManyMails
	}
	ctx, cancel := context.WithTimeout(ctx, deadlines.Mail)
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
		To:       make([]string, len(request.GetTo())),
		Subject:  request.GetSubject(),
		Text:     request.GetText(),
		HTML:     request.GetHtml(),
		Language: request.GetLanguage(),
	}
	for n, to := range request.GetTo() {
		m.To[n] = mailbox(to)
	}
	if replyTo := request.GetReplyTo(); replyTo != nil {
		m.ReplyTo = mailbox(replyTo)
	}
	return m
}

// mailbox formats an address for mail.Message. A module cannot put an address into the name or several
// addresses into one: a name becomes a quoted or encoded word, and a text with more than one address is not a
// valid address.
func mailbox(a *abi.MailAddress) string {
	return (&stdmail.Address{Name: a.GetName(), Address: a.GetAddress()}).String()
}
