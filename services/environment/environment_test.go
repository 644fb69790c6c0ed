package environment_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// valid returns the variables of a production environment in which every section loads.
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

// Each rule has an accepted and a refused value: variable, value, mode, and the expected code, "" for none.
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
		{"DATABASE_URL", "postgres://u:p@a:5432,b.example.org,[::1]:6432/d", production, ""},
		{"DATABASE_URL", "postgres://u@a,b/d?target_session_attrs=read-write", production, ""},
		{"DATABASE_URL", "postgres://u@a/d?target_session_attrs=read-write", production, ""},
		{"DATABASE_URL", "postgres://u@a,b/d?target_session_attrs=any", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@a/d?target_session_attrs=primary", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@1,2,3,4,5,6,7,8/d", production, ""},
		{"DATABASE_URL", "postgres://u@1,2,3,4,5,6,7,8,9/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@a,/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@a,b:0/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@a,b c/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@a:1:2/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h:0/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h:99999/d", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h/d?host=/tmp", production, "DATABASE_URL_INVALID"},
		{"DATABASE_URL", "postgres://u@h/d?application_name=a&application_name=b", production,
			"DATABASE_URL_INVALID"},
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

		{"SERVICE_MODULE_SIGNERS", "/etc/narthex/signers", production, ""},
		{"SERVICE_MODULE_SIGNERS", "", production, "MODULE_SIGNERS_INVALID"},
		{"SERVICE_MODULE_SIGNERS", "signers", production, "MODULE_SIGNERS_INVALID"},

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

		{"SERVICE_IDENTITY_SECRET_PREVIOUS", "", production, ""},
		{"SERVICE_IDENTITY_SECRET_PREVIOUS", "3f9a1c5e7b2d4860f1e2d3c4b5a69788", production, ""},
		{"SERVICE_IDENTITY_SECRET_PREVIOUS", strings.Repeat("a", 64), production, "IDENTITY_SECRET_INVALID"},
		{"SERVICE_IDENTITY_SECRET_PREVIOUS", valid()["SERVICE_IDENTITY_SECRET"], production,
			"IDENTITY_SECRET_INVALID"},

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

		{"SERVICE_CLIENT_ADDRESS_MODE", "direct", production, ""},
		{"SERVICE_CLIENT_ADDRESS_MODE", "proxy", production, "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{"SERVICE_CLIENT_ADDRESS_MODE", "trusted-proxy", production, "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{"SERVICE_CLIENT_ADDRESS_HEADER", "not a name", production, ""}, // not read in direct mode
		{"SERVICE_API_PORT", "  ", production, ""},                      // blank is unset
		{"DATABASE_URL", " \t", production, "DATABASE_URL_INVALID"},

		{"OBJECT_STORAGE_ENDPOINT", "", production, ""},
		// no keys
		{"OBJECT_STORAGE_ENDPOINT", "https://storage.example.org", production,
			"OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{"OBJECT_STORAGE_REGION", "EU West", production, "OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{"OBJECT_STORAGE_REGION", "eu-central-1", production, ""},
		{"OBJECT_STORAGE_FORCE_PATH_STYLE", "false", production, ""},
		{"OBJECT_STORAGE_FORCE_PATH_STYLE", "no", production, "OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{"OBJECT_STORAGE_BUCKET_PREFIX", "parish-1", production, ""},
		{"OBJECT_STORAGE_BUCKET_PREFIX", "Parish", production, "OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{"OBJECT_STORAGE_BUCKET_PREFIX", strings.Repeat("a", 21), production,
			"OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{"OBJECT_STORAGE_DELIVERY_ENDPOINT", "https://files.example.org", production, ""},
		{"OBJECT_STORAGE_DELIVERY_ENDPOINT", "https://files.example.org/path", production,
			"OBJECT_STORAGE_CONFIGURATION_INVALID"},

		{"SERVICE_SMTP_HOST", "", production, ""},
		{"SERVICE_SMTP_HOST", "mail.example.org", production, "SMTP_CONFIGURATION_INVALID"}, // no sender
		{"SERVICE_SMTP_HOST", "smtp://mail.example.org", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_SECURITY", "tls", production, ""},
		{"SERVICE_SMTP_SECURITY", "starttls", production, ""},
		{"SERVICE_SMTP_SECURITY", "plaintext", development, ""},
		{"SERVICE_SMTP_SECURITY", "plaintext", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_SECURITY", "none", development, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_PORT", "2525", production, ""},
		{"SERVICE_SMTP_PORT", "0", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_USERNAME", "office", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_PASSWORD", "open sesame", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_FROM", "Parish Office <office@example.org>", production, ""},
		{"SERVICE_SMTP_FROM", "office@example.org\r\nBcc: x@example.org", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_FROM", "the office", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_HELO_NAME", "mail.example.org", production, ""},
		{"SERVICE_SMTP_HELO_NAME", "localhost", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_HELO_NAME", "[192.0.2.1]", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_HELO_NAME", "192.0.2.1", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_HELO_NAME", "mail.example.org:25", production, "SMTP_CONFIGURATION_INVALID"},
		{"SERVICE_SMTP_HELO_NAME", "mail.example.org\n", production, "SMTP_CONFIGURATION_INVALID"},

		{"STATE_DIRECTORY", "/var/lib/narthex:/var/lib/other", production, ""},
		{"CACHE_DIRECTORY", "relative", production, ""},

		{"SERVICE_REALTIME_NATS_URL", "tls://nats.example.org:4222", production, ""},
		{"SERVICE_REALTIME_NATS_URL", "nats://127.0.0.1:4222", production, ""},
		{"SERVICE_REALTIME_NATS_URL", "tls://a.example.org:4222, tls://u:p@b.example.org:4222", production, ""},
		{"SERVICE_REALTIME_NATS_URL", "tls://a.example.org:4222,", production, "REALTIME_CONFIGURATION_INVALID"},
		{"SERVICE_REALTIME_NATS_URL", "nats://127.0.0.1:4222,tls://b.example.org:4222", production,
			"REALTIME_CONFIGURATION_INVALID"},
		{"SERVICE_REALTIME_NATS_URL", "nats://127.0.0.1:4222,nats://b.example.org:4222", production,
			"REALTIME_CONFIGURATION_INVALID"},
		{"SERVICE_REALTIME_NATS_URL", "nats://nats.example.org:4222", development, ""},
		{"SERVICE_REALTIME_NATS_URL", "nats://nats.example.org:4222", production, "REALTIME_CONFIGURATION_INVALID"},
		{"SERVICE_REALTIME_NATS_URL", "http://nats.example.org:4222", development,
			"REALTIME_CONFIGURATION_INVALID"},

		{"SERVICE_DATABASE_CONNECTIONS", "", production, ""},
		{"SERVICE_DATABASE_CONNECTIONS", "8", production, ""},
		{"SERVICE_DATABASE_CONNECTIONS", "200", production, ""},
		{"SERVICE_DATABASE_CONNECTIONS", "7", production, "DATABASE_CONNECTIONS_INVALID"},
		{"SERVICE_DATABASE_CONNECTIONS", "201", production, "DATABASE_CONNECTIONS_INVALID"},
		{"SERVICE_DATABASE_CONNECTIONS", "264", production, "DATABASE_CONNECTIONS_INVALID"}, // 8 in one byte
		{"SERVICE_DATABASE_CONNECTIONS", "+8", production, "DATABASE_CONNECTIONS_INVALID"},
		{"SERVICE_DATABASE_CONNECTIONS", "many", production, "DATABASE_CONNECTIONS_INVALID"},
		{"SERVICE_DATABASE_POOLER", "", production, ""},
		{"SERVICE_DATABASE_POOLER", "transaction", production, ""},
		{"SERVICE_DATABASE_POOLER", "session", production, "DATABASE_POOLER_INVALID"},
		{"SERVICE_DATABASE_POOLER", "Transaction", production, "DATABASE_POOLER_INVALID"},
		{"SERVICE_IDLE_EXIT_MINUTES", "5", production, ""},
		{"SERVICE_IDLE_EXIT_MINUTES", "1440", production, ""},
		{"SERVICE_IDLE_EXIT_MINUTES", "4", production, "IDLE_EXIT_INVALID"},
		{"SERVICE_IDLE_EXIT_MINUTES", "1441", production, "IDLE_EXIT_INVALID"},
		{"SERVICE_IDLE_EXIT_MINUTES", "05", production, "IDLE_EXIT_INVALID"},
		{"SERVICE_IDLE_EXIT_MINUTES", "15m", production, "IDLE_EXIT_INVALID"},

		{"SERVICE_METRICS_ADDRESS", "127.0.0.1:9100", production, ""},
		{"SERVICE_METRICS_ADDRESS", "[::1]:9100", production, ""},
		{"SERVICE_METRICS_ADDRESS", "/run/narthex/metrics.sock", production, ""},
		{"SERVICE_METRICS_ADDRESS", "0.0.0.0:9100", production, "METRICS_ADDRESS_INVALID"},
		{"SERVICE_METRICS_ADDRESS", "127.0.0.1", production, "METRICS_ADDRESS_INVALID"},
		{"SERVICE_METRICS_ADDRESS", "metrics.sock", production, "METRICS_ADDRESS_INVALID"},
	}
	for _, row := range rows {
		t.Run(fmt.Sprintf("%s=%.40q/%s", row.variable, row.value, row.mode), func(t *testing.T) {
			variables := valid()
			variables["NODE_ENV"] = row.mode
			variables[row.variable] = row.value
			_, err := load(variables, environment.Everything)
			if got := codes(err); got != row.code {
				t.Fatalf("Load with %s=%q: code %q, want %q", row.variable, row.value, got, row.code)
			}
		})
	}
}

// TestCombinations checks rules about several variables.
func TestCombinations(t *testing.T) {
	proxy := func(header, proxies string) map[string]string {
		return map[string]string{
			"SERVICE_CLIENT_ADDRESS_MODE": "trusted-proxy", "SERVICE_CLIENT_ADDRESS_HEADER": header,
			"SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES": proxies,
		}
	}
	storage := func(endpoint string) map[string]string {
		return map[string]string{"OBJECT_STORAGE_ENDPOINT": endpoint, "OBJECT_STORAGE_ACCESS_KEY": "key",
			"OBJECT_STORAGE_SECRET_KEY": "secret"}
	}
	for _, row := range []struct {
		variables map[string]string
		mode      string
		code      string
	}{
		{proxy("x-forwarded-for", "10.0.0.0/8, 2001:db8::/32, 192.0.2.7, ::ffff:198.51.100.7, "+
			"::ffff:203.0.113.0/120"), "", ""},
		{proxy("", "10.0.0.1"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", ""), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X Forwarded", "10.0.0.1"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For:", "10.0.0.1"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "proxy.example.org"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "10.0.0.0/33"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "fe80::1%eth0"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "::ffff:0:0/64"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "0.0.0.0/0"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "10.0.0.1, 192.0.2.7/0"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "::/0"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("X-Forwarded-For", "::ffff:0:0/96"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("host", "10.0.0.1"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("Forwarded", "10.0.0.1"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{proxy("TRANSFER-ENCODING", "10.0.0.1"), "", "CLIENT_ADDRESS_CONFIGURATION_INVALID"},
		{storage("https://storage.example.org"), "", ""},
		{storage("https://storage.example.org:9000/s3/"), "", ""},
		{storage("http://storage.example.org"), "development", ""},
		{storage("http://storage.example.org"), "", "OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{storage("https://key:secret@storage.example.org"), "", "OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{storage("https://storage.example.org?x=1"), "", "OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{storage("storage.example.org"), "", "OBJECT_STORAGE_CONFIGURATION_INVALID"},
		{map[string]string{"SERVICE_SMTP_HOST": "mail.example.org", "SERVICE_SMTP_FROM": "office@example.org"},
			"", ""},
		{map[string]string{"SERVICE_SMTP_HOST": "mail.example.org", "SERVICE_SMTP_FROM": "office@example.org",
			"SERVICE_SMTP_USERNAME": "office", "SERVICE_SMTP_PASSWORD": "open sesame"}, "", ""},
	} {
		variables := valid()
		variables["NODE_ENV"] = row.mode
		for name, value := range row.variables {
			variables[name] = value
		}
		if _, err := load(variables, environment.Everything); codes(err) != row.code {
			t.Errorf("Load with %v: code %q, want %q", row.variables, codes(err), row.code)
		}
	}
	variables := valid()
	for name, value := range proxy("x-forwarded-for",
		"10.1.2.3/8, ::ffff:198.51.100.7, ::ffff:203.0.113.9/120") {
		variables[name] = value
	}
	settings, err := load(variables, environment.Everything)
	if got := fmt.Sprint(settings.ClientAddress); err != nil ||
		got != "{true X-Forwarded-For [10.0.0.0/8 198.51.100.7/32 203.0.113.0/24]}" {
		t.Errorf("Load with a trusted proxy: client address %s, %v; want the header canonical and the ranges "+
			"masked", got, err)
	}
}

// Variables of other programs are not read.
func TestForeignVariablesChangeNothing(t *testing.T) {
	plain, err := load(valid(), environment.Everything)
	if err != nil {
		t.Fatal(err)
	}
	variables := valid()
	for _, name := range []string{"PGHOST", "PGUSER", "PGSSLMODE", "PGOPTIONS", "GIN_MODE", "PORT",
		"AWS_ACCESS_KEY_ID", "AWS_REGION", "HTTP_PROXY", "HTTPS_PROXY"} {
		variables[name] = "foreign"
	}
	foreign, err := load(variables, environment.Everything)
	if err != nil || fmt.Sprint(foreign) != fmt.Sprint(plain) {
		t.Errorf("Load with other programs' variables: %+v, %v; want the same as without", foreign, err)
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
			t.Errorf("ParseOrigin(%q) in production: accepted %v, want %v", row.text, ok, row.production)
		}
		if _, ok := environment.ParseOrigin(row.text, false); ok != row.development {
			t.Errorf("ParseOrigin(%q) in development: accepted %v, want %v", row.text, ok, row.development)
		}
	}
}

func TestAllFindingsOfOneStartTogether(t *testing.T) {
	_, err := load(map[string]string{"SERVICE_API_PORT": "secret-port", "SERVICE_MODULES_DIR": "./secret"},
		environment.Everything)
	want := "DATABASE_URL_INVALID MODULES_DIRECTORY_INVALID API_PORT_INVALID IDENTITY_SECRET_INVALID " +
		"IDENTITY_BASE_URL_INVALID"
	if got := codes(err); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	for _, line := range []string{
		"DATABASE_URL_INVALID: DATABASE_URL is not set. DATABASE_URL must be ",
		"API_PORT_INVALID: SERVICE_API_PORT must be ", // set, but invalid
		"IDENTITY_SECRET_INVALID: SERVICE_IDENTITY_SECRET is not set. ",
		"IDENTITY_BASE_URL_INVALID: SERVICE_IDENTITY_BASE_URL is not set. ",
	} {
		if !strings.Contains("\n"+err.Error(), "\n"+line) {
			t.Errorf("no line begins with %q:\n%v", line, err)
		}
	}
	if strings.Contains(err.Error(), "secret-port") || strings.Contains(err.Error(), "./secret") {
		t.Fatalf("a finding contains a value: %v", err)
	}
}

func TestCommandsFailOnWhatTheyReadAlone(t *testing.T) {
	settings, err := load(map[string]string{"DATABASE_URL": "postgres://u@h/d", "SERVICE_API_PORT": "x"},
		environment.DatabaseSection)
	if err != nil || settings.Database.Servers[0].Host != "h" {
		t.Fatalf("Load of the database section: %+v, %v; want host h, nil", settings.Database, err)
	}
}

func TestSeveralHosts(t *testing.T) {
	const text = "postgres://u:p%40,@a:6432,b.example.org,[::1]:7432/d"
	settings, err := load(map[string]string{"DATABASE_URL": text}, environment.DatabaseSection)
	database := settings.Database
	want := []environment.DatabaseServer{{Host: "a", Port: 6432}, {Host: "b.example.org", Port: 5432},
		{Host: "::1", Port: 7432}}
	if err != nil || !slices.Equal(database.Servers, want) || !database.Writable || database.User != "u" ||
		database.Password.Reveal() != "p@," || database.Name != "d" {
		t.Errorf("three hosts: %+v, %v; want %v, of which one must accept writes", database, err, want)
	}
}

func TestDefaults(t *testing.T) {
	settings, err := load(valid(), environment.Everything)
	if err != nil {
		t.Fatal(err)
	}
	if !settings.Production || settings.Database.TLSMode != environment.VerifyFull ||
		settings.Database.Servers[0].Port != 5432 || settings.Database.Writable ||
		settings.Server.Host != "127.0.0.1" || settings.Server.Port != 3000 || settings.Modules.Explicit ||
		settings.Identity.Dashboard != settings.Identity.BaseURL || settings.Identity.PublicSignUp {
		t.Fatalf("Load without optional variables: %+v, want the documented defaults", settings)
	}
	variables := valid()
	variables["NODE_ENV"] = "development"
	if settings, _ = load(variables, environment.Everything); settings.Production ||
		settings.Database.TLSMode != environment.DisableTLS {
		t.Fatalf("Load without optional variables: %+v, want the documented defaults", settings)
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
	written, err := json.Marshal(settings)
	if err != nil || strings.Contains(string(written), "hunter2") ||
		strings.Contains(string(written), "8fK2mQzR") {
		t.Errorf("the settings as JSON: %s, error %v, want no secret in them", written, err)
	}
	if settings.Database.Password.Reveal() != "hunter2" {
		t.Errorf("the password is %q, want hunter2", settings.Database.Password.Reveal())
	}
}

func FuzzParseOrigin(f *testing.F) {
	for _, seed := range []string{"https://church.example.org", "http://[::1]:80", "https://127.1",
		"https://a..b", "http://%41"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		origin, ok := environment.ParseOrigin(text, false)
		if ok && string(origin) != text {
			t.Fatalf("ParseOrigin(%q) returned %q, want it unchanged", text, origin)
		}
		if _, production := environment.ParseOrigin(text, true); production && !ok {
			t.Fatalf("ParseOrigin(%q) is accepted in production and refused in development", text)
		}
	})
}

func isIncomplete(s environment.DatabaseServer) bool { return s.Host == "" || s.Port == 0 }

func FuzzDatabaseURL(f *testing.F) {
	for _, seed := range []string{"postgres://u:p@h:1/d", "postgres://u@h/d?sslmode=disable",
		"postgresql://u@[::1]/d?connect_timeout=1", "postgres://u:p@a:1,b,[::1]:2/d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		settings, err := load(map[string]string{"DATABASE_URL": text}, environment.DatabaseSection)
		if err != nil {
			return
		}
		database := settings.Database
		if database.User == "" || len(database.Servers) == 0 || len(database.Servers) > 8 ||
			slices.ContainsFunc(database.Servers, isIncomplete) {
			t.Fatalf("Load with DATABASE_URL=%q: accepted as %+v, want 1 to 8 servers, no empty host, user or port",
				text, database)
		}
	})
}
