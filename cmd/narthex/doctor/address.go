package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/metrics"
)

// listeners notes which sockets the platform's processes on this database listen on.
func (e *Examination) listeners(ctx context.Context, db *database.Database) {
	numbers, err := db.Listeners(ctx)
	if err != nil {
		e.blockAll(err)
		return
	}
	e.listening, e.listeningKnown = numbers, true
}

// address finds out whether a start could listen, or whether the platform already does. It connects to
// nothing, because a connection to systemd's socket would start the platform.
func (e *Examination) address(ctx context.Context) {
	server := e.Settings.Server
	if e.Sound&environment.ServerSection == 0 {
		return
	}
	switch unit, err := readSocketUnit(ctx); {
	case unit.own:
		e.socketUnit(ctx, unit)
	case err != nil:
		e.warn(httpserver.ErrListen.Code(), "systemd could not be asked for "+unit.name+", so its address was "+
			"not examined; see: systemctl status "+unit.name)
	case server.Port != 0:
		e.configuredAddress(ctx, net.JoinHostPort(server.Host, strconv.Itoa(int(server.Port))), unit)
	}
}

func (e *Examination) configuredAddress(ctx context.Context, address string, other socketUnit) {
	err := httpserver.TryListen(ctx, address)
	switch {
	case err == nil:
		e.ok("Address: SERVICE_API_PORT is free.")
		e.metricsAddress(ctx)
	case !errors.Is(err, syscall.EADDRINUSE):
		e.blockAll(err)
	case slices.ContainsFunc(httpserver.Sockets(address), e.isOurs):
		e.ok("Address: the platform listens on SERVICE_API_PORT.")
	case other.active && slices.Contains(other.addresses, address):
		e.warn(httpserver.ErrListen.Code(), other.name+" has the address of SERVICE_API_HOST and "+
			"SERVICE_API_PORT; run narthexctl doctor for the installation that it starts, or choose another address.")
	case e.listeningKnown:
		e.blockAll(err)
	default:
		e.warn(httpserver.ErrListen.Code(), "Something has the address of SERVICE_API_HOST and SERVICE_API_PORT; "+
			"without the database doctor cannot find out whether it is this platform.")
	}
}

// isOurs reports whether a process of the platform on this database listens on a socket.
func (e *Examination) isOurs(number uint32) bool { return slices.Contains(e.listening, number) }

// socketUnit is systemd's narthex.socket, or that of a house, which listens in place of the platform.
type socketUnit struct {
	name      string
	own       bool // this user's platform is started through it
	active    bool // systemd listens
	started   bool // the platform runs
	addresses []string
}

// systemdLimit limits the wait for systemd.
const systemdLimit = 5 * time.Second

// readSocketUnit returns the socket unit; nothing if there is none.
func readSocketUnit(ctx context.Context) (unit socketUnit, err error) {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return unit, nil // systemd does not run: sd_booted(3)
	}
	ctx, cancel := context.WithTimeout(ctx, systemdLimit)
	defer cancel()
	own, err := user.Current()
	if err != nil {
		return unit, err
	}
	service := "narthex"
	if house, found := strings.CutPrefix(own.Username, "narthex-"); found {
		service = "narthex@" + house // docs/operations/many-houses.md
	}
	unit.name = service + ".socket"
	systemctl := exec.CommandContext(ctx, "systemctl", "show",
		"--property=LoadState,ActiveState,Listen,User,MainPID", unit.name, service+".service")
	systemctl.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"} // not the platform's secrets
	shown, err := systemctl.Output()
	if err != nil {
		return unit, err
	}
	socket, rest, _ := strings.Cut(string(shown), "\n\n")
	properties := strings.Split(strings.TrimSpace(rest), "\n")
	unit.started = !slices.Contains(properties, "MainPID=0")
	for line := range strings.Lines(socket) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch address, isTCP := strings.CutSuffix(value, " (Stream)"); {
		case name == "LoadState":
			unit.own = value == "loaded" && slices.Contains(properties, "User="+own.Username)
		case name == "ActiveState":
			unit.active = value == "active"
		case name == "Listen" && isTCP && !strings.HasPrefix(address, "/"):
			unit.addresses = append(unit.addresses, address)
		}
	}
	return unit, nil
}

// metricsAddress examines the address of the metrics, without which a start fails. It is called while the
// platform does not run.
func (e *Examination) metricsAddress(ctx context.Context) {
	metricsAt := e.Settings.Metrics
	if e.Sound&environment.HostSection == 0 || metricsAt.Network != "tcp" {
		return
	}
	if errors.Is(httpserver.TryListen(ctx, metricsAt.Address), syscall.EADDRINUSE) {
		e.block(metrics.ErrAddress.Code(), "Another program has the address of SERVICE_METRICS_ADDRESS; stop it "+
			"(ss -ltnp as root names it), or choose another address.")
	}
}

func (e *Examination) socketUnit(ctx context.Context, unit socketUnit) {
	for _, name := range []string{"SERVICE_API_HOST", "SERVICE_API_PORT"} {
		if _, set := e.lookup(name); set {
			e.warn("SETTING_UNREAD", name+" is not read, because "+unit.name+" has the address; set its "+
				"ListenStream= with systemctl edit "+unit.name+", and remove the setting.")
		}
	}
	if !unit.started {
		e.metricsAddress(ctx)
	}
	if unit.active {
		e.ok("Address: systemd holds it for the platform (%s).", unit.name)
		return
	}
	for _, address := range unit.addresses {
		if errors.Is(httpserver.TryListen(ctx, address), syscall.EADDRINUSE) {
			e.block(httpserver.ErrListen.Code(), "Another program has the address of "+unit.name+"; stop it "+
				"(ss -ltnp as root names it), or set another ListenStream= with systemctl edit "+unit.name+".")
			return
		}
	}
	e.warn(httpserver.ErrListen.Code(), unit.name+" does not listen, so nobody reaches the platform; run "+
		"systemctl start "+unit.name+", which says why if it fails.")
}
