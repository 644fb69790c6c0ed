package sdk

import (
	"errors"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// The inherited descriptors of body sockets and lanes (docs/link.md).
const (
	firstBodySocket = 5
	bodySockets     = 32
	laneMemory      = firstBodySocket + bodySockets
)

// sockets opens a body socket when the platform first lends it, because most modules need none.
type sockets struct {
	open   func(descriptor int) (link.Stream, error)
	memory func(bytes int) ([]byte, error) // maps the memory of the lanes; nil: there is none

	mu     sync.Mutex
	lanes  []byte
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
		stream, err := s.open(int(descriptor))
		if err != nil {
			return nil, err
		}
		*place = link.NewSocket(int(descriptor), stream)
		if from := int(descriptor-firstBodySocket) * link.LaneBytes; from < len(s.lanes) {
			(*place).Share(s.lanes[from:][:link.LaneBytes:link.LaneBytes])
		}
	}
	return *place, nil
}

// share maps the memory of the lanes that the platform offers, and reports whether there is any. It is called
// before the first socket is opened. The memory stays mapped until the process ends.
func (s *sockets) share(lanes int) bool {
	if lanes < 1 || lanes > bodySockets || s.memory == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	memory, err := s.memory(lanes * link.LaneBytes)
	if err != nil {
		return false
	}
	s.lanes = memory
	return true
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

func inheritedMemory(bytes int) ([]byte, error) {
	return unix.Mmap(laneMemory, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}
