package platform

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/idle"
)

// CheckIdleExit refuses SERVICE_IDLE_EXIT_MINUTES without a socket of systemd, because nothing would start
// the process again.
func CheckIdleExit(settings environment.Settings, inherited net.Listener) error {
	if settings.Server.IdleExitMinutes > 0 && inherited == nil {
		return errIdleExit
	}
	return nil
}

// errIdleExit has the code of every wrong value, and a message of its own.
var errIdleExit = idleExitError{}

type idleExitError struct{}

func (idleExitError) Code() string { return environment.ErrIdleExit.Code() }

func (idleExitError) Error() string {
	return environment.ErrIdleExit.Code() + ": SERVICE_IDLE_EXIT_MINUTES needs the socket of a socket unit of " +
		"systemd, which starts the process again at the next connection; start the socket unit, or unset it."
}

// newIdle returns nil if the process does not end by itself.
func (s *Server) newIdle() *idle.Service {
	if s.Settings.Server.IdleExitMinutes == 0 || s.rehearsing {
		return nil
	}
	return idle.New(idle.Config{
		After:     s.Settings.Server.IdleExitMinutes,
		Streams:   func() int { return s.listener.Figures().Streams },
		Mails:     func() int { queued, _ := s.outbox.Figures(); return queued },
		Runs:      s.schedules.Next,
		Uncounted: httpserver.HealthRoutes,
		Leave:     s.storeWake,
		Log:       s.log,
	})
}

// idlePassed never delivers if the process does not end by itself.
func (s *Server) idlePassed() <-chan struct{} {
	if s.idle == nil {
		return nil
	}
	return s.idle.Passed()
}

// storeWake writes the time at which narthex@.timer starts the process again into the file wake of the state
// directory, in seconds since 1970. Without that directory nothing reads it.
func (s *Server) storeWake(next time.Duration) error {
	folder := s.Settings.Storage.Spool
	if folder == "" {
		return nil
	}
	at := strconv.FormatInt(time.Now().Add(next).Unix(), 10)
	file := filepath.Join(folder, "wake")
	if err := os.WriteFile(file+".new", []byte(at+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
