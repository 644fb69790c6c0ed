package identity_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
)

// BenchmarkWhoIsAsked reports the median duration of requests for each kind of address, relative to an
// unknown address, which shows whether the time reveals anything about an address. The kinds take turns in
// random order, and the emails go through a real outbox to a mail server that refuses connections.
func BenchmarkWhoIsAsked(b *testing.B) {
	kinds := []string{"unknown", "verified", "unverified", "passwordless", "undeliverable"}
	addresses := map[string]string{ // all of the same length
		"unknown": "a@church.example", "verified": "b@church.example", "unverified": "c@church.example",
		"passwordless": "d@church.example", "undeliverable": "e@church.invalid",
	}
	for _, path := range []string{requestResetPath, sendVerificationPath, signInPath} {
		b.Run(path, func(b *testing.B) {
			h := harnessWithOutbox(b)
			h.person(b, addresses["verified"])
			h.person(b, addresses["unverified"], "email_verified = false")
			h.person(b, addresses["passwordless"], "password_hash = NULL")
			h.person(b, addresses["undeliverable"])
			took := make(map[string][]time.Duration)
			for b.Loop() {
				for _, n := range rand.Perm(len(kinds)) {
					kind := kinds[n]
					r := request{path: path, body: credentials(addresses[kind], "a wrong password")}.build(b)
					began := time.Now()
					h.record(r)
					took[kind] = append(took[kind], time.Since(began))
				}
			}
			unknown := median(took["unknown"])
			b.ReportMetric(float64(unknown.Nanoseconds())/1e3, "us-unknown")
			for _, kind := range kinds[1:] {
				b.ReportMetric(float64(median(took[kind]))/float64(unknown), kind)
			}
		})
	}
}

func harnessWithOutbox(b *testing.B) harness {
	b.Helper()
	transport, err := mail.New(
		environment.Mail{Host: "127.0.0.1", Port: 1, Security: environment.StartTLS, From: "office@church.test"},
	)
	if err != nil {
		b.Fatal(err)
	}
	outbox := mail.NewOutbox(transport, zap.NewNop())
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- outbox.Serve(ctx) }()
	b.Cleanup(func() {
		stop()
		<-ended
	})
	db := databasetest.New(b)
	service, err := identity.New(identity.Config{
		Store: identity.NewStore(db.Pool(b)),
		Settings: environment.Identity{
			Secret:    environment.NewSecret(secret),
			BaseURL:   base,
			Dashboard: dashboard,
		},
		Limiter: unlimited{},
		Outbox:  outbox,
		Emails:  inEnglish,
		Log:     zap.NewNop(),
	})
	if err != nil {
		b.Fatal(err)
	}
	return harness{DB: db, service: service}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
