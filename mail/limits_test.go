package mail_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/mail"
)

// TestLimitsOfAnAttempt checks, in virtual time, with the real limits, when an attempt ends.
func TestLimitsOfAnAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		script script
		want   mail.SendResult
		after  time.Duration
	}{
		"never greets":                  {script{"": silence}, mail.Timeout, 10 * time.Second},
		"greets letter by letter":       {script{"": trickle("220 ")}, mail.Timeout, 10 * time.Second},
		"is silent at EHLO":             {script{"EHLO": silence}, mail.Timeout, 20 * time.Second},
		"is silent after the message":   {script{".": silence}, mail.Timeout, 20 * time.Second},
		"answers EHLO letter by letter": {script{"EHLO": trickle("250 ")}, mail.Timeout, 30 * time.Second},
		"is slow at each step": {script{"": after(9*time.Second, working[""]),
			"MAIL": after(19*time.Second, working["MAIL"])}, mail.Sent, 28 * time.Second},
		"is too slow together": {script{"": after(9*time.Second, working[""]),
			"MAIL": after(19*time.Second, working["MAIL"]), "RCPT": after(9*time.Second, working["RCPT"])},
			mail.Timeout, 30 * time.Second},
		"took it, and is silent at QUIT": {script{"QUIT": silence}, mail.Sent, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, err := mail.New(plaintext())
				if err != nil {
					t.Fatal(err)
				}
				server := &scriptedServer{script: c.script}
				var conversations sync.WaitGroup
				transport.DialBy(func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					conversations.Go(func() { server.converse(theirs) })
					return ours, nil
				})
				began := time.Now()
				result := transport.Send(t.Context(), testMessage())
				if took := time.Since(began); result != c.want || took != c.after {
					t.Errorf("%s after %v, want %s after %v", result, took, c.want, c.after)
				}
				conversations.Wait()
			})
		})
	}
}
