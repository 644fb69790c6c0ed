package catalog

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Limits of a module's migrations.
const (
	MaxSQLBytes       = 1 << 20  // one file: 1 MiB
	MaxMigrationBytes = 32 << 20 // all files of a module together: 32 MiB, because they are held in memory
)

// SQLFile is one migration of a module, with the content it had when it was read.
type SQLFile struct {
	Version int    // from 1
	Name    string // the name in NNNN_name.sql
	SQL     []byte // UTF-8, at most 1 MiB
}

var sqlName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{4})_([a-z0-9][a-z0-9_-]{0,99})\.sql$`)
})

// migrations reads the migrations folder. Names that begin with a dot are ignored. Any other file that is
// not a migration is a finding, because it is most likely one with a misspelled name.
func (i *inspection) migrations(pkg *manifest.Package, folder string) []SQLFile {
	invalid := func(format string, args ...any) {
		i.add(manifest.ErrArtifactInvalid, "/database/migrations",
			"database.migrations "+fmt.Sprintf(format, args...))
	}
	names, err := pkg.Names(folder)
	if err != nil {
		invalid("%v", err)
		return nil
	}
	if len(names) == 0 {
		invalid("must hold at least one migration.")
	}
	files, total := make([]SQLFile, 0, len(names)), 0
	for _, name := range names {
		match := sqlName().FindStringSubmatch(name)
		if match == nil {
			invalid("must hold only files named NNNN_name.sql, with lower-case letters, digits, _ and - in the name.")
			return nil
		}
		version, _ := strconv.Atoi(match[1]) // four digits
		if want := len(files) + 1; version != want {
			invalid("must be numbered from 0001 without gap or repetition, and have one file %04d.",
				min(version, want))
			return nil
		}
		sql, err := readSQL(pkg, path.Join(folder, name))
		if err != nil {
			invalid("file %s %v", match[1], err)
		}
		if total += len(sql); total > MaxMigrationBytes {
			invalid("must not be larger than %d MiB together.", MaxMigrationBytes>>20)
			return nil
		}
		files = append(files, SQLFile{Version: version, Name: match[2], SQL: sql})
	}
	return files
}

func readSQL(pkg *manifest.Package, path string) ([]byte, error) {
	file, err := pkg.Read(path, MaxSQLBytes)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(file.Bytes) || bytes.IndexByte(file.Bytes, 0) >= 0 { // PostgreSQL accepts neither
		return nil, manifest.Refusal("must be UTF-8 text without NUL.")
	}
	return file.Bytes, nil
}
