package storagetest

import (
	"errors"
	"os"
	"path/filepath"
)

var (
	errEnded   = errors.New("the server ended before it took a connection")
	errMissing = errors.New("versitygw is missing: in the checkout run " +
		`GOBIN="$PWD/.tools" go install github.com/versity/versitygw/cmd/versitygw@v1.8.0, or name the program ` +
		`in VERSITYGW`)
)

// find returns the path of versitygw: in .tools of the checkout that contains the working directory, or else
// from VERSITYGW.
func find() (string, error) {
	for dir, err := os.Getwd(); err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			if program := filepath.Join(dir, ".tools", "versitygw"); isFile(program) {
				return program, nil
			}
			break
		}
	}
	if program := os.Getenv("VERSITYGW"); isFile(program) {
		return program, nil
	}
	return "", errMissing
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
