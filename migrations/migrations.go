// Package migrations owns the schema: Core's SQL files, the ledger of applied files, and the migrator that
// brings Core and every present module up to date.
//
// Core and each module have a line of files. The history of a line is strict: an applied file must not change
// or disappear, and no earlier file may be added. All histories are checked before anything is applied. Each
// file is applied once, however many migrators run: the lock on the ledger's table decides.
//
// Core's files run as the user of DATABASE_URL, each in one transaction with its ledger row. A module's files
// run on a connection of the module's own role, which owns the module's schema and nothing else. So ledger
// and module commit separately. The ledger says "applying" before and "applied" after, and the module's
// transaction writes a marker into a table in the module's schema. When the migrator dies between the two
// commits, the next run finds out by the marker whether the file was applied.
package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// CoreLine is the id of Core's line; no module may have this id.
const CoreLine = "core"

// Line contains the files of Core or of one module, by version: 1, 2, 3, without gaps.
type Line struct {
	ID    string
	Files []File
}

// File is one migration. Its SQL contains any number of statements, but none that begins or ends a
// transaction.
type File struct {
	Version int    // 12 for 0012_seats.sql
	Name    string // seats for 0012_seats.sql
	SQL     []byte
	// after runs after the SQL, in the same transaction; nil: nothing does. Only Core's files have it.
	after func(context.Context, pgx.Tx) error
}

// name returns the file's name: 0012_seats.sql.
func (f File) name() string { return fmt.Sprintf("%04d_%s.sql", f.Version, f.Name) }

// checksum returns the SHA-256 of the file's bytes, in hexadecimal. Even a changed line ending changes it.
func (f File) checksum() string {
	sum := sha256.Sum256(f.SQL)
	return hex.EncodeToString(sum[:])
}

//go:embed core/*.sql
var coreFiles embed.FS

// Core returns the files that are built into this program.
func Core() (Line, error) {
	folder, err := fs.Sub(coreFiles, "core")
	if err != nil {
		return Line{}, fail(ErrFiles, err)
	}
	files, err := Read(folder)
	for i := range files {
		if files[i].Name == peopleWords {
			files[i].after = makeAllWords
		}
	}
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
