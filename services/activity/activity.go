// Package activity reads the record of who changed what: the listing with its filters, and the check that no
// row was removed or changed. Stores write it through services/activity/chain.
package activity

import "context"

// Names returns the names of people.
type Names interface {
	// Names returns the names by id. It omits people who do not exist. A call has at most 1,000 ids.
	Names(ctx context.Context, userIDs []string) (map[string]string, error)
}

// Service serves the route of the activity. It is safe for concurrent use and starts no goroutine.
type Service struct {
	store *Store
	names Names
}

// New makes a Service. Both arguments are required.
func New(store *Store, names Names) *Service { return &Service{store, names} }
