package openapitest_test

import (
	"net/http"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi/openapitest"
	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func read(tb testing.TB) *openapitest.Document {
	tb.Helper()
	document, err := openapitest.Read("../../../docs/reference/openapi.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return document
}

// TestCheck: what differs from the document is found, and nothing else.
func TestCheck(t *testing.T) {
	t.Parallel()
	document := read(t)
	const path, kind = "/api/v1/account", "application/json"
	const account = `{"userId":"1","email":"a@example.org","name":"Ada"}`
	for name, c := range map[string]struct {
		method, path string
		status       int
		kind, body   string
		wrong        bool
	}{
		"as declared":     {"GET", path, 200, kind, account, false},
		"a parameter":     {"GET", "/api/v1/module-configuration/x", 404, kind, `{"code":"A"}`, false},
		"no such route":   {"GET", "/api/v1/accounts", 404, kind, `{"code":"NOT_FOUND"}`, false},
		"no such method":  {"PATCH", path, 404, kind, `{"code":"NOT_FOUND"}`, false},
		"without a body":  {"HEAD", "/", 200, "text/html", "", false},
		"a preflight":     {"OPTIONS", path, 204, "", "", false},
		"OPTIONS alone":   {"OPTIONS", path, 404, kind, `{"code":"NOT_FOUND"}`, false},
		"from a module":   {"GET", "/api/v1/modules/a/b", 200, "text/plain", "free", false},
		"undeclared":      {"GET", path, 200, kind, account[:len(account)-1] + `,"x":7}`, true},
		"missing":         {"GET", path, 200, kind, `{"userId":"1","name":"Ada"}`, true},
		"a wrong type":    {"GET", path, 200, kind, `{"userId":1,"email":"a","name":""}`, true},
		"more than code":  {"GET", path, 401, kind, `{"code":"A","message":"b"}`, true},
		"a status":        {"GET", path, 418, kind, `{"code":"A"}`, true},
		"a content type":  {"GET", path, 200, "text/plain", account, true},
		"a body too many": {"POST", "/api/v1/account/sign-out-everywhere", 204, kind, "{}", true},
		"a hidden route":  {"GET", "/api/v1/accounts", 200, kind, `{}`, true},
		"undeclared inside": {"GET", "/api/v1/permissions", 200, kind,
			`{"permissions":[{"id":"a","baseline":"restricted","moduleId":null,"description":null,"x":1}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{"X-Request-Id": {"1"}}
			if c.kind != "" {
				header.Set("Content-Type", c.kind)
			}
			err := document.Check(c.method, c.path, c.status, header, []byte(c.body))
			if wrong := err != nil; wrong != c.wrong {
				t.Errorf("error %v, want one: %t", err, c.wrong)
			}
		})
	}
}
