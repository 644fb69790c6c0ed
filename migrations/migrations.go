// Package migrations owns the schema: Core's own SQL files, the ledger of what has been applied, and the migrator that brings Core and
// every present module up to date.
//
// There is one line of files for Core and one for each module. A line's history is strict: a file that has been applied may never
// change, disappear or be joined by an earlier one. Everything is checked before anything is applied, and each file is applied once,
// whoever runs at the same time: the ledger's table lock decides (architecture.md §6).
//
// Core's files run as the user of DATABASE_URL, each in one transaction with its ledger row. A module's files run on a connection of
// the module's own role, which owns the module's schema and nothing else. Ledger and module then commit apart, so the ledger says
// "applying" before, "applied" after, and a marker that the module's transaction writes beside its own tables decides what happened
// when the migrator died between the two.
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"regexp"
	"strconv"
)

// CoreLine is the id of Core's own line; no module may bear it.
const CoreLine = "core"

// Line is the files of Core or of one module, by version: 1, 2, 3, without gaps.
type Line struct {
	ID    string
	Files []File
}

// File is one migration. Its SQL holds any number of statements, but none that begins or ends a transaction.
type File struct {
	Version int    // 12 for 0012_seats.sql
	Name    string // seats for 0012_seats.sql
	SQL     []byte
}

// checksum covers the bytes as they are: a changed line ending is a change.
func (f File) checksum() string {
	sum := sha256.Sum256(f.SQL)
	return hex.EncodeToString(sum[:])
}

//go:embed core/*.sql
var coreFiles embed.FS

// Core returns the files that this build carries.
func Core() (Line, error) {
	folder, err := fs.Sub(coreFiles, "core")
	if err != nil {
		return Line{}, fail(ErrFiles, err)
	}
	files, err := Read(folder)
	return Line{ID: CoreLine, Files: files}, err
}

var fileName = regexp.MustCompile(`^([0-9]{4})_([a-z0-9]+(?:[_-][a-z0-9]+)*)\.sql$`)

// Read reads a folder of NNNN_name.sql files that start at 0001 and leave no gap. Its error is ErrFiles.
func Read(folder fs.FS) ([]File, error) {
	entries, err := fs.ReadDir(folder, ".") // sorted by name, thus by version
	if err != nil {
		return nil, fail(ErrFiles, err)
	}
	files := make([]File, 0, len(entries))
	for _, entry := range entries {
		match := fileName.FindStringSubmatch(entry.Name())
		if match == nil || !entry.Type().IsRegular() {
			return nil, ErrFiles
		}
		version, _ := strconv.Atoi(match[1])
		if version != len(files)+1 {
			return nil, ErrFiles
		}
		content, err := fs.ReadFile(folder, entry.Name())
		if err != nil {
			return nil, fail(ErrFiles, err)
		}
		files = append(files, File{Version: version, Name: match[2], SQL: content})
	}
	return files, nil
}
