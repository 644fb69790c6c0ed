// Package house owns what people see of the house on every screen: its name and its accent colour. It also
// owns the language of the house's mails, and tells when a backup was last verified.
//
// The house is read from memory, because everybody asks for it, without a session too. The service reads the
// stored row again every 10 s, so a change by another process shows within that time. While the database does
// not answer, the last state stays.
package house

import (
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// House is what is stored about the house.
type House struct {
	Name     *string `json:"name"` // nil: none was given
	Accent   string  `json:"accent"`
	Language string  `json:"language"`
}

// The defaults of a new installation.
const (
	defaultAccent   = "blue"
	defaultLanguage = "en"
)

// accents and languages are all that there are. Core's table has the same lists.
var (
	accents   = []string{defaultAccent, "violet", "plum", "ruby", "copper", "olive", "green", "teal"}
	languages = []string{defaultLanguage, "de"}
)

// Languages returns those that a house can have.
func Languages() []string { return slices.Clone(languages) }

const readEvery = 10 * time.Second

// Service answers the routes of the house and keeps its state in memory. It is a supervisor.Service. All
// methods are safe for concurrent use, but only one Serve may run at a time.
type Service struct {
	store *Store
	log   *zap.Logger
	every time.Duration
	state atomic.Pointer[state]
	ready chan struct{}
}

// state is the house as it was at one revision.
type state struct {
	house House
	rev   int64
}

// New opens no connection. Until Serve has read the house, the defaults of a new installation stand for it.
func New(store *Store, log *zap.Logger) *Service {
	return &Service{store: store, log: log, every: readEvery, ready: make(chan struct{})}
}

// Current returns the house as it was last read. It takes no lock and asks no database.
func (s *Service) Current() House {
	if held := s.state.Load(); held != nil {
		return held.house
	}
	return House{Accent: defaultAccent, Language: defaultLanguage}
}

// Letterhead returns what a mail needs of the house: its name, "" without one, and its language.
func (s *Service) Letterhead() (name, language string) { return s.Current().Letterhead() }

// Letterhead is Service.Letterhead for those who read the house themselves.
func (h House) Letterhead() (name, language string) {
	if h.Name != nil {
		name = *h.Name
	}
	return name, h.Language
}
