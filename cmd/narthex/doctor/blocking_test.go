package doctor

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// sound are valid settings for production, with no blocking finding.
var sound = map[string]string{
	"DATABASE_URL":              "postgres://someone:marked@db.example.org/narthex",
	"SERVICE_IDENTITY_SECRET":   "8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
	"SERVICE_IDENTITY_BASE_URL": "https://church.example.org",
}

// blocking are settings that each violate one rule.
var blocking = []struct {
	code      string
	variables map[string]string
}{
	{"PUBLIC_SIGNUP_UNSUPPORTED_IN_PRODUCTION", map[string]string{"SERVICE_PUBLIC_SIGNUP_ENABLED": "true"}},
	{"PUBLIC_SIGNUP_ENABLED_INVALID", map[string]string{"SERVICE_PUBLIC_SIGNUP_ENABLED": "yes"}},

	{"DATABASE_URL_INVALID", map[string]string{"DATABASE_URL": ""}},
	{"DATABASE_URL_INVALID", map[string]string{"DATABASE_URL": "mysql://someone@marked/narthex"}},
	{"DATABASE_URL_TLS_PARAMETER", map[string]string{"DATABASE_URL": "postgres://a@b/c?sslmode=require"}},
	{"DATABASE_TLS_MODE_INVALID", map[string]string{"SERVICE_DATABASE_TLS_MODE": "prefer"}},
	{"DATABASE_TLS_REQUIRED", map[string]string{"SERVICE_DATABASE_TLS_MODE": "disable"}},
	{"DATABASE_TLS_REQUIRED", map[string]string{"SERVICE_DATABASE_TLS_MODE": "disable",
		"DATABASE_URL": "postgres://someone@127.0.0.1/narthex"}},
	{"DATABASE_CA_INVALID", map[string]string{"SERVICE_DATABASE_CA": "marked"}},

	{"CLIENT_ADDRESS_CONFIGURATION_INVALID", map[string]string{"SERVICE_CLIENT_ADDRESS_MODE": "marked"}},
	{"CLIENT_ADDRESS_CONFIGURATION_INVALID", map[string]string{"SERVICE_CLIENT_ADDRESS_MODE": "trusted-proxy"}},
	{"CLIENT_ADDRESS_CONFIGURATION_INVALID", trustedProxy("forwarded", "10.0.0.1")},
	{"CLIENT_ADDRESS_CONFIGURATION_INVALID", trustedProxy("x-forwarded-for", "marked")},
	{"CLIENT_ADDRESS_CONFIGURATION_INVALID", trustedProxy("x-forwarded-for", "0.0.0.0/0")},

	{"DASHBOARD_ORIGIN_INVALID", map[string]string{"SERVICE_DASHBOARD_ORIGIN": "https://marked.example.org/"}},
	{"DASHBOARD_ORIGIN_INVALID", map[string]string{"SERVICE_DASHBOARD_ORIGIN": "http://marked.example.org"}},
	{"DASHBOARD_ORIGIN_INVALID", map[string]string{"SERVICE_DASHBOARD_ORIGIN": "https://127.0.0.1"}},
	{"DASHBOARD_ORIGIN_NOT_TRUSTED", map[string]string{"SERVICE_DASHBOARD_ORIGIN": "https://app.example.org"}},

	{"IDENTITY_SECRET_INVALID", map[string]string{"SERVICE_IDENTITY_SECRET": "marked"}},
	{"IDENTITY_BASE_URL_INVALID", map[string]string{"SERVICE_IDENTITY_BASE_URL": "http://marked.example.org"}},
	{"IDENTITY_BASE_URL_INVALID", map[string]string{"SERVICE_IDENTITY_BASE_URL": "https://localhost"}},
	{"TRUSTED_ORIGINS_INVALID", map[string]string{"SERVICE_IDENTITY_TRUSTED_ORIGINS": "https://*.example.org"}},
	{"DATABASE_CONNECTIONS_INVALID", map[string]string{"SERVICE_DATABASE_CONNECTIONS": "7"}},
	{"DATABASE_POOLER_INVALID", map[string]string{"SERVICE_DATABASE_POOLER": "session"}},
	{"MODULES_DIRECTORY_INVALID", map[string]string{"SERVICE_MODULES_DIR": "marked"}},
	{"MODULE_SIGNERS_INVALID", map[string]string{"SERVICE_MODULE_SIGNERS": "marked"}},
	{"API_HOST_INVALID", map[string]string{"SERVICE_API_HOST": "marked"}},
	{"API_PORT_INVALID", map[string]string{"SERVICE_API_PORT": "65536"}},
	{"OBJECT_STORAGE_CONFIGURATION_INVALID", map[string]string{"OBJECT_STORAGE_ENDPOINT": "https://marked"}},
	{"SMTP_CONFIGURATION_INVALID", map[string]string{"SERVICE_SMTP_HOST": "marked.example.org"}},
	{"REALTIME_CONFIGURATION_INVALID", map[string]string{"SERVICE_REALTIME_NATS_URL": "nats://marked"}},
	{"IDLE_EXIT_INVALID", map[string]string{"SERVICE_IDLE_EXIT_MINUTES": "4"}},
	{"METRICS_ADDRESS_INVALID", map[string]string{"SERVICE_METRICS_ADDRESS": "0.0.0.0:1"}},
}

func trustedProxy(header, proxies string) map[string]string {
	return map[string]string{"SERVICE_CLIENT_ADDRESS_MODE": "trusted-proxy",
		"SERVICE_CLIENT_ADDRESS_HEADER": header, "SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES": proxies}
}

func examineSettings(variables map[string]string) *Examination {
	settings := maps.Clone(sound)
	maps.Copy(settings, variables)
	e := &Examination{lookup: func(name string) (string, bool) {
		value, found := settings[name]
		return value, found
	}}
	e.environment()
	e.topology()
	return e
}

// TestBlockingSettings: in production every violated rule of the environment is a blocking finding, and no
// finding shows a value.
func TestBlockingSettings(t *testing.T) {
	t.Parallel()
	if got := examineSettings(nil).blocks(); len(got) != 0 {
		t.Fatalf("doctor on sound settings: %v block, want none", got)
	}
	tried := make(map[string]bool)
	for _, c := range blocking {
		tried[c.code] = true
		e := examineSettings(c.variables)
		if got := e.blocks(); !slices.Equal(got, []string{c.code}) {
			t.Errorf("doctor with %v: %v block, want %s", c.variables, got, c.code)
		}
		for _, f := range e.Findings {
			if strings.Contains(f.Message, "marked") {
				t.Errorf("doctor with %v shows a value: %s", c.variables, f.Message)
			}
		}
	}
	source, err := os.ReadFile("../../../services/environment/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`Error\("([A-Z_]+)"\)`).FindAllStringSubmatch(string(source), -1) {
		if !tried[match[1]] {
			t.Errorf("no settings here break the rule of %s", match[1])
		}
	}
}

// TestBlockingSandbox: a kernel that cannot confine modules is a blocking finding in production, and a
// warning in development.
func TestBlockingSandbox(t *testing.T) {
	t.Parallel()
	whole := process.SandboxReport{Landlock: 1, Seccomp: true}
	for _, c := range []struct {
		report     process.SandboxReport
		production bool
		want       []string
	}{
		{whole, true, nil},
		{process.SandboxReport{Seccomp: true}, true, []string{"MODULE_SANDBOX_UNAVAILABLE"}},
		{process.SandboxReport{Landlock: 7}, true, []string{"MODULE_SANDBOX_UNAVAILABLE"}},
		{process.SandboxReport{}, false, nil},
	} {
		e := &Examination{}
		e.Settings.Production = c.production
		e.sandbox(c.report)
		if got := e.blocks(); !slices.Equal(got, c.want) {
			t.Errorf("doctor with %+v, production %v: %v block, want %v", c.report, c.production, got, c.want)
		}
	}
}

// blocks returns the codes of the blocking findings.
func (e *Examination) blocks() []string {
	var codes []string
	for _, f := range e.Findings {
		if f.Level == LevelBlocking {
			codes = append(codes, f.Code)
		}
	}
	return codes
}
