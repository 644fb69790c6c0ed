package dev

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file of a package and creates its folder. It replaces a file that exists.
func writeFile(path string, from io.Reader, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	_ = os.Remove(path)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
