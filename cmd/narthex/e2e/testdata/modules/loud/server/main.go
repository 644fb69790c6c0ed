// Command loud is a module for tests: it does everything that has effects outside, and its only read waits
// until a table lets it respond.
package main

import (
	"context"
	"net/http"
	"net/mail"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type loud struct{ host *sdk.Host }

func main() { sdk.Serve(&loud{}) }

// Register declares the hooks that run without a request.
func (l *loud) Register(r *sdk.Registry) error {
	r.Every("shout", time.Hour, func(ctx context.Context) error { return l.did(ctx, "shouted") })
	r.PersonErased(func(ctx context.Context, _ string) error { return l.did(ctx, "forgot") })
	r.HandleFunc("GET /gate", "loud.read", sdk.NoBody, l.gate)
	r.Probe("GET /gate")
	return nil
}

// Start sends an email, and records its secret.
func (l *loud) Start(ctx context.Context, h *sdk.Host) error {
	l.host = h
	secret, err := h.Secret(ctx, "token")
	if err != nil {
		return err
	}
	if _, err := h.Mail.Send(ctx, sdk.Message{
		To: []mail.Address{{Address: "choir@example.org"}}, Subject: "Loud", Text: "It has started.",
	}); err != nil {
		return err
	}
	return l.did(ctx, "started with "+secret)
}

// Stop does nothing.
func (l *loud) Stop(context.Context) error { return nil }

func (l *loud) did(ctx context.Context, what string) error {
	_, err := l.host.DB.Exec(ctx, `INSERT INTO done VALUES ($1)`, what)
	return err
}

func (l *loud) gate(ctx context.Context, _ *http.Request) (any, error) {
	if err := l.did(ctx, "waited"); err != nil {
		return nil, err
	}
	for open := false; !open; {
		if err := l.host.DB.QueryRow(ctx, `SELECT open FROM gate`).Scan(&open); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond): // the test opens the gate in a table, which can only be polled
		}
	}
	return map[string]bool{"open": true}, nil
}
