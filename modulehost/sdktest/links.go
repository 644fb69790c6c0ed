package sdktest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// MadeLink is a link that the module has made.
type MadeLink struct {
	Address string
	Subject string
	Ends    time.Time // zero: never
	Revoked bool
	UserID  string // whose it is
}

// Links returns the links that the module has made, the oldest first. The addresses lead nowhere; Link
// returns somebody who has one.
func (m *Module) Links() []MadeLink {
	m.links.mu.Lock()
	defer m.links.mu.Unlock()
	return slices.Clone(m.links.made)
}

type links struct {
	mu   sync.Mutex
	made []MadeLink
}

// Create makes a link.
func (l *links) Create(
	_ context.Context, _, person, subject string, ends time.Time,
) (address string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	address = fmt.Sprintf("https://church.example.org/link/module#%d", len(l.made)+1)
	l.made = append(l.made, MadeLink{Address: address, Subject: subject, Ends: ends, UserID: person})
	return address, nil
}

// Revoke ends the links of a subject.
func (l *links) Revoke(_ context.Context, _, subject string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.made {
		l.made[n].Revoked = l.made[n].Revoked || l.made[n].Subject == subject
	}
	return nil
}

// Assign says whose the links of a subject are.
func (l *links) Assign(_ context.Context, person, subject string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.made {
		if l.made[n].Subject == subject && !l.made[n].Revoked {
			l.made[n].UserID = person
		}
	}
	return nil
}
