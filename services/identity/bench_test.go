package identity_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
)

func anonymousService(tb testing.TB) *identity.Service {
	tb.Helper()
	service, err := identity.New(identity.Config{
		Store:    identity.NewStore(nil), // a look-up would panic
		Settings: environment.Identity{Secret: environment.NewSecret(secret), BaseURL: "https://church.test"},
		Limiter:  unlimited{},
		Outbox:   &outbox{},
		Emails:   inEnglish,
		Log:      zap.NewNop(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return service
}

var anonymousHeaders = map[string]http.Header{
	"no cookie": {},
	"unrelated": {
		"Cookie": {
			"theme=dark; analytics=GA1.2.1234567890.1234567890; narthex_device=" +
				"0123456789012345678901234567890123456789012",
		},
	},
}

func TestAnonymousAllocatesNothing(t *testing.T) {
	service := anonymousService(t)
	for name, header := range anonymousHeaders {
		r := &http.Request{Header: header}
		if n := testing.AllocsPerRun(100, func() { _, _ = service.Resolve(t.Context(), r) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

func BenchmarkResolveAnonymous(b *testing.B) {
	service := anonymousService(b)
	for name, header := range anonymousHeaders {
		b.Run(name, func(b *testing.B) {
			r := &http.Request{Header: header}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := service.Resolve(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkResolveCookie compares the cost of a valid cookie and a forged one: one request at a time, and
// many at once.
func BenchmarkResolveCookie(b *testing.B) {
	db := databasetest.New(b)
	h := serve(b, db, identity.NewStore(db.Pool(b)), base)
	h.person(b, "anna@example.org")
	w := h.send(b, request{path: signInPath, body: credentials("anna@example.org", password)})
	live, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	for name, cookie := range map[string]string{"live": live, "forged": "narthex_session=x"} {
		r := request{method: "GET", path: "/", header: []string{"Cookie: " + cookie}}.build(b)
		resolve := func() {
			if _, err := h.service.Resolve(b.Context(), r); err != nil {
				b.Error(err)
			}
		}
		b.Run(name+"/alone", func(b *testing.B) {
			for b.Loop() {
				resolve()
			}
		})
		b.Run(name+"/32 at once", func(b *testing.B) {
			b.SetParallelism(max(1, 32/runtime.GOMAXPROCS(0)))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					resolve()
				}
			})
		})
	}
}
