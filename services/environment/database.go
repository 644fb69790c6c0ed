package environment

import (
	"crypto/x509"
	"encoding/pem"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Database defines where PostgreSQL is and how connections to it are made. It is read only from DATABASE_URL
// and the two transport variables, never from PG* variables or service files.
type Database struct {
	Servers         []DatabaseServer // at least one; one of them accepts writes
	Writable        bool             // a session on a server that accepts no writes is refused
	User            string
	Password        Secret
	Name            string
	ApplicationName string
	ConnectTimeout  time.Duration // for each server; 0: the default of the database service
	TLSMode         TLSMode
	CA              []*x509.Certificate // trusted in addition to the system store
	Connections     int                 // the most that a process opens; 0: the default of the database service
	Pooled          bool                // a pooler gives the server's sessions out for one transaction each
}

// DatabaseServer is where one PostgreSQL server listens.
type DatabaseServer struct {
	Host string // a name or an address, never a socket path
	Port uint16
}

// mostServers is how many servers DATABASE_URL may name.
const mostServers = 8

// TLSMode defines how the connection is protected. There are no other modes.
type TLSMode uint8

// The two modes.
const (
	VerifyFull TLSMode = iota // chain and host name are verified; no fallback to plaintext
	DisableTLS                // refused in production, for a loopback server too
)

func readDatabaseURL(in input, out *Settings) Error {
	// net/url supports only one host, so the list is removed first
	text, list := splitHosts(in.value)
	parsed, err := url.Parse(text)
	if err != nil || (parsed.Scheme != "postgres" && parsed.Scheme != "postgresql") || parsed.Opaque != "" ||
		parsed.Fragment != "" || parsed.User == nil || strings.ContainsRune(in.value, 0) {
		return ErrDatabaseURL
	}
	query, err := url.ParseQuery(parsed.RawQuery)
	if err != nil {
		return ErrDatabaseURL
	}
	for key := range query {
		if isTLSParameter(key) {
			return ErrDatabaseURLTLSParameter
		}
	}
	database := &out.Database
	for key, values := range query {
		if len(values) != 1 || !database.setParameter(key, values[0]) {
			return ErrDatabaseURL
		}
	}
	password, _ := parsed.User.Password()
	database.User, database.Password = parsed.User.Username(), NewSecret(password)
	database.Name = strings.TrimPrefix(parsed.Path, "/")
	if database.User == "" || database.Name == "" || strings.Contains(database.Name, "/") ||
		!database.setServers(list) {
		return ErrDatabaseURL
	}
	return ""
}

// splitHosts replaces the list of hosts and ports in a URL by a single host, and returns both.
func splitHosts(text string) (single, hosts string) {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return text, ""
	}
	end := len(rest)
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		end = at
	}
	begin := strings.LastIndexByte(rest[:end], '@') + 1
	return scheme + "://" + rest[:begin] + "host" + rest[end:], rest[begin:end]
}

// setServers reads hosts and ports, which commas separate. Several of them are a primary and its standbys.
func (d *Database) setServers(list string) bool {
	each := strings.Split(list, ",")
	if len(each) > mostServers {
		return false
	}
	for _, text := range each {
		server, ok := parseServer(text)
		if !ok {
			return false
		}
		d.Servers = append(d.Servers, server)
	}
	d.Writable = d.Writable || len(each) > 1
	return true
}

func parseServer(text string) (server DatabaseServer, ok bool) {
	parsed, err := url.Parse("postgres://" + text)
	if err != nil || parsed.Host != text || !isHost(parsed.Hostname()) {
		return DatabaseServer{}, false
	}
	server = DatabaseServer{Host: parsed.Hostname(), Port: 5432}
	if port := parsed.Port(); port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number == 0 {
			return DatabaseServer{}, false
		}
		server.Port = uint16(number)
	}
	return server, true
}

func (d *Database) setParameter(key, value string) bool {
	switch key {
	case "application_name":
		d.ApplicationName = value
		return value != ""
	case "connect_timeout":
		seconds, err := strconv.ParseUint(value, 10, 16)
		d.ConnectTimeout = time.Duration(seconds) * time.Second
		return err == nil && seconds > 0
	case "target_session_attrs":
		d.Writable = true
		return value == "read-write"
	}
	return false
}

// isTLSParameter reports whether key is one of the URL parameters with which libpq and its drivers weaken or
// redirect the transport.
func isTLSParameter(key string) bool {
	key = strings.ToLower(key)
	return strings.HasPrefix(key, "ssl") || strings.HasPrefix(key, "tls") || strings.HasPrefix(key, "gss") ||
		key == "requiressl" || key == "channel_binding"
}

func isHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return !(r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r &&
			r <= 'Z')
	})
}

func readDatabaseTLSMode(in input, out *Settings) Error {
	switch {
	case in.value == "verify-full", !in.set && in.production:
		out.Database.TLSMode = VerifyFull
	case in.value == "disable" && in.production:
		return ErrDatabaseTLSRequired
	case in.value == "disable", !in.set:
		out.Database.TLSMode = DisableTLS
	default:
		return ErrDatabaseTLSMode
	}
	return ""
}

// The limits of SERVICE_DATABASE_CONNECTIONS.
const fewestConnections, mostConnections = 8, 200

func readDatabaseConnections(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	number, err := strconv.ParseUint(in.value, 10, 8)
	if err != nil || number < fewestConnections || number > mostConnections {
		return ErrDatabaseConnections
	}
	out.Database.Connections = int(number)
	return ""
}

func readDatabasePooler(in input, out *Settings) Error {
	if in.set && in.value != "transaction" {
		return ErrDatabasePooler
	}
	out.Database.Pooled = in.set
	return ""
}

func readDatabaseCA(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	for rest := []byte(in.value); len(strings.TrimSpace(string(rest))) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return ErrDatabaseCA
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return ErrDatabaseCA
		}
		out.Database.CA = append(out.Database.CA, certificate)
	}
	return ""
}
