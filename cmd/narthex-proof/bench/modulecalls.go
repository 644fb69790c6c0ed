package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

const (
	callsPath  = "/api/v1/modules/calls"
	scriptPath = "/api/v1/module-ui/calls/1.0.0"
)

// browserScript returns the module's artifact of 200 KiB.
func browserScript() []byte { return bytes.Repeat([]byte("0123456789abcdef"), 200<<10/16) }

func scriptTag() string { return fmt.Sprintf(`"%x"`, sha256.Sum256(browserScript())) }

// moduleCalls are rows of requests through a module's process, compared with the same handlers inside the
// host.
func moduleCalls() []row {
	read := func(path string, connections int) senders { return signedIn(callsPath+path, connections) }
	send := func(path string, size, connections int) senders {
		return posted(callsPath+path, size, connections)
	}
	var all []row
	for _, of := range []struct {
		work  string
		sent  senders
		least float64
		peer  bool // also measured with nginx in front of the bare server
	}{
		{"module GET small, 32 at once", read("/small", 32), 0.50, true},
		{"module GET small, 1 at once", read("/small", 1), 0.40, true},
		{"module GET 64 KiB, 8 at once", read("/plain/65536", 8), 0.55, true},
		{"module GET 1 MiB, 4 at once", read("/plain/1048576", 4), 0.65, true},
		{"module GET 32 MiB, 1 at once", read("/plain/33554432", 1), 0.75, true},
		{"module POST 64 KiB, 8 at once", send("/count", 64<<10, 8), 0.55, false},
		{"module POST 1 MiB, 4 at once", send("/count", 1<<20, 4), 0.65, false},
		{"module POST 32 MiB, 1 at once", send("/stream", 32<<20, 1), 0.75, false},
	} {
		r := requests(of.work, of.sent, toLimit(atLeast, of.least))
		r.beside = inHost
		if of.peer {
			r.peers = map[string]pair{nginx: throughput(of.sent)}
		}
		all = append(all, r)
	}
	artifact := requests("artifact 304, 32 at once", revalidate(scriptPath, scriptTag(), connections),
		toLimit(atLeast, 0.95))
	artifact.peers = map[string]pair{nginx: throughput(revalidate(peerScript, nginxTag(), connections))}
	return append(all, artifact)
}

// revalidate requests an artifact with the tag of the cached copy.
func revalidate(path, tag string, connections int) senders {
	return func(*system) traffic {
		sent := traffic{status: "HTTP/1.1 304 "}
		for range connections {
			sent.requests = append(sent.requests, get(path, "If-None-Match: "+tag))
		}
		return sent
	}
}
