package archive

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

const (
	checksumSuffix   = ".sha256"
	maxChecksumBytes = 1 << 10 // a hash and a file name
)

// checksum is the SHA-256 of a package's file.
type checksum [32]byte

// line returns what sha256sum prints for a file of that name.
func (c checksum) line(name string) string { return hex.EncodeToString(c[:]) + "  " + name + "\n" }

// checksumOf reads the checksum file beside a package. It must be one line that names this package.
func checksumOf(packagePath string) (checksum, error) {
	file, _, err := openRegular(packagePath + checksumSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return checksum{}, refusal{code: ErrChecksum, cause: err,
			reason: "The checksum file, named like the package with .sha256 behind, " +
				"must lie beside it; get it from where the package comes from."}
	}
	if err != nil {
		return checksum{}, unreadableChecksum(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxChecksumBytes+1))
	if err != nil {
		return checksum{}, unreadableChecksum(err)
	}
	sum, name, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "  ")
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != len(checksum{}) {
		return checksum{}, refusal{code: ErrChecksum, cause: err,
			reason: "The checksum file must hold one line as sha256sum writes it; get it again."}
	}
	if name != filepath.Base(packagePath) {
		return checksum{}, refusal{code: ErrChecksum,
			reason: "The checksum file describes a file of another name; " +
				"give the package the name that it came with, or get both again."}
	}
	return checksum(raw), nil
}

func unreadableChecksum(cause error) error {
	return refusal{code: ErrChecksum, cause: cause,
		reason: "The checksum file beside the package cannot be read; check its permissions."}
}
