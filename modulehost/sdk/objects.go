package sdk

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

const (
	pieceBytes = 256 << 10 // of an object, in one call
	// pauseWithin is how long fill waits until a piece is full. Then the bytes read so far are sent, because the
	// host fails a Put after 30 s without any.
	pauseWithin    = 10 * time.Second
	commitDeadline = 5 * time.Minute // the host itself gives up when no byte moves for 30 s
)

// Get opens an object. Its body fetches 256 KiB at a time while it is read. The caller must close the body,
// and read it without pauses of 30 s or more, or it fails. It ends with ctx and is not safe for concurrent
// use. A body that is cut short never ends with io.EOF. Four objects longer than 256 KiB may be open at once;
// further calls wait. Errors of Get and of the body: ErrNotFound, ErrKeyInvalid, ErrAccessDenied, ErrTimeout,
// ErrUnavailable.
func (b *Bucket) Get(ctx context.Context, key string) (Object, io.ReadCloser, error) {
	return b.GetPart(ctx, key, 0, 0)
}

// GetPart is Get for length bytes from offset. A length of 0 means all bytes to the end. A part that begins
// beyond the end is empty.
func (b *Bucket) GetPart(
	ctx context.Context, key string, offset, length uint64,
) (Object, io.ReadCloser, error) {
	if err := b.check(); err != nil {
		return Object{}, nil, err
	}
	s := b.storage
	if err := s.acquire(ctx, s.gets); err != nil {
		return Object{}, nil, err
	}
	request := &abi.BucketGetRequest{Bucket: b.id, Key: key, Offset: offset, Length: length}
	var response abi.BucketGetResponse
	if err := s.call(ctx, callDeadline, abi.Method_METHOD_BUCKET_GET, request, &response); err != nil {
		s.gets.release()
		return Object{}, nil, err
	}
	body := &objectBody{storage: s, ctx: ctx, handle: response.GetHandle(), piece: response.GetData()}
	if body.handle == 0 {
		body.end = io.EOF
		s.gets.release()
	}
	return newObject(response.GetObject()), body, nil
}

// acquire waits for a slot of p, at most as long as a call may take.
func (s *Storage) acquire(ctx context.Context, p semaphore) error {
	within, cancel := withCallDeadline(ctx, callDeadline)
	defer cancel()
	return storageError(ctx, p.acquire(within))
}

// objectBody is the body of an object that Get returns.
type objectBody struct {
	storage *Storage
	ctx     context.Context
	handle  uint64 // 0: everything has arrived, or the body is closed
	piece   []byte // the unread part of the current piece
	end     error  // the error that Read returns after piece
}

// Read reads from the current piece, or fetches the next one.
func (b *objectBody) Read(p []byte) (int, error) {
	b.fetchPiece()
	if len(b.piece) == 0 {
		return 0, b.end
	}
	n := copy(p, b.piece)
	b.piece = b.piece[n:]
	return n, nil
}

// WriteTo lets io.Copy work without a buffer of its own.
func (b *objectBody) WriteTo(w io.Writer) (written int64, err error) {
	for b.fetchPiece(); len(b.piece) > 0; b.fetchPiece() {
		n, err := w.Write(b.piece)
		written += int64(n)
		b.piece = b.piece[n:]
		if err != nil {
			return written, err
		}
	}
	if b.end == io.EOF {
		return written, nil
	}
	return written, b.end
}

// fetchPiece fetches the next piece when the current one is used up, unless the body has ended.
func (b *objectBody) fetchPiece() {
	for len(b.piece) == 0 && b.end == nil {
		var response abi.BucketReadResponse
		b.end = b.storage.call(b.ctx, callDeadline, abi.Method_METHOD_BUCKET_READ,
			&abi.BucketReadRequest{Handle: b.handle}, &response)
		b.piece = response.GetData()
		if b.end == nil && response.GetEnd() {
			b.end, b.handle = io.EOF, 0
			b.storage.gets.release()
		}
	}
}

// Close stops reading. It may be called twice.
func (b *objectBody) Close() error {
	if b.handle != 0 {
		b.storage.closeHandle(b.ctx, b.handle)
		b.handle = 0
		b.storage.gets.release()
	}
	b.piece, b.end = nil, os.ErrClosed
	return nil
}

// closeHandle tells the host to release the handle and waits until it has, even after ctx has ended.
func (s *Storage) closeHandle(ctx context.Context, handle uint64) {
	_ = call(context.WithoutCancel(ctx), s.client, abi.Method_METHOD_BUCKET_CLOSE,
		&abi.BucketCloseRequest{Handle: handle}, &abi.BucketCloseResponse{})
}

// Put reads body to its end and then stores it under key, replacing an existing object. When body fails or is
// longer than 32 MiB, or the process dies, nothing changes. Put needs 256 KiB of memory. A body may be slow,
// as long as some bytes arrive every 20 s. An invalid contentType becomes application/octet-stream. Four puts
// run at once; further ones wait. Errors: the error of body, ErrKeyInvalid, ErrTooLarge, ErrAccessDenied,
// ErrTimeout, ErrUnavailable.
func (b *Bucket) Put(ctx context.Context, key, contentType string, body io.Reader) (Object, error) {
	if err := b.check(); err != nil {
		return Object{}, err
	}
	s := b.storage
	if err := s.acquire(ctx, s.puts); err != nil {
		return Object{}, err
	}
	defer s.puts.release()
	var opened abi.BucketPutResponse
	request := &abi.BucketPutRequest{Bucket: b.id, Key: key, ContentType: strings.ToValidUTF8(contentType, "")}
	if err := s.call(ctx, callDeadline, abi.Method_METHOD_BUCKET_PUT, request, &opened); err != nil {
		return Object{}, err
	}
	committed := false
	defer func() {
		if !committed { // also when body panics
			s.closeHandle(ctx, opened.GetHandle())
		}
	}()
	if err := s.write(ctx, opened.GetHandle(), body); err != nil {
		return Object{}, err
	}
	var stored abi.BucketCommitResponse
	commit := &abi.BucketCommitRequest{Handle: opened.GetHandle()}
	if err := s.call(ctx, commitDeadline, abi.Method_METHOD_BUCKET_COMMIT, commit, &stored); err != nil {
		return Object{}, err
	}
	committed = true
	return newObject(stored.GetObject()), nil
}

// write sends body piece by piece. Each call returns when the host has received its piece.
func (s *Storage) write(ctx context.Context, handle uint64, body io.Reader) error {
	piece := make([]byte, pieceBytes)
	for {
		n, ended := fill(body, piece)
		if n > 0 {
			request := &abi.BucketWriteRequest{Handle: handle, Data: piece[:n]}
			if err := s.call(ctx, callDeadline, abi.Method_METHOD_BUCKET_WRITE, request,
				&abi.BucketWriteResponse{}); err != nil {
				return err
			}
		}
		switch ended {
		case nil:
		case io.EOF:
			return nil
		default:
			return ended
		}
	}
}

// fill reads one piece, or less when the body is slow or ends.
func fill(body io.Reader, piece []byte) (n int, err error) {
	began, idle := time.Now(), 0
	for n < len(piece) && err == nil && (n == 0 || time.Since(began) < pauseWithin) {
		var more int
		more, err = body.Read(piece[n:])
		n += more
		if idle++; more > 0 {
			idle = 0
		} else if err == nil && idle >= 100 {
			return n, io.ErrNoProgress
		}
	}
	return n, err
}
