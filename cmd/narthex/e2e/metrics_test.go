package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// scrape returns every metric of a daemon, by its full name with labels.
func scrape(t *testing.T, socket string) (metrics map[string]float64, text string) {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	response, err := client.Get("http://metrics/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("scrape: status %d, error %v; want 200 and none", response.StatusCode, err)
	}
	metrics = make(map[string]float64)
	for line := range strings.Lines(string(body)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if name+"} "+value != strings.TrimSpace(line) {
			name, value, _ = strings.Cut(strings.TrimSpace(line), " ")
		} else {
			name += "}"
		}
		if number, err := strconv.ParseFloat(value, 64); err == nil && !strings.HasPrefix(line, "#") {
			metrics[name] = number
		}
	}
	return metrics, string(body)
}

var statusLabel = regexp.MustCompile(`^narthex_http_requests_total\{.*status="(\d+)"`)

// statuses sums the responses that the platform counted, by status.
func statuses(metrics map[string]float64) map[int]int {
	sums := make(map[int]int)
	for name, value := range metrics {
		if label := statusLabel.FindStringSubmatch(name); label != nil {
			status, _ := strconv.Atoi(label[1])
			sums[status] += int(value)
		}
	}
	return sums
}

// tally counts what a load generator received.
type tally struct {
	mu       sync.Mutex
	statuses map[int]int
}

func (c *tally) add(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statuses[status]++
}

// TestMetricsEqualTheLoad sends requests of every kind at once, and checks that the metrics equal what the
// clients received, to the last response.
func TestMetricsEqualTheLoad(t *testing.T) {
	i := install(t, "announcements")
	socket := filepath.Join(t.TempDir(), "metrics.sock")
	i.environment["SERVICE_METRICS_ADDRESS"] = socket
	i.start(t)
	got := tally{statuses: make(map[int]int)}
	owner := i.signIn(t, ownerAddress, ownerPassword)
	got.add(http.StatusOK)

	kinds := []func() int{
		func() int { return i.send(t, owner, "GET", "/api/v1/principal", "") },
		func() int { return i.send(t, nil, "GET", "/", "") },
		func() int { return i.send(t, nil, "HEAD", "/", "") },
		func() int { return i.send(t, nil, "GET", "/api/v1/nothing", "") },
		func() int { return i.send(t, nil, "BREW", "/api/v1/principal", "") },
		func() int { return i.send(t, owner, "POST", "/api/v1/grants", `{"userId":7}`) },
		func() int { return i.send(t, owner, "POST", "/api/v1/grants", strings.Repeat("x", 20_000)) },
		func() int { return i.send(t, nil, "GET", "/api/v1/modules/announcements/slides", "") },
		func() int { return i.send(t, owner, "GET", "/api/v1/modules/announcements/slides", "") },
		func() int {
			return i.send(t, nil, "POST", "/api/auth/sign-in/email", `{"email":"a@b.c","password":"x"}`)
		},
		func() int { return i.raw(t, "POST /api/v1/grants HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}") },
		func() int {
			return i.raw(t, "OPTIONS /api/v1/grants HTTP/1.1\r\nHost: x\r\nOrigin: http://x.test\r\n"+
				"Access-Control-Request-Method: POST\r\n\r\n")
		},
		func() int { return i.raw(t, "NONSENSE\r\n\r\n") },
		func() int { return i.raw(t, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 20_000)+"\r\n\r\n") },
	}
	var load sync.WaitGroup
	for range 8 {
		load.Go(func() {
			for _, kind := range rand.Perm(5 * len(kinds)) {
				got.add(kinds[kind%len(kinds)]())
			}
		})
	}
	load.Wait()

	metrics, text := scrape(t, socket)
	if counted := statuses(metrics); !maps.Equal(counted, got.statuses) {
		t.Errorf("the metrics count %v by status, the clients received %v", counted, got.statuses)
	}
	for cause, want := range map[string]int{"origin": 40, "body_size": 40, "malformed": 40, "head_size": 40,
		"rate": got.statuses[http.StatusTooManyRequests]} {
		if counted := metrics[fmt.Sprintf("narthex_http_refusals_total{cause=%q}", cause)]; int(counted) != want {
			t.Errorf("refusals with cause %s: counted %v, want %d", cause, counted, want)
		}
	}
	if ready := metrics[`narthex_module_state{module="announcements",state="ready"}`]; ready != 1 {
		t.Errorf("announcements runs: its state ready is %v, want 1", ready)
	}
	for _, private := range []string{"example.org", i.address, filepath.Dir(socket), i.db.URL} {
		if strings.Contains(text, private) {
			t.Errorf("the metrics tell %q", private)
		}
	}
}

// send sends one request and returns the status.
func (i *installation) send(t *testing.T, as *person, method, path, body string) int {
	request, err := http.NewRequestWithContext(t.Context(), method, i.address+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", i.address)
	}
	client := &http.Client{Transport: documented(t, http.DefaultTransport)}
	if as != nil {
		request.Header.Set("Cookie", as.cookie)
	}
	request.Close = true // a request that is repeated would be counted twice
	response, err := client.Do(request)
	if err != nil {
		t.Errorf("%s %s: error %v, want none", method, path, err)
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Errorf("%s %s: reading the body: error %v, want none", method, path, err)
	}
	return response.StatusCode
}

// raw sends bytes and returns the status of the response.
func (i *installation) raw(t *testing.T, text string) int {
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.address, "http://"))
	if err != nil {
		t.Error(err)
		return 0
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(conn, text) // a request that is refused early is not read to its end
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Errorf("%.20q: error %v, want a response", text, err)
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// TestMetricsAddressInUse: a start reports an address that is in use, and replaces a socket that a killed
// process left.
func TestMetricsAddressInUse(t *testing.T) {
	i := install(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	i.environment["SERVICE_METRICS_ADDRESS"] = taken.Addr().String()
	r := runCommand(t, i.environment, "", "api:start")
	if code := r.awaitExit(t); code != 1 || !strings.Contains(r.stderr.String(), "METRICS_ADDRESS_INVALID") {
		t.Errorf("start with a taken address: exit %d and %q, want 1 and METRICS_ADDRESS_INVALID", code,
			r.stderr.String())
	}

	socket := filepath.Join(t.TempDir(), "metrics.sock")
	i.environment["SERVICE_METRICS_ADDRESS"] = socket
	first := i.start(t)
	_ = first.command.Process.Kill()
	first.awaitExit(t)
	i.start(t)
	if metrics, _ := scrape(t, socket); metrics["go_goroutines"] == 0 {
		t.Error("after a start on the socket of a killed process: no go_goroutines among the metrics")
	}
}

var (
	metricName = regexp.MustCompile(`narthex_[a-z_]+`)
	fromKinds  = regexp.MustCompile(`_(bucket|sum|count)$`) // the suffixes of a histogram
)

// namesIn returns the metrics that a text names.
func namesIn(text string) map[string]bool {
	names := make(map[string]bool)
	for _, name := range metricName.FindAllString(text, -1) {
		names[fromKinds.ReplaceAllString(name, "")] = true
	}
	return names
}

// assertNamed compares the metrics that a file of the repository names with those that exist.
func assertNamed(t *testing.T, file string, exist map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	for name := range namesIn(string(text)) {
		if !exist[name] {
			t.Errorf("%s names %s, which is no metric", file, name)
		}
	}
}

// TestMetricsAreDescribed: the page describes every metric; page, alert rules and dashboard name none that
// does not exist.
func TestMetricsAreDescribed(t *testing.T) {
	i := install(t, "announcements")
	socket := filepath.Join(t.TempDir(), "metrics.sock")
	i.environment["SERVICE_METRICS_ADDRESS"] = socket
	i.environment["SERVICE_REALTIME_NATS_URL"] = "nats://127.0.0.1:1"
	i.start(t)
	i.send(t, nil, "GET", "/", "") // for the histogram
	i.db.Exec(t, `INSERT INTO core.backup_run DEFAULT VALUES`)
	_, text := scrape(t, socket)
	exist := namesIn(text)
	page, err := os.ReadFile("../../../docs/operations/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	described := namesIn(string(page))
	for name := range exist {
		if !described[name] {
			t.Errorf("docs/operations/metrics.md does not describe %s", name)
		}
	}
	for _, file := range []string{"docs/operations/metrics.md", "deploy/monitoring/alerts.yml",
		"deploy/monitoring/dashboard.json"} {
		assertNamed(t, file, exist)
	}
	if promtool, err := exec.LookPath("promtool"); err == nil {
		check := exec.Command(promtool, "check", "rules", "../../../deploy/monitoring/alerts.yml")
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("promtool check rules: %v\n%s", err, out)
		}
	}
}
