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

// browserScript is the module's artifact: 200 KiB.
func browserScript() []byte { return bytes.Repeat([]byte("0123456789abcdef"), 200<<10/16) }

func scriptTag() string { return fmt.Sprintf(`"%x"`, sha256.Sum256(browserScript())) }

// moduleCalls are requests through a module's process, beside the same handlers inside the host.
func moduleCalls() []row {
	read := func(path string, connections int) senders { return signedIn(callsPath+path, connections) }
	send := func(path string, size, connections int) senders {
		return posted(callsPath+path, size, connections)
	}
	return []row{
		{work: "module GET small, 32 at once", sent: read("/small", 32), goal: toLimit(atLeast, 0.55),
			beside: inHost},
		{work: "module GET small, 1 at once", sent: read("/small", 1), goal: toLimit(atLeast, 0.45),
			beside: inHost},
		{work: "module GET 64 KiB, 8 at once", sent: read("/plain/65536", 8), goal: toLimit(atLeast, 0.55),
			beside: inHost},
		{work: "module GET 1 MiB, 4 at once", sent: read("/plain/1048576", 4), goal: toLimit(atLeast, 0.68),
			beside: inHost},
		{work: "module GET 32 MiB, 1 at once", sent: read("/plain/33554432", 1), goal: toLimit(atLeast, 0.75),
			beside: inHost},
		{work: "module POST 64 KiB, 8 at once", sent: send("/count", 64<<10, 8), goal: toLimit(atLeast, 0.65),
			beside: inHost},
		{work: "module POST 1 MiB, 4 at once", sent: send("/count", 1<<20, 4), goal: toLimit(atLeast, 1.00),
			beside: inHost},
		{work: "module POST 32 MiB, 1 at once", sent: send("/stream", 32<<20, 1), goal: toLimit(atLeast, 0.65),
			beside: inHost},
		{work: "artifact 304, 32 at once", sent: revalidate(scriptPath, scriptTag(), connections),
			goal: toLimit(atLeast, 0.95)},
	}
}

// revalidate asks for an artifact that the sender has.
func revalidate(path, tag string, connections int) senders {
	return func(*system) traffic {
		sent := traffic{status: "HTTP/1.1 304 "}
		for range connections {
			sent.requests = append(sent.requests, get(path, "If-None-Match: "+tag))
		}
		return sent
	}
}
