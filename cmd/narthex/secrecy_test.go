package main

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// TestNothingSensitiveIsWritten starts the platform with marked secrets, drives every kind of success and failure with marked values,
// and looks for the marks in everything it wrote. spec.md § Authentication 10 and § Errors have the list.
func TestNothingSensitiveIsWritten(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "announcements")
	secret := "MARKED-8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi"
	i.environment["SERVICE_IDENTITY_SECRET"] = secret
	i.environment["DATABASE_URL"] += "?application_name=MARKED-application"
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	member := i.member(t, "marked-member@example.org")
	anonymous := i.visitor(t)

	forged := *owner
	forged.cookie = "narthex_session=MARKED-cookie"
	for _, who := range []*person{owner, member, anonymous, &forged} {
		for _, path := range []string{
			"/", "/MARKED-path", "/api/v1/principal?MARKED-query=1", "/api/v1/health/live", "/api/v1/health/ready", "/api/auth/ok",
			"/api/v1/modules/base/plain", "/api/v1/modules/base/panic", "/api/v1/modules/base/restricted",
			"/api/v1/modules/base/request/MARKED-a/MARKED-b?MARKED-query", slides, slides + "/MARKED-id",
		} {
			for _, method := range []string{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"} {
				who.do(method, path, map[string]any{"title": "MARKED-title", "body": "MARKED-body"})
			}
		}
		who.do("POST", "/api/v1/modules/base/echo", io.MultiReader(strings.NewReader(strings.Repeat("MARKED-", 200000))))
		who.do("POST", "/api/auth/sign-out", map[string]any{})
	}
	wrong := *anonymous
	wrong.do("POST", "/api/auth/sign-in/email", map[string]any{"email": "MARKED-who@example.org", "password": "MARKED-password"})
	for _, header := range []http.Header{
		{"Authorization": {"Bearer MARKED-token"}}, {"Origin": {"https://MARKED-origin.example"}}, {"X-Forwarded-For": {"MARKED-address"}},
	} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", i.address+slides, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = header
		response, err := anonymous.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	i.db.Exec(t, `ALTER TABLE core.session RENAME TO marked_session`) // the store breaks
	for _, who := range []*person{owner, &forged} {
		if got := who.do("GET", "/api/v1/principal", nil); got.status != http.StatusServiceUnavailable {
			t.Errorf("without its store: %d %s", got.status, got.body)
		}
		who.do("POST", "/api/auth/sign-out", map[string]any{})
		who.do("GET", slides, nil)
	}
	daemon.signal(t, syscall.SIGTERM)
	daemon.exit(t)

	written := daemon.stdout.String() + daemon.stderr.String()
	marks := []string{
		"MARKED", "marked", secret, ownerPassword, ownerAddress, strings.TrimPrefix(owner.cookie, "narthex_session="), i.db.Settings.Password.Reveal(),
		"127.0.0.1", "localhost", "/api/", "/slides", i.environment["SERVICE_MODULES_DIR"], "SELECT", "core.", "goroutine ", ".go:", "hunter2",
		"pgconn", "SQLSTATE",
	}
	for line := range strings.Lines(written) {
		for _, mark := range marks {
			if strings.Contains(line, mark) {
				t.Errorf("%q stands in the log: %s", mark, line)
			}
		}
	}
	if !strings.Contains(written, `"msg":"request failed"`) || !strings.Contains(written, `"request_id"`) {
		t.Error("the failures left no line at all")
	}
}
