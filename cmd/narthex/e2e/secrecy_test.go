package e2e

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// TestNothingSensitiveIsWritten starts the platform with marked secrets, causes every kind of success and
// failure with marked values, and searches the whole output for the marks: a log contains no password, token,
// cookie, host, path, origin, stack or raw error.
func TestNothingSensitiveIsWritten(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "announcements")
	secret := "MARKED-8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi"
	i.environment["SERVICE_IDENTITY_SECRET"] = secret
	i.environment["DATABASE_URL"] += "?application_name=MARKED-application"
	for name, value := range map[string]string{ // nothing listens there
		"HOST": "127.0.0.1", "PORT": "1", "SECURITY": "plaintext", "USERNAME": "MARKED-user",
		"PASSWORD": "MARKED-word", "FROM": "MARKED <marked-office@example.org>",
	} {
		i.environment["SERVICE_SMTP_"+name] = value
	}
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	member := i.member(t, "marked-member@example.org")
	anonymous := i.visitor(t)

	forged := *owner
	forged.cookie = "narthex_session=MARKED-cookie"
	for _, who := range []*person{owner, member, anonymous, &forged} {
		for _, path := range []string{
			"/", "/MARKED-path", "/api/v1/principal?MARKED-query=1", "/api/v1/health/live", "/api/v1/health/ready",
			"/api/auth/ok",
			"/api/v1/modules/base/plain", "/api/v1/modules/base/panic", "/api/v1/modules/base/restricted",
			"/api/v1/modules/base/request/MARKED-a/MARKED-b?MARKED-query", slides, slides + "/MARKED-id",
			"/api/auth/verify-email?token=MARKED-token", "/api/v1/people?query=MARKED-person",
			"/api/v1/grants?permissionId=MARKED-permission",
			"/api/v1/grants/MARKED-grant/revoke", "/api/v1/devices", "/api/v1/devices/MARKED-device",
			"/api/v1/device-pairing",
			"/api/v1/device-pairing/MARKED-code/approve",
		} {
			for _, method := range []string{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"} {
				who.do(method, path, map[string]any{"title": "MARKED-title", "body": "MARKED-body"})
			}
		}
		who.do("POST", "/api/v1/modules/base/echo",
			io.MultiReader(strings.NewReader(strings.Repeat("MARKED-", 200000))))
		who.do("POST", "/api/auth/sign-out", map[string]any{})
	}
	wrong := *anonymous
	wrong.do("POST", "/api/auth/sign-in/email",
		map[string]any{"email": "MARKED-who@example.org", "password": "MARKED-password"})
	for _, address := range []string{ownerAddress, "MARKED-nobody@example.org"} {
		wrong.do("POST", "/api/auth/request-password-reset",
			map[string]any{"email": address, "redirectTo": "https://MARKED-callback.example"})
		wrong.do("POST", "/api/auth/send-verification-email", map[string]any{"email": address})
	}
	wrong.do("POST", "/api/auth/reset-password",
		map[string]any{"newPassword": "MARKED-password", "token": "MARKED-token"})
	wrong.do("POST", "/api/v1/device-pairing", map[string]any{"moduleId": "MARKED-module"})
	screen := *anonymous
	screen.cookie = "narthex_device=MARKED-credential; narthex_claim=MARKED-claim"
	screen.do("GET", slides, nil)
	screen.do("POST", "/api/v1/device-pairing/claim", struct{}{})
	for _, header := range []http.Header{
		{"Authorization": {"Bearer MARKED-token"}}, {"Origin": {"https://MARKED-origin.example"}},
		{"X-Forwarded-For": {"MARKED-address"}},
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
	i.db.Exec(t, `DROP TABLE core.permission_grant, core.permission_grant_audit`) // makes the stores fail
	owner.do("GET", "/api/v1/grants", nil)
	i.db.Exec(t, `ALTER TABLE core.session RENAME TO marked_session`)
	for _, who := range []*person{owner, &forged} {
		if got := who.do("GET", "/api/v1/principal", nil); got.status != http.StatusServiceUnavailable {
			t.Errorf("without its store: %d %s", got.status, got.body)
		}
		who.do("POST", "/api/auth/sign-out", map[string]any{})
		who.do("GET", slides, nil)
	}
	daemon.signal(t, syscall.SIGTERM)
	daemon.awaitExit(t)

	written := daemon.stdout.String() + daemon.stderr.String()
	marks := []string{
		"MARKED", "marked", secret, ownerPassword, ownerAddress,
		strings.TrimPrefix(owner.cookie, "narthex_session="), i.db.Settings.Password.Reveal(),
		"127.0.0.1", "localhost", "/api/", "/slides", i.environment["SERVICE_MODULES_DIR"], "SELECT", "core.",
		"goroutine ", ".go:", "hunter2",
		"pgconn", "SQLSTATE",
	}
	for line := range strings.Lines(written) {
		for _, mark := range marks {
			if strings.Contains(line, mark) {
				t.Errorf("%q stands in the log: %s", mark, line)
			}
		}
	}
	for _, line := range []string{`"msg":"request failed"`, `"request_id"`, `"msg":"mail not sent"`} {
		if !strings.Contains(written, line) {
			t.Errorf("the log has no line with %s, want one", line)
		}
	}
}
