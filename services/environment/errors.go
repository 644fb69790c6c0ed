package environment

import (
	"slices"
	"strings"
)

// Error is the stable code of one broken rule of the table.
type Error string

// Error returns the code and a sentence that says what to do. It never contains a value.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes (docs/reference/error-codes.md).
const (
	ErrDatabaseURL              = Error("DATABASE_URL_INVALID")
	ErrDatabaseURLTLSParameter  = Error("DATABASE_URL_TLS_PARAMETER")
	ErrDatabaseTLSMode          = Error("DATABASE_TLS_MODE_INVALID")
	ErrDatabaseTLSRequired      = Error("DATABASE_TLS_REQUIRED")
	ErrDatabaseCA               = Error("DATABASE_CA_INVALID")
	ErrDatabaseConnections      = Error("DATABASE_CONNECTIONS_INVALID")
	ErrDatabasePooler           = Error("DATABASE_POOLER_INVALID")
	ErrModulesDirectory         = Error("MODULES_DIRECTORY_INVALID")
	ErrModuleSigners            = Error("MODULE_SIGNERS_INVALID")
	ErrAPIHost                  = Error("API_HOST_INVALID")
	ErrAPIPort                  = Error("API_PORT_INVALID")
	ErrClientAddress            = Error("CLIENT_ADDRESS_CONFIGURATION_INVALID")
	ErrIdleExit                 = Error("IDLE_EXIT_INVALID")
	ErrIdentitySecret           = Error("IDENTITY_SECRET_INVALID")
	ErrIdentityBaseURL          = Error("IDENTITY_BASE_URL_INVALID")
	ErrTrustedOrigins           = Error("TRUSTED_ORIGINS_INVALID")
	ErrDashboardOrigin          = Error("DASHBOARD_ORIGIN_INVALID")
	ErrPublicSignUp             = Error("PUBLIC_SIGNUP_ENABLED_INVALID")
	ErrPublicSignUpInProduction = Error("PUBLIC_SIGNUP_UNSUPPORTED_IN_PRODUCTION")
	ErrObjectStorage            = Error("OBJECT_STORAGE_CONFIGURATION_INVALID")
	ErrSMTP                     = Error("SMTP_CONFIGURATION_INVALID")
	ErrRealtime                 = Error("REALTIME_CONFIGURATION_INVALID")
	ErrMetricsAddress           = Error("METRICS_ADDRESS_INVALID")
)

func (e Error) sentence() string {
	switch e {
	case ErrDatabaseURL:
		return "DATABASE_URL must be a postgres:// URL with user, host and database name, or at most 8 hosts " +
			"separated by commas; only application_name, connect_timeout and target_session_attrs=read-write " +
			"may follow the question mark."
	case ErrDatabaseURLTLSParameter:
		return "DATABASE_URL must not carry TLS parameters; set SERVICE_DATABASE_TLS_MODE and " +
			"SERVICE_DATABASE_CA instead."
	case ErrDatabaseTLSMode:
		return "SERVICE_DATABASE_TLS_MODE must be verify-full or disable."
	case ErrDatabaseTLSRequired:
		return "SERVICE_DATABASE_TLS_MODE must not be disable in production, not even for a database on this " +
			"machine."
	case ErrDatabaseCA:
		return "SERVICE_DATABASE_CA must be the PEM text of one or more certificates."
	case ErrDatabasePooler:
		return "SERVICE_DATABASE_POOLER must be transaction; remove it where DATABASE_URL names the server " +
			"itself, or a pooler in session mode."
	case ErrDatabaseConnections:
		return "SERVICE_DATABASE_CONNECTIONS must be a whole number from 8 to 200."
	case ErrModulesDirectory:
		return "SERVICE_MODULES_DIR must be the absolute path of an existing directory, or not be set at all."
	case ErrModuleSigners:
		return "SERVICE_MODULE_SIGNERS must be the absolute path of an allowed_signers file, or not be set at all."
	case ErrAPIHost:
		return "SERVICE_API_HOST must be an IP address or localhost."
	case ErrAPIPort:
		return "SERVICE_API_PORT must be a whole number from 0 to 65535."
	case ErrIdleExit:
		return "SERVICE_IDLE_EXIT_MINUTES must be a whole number from 5 to 1440, or not be set at all."
	case ErrClientAddress:
		return "SERVICE_CLIENT_ADDRESS_MODE must be direct or trusted-proxy; trusted-proxy needs " +
			"SERVICE_CLIENT_ADDRESS_HEADER, " +
			"the name of one header that holds addresses alone (X-Forwarded-For; not Forwarded or Host), and " +
			"SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES, addresses or CIDR ranges of the proxies, never all addresses."
	case ErrIdentitySecret:
		return "SERVICE_IDENTITY_SECRET must be at least 32 random characters, for example the output of: " +
			"openssl rand " +
			"-base64 32; SERVICE_IDENTITY_SECRET_PREVIOUS, if set, must be another such value."
	case ErrIdentityBaseURL:
		return "SERVICE_IDENTITY_BASE_URL must be one origin such as https://church.example.org, without a " +
			"path or a trailing slash; production needs https and a public host name."
	case ErrTrustedOrigins:
		return "SERVICE_IDENTITY_TRUSTED_ORIGINS must be a comma-separated list of origins, each as " +
			"SERVICE_IDENTITY_BASE_URL, without wildcards."
	case ErrDashboardOrigin:
		return "SERVICE_DASHBOARD_ORIGIN must be one origin, as SERVICE_IDENTITY_BASE_URL, or not be set at all."
	case ErrPublicSignUp:
		return "SERVICE_PUBLIC_SIGNUP_ENABLED must be true, false or not set."
	case ErrPublicSignUpInProduction:
		return "SERVICE_PUBLIC_SIGNUP_ENABLED must not be true in production; create the first person with " +
			"identity:create-initial-owner."
	case ErrObjectStorage:
		return "OBJECT_STORAGE_ENDPOINT must be an http or https URL without credentials (https in " +
			"production), with OBJECT_STORAGE_ACCESS_KEY and OBJECT_STORAGE_SECRET_KEY; check the other " +
			"OBJECT_STORAGE_ variables too."
	case ErrSMTP:
		return "SERVICE_SMTP_HOST needs SERVICE_SMTP_FROM; SERVICE_SMTP_SECURITY must be starttls, tls or, " +
			"outside production, plaintext; user name and password come together; SERVICE_SMTP_HELO_NAME must be " +
			"a full domain name."
	case ErrRealtime:
		return "SERVICE_REALTIME_NATS_URL must be one or more nats:// or tls:// URLs, joined by commas and " +
			"all of one kind; production needs " +
			"tls unless the servers are on this machine."
	case ErrMetricsAddress:
		return "SERVICE_METRICS_ADDRESS must be a loopback address with a port, such as 127.0.0.1:9100, or " +
			"the absolute path of a Unix socket."
	}
	return "The configuration is not valid."
}

// Finding is one broken rule.
type Finding struct {
	code  Error
	unset []string // variables that the rule needs and that are unset
}

// Error returns the code, its sentence, and the names of the missing variables. It never contains a value.
func (f Finding) Error() string {
	if len(f.unset) == 0 {
		return f.code.Error()
	}
	verb := " is not set. "
	if len(f.unset) > 1 {
		verb = " are not set. "
	}
	return f.Code() + ": " + strings.Join(f.unset, " and ") + verb + f.code.sentence()
}

// Code returns the stable code.
func (f Finding) Code() string { return f.code.Code() }

func (f Finding) Unwrap() error { return f.code }

// Findings are all broken rules of one start, in the table's order.
type Findings []Finding

// add records a broken rule. Several rows may share a code, which is reported once.
func (f Findings) add(code Error, variable string, set bool) Findings {
	i := slices.IndexFunc(f, func(known Finding) bool { return known.code == code })
	if i < 0 {
		i, f = len(f), append(f, Finding{code: code})
	}
	if !set {
		f[i].unset = append(f[i].unset, variable)
	}
	return f
}

// Error lists the findings, one line each.
func (f Findings) Error() string {
	lines := make([]string, len(f))
	for i, finding := range f {
		lines[i] = finding.Error()
	}
	return strings.Join(lines, "\n")
}

// Code returns the first finding's code.
func (f Findings) Code() string { return f[0].Code() }
