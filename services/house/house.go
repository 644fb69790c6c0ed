// Package house owns the settings of the house: its name and accent colour, which every screen shows, the
// language of its emails, and the time zone of every time that people see. It also returns when a backup was
// last verified.
//
// Requests get the house from memory, because every page needs it, even without a session. The service reads
// the stored row again every 10 s, so a change by another process appears within that time. While the
// database does not respond, the last known state is used.
package house

import (
	_ "embed"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// House contains the settings of the house.
type House struct {
	Name     *string `json:"name"` // nil: no name
	Accent   string  `json:"accent"`
	Language string  `json:"language"`
	TimeZone *string `json:"timeZone"` // an IANA name; nil: not set

	// SecondFactor says who needs a second factor. services/authorization reads it for each decision.
	SecondFactor string `json:"secondFactor"`
}

// The defaults of a new installation.
const (
	defaultAccent   = "blue"
	defaultLanguage = "en"
	defaultFactor   = "optional"
)

// accents, languages and factors are the allowed values. The constraints of Core's table have the same lists.
var (
	accents   = []string{defaultAccent, "violet", "plum", "ruby", "copper", "olive", "green", "teal"}
	languages = []string{defaultLanguage, "de"}
	factors   = []string{defaultFactor, "administrators"}
)

// zones are the names of the time zones in Go's own table, which every module has, a line each. Another table
// of the machine may have more.
//
//go:embed zones.txt
var zones string

func isZone(name string) bool {
	return name != "" && !strings.Contains(name, "\n") && strings.Contains("\n"+zones, "\n"+name+"\n")
}

// Languages returns the languages that a house can have.
func Languages() []string { return slices.Clone(languages) }

const readEvery = 10 * time.Second

// Service serves the routes of the house and keeps its state in memory. It is a supervisor.Service. All
// methods are safe for concurrent use, but only one Serve may run at a time.
type Service struct {
	store *Store
	log   *zap.Logger
	every time.Duration
	state atomic.Pointer[state]
	ready chan struct{}
}

// state is the house at one revision.
type state struct {
	house House
	rev   int64
}

// New makes a Service. It opens no connection. Before Serve has read the house, Current returns the defaults
// of a new installation.
func New(store *Store, log *zap.Logger) *Service {
	return &Service{store: store, log: log, every: readEvery, ready: make(chan struct{})}
}

// Current returns the house as it was last read. It takes no lock and does not query the database.
func (s *Service) Current() House { return s.current().house }

// CurrentAt is Current with the number of changes so far.
func (s *Service) CurrentAt() (h House, rev int64) {
	current := s.current()
	return current.house, current.rev
}

func (s *Service) current() state {
	if held := s.state.Load(); held != nil {
		return *held
	}
	return state{house: House{Accent: defaultAccent, Language: defaultLanguage, SecondFactor: defaultFactor}}
}

// Letterhead returns the house's name ("" if it has none), its language and its accent, for emails.
func (s *Service) Letterhead() (name, language, accent string) { return s.Current().Letterhead() }

// Letterhead is Service.Letterhead for callers that have read the house themselves.
func (h House) Letterhead() (name, language, accent string) {
	if h.Name != nil {
		name = *h.Name
	}
	return name, h.Language, h.Accent
}
