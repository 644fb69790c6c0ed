package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	callsSource = "cmd/narthex-bench/testdata/calls"
	callsPath   = "/api/v1/modules/calls"
	scriptPath  = "/api/v1/module-ui/calls/1.0.0"
)

// installCalls builds the module of the rows below into a modules directory.
func installCalls(ctx context.Context, modules string) error {
	folder := filepath.Join(modules, "calls")
	program := filepath.Join(folder, "bin", runtime.GOOS+"-"+runtime.GOARCH, "calls")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", program, "./"+callsSource)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	manifest, err := os.ReadFile(filepath.Join(callsSource, "module.json"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(folder, "ui"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "ui", "index.js"), callsScript(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "module.json"), manifest, 0o644)
}

// callsScript is the module's artifact: 200 KiB.
func callsScript() []byte { return bytes.Repeat([]byte("0123456789abcdef"), 200<<10/16) }

func callsTag() string { return fmt.Sprintf(`"%x"`, sha256.Sum256(callsScript())) }

// limitCalls are the handlers of testdata/calls, and its artifact, as bare gin runs them. session stands for
// the gates: one query, as in the row with a session.
func limitCalls(engine *gin.Engine, session gin.HandlerFunc) {
	piece := make([]byte, 32<<10)
	engine.GET(callsPath+"/small", session, func(c *gin.Context) {
		answerLimit(c, `{"plain":true}`)
	})
	engine.GET(callsPath+"/plain/:count", session, func(c *gin.Context) {
		c.Header("Content-Length", c.Param("count"))
		left, _ := strconv.Atoi(c.Param("count"))
		for ; left > 0; left -= len(piece) {
			_, _ = c.Writer.Write(piece[:min(left, len(piece))])
		}
	})
	engine.POST(callsPath+"/count", session, func(c *gin.Context) { // a buffered body is whole in memory first
		body := make([]byte, c.Request.ContentLength)
		n, _ := io.ReadFull(c.Request.Body, body)
		_, _ = fmt.Fprint(c.Writer, n)
	})
	engine.POST(callsPath+"/stream", session, func(c *gin.Context) {
		n, _ := io.Copy(io.Discard, c.Request.Body)
		_, _ = fmt.Fprint(c.Writer, n)
	})
	script, tag := callsScript(), callsTag()
	engine.GET(scriptPath, func(c *gin.Context) {
		c.Header("Cache-Control", "no-cache")
		c.Header("ETag", tag)
		if c.GetHeader("If-None-Match") == tag {
			c.Status(http.StatusNotModified)
			return
		}
		c.Header("Content-Length", strconv.Itoa(len(script)))
		c.Data(http.StatusOK, "text/javascript; charset=utf-8", script)
	})
}

// moduleCall is a row whose rate and CPU are taken by the same runs. CPU is that of the server and of its
// children.
type moduleCall struct {
	work        string
	connections int
	goal        string // of the rate's ratio
	cpuGoal     string
	// request is for a connection with this header line of a session.
	request func(session string) []byte
	status  string
}

func moduleCalls(origin string) []moduleCall {
	visit := func(string) []byte { return get(principalPath, "") }
	read := func(path string) func(string) []byte {
		return func(session string) []byte { return get(callsPath+path, session) }
	}
	send := func(path string, size int) func(string) []byte {
		return func(session string) []byte {
			head := fmt.Sprintf("POST %s%s HTTP/1.1\r\nHost: localhost\r\nOrigin: %s\r\n%s\r\n"+
				"Content-Length: %d\r\n\r\n", callsPath, path, origin, session, size)
			return append([]byte(head), make([]byte, size)...)
		}
	}
	revalidate := func(string) []byte { return get(scriptPath, "If-None-Match: "+callsTag()) }
	return []moduleCall{
		{
			work: "anonymous principal", connections: connections, request: visit, goal: ">= 0.92",
			cpuGoal: ">= 0.87", // at most 1.15 times as much
		},
		{work: "module GET small", connections: connections, request: read("/small"), goal: ">= 0.55"},
		{work: "module GET small", connections: 1, request: read("/small"), goal: ">= 0.45"},
		{work: "module GET 64 KiB", connections: 8, request: read("/plain/65536"), goal: ">= 0.55"},
		{work: "module GET 1 MiB", connections: 4, request: read("/plain/1048576"), goal: ">= 0.68"},
		{work: "module GET 32 MiB", connections: 1, request: read("/plain/33554432"), goal: ">= 0.75"},
		{work: "module POST 64 KiB", connections: 8, request: send("/count", 64<<10), goal: ">= 0.65"},
		{work: "module POST 1 MiB", connections: 4, request: send("/count", 1<<20), goal: ">= 1.00"},
		{work: "module POST 32 MiB", connections: 1, request: send("/stream", 32<<20), goal: ">= 0.65"},
		{
			work: "artifact 304", connections: connections, request: revalidate, status: "HTTP/1.1 304 ",
			goal: ">= 0.95",
		},
	}
}

// measure takes turns as row.measure does.
func (r moduleCall) measure(ctx context.Context, limit, ours *system, runs int, length time.Duration) error {
	senders := func(s *system) traffic {
		sent := traffic{status: r.status}
		for i := range r.connections {
			sent.requests = append(sent.requests, r.request(s.cookies[i]))
		}
		return sent
	}
	var rates, costs [3][]float64 // of the limit, of ours, and their ratio
	for range runs {
		for i, s := range []*system{limit, ours} {
			before := s.cpuOfAll()
			done, err := load(ctx, s.address, senders(s), length)
			if err != nil || len(done) == 0 {
				return fmt.Errorf("%d answers: %w", len(done), err)
			}
			rates[i] = append(rates[i], float64(len(done))/length.Seconds())
			costs[i] = append(costs[i], float64((s.cpuOfAll()-before).Microseconds())/float64(len(done)))
		}
		last := len(rates[0]) - 1
		rates[2] = append(rates[2], rates[1][last]/rates[0][last])
		costs[2] = append(costs[2], costs[0][last]/costs[1][last])
	}
	name := fmt.Sprintf("%s, %d at once", r.work, r.connections)
	fmt.Printf("%-48s %12.0f %12.0f %8.2f  %s\n", name+" (requests/s)", median(rates[0]), median(rates[1]),
		median(rates[2]), r.goal)
	fmt.Printf("%-48s %12.0f %12.0f %8.2f  %s\n", "  CPU a request (us), and limit/narthex", median(costs[0]),
		median(costs[1]), median(costs[2]), r.cpuGoal)
	return ctx.Err()
}

// cpuOfAll is what the process and its children have used so far.
func (s *system) cpuOfAll() time.Duration {
	used, parent := s.cpu(), strconv.Itoa(s.command.Process.Pid)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		if fields := afterName(stat); len(fields) > 12 && fields[1] == parent {
			used += ticks(fields)
		}
	}
	return used
}

// afterName are the fields of a process's stat behind its name, which may hold anything.
func afterName(stat []byte) []string {
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}
