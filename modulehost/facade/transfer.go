package facade

import (
	"context"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/storage"
)

// pieceBytes is the size of an object's pieces, and the most bytes of an object that the host buffers.
const pieceBytes = 256 << 10

// download is an object, or a part of one, that is being read.
type download struct {
	body io.ReadCloser
	rest int64 // bytes
}

// piece reads the next piece. A body that ends early is an error.
func (d *download) piece() ([]byte, error) {
	data := make([]byte, min(d.rest, pieceBytes))
	n, err := io.ReadFull(d.body, data)
	d.rest -= int64(n)
	return data, err
}

// partBytes returns the length of a part of an object.
func partBytes(object storage.Object, part storage.Range) int64 {
	rest := uint64(max(object.Size, 0))
	rest -= min(part.Offset, rest)
	if part.Length > 0 {
		rest = min(part.Length, rest)
	}
	return int64(rest)
}

// getObject opens an object and reads its first piece. If that is all of it, the module needs no further call
// and no handle is kept.
func (s *session) getObject(ctx context.Context, request *abi.BucketGetRequest) (proto.Message, error) {
	bucket, err := s.bucket(request.GetBucket())
	if err != nil {
		return nil, err
	}
	places := s.facade.gets
	h, err := s.open(ctx, places)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, h.end)
	defer stop()
	part := storage.Range{Offset: request.GetOffset(), Length: request.GetLength()}
	object, body, err := bucket.Get(h.ctx, request.GetKey(), part)
	if err != nil {
		h.drop(places)
		return nil, storageError(err)
	}
	h.download = &download{body: body, rest: partBytes(object, part)}
	response := &abi.BucketGetResponse{Object: objectMessage(object)}
	if response.Data, err = h.download.piece(); err != nil || h.download.rest == 0 {
		_ = body.Close()
		h.drop(places)
		if err != nil {
			return nil, storageError(err)
		}
		return response, nil
	}
	response.Handle = s.keepHandle(h, places, func() { _ = body.Close() })
	return response, nil
}

func (s *session) readObject(ctx context.Context, request *abi.BucketReadRequest) (proto.Message, error) {
	response := &abi.BucketReadResponse{}
	err := s.onHandle(ctx, request.GetHandle(), func(h *handle) (last bool, err error) {
		if h.download == nil {
			return false, storage.ErrUnavailable
		}
		response.Data, err = h.download.piece()
		response.End = h.download.rest == 0
		return response.End, err
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}

// upload is an object that is being written. Its pieces are sent through an unbuffered pipe to one Put, which
// reads them.
type upload struct {
	pieces *io.PipeWriter
	done   chan struct{} // closed when the Put has returned
	object storage.Object
	err    error
}

func (s *session) putObject(ctx context.Context, request *abi.BucketPutRequest) (proto.Message, error) {
	bucket, err := s.bucket(request.GetBucket())
	if err != nil {
		return nil, err
	}
	places := s.facade.puts
	h, err := s.open(ctx, places)
	if err != nil {
		return nil, err
	}
	body, pieces := io.Pipe()
	u := &upload{pieces: pieces, done: make(chan struct{})}
	h.upload = u
	go func() {
		defer close(u.done)
		u.object, u.err = bucket.Put(h.ctx, request.GetKey(), request.GetContentType(), body)
		_ = body.CloseWithError(u.err) // a later write returns this error
	}()
	id := s.keepHandle(h, places, func() {
		_ = pieces.CloseWithError(context.Canceled) // a Put whose body fails stores nothing
		<-u.done
	})
	if ctx.Err() != nil { // the module gets no response, so it cannot close the handle
		h.end()
	}
	return &abi.BucketPutResponse{Handle: id}, nil
}

// writeObject responds when Put has read the piece, so that the module writes no faster than the host's disk.
func (s *session) writeObject(ctx context.Context, request *abi.BucketWriteRequest) (proto.Message, error) {
	if len(request.GetData()) > pieceBytes {
		return nil, ErrRequest
	}
	err := s.onHandle(ctx, request.GetHandle(), func(h *handle) (last bool, err error) {
		if h.upload == nil {
			return false, storage.ErrUnavailable
		}
		if len(request.GetData()) > 0 { // an empty write would also wait for a reader
			_, err = h.upload.pieces.Write(request.GetData())
		}
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return &abi.BucketWriteResponse{}, nil
}

func (s *session) commitObject(ctx context.Context, request *abi.BucketCommitRequest) (proto.Message, error) {
	response := &abi.BucketCommitResponse{}
	err := s.onHandle(ctx, request.GetHandle(), func(h *handle) (last bool, err error) {
		if h.upload == nil {
			return false, storage.ErrUnavailable
		}
		_ = h.upload.pieces.Close()
		<-h.upload.done
		response.Object = objectMessage(h.upload.object)
		return true, h.upload.err
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}
