package manifest

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Package is the folder of one module, opened once. Its files are opened relative to that open folder, and
// symbolic links cannot lead out of it. Safe for concurrent use until Close.
type Package struct {
	root   *os.Root
	folder *os.File // the same folder, for openat2
	open   func(p *Package, path string, flags int) (*os.File, error)
}

// maxFolderEntries limits what one folder of a package may hold.
const maxFolderEntries = 10_000

// ErrFileMissing: there is nothing at the path.
const ErrFileMissing = Refusal("names a file that the package does not have.")

// errChanging: the file's length changed between examining and reading it.
const errChanging = Refusal("must not change while it is read.")

// OpenPackage opens a module's folder. The caller closes it. An error is the operating system's and names
// the path, so it must not be shown to callers.
func OpenPackage(folder string) (*Package, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	self, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Package{root: root, folder: self, open: openBeneath}, nil
}

// Close closes the folder. Files that were opened from it stay usable.
func (p *Package) Close() error { return errors.Join(p.folder.Close(), p.root.Close()) }

// Open opens one regular file for reading and returns its identity, taken from the open descriptor. It
// refuses FIFOs, devices, sockets, folders, and hard links, through which a file outside the package could
// be read. It never blocks. Every error is a Refusal.
func (p *Package) Open(path string) (*os.File, Identity, error) {
	file, err := p.open(p, path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC)
	if err != nil {
		return nil, Identity{}, refusal(err)
	}
	identity, err := checkRegular(file)
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, Identity{}, err
	}
	return file, identity, nil
}

func checkRegular(file *os.File) (Identity, error) {
	info, err := file.Stat()
	if err != nil {
		return Identity{}, refusal(err)
	}
	if !info.Mode().IsRegular() {
		return Identity{}, Refusal("must be a regular file.")
	}
	identity, links := identityOf(info)
	if links != 1 {
		return Identity{}, Refusal("must not be a hard link.")
	}
	return identity, nil
}

// Read reads one regular file of at most max bytes, once. Every error is a Refusal.
func (p *Package) Read(path string, max int64) (*Artifact, error) {
	file, identity, err := p.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if identity.Size > max {
		return nil, tooLarge(max)
	}
	data := make([]byte, identity.Size)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, errChanging
	}
	if n, err := file.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, errChanging
	}
	return &Artifact{Path: path, Identity: identity, SHA256: sha256.Sum256(data), Bytes: data}, nil
}

// Names lists a folder of the package in order, without names that begin with a dot. Every error is a
// Refusal.
func (p *Package) Names(path string) ([]string, error) {
	folder, err := p.open(p, path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|syscall.O_DIRECTORY)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, Refusal("must be a folder.")
	}
	if err != nil {
		return nil, refusal(err)
	}
	defer folder.Close()
	return readNames(folder)
}

// refusal turns the operating system's error, which names the path, into the rule that the file breaks.
func refusal(err error) Refusal {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return ErrFileMissing
	case errors.Is(err, syscall.EXDEV), errors.Is(err, syscall.ELOOP), escapes(err):
		return Refusal("must stay inside the package, also through symbolic links.")
	case errors.Is(err, fs.ErrPermission):
		return Refusal("must be readable by the service.")
	case errors.Is(err, syscall.ENXIO): // a socket, or a device without its driver
		return Refusal("must be a regular file.")
	}
	return Refusal("cannot be read.")
}

// openInRoot resolves the path step by step in user space, as os.Root does, where the kernel cannot. It
// confines the path to the folder as strictly, and the checks on the open descriptor are the same.
func openInRoot(p *Package, path string, flags int) (*os.File, error) {
	return p.root.OpenFile(path, flags, 0)
}

// escapes recognizes os.Root's refusal to leave the folder: the only one of its errors that holds no errno.
func escapes(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) && !errors.As(err, &number)
}
