package environment

import (
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
)

// input is the argument of a row's read function.
type input struct {
	value      string
	set        bool
	production bool
}

// row is one variable. read stores a valid value and returns "", or returns the code of the broken rule.
type row struct {
	name        string
	section     Section
	blankCounts bool   // a blank value counts as set
	fallback    string // the default, for the reference page; "": none
	meaning     string // for the reference page
	read        func(in input, out *Settings) Error
}

// table has the order in which findings are reported. A row that depends on another comes after it.
var table = []row{
	{
		name: "DATABASE_URL", section: DatabaseSection, read: readDatabaseURL,
		meaning: "`postgres://` URL of the migrated database. Several hosts, separated by commas and at most 8, " +
			"are a primary and its standbys ([failover.md](../operations/failover.md)). Parameters allowed: " +
			"`application_name`, `connect_timeout`, and `target_session_attrs=read-write`, which several hosts " +
			"imply",
	},
	{
		name: "SERVICE_DATABASE_TLS_MODE", section: DatabaseSection, read: readDatabaseTLSMode,
		fallback: "`verify-full`, in development `disable`",
		meaning:  "`verify-full` or `disable`; production refuses `disable`",
	},
	{
		name: "SERVICE_DATABASE_CA", section: DatabaseSection, read: readDatabaseCA,
		meaning: "PEM text of a private authority, trusted beside the system's",
	},
	{
		name: "SERVICE_DATABASE_CONNECTIONS", section: DatabaseSection, read: readDatabaseConnections,
		fallback: "`40`, or 16 and one for each module with a database",
		meaning: "the most connections that one process opens, modules included: 8 to 200 " +
			"([several-processes.md](../operations/several-processes.md#the-database))",
	},
	{
		name: "SERVICE_DATABASE_POOLER", section: DatabaseSection, read: readDatabasePooler,
		meaning: "`transaction`: `DATABASE_URL` names PgBouncer or alike in transaction mode " +
			"([poolers.md](../operations/poolers.md))",
	},
	{
		name: "SERVICE_MODULES_DIR", section: ModulesSection, blankCounts: true, read: readModulesDir,
		fallback: "`./modules`",
		meaning:  "absolute path of the installed modules; it must exist when it is set",
	},
	{
		name: "SERVICE_MODULE_SIGNERS", section: ModulesSection, blankCounts: true, read: readModuleSigners,
		meaning: "absolute path of an OpenSSH `allowed_signers` file; set: `modules:install` takes signed " +
			"packages alone",
	},
	{
		name: "SERVICE_API_HOST", section: ServerSection, read: readAPIHost,
		fallback: "`127.0.0.1`",
		meaning:  "listen address",
	},
	{
		name: "SERVICE_API_PORT", section: ServerSection, read: readAPIPort,
		fallback: "`3000`",
		meaning:  "0 to 65535; 0 takes a free port",
	},
	{
		name: "SERVICE_IDLE_EXIT_MINUTES", section: ServerSection, read: readIdleExit,
		meaning: "5 to 1440: ends the process when nobody has used it for so long; only with a socket of systemd " +
			"([many-houses.md](../operations/many-houses.md)); unset: never",
	},
	{
		name: "SERVICE_CLIENT_ADDRESS_MODE", section: ServerSection, read: readClientAddressMode,
		fallback: "`direct`",
		meaning:  "`direct` or `trusted-proxy`",
	},
	{
		name: "SERVICE_CLIENT_ADDRESS_HEADER", section: ServerSection, read: readClientAddressHeader,
		meaning: "the forwarded header that the proxy overwrites; only with `trusted-proxy`",
	},
	{
		name: "SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES", section: ServerSection, read: readTrustedProxies,
		meaning: "addresses or ranges of the proxies, comma-separated; only with `trusted-proxy`",
	},
	{
		name: "SERVICE_IDENTITY_SECRET", section: IdentitySection, read: readIdentitySecret,
		meaning: "at least 32 random characters; signs session cookies",
	},
	{
		name: "SERVICE_IDENTITY_SECRET_PREVIOUS", section: IdentitySection, read: readPreviousIdentitySecret,
		meaning: "the secret before, while it is being replaced",
	},
	{
		name: "SERVICE_IDENTITY_BASE_URL", section: IdentitySection, read: readIdentityBaseURL,
		meaning: "the API's origin, without a path; public https in production",
	},
	{
		name: "SERVICE_IDENTITY_TRUSTED_ORIGINS", section: IdentitySection, read: readTrustedOrigins,
		meaning: "further origins whose pages may write, comma-separated",
	},
	{
		name: "SERVICE_DASHBOARD_ORIGIN", section: IdentitySection, read: readDashboardOrigin,
		meaning: "the Dashboard's origin where it is not the API's",
	},
	{
		name: "SERVICE_PUBLIC_SIGNUP_ENABLED", section: IdentitySection, read: readPublicSignUp,
		fallback: "`false`",
		meaning:  "`true` lets everybody sign up; development only",
	},
	{
		name: "OBJECT_STORAGE_ENDPOINT", section: HostSection, read: readStorageEndpoint,
		meaning: "URL of the S3 service; unset: no object storage",
	},
	{
		name: "OBJECT_STORAGE_ACCESS_KEY", section: HostSection, read: readStorageAccessKey,
		meaning: "its access key",
	},
	{
		name: "OBJECT_STORAGE_SECRET_KEY", section: HostSection, read: readStorageSecretKey,
		meaning: "its secret key",
	},
	{
		name: "OBJECT_STORAGE_REGION", section: HostSection, read: readStorageRegion,
		fallback: "`us-east-1`",
		meaning:  "its region",
	},
	{
		name: "OBJECT_STORAGE_FORCE_PATH_STYLE", section: HostSection, read: readStoragePathStyle,
		fallback: "`true`",
		meaning:  "`false` for services that name buckets in the host",
	},
	{
		name: "OBJECT_STORAGE_BUCKET_PREFIX", section: HostSection, read: readStoragePrefix,
		fallback: "`narthex`",
		meaning:  "beginning of all bucket names of this installation",
	},
	{
		name: "OBJECT_STORAGE_DELIVERY_ENDPOINT", section: HostSection, read: readStorageDelivery,
		fallback: "the endpoint",
		meaning:  "origin on which browsers reach the storage",
	},
	{
		name: "STATE_DIRECTORY", section: HostSection, read: readSpool,
		meaning: "set by systemd: where uploads of modules wait on disk",
	},
	{
		name: "CACHE_DIRECTORY", section: HostSection, read: readSpool,
		fallback: "the temporary directory",
		meaning:  "set by systemd: the same, where there is no state directory",
	},
	{
		name: "SERVICE_SMTP_HOST", section: HostSection, read: readSMTPHost,
		meaning: "mail server; unset: no mail is sent",
	},
	{
		name: "SERVICE_SMTP_SECURITY", section: HostSection, read: readSMTPSecurity,
		fallback: "`starttls`",
		meaning:  "`starttls`, `tls`, or `plaintext` in development",
	},
	{
		name: "SERVICE_SMTP_PORT", section: HostSection, read: readSMTPPort,
		fallback: "587, 465 or 25, by security",
		meaning:  "port of the mail server",
	},
	{
		name: "SERVICE_SMTP_USERNAME", section: HostSection, read: readSMTPUsername,
		meaning: "account; with a password or not at all",
	},
	{
		name: "SERVICE_SMTP_PASSWORD", section: HostSection, read: readSMTPPassword,
		meaning: "its password",
	},
	{
		name: "SERVICE_SMTP_FROM", section: HostSection, read: readSMTPFrom,
		meaning: "sender of all mails; required with a host",
	},
	{
		name: "SERVICE_SMTP_HELO_NAME", section: HostSection, read: readSMTPHelloName,
		fallback: "the machine's name",
		meaning:  "fully qualified name in the greeting",
	},
	{
		name: "SERVICE_REALTIME_NATS_URL", section: HostSection, read: readNATS,
		meaning: "NATS server, or several comma-separated; unset: updates stay in this process",
	},
	{
		name: "SERVICE_METRICS_ADDRESS", section: HostSection, read: readMetricsAddress,
		meaning: "loopback address or Unix socket for metrics",
	},
}

// Variable is the entry of one variable in docs/reference/environment.md, in Markdown.
type Variable struct {
	Name    string
	Default string // "" for none
	Meaning string
}

// Variables lists every variable that the platform reads, except NODE_ENV and the modules' own.
func Variables() []Variable {
	variables := make([]Variable, len(table))
	for i, r := range table {
		variables[i] = Variable{Name: r.name, Default: r.fallback, Meaning: r.meaning}
	}
	return variables
}

func readModulesDir(in input, out *Settings) Error {
	if !in.set {
		out.Modules.Dir = "modules"
		return ""
	}
	if !filepath.IsAbs(in.value) || strings.ContainsRune(in.value, 0) {
		return ErrModulesDirectory
	}
	out.Modules = Modules{Dir: filepath.Clean(in.value), Explicit: true}
	return ""
}

// readModuleSigners refuses a blank value: it would disable the check of signatures.
func readModuleSigners(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	if !filepath.IsAbs(in.value) || strings.ContainsRune(in.value, 0) {
		return ErrModuleSigners
	}
	out.Modules.Signers = filepath.Clean(in.value)
	return ""
}

func readAPIHost(in input, out *Settings) Error {
	out.Server.Host = "127.0.0.1"
	if !in.set {
		return ""
	}
	if _, err := netip.ParseAddr(in.value); err != nil && in.value != "localhost" {
		return ErrAPIHost
	}
	out.Server.Host = in.value
	return ""
}

func readAPIPort(in input, out *Settings) Error {
	out.Server.Port = 3000
	if !in.set {
		return ""
	}
	port, ok := parsePort(in.value)
	if !ok {
		return ErrAPIPort
	}
	out.Server.Port = port
	return ""
}

func readIdleExit(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	minutes, err := strconv.Atoi(in.value)
	out.Server.IdleExitMinutes = minutes
	return unless(err == nil && strconv.Itoa(minutes) == in.value && minutes >= 5 && minutes <= 24*60,
		ErrIdleExit)
}

// parsePort accepts 0 to 65535 in decimal digits without a leading zero or sign.
func parsePort(text string) (port uint16, ok bool) {
	number, err := strconv.ParseUint(text, 10, 16)
	return uint16(number), err == nil && strconv.FormatUint(number, 10) == text
}

func readIdentitySecret(in input, out *Settings) Error {
	if !highEntropy(in.value) {
		return ErrIdentitySecret
	}
	out.Identity.Secret = NewSecret(in.value)
	return ""
}

// readPreviousIdentitySecret refuses the current secret: otherwise an operator who forgot to change the
// secret would not notice.
func readPreviousIdentitySecret(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	if !highEntropy(in.value) || in.value == out.Identity.Secret.Reveal() {
		return ErrIdentitySecret
	}
	out.Identity.PreviousSecret = NewSecret(in.value)
	return ""
}

func readIdentityBaseURL(in input, out *Settings) Error {
	origin, ok := ParseOrigin(in.value, in.production)
	if !ok {
		return ErrIdentityBaseURL
	}
	out.Identity.BaseURL = origin
	out.Identity.Dashboard = origin
	return ""
}

func readTrustedOrigins(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	for part := range strings.SplitSeq(in.value, ",") {
		origin, ok := ParseOrigin(strings.TrimSpace(part), in.production)
		if !ok {
			return ErrTrustedOrigins
		}
		out.Identity.TrustedOrigins = append(out.Identity.TrustedOrigins, origin)
	}
	return ""
}

func readDashboardOrigin(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	origin, ok := ParseOrigin(in.value, in.production)
	if !ok {
		return ErrDashboardOrigin
	}
	out.Identity.Dashboard = origin
	return ""
}

func readPublicSignUp(in input, out *Settings) Error {
	switch {
	case !in.set || in.value == "false":
		return ""
	case in.value != "true":
		return ErrPublicSignUp
	case in.production:
		return ErrPublicSignUpInProduction
	}
	out.Identity.PublicSignUp = true
	return ""
}
