package dev

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/narthex-platform/narthex/mail"
)

// terminalMail prints emails on the developer's terminal instead of sending them.
type terminalMail struct {
	mu sync.Mutex
	to io.Writer

	bench *bench // shows them, too
}

var _ mail.Sender = (*terminalMail)(nil)

// Send never fails: it writes to the developer's terminal.
func (t *terminalMail) Send(_ context.Context, m mail.Message) mail.SendResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	body := m.Text
	if body == "" {
		body = m.HTML
	}
	m.Text = body
	t.bench.mailed(m)
	fmt.Fprintf(t.to, "\n── mail to %s ── %s\n%s\n──\n", strings.Join(m.To, ", "), m.Subject,
		strings.TrimSpace(body))
	return mail.Sent
}
