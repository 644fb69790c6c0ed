package facade

import (
	"context"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The limits of one module's open objects. A put uses up to storage.MaxObject of the host's disk, a get one
// connection.
const (
	openGets = 4
	openPuts = 4
)

// handle is an object that is read or written in several calls. It ends when it is closed, when a call on it
// fails or is cancelled, after idleFor without a call, and with the process.
type handle struct {
	ctx  context.Context // ends with the handle
	end  context.CancelFunc
	gone chan struct{} // closed when everything of it is released

	mu       sync.Mutex // one call at a time
	idle     *time.Timer
	download *download // either download or upload is set
	upload   *upload
}

// open waits for a slot in places, as long as a statement waits for a connection to the database. The caller
// must call keepHandle or drop.
func (s *session) open(ctx context.Context, places chan struct{}) (*handle, error) {
	wait, stopWaiting := context.WithTimeout(ctx, deadlines.Acquire)
	defer stopWaiting()
	select {
	case places <- struct{}{}:
	case <-wait.Done():
		return nil, storage.ErrUnavailable
	}
	h := &handle{gone: make(chan struct{})}
	h.ctx, h.end = context.WithCancel(s.ctx)
	return h, nil
}

// drop ends a handle that was not kept.
func (h *handle) drop(places chan struct{}) {
	h.end()
	<-places
}

// keepHandle stores the handle under an id until it ends. Then it calls settle, which ends the object's
// transfer, and frees the slot.
func (s *session) keepHandle(h *handle, places chan struct{}, settle func()) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id := s.nextID
	s.handles[id] = h
	h.idle = time.AfterFunc(s.facade.idleFor, h.end)
	s.resources.Add(1)
	context.AfterFunc(h.ctx, func() {
		defer s.resources.Done()
		h.idle.Stop()
		settle()
		<-places
		s.mu.Lock()
		delete(s.handles, id)
		s.mu.Unlock()
		close(h.gone)
	})
	return id
}

func (s *session) findHandle(id uint64) (*handle, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, found := s.handles[id]
	return h, found
}

// onHandle runs one call on a handle. The handle ends when f returns last or an error, or when the call is
// cancelled. Its slot is free before the module receives the response. For a handle that has ended the error
// is ErrTimeout.
func (s *session) onHandle(ctx context.Context, id uint64, f func(h *handle) (last bool, err error)) error {
	h, found := s.findHandle(id)
	if !found {
		return storage.ErrTimeout
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle.Stop()
	if h.ctx.Err() != nil {
		return storage.ErrTimeout
	}
	stop := context.AfterFunc(ctx, h.end)
	last, err := f(h)
	stop()
	switch {
	case err != nil && h.ctx.Err() != nil:
		err = storage.ErrTimeout
	case err != nil:
		err = storageError(err)
	}
	if last || err != nil {
		h.end()
	}
	if h.ctx.Err() != nil {
		<-h.gone
	} else {
		h.idle.Reset(s.facade.idleFor)
	}
	return err
}

// closeHandle ends the handle and waits until it is released. A call that is in progress on it fails.
func (s *session) closeHandle(_ context.Context, request *abi.BucketCloseRequest) (proto.Message, error) {
	if h, found := s.findHandle(request.GetHandle()); found {
		h.end()
		<-h.gone
	}
	return &abi.BucketCloseResponse{}, nil
}
