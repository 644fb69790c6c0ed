// Command misbehaving is a module for tests that does harm on request. Tests install it under several names.
// The beginning of its name decides what it does without a request: "loop" exits right after its start,
// "changeling" registers something else in each process, "clinging" never returns from its stop hook.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type misbehaving struct {
	name            string
	links           map[string]int // duplicated descriptors of the links, by name
	host            *sdk.Host
	written, logged atomic.Int64 // counters of a flood: bytes, lines
}

func main() {
	sdk.Serve(&misbehaving{
		name: filepath.Base(os.Args[0]),
		// duplicates, because the SDK closes the inherited descriptors
		links: map[string]int{"answers": duplicate(3), "calls": duplicate(4)},
	})
}

func duplicate(descriptor int) int {
	own, err := syscall.Dup(descriptor)
	if err != nil {
		os.Exit(5)
	}
	return own
}

// Register declares a route for each kind of harm.
func (h *misbehaving) Register(r *sdk.Registry) error {
	may := h.name + ".use"
	r.Handle("GET /plain", may, sdk.NoBody,
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "plain") })
	r.Handle("POST /slow", may, sdk.Buffered(1<<20), slow)
	r.Handle("POST /echo", may, sdk.Buffered(1<<20),
		func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	r.Handle("GET /long", may, sdk.NoBody,
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 100<<10)) })
	r.Handle("GET /endless", may, sdk.NoBody, endless)
	r.Handle("GET /hold", may, sdk.NoBody, h.hold)
	r.Handle("GET /stick", may, sdk.NoBody, func(http.ResponseWriter, *http.Request) { select {} })
	r.Handle("GET /say/{link}/{what}", may, sdk.NoBody, h.say)
	r.Handle("GET /spin", may, sdk.NoBody, spin)
	r.Handle("GET /spoil", may, sdk.NoBody, spoil)
	r.Handle("GET /exit", may, sdk.NoBody, func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	r.Handle("GET /panic", may, sdk.NoBody, func(http.ResponseWriter, *http.Request) {
		go panic("a panic of its own \x1b[2J") // in a goroutine that the SDK does not recover
	})
	r.Handle("GET /memory", may, sdk.NoBody, memory)
	r.Handle("GET /threads/{count}", may, sdk.NoBody, threads)
	r.Handle("GET /flood", may, sdk.NoBody, h.flood)
	r.Handle("GET /flooded", may, sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, h.written.Load(), h.logged.Load())
	})
	if strings.HasPrefix(h.name, "changeling") {
		r.Handle("GET /process/"+strconv.Itoa(os.Getpid()), may, sdk.NoBody,
			func(http.ResponseWriter, *http.Request) {})
	}
	return nil
}

// Start logs that it was called.
func (h *misbehaving) Start(_ context.Context, host *sdk.Host) error {
	h.host = host
	host.Log.Info("misbehaving started")
	if strings.HasPrefix(h.name, "loop") {
		// By then the response to Start is sent, even on a busy machine.
		time.AfterFunc(200*time.Millisecond, func() { os.Exit(7) })
	}
	return nil
}

// Stop never returns in a module whose name begins with "clinging".
func (h *misbehaving) Stop(context.Context) error {
	if strings.HasPrefix(h.name, "clinging") {
		select {}
	}
	return nil
}

// slow responds with the length and the hash of the body.
func slow(w http.ResponseWriter, r *http.Request) {
	sum := sha256.New()
	n, _ := io.Copy(sum, r.Body)
	time.Sleep(50 * time.Millisecond)
	fmt.Fprintf(w, "%d %x", n, sum.Sum(nil))
}

func endless(w http.ResponseWriter, _ *http.Request) {
	for piece := make([]byte, 32<<10); ; {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

func (h *misbehaving) hold(_ http.ResponseWriter, r *http.Request) {
	h.host.Log.Info("holding")
	<-r.Context().Done()
}

// nonsense are messages that each break one rule of docs/link.md; a frame is u32 length, u8 kind, u8 method,
// u32 call id.
var nonsense = map[string][]byte{
	"text":      []byte(strings.Repeat("nonsense ", 1000)),
	"half":      {100, 0, 0, 0, 2, 0, 1, 0, 0, 0, 1, 2, 3},
	"oversize":  {0x01, 0x00, 0x14, 0x01, 2, 0, 1, 0, 0, 0},
	"huge":      {0xff, 0xff, 0xff, 0xff, 2, 0, 1, 0, 0, 0},
	"undersize": {5, 0, 0, 0, 2, 0, 1, 0, 0, 0},
	"kind":      {6, 0, 0, 0, 99, 0, 1, 0, 0, 0},
	"answer":    {6, 0, 0, 0, 2, 0, 0xfe, 0xff, 0xff, 0xff}, // a response without a request
	"pong":      {6, 0, 0, 0, 6, 0, 0xfe, 0xff, 0xff, 0xff},
	"loaded":    {9, 0, 0, 0, 4, 0, 1, 0, 0, 0, 1, 2, 3}, // a cancel with a payload
}

// say writes nonsense to a link; after half a frame it closes the link.
func (h *misbehaving) say(_ http.ResponseWriter, r *http.Request) {
	link := h.links[r.PathValue("link")]
	_, _ = syscall.Write(link, nonsense[r.PathValue("what")])
	if r.PathValue("what") == "half" {
		_ = syscall.Shutdown(link, syscall.SHUT_WR)
	}
	<-r.Context().Done()
}

// spoil writes nonsense to every body socket, where it corrupts the next bodies.
func spoil(http.ResponseWriter, *http.Request) {
	for descriptor := 5; descriptor <= 36; descriptor++ {
		_, _ = syscall.Write(descriptor, nonsense["text"][:9])
	}
}

// memory allocates 2 GiB, which is more than any limit allows.
func memory(http.ResponseWriter, *http.Request) {
	var held [][]byte
	for range 256 {
		block := make([]byte, 8<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		held = append(held, block)
	}
	runtime.KeepAlive(held)
}

// spin uses all the CPU that it gets, for ever.
func spin(http.ResponseWriter, *http.Request) {
	for range runtime.GOMAXPROCS(0) {
		go func() {
			//lint:ignore SA5002 taking all the CPU is what this route is for
			for {
			}
		}()
	}
}

func threads(_ http.ResponseWriter, r *http.Request) {
	count, _ := strconv.Atoi(r.PathValue("count"))
	for range count {
		go func() {
			runtime.LockOSThread()
			select {}
		}()
		runtime.Gosched()
	}
	time.Sleep(time.Minute)
}

// flood writes more to standard output and the log than anything can read, and never ends.
func (h *misbehaving) flood(http.ResponseWriter, *http.Request) {
	text := []byte(strings.Repeat("hunter2 ", 4<<10))
	go func() {
		for {
			n, _ := os.Stdout.Write(text)
			h.written.Add(int64(n))
		}
	}()
	for range 4 {
		go func() {
			for {
				h.host.Log.Info("flood "+strings.Repeat("x", 10<<10), "attribute", strings.Repeat("y", 10<<10))
				h.logged.Add(1)
			}
		}()
	}
}
