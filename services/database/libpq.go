package database

import (
	"bytes"
	"encoding/pem"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
)

// LibpqEnvironment returns the variables with which PostgreSQL's own programs (pg_dump, pg_restore, psql)
// connect as Config does: the same servers, transport and authorities. The program must get no other PG*
// variables. For a verified transport it writes the file authorities.pem into folder, which must exist as
// long as the program runs. The variables include the password, so they are secret.
func LibpqEnvironment(settings environment.Database, folder string) ([]string, error) {
	hosts, ports := make([]string, len(settings.Servers)), make([]string, len(settings.Servers))
	for i, server := range settings.Servers {
		hosts[i], ports[i] = server.Host, strconv.Itoa(int(server.Port))
	}
	variables := []string{
		"PGHOST=" + strings.Join(hosts, ","), "PGPORT=" + strings.Join(ports, ","),
		"PGUSER=" + settings.User, "PGPASSWORD=" + settings.Password.Reveal(), "PGDATABASE=" + settings.Name,
		"PGCONNECT_TIMEOUT=" + strconv.Itoa(int(connectTimeout(settings)/time.Second)), "PGGSSENCMODE=disable",
		"PGCLIENTENCODING=UTF8",
	}
	if settings.Writable {
		variables = append(variables, "PGTARGETSESSIONATTRS=read-write")
	}
	if settings.TLSMode == environment.DisableTLS {
		return append(variables, "PGSSLMODE=disable"), nil
	}
	file := filepath.Join(folder, "authorities.pem")
	if err := os.WriteFile(file, authorities(settings), 0o600); err != nil {
		return nil, err
	}
	return append(variables, "PGSSLMODE=verify-full", "PGSSLROOTCERT="+file), nil
}

// authorities returns the system's authorities and the given ones as PEM text. libpq reads only one file, and
// only since version 16 can it use the system's authorities.
func authorities(settings environment.Database) []byte {
	var text bytes.Buffer
	for _, bundle := range systemBundles() {
		if known, err := os.ReadFile(bundle); err == nil {
			text.Write(known)
			text.WriteByte('\n')
			break
		}
	}
	for _, authority := range settings.CA {
		_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw}) // cannot fail in memory
	}
	return text.Bytes()
}

// systemBundles returns the files in which Go looks for the system's authorities too. The first one that
// exists is used.
func systemBundles() []string {
	if file := os.Getenv("SSL_CERT_FILE"); file != "" {
		return []string{file}
	}
	return []string{
		"/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Arch
		"/etc/pki/tls/certs/ca-bundle.crt",   // Fedora, RHEL
		"/etc/ssl/ca-bundle.pem",             // openSUSE
		"/etc/ssl/cert.pem",                  // Alpine
	}
}
