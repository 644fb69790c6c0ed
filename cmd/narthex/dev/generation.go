package dev

import (
	"context"
	"net"
	"net/http"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
)

// generation is one running platform, or one that has ended.
type generation struct {
	server *platform.Server
	settle context.CancelFunc // begins the stop
	ended  chan struct{}      // closed after everything has ended
	err    error              // valid after ended is closed
}

// startGeneration starts the platform with the modules of a directory, on the socket that dev keeps open.
// Clients that connect while no platform serves wait in the kernel. The previous platform may still serve.
func (l *loop) startGeneration(ctx context.Context, modulesDir string) (*generation, error) {
	lookup := l.lookupWith(modulesDir)
	settings, err := l.settings(modulesDir)
	if err != nil {
		return nil, err
	}
	inherited, err := duplicate(l.listener)
	if err != nil {
		return nil, err
	}
	serving, settle := context.WithCancel(context.Background())
	s := platform.NewServer(settings, platform.Secrets{Lookup: lookup}, l.log)
	s.Mail, s.Development, s.Inherited = l.supplies.mail, true, inherited
	s.ModuleOutput = l.console.writerFor
	s.Around = func(handler http.Handler) http.Handler { return l.pages.wrap(serving, handler) }
	if err := s.Start(ctx); err != nil {
		settle()
		_ = inherited.Close()
		return nil, err
	}
	l.pages.bench.use(s)
	g := &generation{server: s, settle: settle, ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		g.err = s.Wait(serving)
	}()
	return g, nil
}

// stop stops the generation in order, and waits for its end.
func (g *generation) stop() error {
	g.settle()
	<-g.ended // limited by the deadlines of a stop
	return g.err
}

// duplicate returns another listener on the same socket. Closing it does not close the socket.
func duplicate(listener *net.TCPListener) (net.Listener, error) {
	file, err := listener.File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return net.FileListener(file)
}
