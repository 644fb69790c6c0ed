// Package activity owns the record of who changed what, as people read it: the listing with its filters, and
// the check that no row was removed or changed. Stores write it through services/activity/chain.
package activity

import "context"

// Names knows what people are called.
type Names interface {
	// Names returns the names of those of the people who exist, by id. At most 1,000 ids are asked at once.
	Names(ctx context.Context, userIDs []string) (map[string]string, error)
}

// Service answers the route about activity. Safe for concurrent use; it runs nothing of its own.
type Service struct {
	store *Store
	names Names
}

// New needs both.
func New(store *Store, names Names) *Service { return &Service{store, names} }
