package dev

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
	"github.com/narthex-platform/narthex/web"
)

// The routes of dev's own page.
const (
	benchPath = "/_dev/"
	workPath  = "/_dev/work"
	runPath   = "/_dev/run"
	erasePath = "/_dev/erase"
)

// What the page shows at most.
const (
	keptRequests = 50
	keptLines    = 20 // of one request
	keptMails    = 20
	shownModules = "/api/v1/modules/"
)

// bench is dev's own page: what the modules have registered, what was asked of them and what they wrote
// meanwhile, and the mails that were sent. Safe for concurrent use.
type bench struct {
	mu       sync.Mutex
	server   *platform.Server // of the current generation; nil: none yet
	requests []*seenRequest   // the newest first
	mails    []seenMail       // the newest first
}

// seenRequest is a request to a module. Lines are what the module wrote while it was in progress; with
// several at once a line belongs to each of them.
type seenRequest struct {
	Module string    `json:"module"`
	Method string    `json:"method"`
	Path   string    `json:"path"` // with the query
	Status int       `json:"status"`
	Millis float64   `json:"millis"`
	At     time.Time `json:"at"`
	Lines  []string  `json:"lines"`
	ended  bool
}

type seenMail struct {
	To      []string  `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
}

func (b *bench) use(server *platform.Server) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.server = server
}

func (b *bench) current() *platform.Server {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.server
}

// wrote adds a line of a module to its requests in progress.
func (b *bench) wrote(moduleID, line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if r.Module == moduleID && !r.ended && len(r.Lines) < keptLines {
			r.Lines = append(r.Lines, line)
		}
	}
}

// mailed adds a mail.
func (b *bench) mailed(m mail.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append([]seenMail{{m.To, m.Subject, m.Text, time.Now()}}, b.mails...)
	b.mails = b.mails[:min(len(b.mails), keptMails)]
}

// begin keeps a request that begins now.
func (b *bench) begin(seen *seenRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append([]*seenRequest{seen}, b.requests...)
	b.requests = b.requests[:min(len(b.requests), keptRequests)]
}

// follow serves a request to a module and keeps what became of it.
func (b *bench) follow(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, shownModules), "/")
	seen := &seenRequest{Module: id, Method: r.Method, Path: r.URL.RequestURI(), At: time.Now(),
		Lines: []string{}}
	b.begin(seen)
	counted := &statusWriter{ResponseWriter: w}
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		seen.Status, seen.Millis = counted.status, float64(time.Since(seen.At).Microseconds())/1000
		seen.ended = true
	}()
	handler.ServeHTTP(counted, r)
}

// statusWriter keeps the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader keeps the status.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write is the response's.
func (w *statusWriter) Write(text []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(text)
}

// Flush sends what was written.
func (w *statusWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController reach the response.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serve serves the page and its routes; false: the path is none of them.
func (b *bench) serve(w http.ResponseWriter, r *http.Request) bool {
	switch path := r.URL.Path; {
	case path == workPath && r.Method == http.MethodGet:
		b.sendWork(w)
	case path == runPath && r.Method == http.MethodPost:
		b.act(w, r, deadlines.Run, func(ctx context.Context, s *platform.Server, a action) error {
			_, err := s.Run(ctx, a.Module, a.Name)
			return err
		})
	case path == erasePath && r.Method == http.MethodPost:
		b.act(w, r, deadlines.Erase, func(ctx context.Context, s *platform.Server, a action) error {
			return s.Forget(ctx, a.Module, a.Name)
		})
	case path == benchPath || path == benchPath+"bench.js":
		w.Header().Set("Cache-Control", "no-store")
		http.StripPrefix(benchPath, http.FileServerFS(web.Bench())).ServeHTTP(w, r)
	default:
		return false
	}
	return true
}

func (b *bench) sendWork(w http.ResponseWriter) {
	work := []platform.Work{}
	if server := b.current(); server != nil {
		work = server.Work()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	sendJSON(w, map[string]any{"modules": work, "requests": append([]*seenRequest{}, b.requests...),
		"mails": append([]seenMail{}, b.mails...)})
}

// action is what the page asks for: a run of the schedule Name, or to forget the person Name.
type action struct {
	Module string `json:"module"`
	Name   string `json:"name"`
}

// act does what the page asks for, and answers with the code of its failure, or with "".
func (b *bench) act(
	w http.ResponseWriter, r *http.Request, within time.Duration,
	do func(ctx context.Context, s *platform.Server, a action) error,
) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var a action
	err := json.NewDecoder(io.LimitReader(r.Body, maxPageError)).Decode(&a)
	server := b.current()
	if err != nil || kind != "application/json" || server == nil { // which pages of other origins cannot send
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), within)
	defer cancel()
	seen := &seenRequest{Module: a.Module, Method: "RUN", Path: a.Name, At: time.Now(), Lines: []string{}}
	if r.URL.Path == erasePath {
		seen.Method = "ERASE"
	}
	b.begin(seen)
	failure := ""
	if err := do(ctx, server, a); err != nil {
		failure = strings.Join(platform.FailureCodes(err), ", ")
		if failure == "" {
			failure = "FAILED"
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	seen.ended, seen.Millis = true, float64(time.Since(seen.At).Microseconds())/1000
	sendJSON(w, map[string]string{"failure": failure})
}

func sendJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(value)
}
