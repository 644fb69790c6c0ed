package gateway_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// BenchmarkRoute measures requests through a module's process and through the same handlers inside the host,
// both behind the whole pipeline. Compare the requests/s of "module" with those of "host"; on a machine that
// does other work compare the processor time too. A separate process produces the load.
func BenchmarkRoute(b *testing.B) {
	p := startBeside(b, gateway.Limits{}, inHost())
	pid := p.pid(b)
	for _, row := range []struct {
		name, method, path string
		body, connections  int
	}{
		{"small", "GET", "/small", 0, 1},
		{"small", "GET", "/small", 0, 32},
		{"wait=1ms", "GET", "/nap", 0, 32},
		{"mixed=2%", "GET", "/small*49,/nap", 0, 32},
		{"mixed=20%", "GET", "/small*4,/nap", 0, 32},
		{"get=64KiB", "GET", "/plain/65536", 0, 8},
		{"get=1MiB", "GET", "/plain/1048576", 0, 4},
		{"get=32MiB", "GET", "/plain/33554432", 0, 1},
		{"post=64KiB", "POST", "/count", 64 << 10, 1},
		{"post=64KiB", "POST", "/count", 64 << 10, 8},
		{"post=512KiB", "POST", "/count", 512 << 10, 4},
		{"post=1MiB", "POST", "/count", 1 << 20, 4},
		{"post=32MiB", "POST", "/stream", 32 << 20, 1},
	} {
		for _, side := range []string{"host", "module"} {
			b.Run(fmt.Sprintf("%s/connections=%d/%s", row.name, row.connections, side), func(b *testing.B) {
				under := root
				if side == "host" {
					under = besideModule
				}
				path := under + strings.ReplaceAll(row.path, ",", ","+under)
				load := exec.Command("/proc/self/exe", strings.TrimPrefix(p.url, "http://"), row.method, path,
					strconv.Itoa(row.body), strconv.Itoa(row.connections), strconv.Itoa(b.N))
				load.Env = append(os.Environ(), playsLoad+"=1")
				load.Stderr = os.Stderr
				before := cpu(b) + childCPU(b, pid)
				said, err := load.Output()
				if err != nil {
					b.Fatal(err)
				}
				used := cpu(b) + childCPU(b, pid) - before + load.ProcessState.UserTime() + load.ProcessState.SystemTime()
				var took, median, late time.Duration
				if _, err := fmt.Sscan(string(said), (*duration)(&took), (*duration)(&median),
					(*duration)(&late)); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(median.Microseconds()), "p50-µs")
				b.ReportMetric(float64(late.Microseconds()), "p99-µs")
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/op")
				b.ReportMetric(float64(b.N)/took.Seconds(), "requests/s")
				b.ReportMetric(float64(used.Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
	}
}

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// childCPU returns the processor time that another process has used, to a hundredth of a second.
func childCPU(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

const besideModule = "/api/v1/beside"

// inHost returns the handlers of testdata/module as routes of the host itself.
func inHost() []httpapi.Route {
	piece := bytes.Repeat([]byte("x"), 32<<10)
	count := func(c *httpapi.Call) error {
		n, err := io.Copy(io.Discard, c.Request.Body)
		_, _ = fmt.Fprint(c.Writer, n)
		return err
	}
	post := func(path string, max int64, handle httpapi.Handler) httpapi.Route {
		return httpapi.Route{Method: "POST", Path: besideModule + path, Origin: httpapi.TrustedOrigin,
			Body: httpapi.DeclaredBody, MaxBody: max,
			Permission: "sample.use", Handle: handle}
	}
	return []httpapi.Route{
		{Method: "GET", Path: besideModule + "/small", Permission: "sample.use",
			Handle: func(c *httpapi.Call) error {
				c.Writer.Header().Set("Content-Type", "application/json")
				_, err := io.WriteString(c.Writer, `{"plain":true}`)
				return err
			}},
		{Method: "GET", Path: besideModule + "/nap", Permission: "sample.use",
			Handle: func(*httpapi.Call) error {
				time.Sleep(time.Millisecond)
				return nil
			}},
		{Method: "GET", Path: besideModule + "/plain/{count}", Permission: "sample.use",
			Handle: func(c *httpapi.Call) error {
				c.Writer.Header().Set("Content-Length", c.Parameter("count"))
				left, _ := strconv.Atoi(c.Parameter("count"))
				for ; left > 0; left -= len(piece) {
					_, _ = c.Writer.Write(piece[:min(left, len(piece))])
				}
				return nil
			}},
		post("/count", 1<<20, func(c *httpapi.Call) error {
			body, err := c.ReadBody()
			c.Request.Body = io.NopCloser(bytes.NewReader(body))
			if err != nil {
				return err
			}
			return count(c)
		}),
		post("/stream", 32<<20, count),
	}
}

// duration reads what runLoad prints.
type duration time.Duration

func (d *duration) Scan(s fmt.ScanState, _ rune) error {
	word, err := s.Token(true, nil)
	if err == nil {
		var read time.Duration
		read, err = time.ParseDuration(string(word))
		*d = duration(read)
	}
	return err
}

const playsLoad = "NARTHEX_TEST_PLAYS_LOAD"

// runLoad sends a number of requests over a number of connections, reads each complete response and prints
// the duration, and the median and the 99th percentile of the latencies. It writes HTTP by hand, because a
// real client would cost more than the server.
func runLoad(arguments []string) error {
	address, method, path := arguments[0], arguments[1], arguments[2]
	size, _ := strconv.Atoi(arguments[3])
	connections, _ := strconv.Atoi(arguments[4])
	requests, _ := strconv.Atoi(arguments[5])
	round := requestsOf(method, path, size)
	work := make(chan []byte, requests)
	latencies := make(chan time.Duration, requests)
	for i := range requests {
		work <- round[i%len(round)]
	}
	close(work)
	failed := make(chan error, connections)
	began := time.Now()
	var clients sync.WaitGroup
	for range connections {
		clients.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				failed <- err
				return
			}
			defer conn.Close()
			response := bufio.NewReaderSize(conn, 64<<10)
			for request := range work {
				began := time.Now()
				if _, err := conn.Write(request); err != nil {
					failed <- err
					return
				}
				if err := readResponse(response); err != nil {
					failed <- err
					return
				}
				latencies <- time.Since(began)
			}
		})
	}
	clients.Wait()
	select {
	case err := <-failed:
		return err
	default:
		took, sorted := time.Since(began), make([]time.Duration, 0, requests)
		for range requests {
			sorted = append(sorted, <-latencies)
		}
		slices.Sort(sorted)
		fmt.Println(took, sorted[requests/2], sorted[requests*99/100])
		return nil
	}
}

// requestsOf returns the requests of a path such as "/small*4,/nap": four of the first, then one of the
// second.
func requestsOf(method, paths string, size int) (round [][]byte) {
	for part := range strings.SplitSeq(paths, ",") {
		path, times, repeated := strings.Cut(part, "*")
		count := 1
		if repeated {
			count, _ = strconv.Atoi(times)
		}
		for range count {
			round = append(round, requestOf(method, path, size))
		}
	}
	return round
}

func requestOf(method, path string, size int) []byte {
	request := []byte(method + " " + path + " HTTP/1.1\r\nHost: x\r\nTest-Who: owner\r\nOrigin: " + home +
		"\r\n")
	if method == "POST" {
		request = append(request, "Content-Length: "+strconv.Itoa(size)+"\r\n"...)
	}
	return append(append(request, "\r\n"...), make([]byte, size)...)
}

func readResponse(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil || !bytes.HasPrefix(line, []byte("HTTP/1.1 200 OK")) {
		return fmt.Errorf("%w %s", err, line)
	}
	length := 0
	for len(line) > 2 {
		if line, err = r.ReadSlice('\n'); err != nil {
			return err
		}
		if text, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(text))); err != nil {
				return err
			}
		}
	}
	_, err = r.Discard(length)
	return err
}
