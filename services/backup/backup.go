// Package backup owns the file that a whole installation fits into: how it is written, checked and brought
// back (docs/operations/backup.md).
//
// A backup is a tar. First come the database's dumps, Core's and then each module's, cut into parts of 4 MiB;
// then the objects of the modules' buckets; last manifest.json, which names every part with its SHA-256, and
// says how many rows each table had in the same snapshot. A file without its manifest has broken off. With
// recipients the whole tar is encrypted by age. Nothing is held in memory but one part and the manifest.
//
// What lets somebody in is left out, row by row: sessions, mailed links, requests of screens to be paired,
// and the passwords of the modules' database roles. Restoring makes new ones.
package backup

import (
	"strings"
	"time"
)

// formatVersion is that of the layout. A program refuses a newer one.
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
	// WithoutObjects: the buckets were left out on purpose.
	WithoutObjects bool `json:"withoutObjects"`
	// Vanished counts the objects that somebody deleted while they were copied.
	Vanished int `json:"vanished"`
}

// Module is one whose tables are in the backup.
type Module struct {
	ID     string `json:"id"`
	Schema string `json:"schema"`
}

// Table is one with its rows.
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
	coreFolder   = "database/core/"    // and a number
	moduleFolder = "database/modules/" // and the module's id, and a number
	objectFolder = "objects/"          // and module, bucket and key
)

// Rows is how many the tables have.
func (m Manifest) Rows() (rows int64) {
	for _, table := range m.Tables {
		rows += table.Rows
	}
	return rows
}

// Objects is how many there are.
func (m Manifest) Objects() (objects int) {
	for _, part := range m.Parts {
		if strings.HasPrefix(part.Name, objectFolder) {
			objects++
		}
	}
	return objects
}

// Bytes is the size of all parts.
func (m Manifest) Bytes() (bytes int64) {
	for _, part := range m.Parts {
		bytes += part.Size
	}
	return bytes
}
