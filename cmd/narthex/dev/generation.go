package dev

import (
	"context"
	"net"
	"net/http"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
)

// generation is one platform that serves, or has ended.
type generation struct {
	settle context.CancelFunc // lets it stop
	ended  chan struct{}      // closed once nothing of it is left
	err    error              // after ended
}

// startGeneration starts the platform on what is installed in a modules directory, behind the socket that dev
// holds: clients that connect while nobody serves wait in the kernel. The platform before it may still serve.
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
	s.ModuleOutput = l.console.of
	s.Around = func(handler http.Handler) http.Handler { return l.pages.around(serving, handler) }
	if err := s.Start(ctx); err != nil {
		settle()
		_ = inherited.Close()
		return nil, err
	}
	g := &generation{settle: settle, ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		g.err = s.Wait(serving)
	}()
	return g, nil
}

// stop ends the generation in order, and waits.
func (g *generation) stop() error {
	g.settle()
	<-g.ended // has the deadlines of a stop
	return g.err
}

// duplicate is another listener on the same socket; closing it does not close the socket.
func duplicate(listener *net.TCPListener) (net.Listener, error) {
	file, err := listener.File()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return net.FileListener(file)
}
