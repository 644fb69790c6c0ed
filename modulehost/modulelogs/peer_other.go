//go:build !linux

package modulelogs

import (
	"errors"
	"net"
)

// peer always fails, so that no caller is served.
func peer(*net.UnixConn) (user, pid int, err error) { return 0, 0, errors.ErrUnsupported }
