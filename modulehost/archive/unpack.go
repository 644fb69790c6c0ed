package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxPadding limits the zeros that may follow the end of the archive in its compressed stream: tar fills its
// last record with them.
const maxPadding = 64 << 10

// unpack writes the contents of a package into an empty folder. With a nil folder it only checks the headers.
// It trusts no name, size, mode or kind in the package. After an error the files written so far remain in the
// folder.
func unpack(packed io.Reader, folder *os.Root) (contents, error) {
	buffered := bufio.NewReader(packed)
	compressed, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, classify(err)
	}
	compressed.Multistream(false) // so a second gzip member counts as bytes after the end
	stream := &io.LimitedReader{R: compressed, N: MaxUnpackedBytes + 1}
	u := unpacking{folder: folder, contents: contents{}}
	err = u.readAll(stream)
	if err == nil {
		err = checkEnd(stream, buffered)
	}
	if stream.N == 0 { // any other error is a consequence of this one
		return nil, errTooLarge
	}
	if err != nil {
		return nil, classify(err)
	}
	return u.contents, nil
}

// checkEnd reads to the end of the gzip stream, where its checksum is verified, and refuses bytes after it.
// If there is more padding than allowed, the gzip trailer is still unread and counts as such bytes.
func checkEnd(stream io.Reader, behind io.ByteReader) error {
	padding, err := io.ReadAll(io.LimitReader(stream, maxPadding))
	if err != nil {
		return err
	}
	if _, err = behind.ReadByte(); err == nil || len(bytes.Trim(padding, "\x00")) > 0 {
		return ErrInvalid
	}
	if err != io.EOF {
		return err
	}
	return nil
}

// classify gives every error a code: a refusal keeps its own; errors of the disk, of the package's file and
// malformed content have one each.
func classify(err error) error {
	var refused interface{ Code() string }
	var system *fs.PathError
	switch {
	case errors.As(err, &refused):
		return err
	case errors.As(err, &system) && system.Op == "read":
		return refusal{code: ErrUnreadable, cause: err}
	case errors.As(err, &system):
		return unwritable(err)
	}
	return refusal{code: ErrInvalid, cause: err}
}

// unpacking is the state of one unpack.
type unpacking struct {
	folder   *os.Root // nil: nothing is written
	contents contents
}

func (u unpacking) readAll(stream *io.LimitedReader) error {
	archive := tar.NewReader(stream)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) { // entry refuses such names
			return err
		}
		if header.Size > stream.N {
			return errTooLarge // before the disk is full
		}
		if err := u.entry(header, archive); err != nil {
			return err
		}
	}
}

func (u unpacking) entry(header *tar.Header, content io.Reader) error {
	folder := header.Typeflag == tar.TypeDir
	if !folder && header.Typeflag != tar.TypeReg || header.Mode&0o7000 != 0 || isSparse(header) {
		return errKind
	}
	name := header.Name
	if folder {
		name = strings.TrimSuffix(name, "/")
	}
	parents, err := u.contents.add(name, folder)
	if err != nil {
		return err
	}
	if u.folder == nil {
		return nil
	}
	if folder {
		parents = append(parents, name)
	}
	for _, parent := range parents {
		if err := makeFolder(u.folder, parent, folderMode); err != nil {
			return err
		}
	}
	if folder {
		return nil
	}
	mode := fs.FileMode(fileMode)
	if header.Mode&0o111 != 0 {
		mode = executableMode
	}
	return u.file(name, mode, content)
}

// isSparse reports whether a file is sparse, that is, larger than its bytes in the archive.
func isSparse(header *tar.Header) bool {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

func (u unpacking) file(name string, mode fs.FileMode, content io.Reader) error {
	file, err := u.folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, content); err != nil {
		return err
	}
	if err := file.Chmod(mode); err != nil {
		return err
	}
	return file.Close()
}

// makeFolder creates a folder with its mode, whatever the umask is.
func makeFolder(root *os.Root, name string, mode fs.FileMode) error {
	if err := root.Mkdir(name, mode); err != nil {
		return unwritable(err)
	}
	if err := root.Chmod(name, mode); err != nil {
		return unwritable(err)
	}
	return nil
}
