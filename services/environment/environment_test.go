package environment_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/environment"
)

const certificate = `-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIQIRi6zePL6mKjOipn+dNuaTAKBggqhkjOPQQDAjASMRAw
DgYDVQQKEwdBY21lIENvMB4XDTE3MTAyMDE5NDMwNloXDTE4MTAyMDE5NDMwNlow
EjEQMA4GA1UEChMHQWNtZSBDbzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABD0d
7VNhbWvZLWPuj/RtHFjvtJBEwOkhbN/BnnE8rnZR8+sbwnc/KhCk3FhnpHZnQz7B
5aETbbIgmuvewdjvSBSjYzBhMA4GA1UdDwEB/wQEAwICpDATBgNVHSUEDDAKBggr
BgEFBQcDATAPBgNVHRMBAf8EBTADAQH/MCkGA1UdEQQiMCCCDmxvY2FsaG9zdDo1
NDUzgg4xMjcuMC4wLjE6NTQ1MzAKBggqhkjOPQQDAgNIADBFAiEA2zpJEPQyz6/l
Wf86aX6PepsntZv2GYlA5UpabfT2EZICICpJ5h/iI+i341gBmLiAFQOyTDT+/wQc
6MF9+Yw1Yy0t
-----END CERTIFICATE-----
`

// valid is a production environment in which every section loads.
func valid() map[string]string {
	return map[string]string{
		"DATABASE_URL":              "postgres://narthex:hunter2@db.example.org/narthex",
		"SERVICE_IDENTITY_SECRET":   "8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
		"SERVICE_IDENTITY_BASE_URL": "https://church.example.org",
	}
}

func load(variables map[string]string, sections environment.Section) (environment.Settings, error) {
	return environment.Load(func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	}, sections)
}

// TestRules has an accepting and a refusing row for each rule: variable, value, mode, and the code that must come, "" for none.
func TestRules(t *testing.T) {
	const production, development = "", "development"
	rows := []struct {
		variable, value, mode, code string
	}{
		{"DATABASE_URL", "postgresql://u@127.0.0.1:6543/d?application_name=a&connect_timeout=3", production, ""},
		{"DATABASE_URL", "postgres://u:p@[::1]/d", production, ""},
		{"DATABASE_URL", "", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "mysql://u:p@h/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://h/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@a,b/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h:0/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h:99999/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h/d?host=/tmp", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h/d?application_name=a&application_name=b", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h/d?connect_timeout=soon", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h/d#x", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h/d?sslmode=disable", production, "DATABASE_URL_TLS_PARAMETER"},
		{"DATABASE_URL", "postgres://u@h/d?sslrootcert=x", development, "DATABASE_URL_TLS_PARAMETER"},
		{"DATABASE_URL", "postgres://u@h/d?SSL=true", production, "DATABASE_URL_TLS_PARAMETER"},

		{"SERVICE_DATABASE_TLS_MODE", "verify-full", production, ""},
		{"SERVICE_DATABASE_TLS_MODE", "disable", development, ""},
		{"SERVICE_DATABASE_TLS_MODE", "", production, ""},
		{"SERVICE_DATABASE_TLS_MODE", "disable", production, "DATABASE_TLS_REQUIRED"},
		{"SERVICE_DATABASE_TLS_MODE", "require", development, "DATABASE_TLS_MODE_INVALID"},

		{"SERVICE_DATABASE_CA", certificate, production, ""},
		{"SERVICE_DATABASE_CA", certificate + certificate, production, ""},
		{"SERVICE_DATABASE_CA", "not PEM", production, "DATABASE_CA_INVALID"},
		{"SERVICE_DATABASE_CA", certificate + "rest", production, "DATABASE_CA_INVALID"},

		{"SERVICE_MODULES_DIR", "/srv/modules", production, ""},
		{"SERVICE_MODULES_DIR", "", production, "MODULES_DIRECTORY_INVALID"},
		{"SERVICE_MODULES_DIR", "   ", production, "MODULES_DIRECTORY_INVALID"},
		{"SERVICE_MODULES_DIR", "modules", production, "MODULES_DIRECTORY_INVALID"},

		{"SERVICE_API_HOST", "0.0.0.0", production, ""},
		{"SERVICE_API_HOST", "::1", production, ""},
		{"SERVICE_API_HOST", "not an address", production, "API_HOST_INVALID"},
		{"SERVICE_API_PORT", "0", production, ""},
		{"SERVICE_API_PORT", "65535", production, ""},
		{"SERVICE_API_PORT", "", production, ""},
		{"SERVICE_API_PORT", "65536", production, "API_PORT_INVALID"},
		{"SERVICE_API_PORT", "+80", production, "API_PORT_INVALID"},
		{"SERVICE_API_PORT", "http", production, "API_PORT_INVALID"},

		{"SERVICE_IDENTITY_SECRET", "", production, "IDENTITY_SECRET_INVALID"},
		{"SERVICE_IDENTITY_SECRET", strings.Repeat("a", 64), production, "IDENTITY_SECRET_INVALID"},
		{"SERVICE_IDENTITY_SECRET", "passwordpasswordpasswordpassword", production, "IDENTITY_SECRET_INVALID"},
		{"SERVICE_IDENTITY_SECRET", "8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeU", production, "IDENTITY_SECRET_INVALID"},
		{"SERVICE_IDENTITY_SECRET", "3f9a1c5e7b2d4860f1e2d3c4b5a69788", production, ""},

		{"SERVICE_IDENTITY_BASE_URL", "", production, "IDENTITY_BASE_URL_INVALID"},
		{"SERVICE_IDENTITY_BASE_URL", "http://localhost:3000", development, ""},
		{"SERVICE_IDENTITY_BASE_URL", "http://church.example.org", production, "IDENTITY_BASE_URL_INVALID"},

		{"SERVICE_IDENTITY_TRUSTED_ORIGINS", "https://a.example.org, https://b.example.org:8443", production, ""},
		{"SERVICE_IDENTITY_TRUSTED_ORIGINS", "https://*.example.org", production, "TRUSTED_ORIGINS_INVALID"},
		{"SERVICE_IDENTITY_TRUSTED_ORIGINS", "https://a.example.org,", production, "TRUSTED_ORIGINS_INVALID"},

		{"SERVICE_DASHBOARD_ORIGIN", "https://dashboard.example.org", production, ""},
		{"SERVICE_DASHBOARD_ORIGIN", "", production, ""},
		{"SERVICE_DASHBOARD_ORIGIN", "https://dashboard.example.org/", production, "DASHBOARD_ORIGIN_INVALID"},

		{"SERVICE_PUBLIC_SIGNUP_ENABLED", "true", development, ""},
		{"SERVICE_PUBLIC_SIGNUP_ENABLED", "false", production, ""},
		{"SERVICE_PUBLIC_SIGNUP_ENABLED", "", production, ""},
		{"SERVICE_PUBLIC_SIGNUP_ENABLED", "yes", development, "PUBLIC_SIGNUP_ENABLED_INVALID"},
		{"SERVICE_PUBLIC_SIGNUP_ENABLED", "true", production, "PUBLIC_SIGNUP_UNSUPPORTED_IN_PRODUCTION"},
	}
	for _, row := range rows {
		t.Run(fmt.Sprintf("%s=%.40q/%s", row.variable, row.value, row.mode), func(t *testing.T) {
			variables := valid()
			variables["NODE_ENV"] = row.mode
			variables[row.variable] = row.value
			_, err := load(variables, environment.Everything)
			if got := codes(err); got != row.code {
				t.Fatalf("got %q, want %q", got, row.code)
			}
			if err != nil && len(row.value) > 8 && strings.Contains(err.Error(), row.value) {
				t.Fatalf("the finding contains the value: %v", err)
			}
		})
	}
}

func codes(err error) string {
	var findings environment.Findings
	errors.As(err, &findings)
	var list []string
	for _, finding := range findings {
		list = append(list, finding.Code())
	}
	return strings.Join(list, " ")
}

func TestOrigins(t *testing.T) {
	rows := []struct {
		text                    string
		production, development bool
	}{
		{"https://church.example.org", true, true},
		{"https://church.example.org:8443", true, true},
		{"https://192.0.2.7", true, true},
		{"https://[2001:db8::1]", true, true},
		{"https://[::ffff:c000:207]", true, true},
		{"https://xn--kirche-n2a.example", true, true},
		{"http://church.example.org", false, true},
		{"http://localhost:3000", false, true},
		{"https://localhost", false, true},
		{"https://a.localhost", false, true},
		{"https://127.0.0.1", false, true},
		{"https://127.200.3.4", false, true},
		{"https://0.0.0.0", false, true},
		{"https://[::]", false, true},
		{"https://[::1]", false, true},
		{"https://[::ffff:7f00:1]", false, true},
		{"https://[::ffff:127.0.0.1]", false, false},
		{"https://[0:0:0:0:0:0:0:1]", false, false},
		{"https://127.1", false, false},
		{"https://0x7f.1", false, false},
		{"https://2130706433", false, false},
		{"https://church.example.org/", false, false},
		{"https://church.example.org/path", false, false},
		{"https://church.example.org?x=1", false, false},
		{"https://church.example.org#x", false, false},
		{"https://user@church.example.org", false, false},
		{"https://church.example.org:443", false, false},
		{"http://church.example.org:80", false, false},
		{"https://church.example.org:0", false, false},
		{"https://church.example.org:08443", false, false},
		{"https://church.example.org:65536", false, false},
		{"https://Church.example.org", false, false},
		{"HTTPS://church.example.org", false, false},
		{"https://church.example.org.", false, false},
		{"https://-church.example.org", false, false},
		{"https://church_example.org", false, false},
		{"https://kirche-münchen.example", false, false},
		{"https://[fe80::1%25eth0]", false, false},
		{"https://", false, false},
		{"//church.example.org", false, false},
		{"church.example.org", false, false},
		{"ftp://church.example.org", false, false},
		{"null", false, false},
		{"*", false, false},
		{"", false, false},
	}
	for _, row := range rows {
		if _, ok := environment.ParseOrigin(row.text, true); ok != row.production {
			t.Errorf("production %q: %v", row.text, ok)
		}
		if _, ok := environment.ParseOrigin(row.text, false); ok != row.development {
			t.Errorf("development %q: %v", row.text, ok)
		}
	}
}

func TestAllFindingsOfOneStartTogether(t *testing.T) {
	_, err := load(map[string]string{"SERVICE_API_PORT": "secret-port", "SERVICE_MODULES_DIR": "./secret"}, environment.Everything)
	want := "DATABASE_URL_INVALID MODULES_DIRECTORY_INVALID API_PORT_INVALID IDENTITY_SECRET_INVALID IDENTITY_BASE_URL_INVALID"
	if got := codes(err); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	if strings.Contains(err.Error(), "secret-port") || strings.Contains(err.Error(), "./secret") {
		t.Fatalf("a finding contains a value: %v", err)
	}
}

func TestCommandsFailOnWhatTheyReadAlone(t *testing.T) {
	settings, err := load(map[string]string{"DATABASE_URL": "postgres://u@h/d", "SERVICE_API_PORT": "x"}, environment.DatabaseSection)
	if err != nil || settings.Database.Host != "h" {
		t.Fatalf("%+v, %v", settings.Database, err)
	}
}

func TestDefaults(t *testing.T) {
	settings, err := load(valid(), environment.Everything)
	if err != nil {
		t.Fatal(err)
	}
	if !settings.Production || settings.Database.TLSMode != environment.VerifyFull || settings.Database.Port != 5432 ||
		settings.Server.Host != "127.0.0.1" || settings.Server.Port != 3000 || settings.Modules.Explicit ||
		settings.Identity.Dashboard != settings.Identity.BaseURL || settings.Identity.PublicSignUp {
		t.Fatalf("%+v", settings)
	}
	variables := valid()
	variables["NODE_ENV"] = "development"
	if settings, _ = load(variables, environment.Everything); settings.Production || settings.Database.TLSMode != environment.DisableTLS {
		t.Fatalf("%+v", settings)
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	settings, err := load(valid(), environment.Everything)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		printed := fmt.Sprintf(form, settings)
		if strings.Contains(printed, "hunter2") || strings.Contains(printed, "8fK2mQzR") {
			t.Errorf("%s prints a secret: %s", form, printed)
		}
	}
	if settings.Database.Password.Reveal() != "hunter2" {
		t.Error("the password got lost")
	}
}

func FuzzParseOrigin(f *testing.F) {
	for _, seed := range []string{"https://church.example.org", "http://[::1]:80", "https://127.1", "https://a..b", "http://%41"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		origin, ok := environment.ParseOrigin(text, false)
		if ok && string(origin) != text {
			t.Fatalf("%q became %q", text, origin)
		}
		if _, production := environment.ParseOrigin(text, true); production && !ok {
			t.Fatalf("%q is refused in development alone", text)
		}
	})
}

func FuzzDatabaseURL(f *testing.F) {
	for _, seed := range []string{"postgres://u:p@h:1/d", "postgres://u@h/d?sslmode=disable", "postgresql://u@[::1]/d?connect_timeout=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		settings, err := load(map[string]string{"DATABASE_URL": text}, environment.DatabaseSection)
		if err == nil && (settings.Database.Host == "" || settings.Database.User == "" || settings.Database.Port == 0) {
			t.Fatalf("%q was accepted as %+v", text, settings.Database)
		}
	})
}
