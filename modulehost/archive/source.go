package archive

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/hiddeco/sshsig"
)

// source is a package's file, opened once, with its expected checksum and signature.
type source struct {
	file      *os.File
	size      int64
	want      checksum
	signature *sshsig.Signature // nil: none is needed
}

// openSource opens a package and reads its checksum, and its signature if there are signers.
func openSource(path string, signers *Signers) (*source, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, refusal{code: ErrUnreadable, cause: err}
	}
	s := &source{file: file, size: size}
	if size > MaxPackedBytes {
		err = errLargeFile
	} else {
		s.want, err = checksumOf(path)
	}
	if err == nil && signers != nil {
		s.signature, err = signers.signatureOf(path)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *source) close() { _ = s.file.Close() } // nothing was written

// unpack reads every header before it writes a file, so that a package that breaks a rule or a limit is
// refused before anything is written. It computes the checksum over the same bytes that it unpacks. A damaged
// package is therefore refused because of its checksum, not because of its damaged contents. verify checks
// the signature over bytes with the same checksum, so the signature is one of the unpacked bytes even if the
// file changes meanwhile. After an error the caller deletes the files that were written.
func (s *source) unpack(folder *os.Root) (contents, error) {
	if s.signature != nil {
		if err := s.verify(); err != nil {
			return nil, err
		}
	}
	if _, err := s.read(nil); err != nil {
		return nil, err
	}
	return s.read(folder)
}

// verify reads the whole package and checks its signature.
func (s *source) verify() error {
	hash := sha256.New()
	packed := io.TeeReader(io.NewSectionReader(s.file, 0, s.size), hash)
	failure := verify(packed, s.signature)
	if _, err := io.Copy(io.Discard, packed); err != nil {
		return refusal{code: ErrUnreadable, cause: err}
	}
	if checksum(hash.Sum(nil)) != s.want {
		return ErrChecksum
	}
	return failure
}

func (s *source) read(folder *os.Root) (contents, error) {
	hash := sha256.New()
	packed := io.TeeReader(io.NewSectionReader(s.file, 0, s.size), hash)
	found, failure := unpack(packed, folder)
	if _, err := io.Copy(io.Discard, packed); err != nil {
		return nil, refusal{code: ErrUnreadable, cause: err}
	}
	if checksum(hash.Sum(nil)) != s.want {
		return nil, ErrChecksum
	}
	return found, failure
}

// openRegular opens a regular file. It follows links, because the operator chose the file, and it does not
// wait for the other end of a FIFO.
func openRegular(path string) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, 0, err
	}
	return file, info.Size(), nil
}
