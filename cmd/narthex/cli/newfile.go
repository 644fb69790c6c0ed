package cli

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNotWritten replaces the operating system's error, because that one contains the path.
var ErrNotWritten = UsageError("the file that --to names could not be written; is its disk full?")

// IntoNewFile creates a file that only its owner can read, and removes it if write fails. It does not touch a
// file that exists already.
func IntoNewFile(path string, write func(*os.File) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return UsageError("the file that --to names exists already; choose another name")
	case err != nil:
		return UsageError("the file that --to names cannot be made; check its folder")
	}
	err = write(file)
	if err == nil && file.Sync() != nil {
		err = ErrNotWritten
	}
	if file.Close() != nil && err == nil {
		err = ErrNotWritten
	}
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}
