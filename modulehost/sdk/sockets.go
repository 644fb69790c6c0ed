package sdk

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// The inherited body sockets (docs/link.md).
const (
	firstBodySocket = 5
	bodySockets     = 32
)

// sockets opens a body socket when the platform first lends it, because most modules never need one.
type sockets struct {
	open func(descriptor int) link.Stream

	mu     sync.Mutex
	opened [bodySockets]*link.Socket
}

var errSocket = errors.New("the platform lent a descriptor that is no body socket")

func (s *sockets) at(descriptor uint32) (*link.Socket, error) {
	if descriptor < firstBodySocket || descriptor >= firstBodySocket+bodySockets {
		return nil, errSocket
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	place := &s.opened[descriptor-firstBodySocket]
	if *place == nil {
		*place = link.NewSocket(int(descriptor), s.open(int(descriptor)))
	}
	return *place, nil
}

func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, socket := range s.opened {
		if socket != nil {
			socket.Close()
		}
	}
}

func inheritedSocket(descriptor int) link.Stream {
	_ = syscall.SetNonblock(descriptor, true) // a failure shows at the first read
	return os.NewFile(uintptr(descriptor), "body")
}
