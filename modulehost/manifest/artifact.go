package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxScriptBytes limits a script: 4 MiB.
const MaxScriptBytes = 4 << 20

// Artifact is one file of a package, with the state it had when it was read.
type Artifact struct {
	Path     string // relative to the package
	Identity Identity
	SHA256   [32]byte // of Bytes; zeroes for an executable
	Bytes    []byte   // nil for a server: its Identity shows whether it has changed
}

// Identity distinguishes two states of a file. A module's process is restarted only from the same file that
// was discovered, because modules are not replaced while the platform runs; Identity is how a change is
// noticed.
type Identity struct {
	Device  uint64
	Inode   uint64
	Size    int64 // bytes
	Changed int64 // ctime, nanoseconds since 1970
}

// IdentityOf returns the identity of an opened file, for comparison with an artifact's.
func IdentityOf(info fs.FileInfo) Identity {
	identity, _ := identityOf(info)
	return identity
}

// Script reads a script with its bytes: UTF-8, at most 4 MiB. Every error is a Refusal.
func (p *Package) Script(path string) (*Artifact, error) {
	script, err := p.Read(path, MaxScriptBytes)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(script.Bytes) {
		return nil, Refusal("must be UTF-8 text.")
	}
	return script, nil
}

func tooLarge(max int64) Refusal {
	unit, size := "KiB", max>>10
	if size >= 1<<10 {
		unit, size = "MiB", size>>10
	}
	return Refusal(fmt.Sprintf("must not be larger than %d %s.", size, unit))
}

func readNames(folder *os.File) ([]string, error) {
	all, err := folder.Readdirnames(maxFolderEntries + 1)
	if len(all) > maxFolderEntries {
		return nil, Refusal(fmt.Sprintf("must not hold more than %d files.", maxFolderEntries))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, refusal(err)
	}
	all = slices.DeleteFunc(all, func(name string) bool { return strings.HasPrefix(name, ".") })
	slices.Sort(all)
	return all, nil
}
