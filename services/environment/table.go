package environment

import (
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
)

// input is what one row gets to see.
type input struct {
	value      string
	set        bool
	production bool
}

// row is one variable. read stores a valid value and returns "", or returns the code of the broken rule.
type row struct {
	name        string
	section     Section
	blankCounts bool // a set but blank value is a value
	read        func(in input, out *Settings) Error
}

// table is in the order in which findings are reported. A row that is required or defaulted by another stands behind it.
var table = []row{
	{name: "DATABASE_URL", section: DatabaseSection, read: readDatabaseURL},
	{name: "SERVICE_DATABASE_TLS_MODE", section: DatabaseSection, read: readDatabaseTLSMode},
	{name: "SERVICE_DATABASE_CA", section: DatabaseSection, read: readDatabaseCA},
	{name: "SERVICE_MODULES_DIR", section: ModulesSection, blankCounts: true, read: readModulesDir},
	{name: "SERVICE_API_HOST", section: ServerSection, read: readAPIHost},
	{name: "SERVICE_API_PORT", section: ServerSection, read: readAPIPort},
	{name: "SERVICE_CLIENT_ADDRESS_MODE", section: ServerSection, read: readClientAddressMode},
	{name: "SERVICE_CLIENT_ADDRESS_HEADER", section: ServerSection, read: readClientAddressHeader},
	{name: "SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES", section: ServerSection, read: readTrustedProxies},
	{name: "SERVICE_IDENTITY_SECRET", section: IdentitySection, read: readIdentitySecret},
	{name: "SERVICE_IDENTITY_SECRET_PREVIOUS", section: IdentitySection, read: readPreviousIdentitySecret},
	{name: "SERVICE_IDENTITY_BASE_URL", section: IdentitySection, read: readIdentityBaseURL},
	{name: "SERVICE_IDENTITY_TRUSTED_ORIGINS", section: IdentitySection, read: readTrustedOrigins},
	{name: "SERVICE_DASHBOARD_ORIGIN", section: IdentitySection, read: readDashboardOrigin},
	{name: "SERVICE_PUBLIC_SIGNUP_ENABLED", section: IdentitySection, read: readPublicSignUp},
	{name: "OBJECT_STORAGE_ENDPOINT", section: HostSection, read: readStorageEndpoint},
	{name: "OBJECT_STORAGE_ACCESS_KEY", section: HostSection, read: readStorageAccessKey},
	{name: "OBJECT_STORAGE_SECRET_KEY", section: HostSection, read: readStorageSecretKey},
	{name: "OBJECT_STORAGE_REGION", section: HostSection, read: readStorageRegion},
	{name: "OBJECT_STORAGE_FORCE_PATH_STYLE", section: HostSection, read: readStoragePathStyle},
	{name: "OBJECT_STORAGE_BUCKET_PREFIX", section: HostSection, read: readStoragePrefix},
	{name: "OBJECT_STORAGE_DELIVERY_ENDPOINT", section: HostSection, read: readStorageDelivery},
	{name: "STATE_DIRECTORY", section: HostSection, read: readSpool},
	{name: "CACHE_DIRECTORY", section: HostSection, read: readSpool},
	{name: "SERVICE_SMTP_HOST", section: HostSection, read: readSMTPHost},
	{name: "SERVICE_SMTP_SECURITY", section: HostSection, read: readSMTPSecurity},
	{name: "SERVICE_SMTP_PORT", section: HostSection, read: readSMTPPort},
	{name: "SERVICE_SMTP_USERNAME", section: HostSection, read: readSMTPUsername},
	{name: "SERVICE_SMTP_PASSWORD", section: HostSection, read: readSMTPPassword},
	{name: "SERVICE_SMTP_FROM", section: HostSection, read: readSMTPFrom},
	{name: "SERVICE_SMTP_HELO_NAME", section: HostSection, read: readSMTPHelloName},
	{name: "SERVICE_REALTIME_NATS_URL", section: HostSection, read: readNATS},
	{name: "SERVICE_METRICS_ADDRESS", section: HostSection, read: readMetricsAddress},
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

// parsePort takes 0 to 65535 in its one spelling.
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

// readPreviousIdentitySecret refuses the current secret: it would be kept for good by whoever forgot to change it.
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
