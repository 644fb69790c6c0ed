package cli

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNotWritten stands for the operating system's error, which names the path.
var ErrNotWritten = UsageError("the file that --to names could not be written; is its disk full?")

// IntoNewFile makes a file that only its owner can read, and removes it again when write fails. A file that
// exists is left as it is.
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
