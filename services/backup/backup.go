// Package backup writes, checks and restores backups: one file with the data of a whole installation
// (docs/operations/backup.md).
//
// A backup is a tar. It begins with the database's dumps, Core's and then each module's, divided into parts
// of 4 MiB. The objects of the modules' buckets follow. The last entry is manifest.json, which lists every
// part with its SHA-256, and the number of rows of each table in the same snapshot. A file without a manifest
// is incomplete. With recipients the whole tar is encrypted by age. Only one part and the manifest are kept
// in memory.
//
// Rows that give access are left out: sessions, mailed links, invitations, pairing requests of screens, and
// the passwords of the modules' database roles. A restore makes new passwords for the roles.
package backup

import (
	"strings"
	"time"
)

// formatVersion is the version of the file's layout. A program refuses a newer one.
const formatVersion = 1

// Manifest is the last part of a backup.
type Manifest struct {
	Format    int       `json:"format"`
	CreatedAt time.Time `json:"createdAt"`
	Platform  string    `json:"platform"`   // version of the program that wrote it
	Server    int       `json:"postgresql"` // version, as server_version_num
	Modules   []Module  `json:"modules"`    // that have a schema, installed or not
	Tables    []Table   `json:"tables"`
	Parts     []Part    `json:"parts"` // in the order of the file
	// WithoutObjects is true if the buckets were left out on request.
	WithoutObjects bool `json:"withoutObjects"`
	// Vanished counts the objects that were deleted while the backup copied the buckets.
	Vanished int `json:"vanished"`
}

// Module is a module whose tables are in the backup.
type Module struct {
	ID     string `json:"id"`
	Schema string `json:"schema"`
}

// Table is a table with its number of rows.
type Table struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
}

// Part is one entry of the tar.
type Part struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// Type is the media type of an object.
	Type string `json:"type,omitempty"`
}

// The names of the parts.
const (
	manifestName = "manifest.json"
	coreFolder   = "database/core/"    // followed by a number
	moduleFolder = "database/modules/" // followed by the module's id, "/" and a number
	objectFolder = "objects/"          // followed by module, bucket and key
)

// Rows returns the number of rows of all tables.
func (m Manifest) Rows() (rows int64) {
	for _, table := range m.Tables {
		rows += table.Rows
	}
	return rows
}

// Objects returns the number of objects.
func (m Manifest) Objects() (objects int) {
	for _, part := range m.Parts {
		if strings.HasPrefix(part.Name, objectFolder) {
			objects++
		}
	}
	return objects
}

// Bytes returns the size of all parts together.
func (m Manifest) Bytes() (bytes int64) {
	for _, part := range m.Parts {
		bytes += part.Size
	}
	return bytes
}
