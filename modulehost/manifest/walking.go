package manifest

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openWalking resolves the path step by step, as os.Root does, where the kernel cannot. It keeps to the
// folder as strictly; the checks on the open descriptor are the same.
func openWalking(p *Package, path string, flags int) (*os.File, error) {
	return p.root.OpenFile(path, flags, 0)
}

// escapes recognises os.Root's refusal to leave the folder: the one error of it that is no errno.
func escapes(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) && !errors.As(err, &number)
}
