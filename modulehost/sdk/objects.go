package sdk

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

const (
	pieceBytes = 256 << 10 // of an object, in one call
	// after which a slow body's beginning of a piece is sent: the host gives up on 30 s of silence
	pauseWithin    = 10 * time.Second
	commitDeadline = 5 * time.Minute // the host itself gives up when no byte moves for 30 s
)

// Get opens an object, whose bytes come as they are read, 256 KiB at a time. The body must be closed, is
// not safe for concurrent use, and ends with ctx; left unread for 30 s it fails. One that is cut short
// never ends with io.EOF. Four objects are open at once, longer ones than a piece; further calls wait.
// Errors, of the body too: ErrNotFound, ErrKeyInvalid, ErrAccessDenied, ErrTimeout, ErrUnavailable.
func (b *Bucket) Get(ctx context.Context, key string) (Object, io.ReadCloser, error) {
	return b.GetPart(ctx, key, 0, 0)
}

// GetPart is Get for length bytes from offset; a length of 0 is all to the end. What is beyond the end is
// empty.
func (b *Bucket) GetPart(
	ctx context.Context, key string, offset, length uint64,
) (Object, io.ReadCloser, error) {
	s := b.storage
	if s == nil {
		return Object{}, nil, ErrAccessDenied
	}
	if err := s.take(ctx, s.gets); err != nil {
		return Object{}, nil, err
	}
	request := &abi.BucketGetRequest{Bucket: b.id, Key: key, Offset: offset, Length: length}
	var response abi.BucketGetResponse
	if err := s.call(ctx, callDeadline, abi.Method_METHOD_BUCKET_GET, request, &response); err != nil {
		s.gets.leave()
		return Object{}, nil, err
	}
	body := &objectBody{storage: s, ctx: ctx, handle: response.GetHandle(), piece: response.GetData()}
	if body.handle == 0 {
		body.end = io.EOF
		s.gets.leave()
	}
	return newObject(response.GetObject()), body, nil
}

// take waits for one of places, no longer than for a call.
func (s *Storage) take(ctx context.Context, p places) error {
	within, cancel := bounded(ctx, callDeadline)
	defer cancel()
	return storageError(ctx, p.take(within))
}

// objectBody is what Get returns.
type objectBody struct {
	storage *Storage
	ctx     context.Context
	handle  uint64 // 0: all has come, or it is closed
	piece   []byte // what of it is unread
	end     error  // what Read says after piece
}

// Read reads what is here of the piece, or the next one.
func (b *objectBody) Read(p []byte) (int, error) {
	b.more()
	if len(b.piece) == 0 {
		return 0, b.end
	}
	n := copy(p, b.piece)
	b.piece = b.piece[n:]
	return n, nil
}

// WriteTo spares io.Copy its buffer.
func (b *objectBody) WriteTo(w io.Writer) (written int64, err error) {
	for b.more(); len(b.piece) > 0; b.more() {
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

// more sees to it that there is a piece, unless the body has ended.
func (b *objectBody) more() {
	for len(b.piece) == 0 && b.end == nil {
		var response abi.BucketReadResponse
		b.end = b.storage.call(b.ctx, callDeadline, abi.Method_METHOD_BUCKET_READ,
			&abi.BucketReadRequest{Handle: b.handle}, &response)
		b.piece = response.GetData()
		if b.end == nil && response.GetEnd() {
			b.end, b.handle = io.EOF, 0
			b.storage.gets.leave()
		}
	}
}

// Close gives the object up; twice is fine.
func (b *objectBody) Close() error {
	if b.handle != 0 {
		b.storage.closeHandle(b.ctx, b.handle)
		b.handle = 0
		b.storage.gets.leave()
	}
	b.piece, b.end = nil, os.ErrClosed
	return nil
}

// closeHandle returns when the host holds nothing of the handle any more, whatever has become of ctx.
func (s *Storage) closeHandle(ctx context.Context, handle uint64) {
	_ = call(context.WithoutCancel(ctx), s.client, abi.Method_METHOD_BUCKET_CLOSE,
		&abi.BucketCloseRequest{Handle: handle}, &abi.BucketCloseResponse{})
}

// Put reads body to its end and then stores it under key, in place of what was there, as a whole or not at
// all: when body fails, is longer than 32 MiB or the process dies, nothing has changed. One piece of 256
// KiB is held in memory. A body may be slow, as long as something comes every 20 s. A contentType that is
// none becomes application/octet-stream. Four puts run at once; further ones wait. Errors: what body said,
// ErrKeyInvalid, ErrTooLarge, ErrAccessDenied, ErrTimeout, ErrUnavailable.
func (b *Bucket) Put(ctx context.Context, key, contentType string, body io.Reader) (Object, error) {
	s := b.storage
	if s == nil {
		return Object{}, ErrAccessDenied
	}
	if err := s.take(ctx, s.puts); err != nil {
		return Object{}, err
	}
	defer s.puts.leave()
	var opened abi.BucketPutResponse
	request := &abi.BucketPutRequest{Bucket: b.id, Key: key, ContentType: strings.ToValidUTF8(contentType, "")}
	if err := s.call(ctx, callDeadline, abi.Method_METHOD_BUCKET_PUT, request, &opened); err != nil {
		return Object{}, err
	}
	committed := false
	defer func() {
		if !committed { // also when body panicked
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

// write sends body piece by piece; each call returns when the host has taken its piece.
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

// fill reads a piece, or less of a body that is slow or at its end.
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
