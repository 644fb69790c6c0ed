package devices

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/services/lookup"
)

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{
		lockPairings,
		findStillPending,
		dropPending,
		countOpen,
		deleteLeft,
		addMiss,
		selectMisses,
		deleteMisses,
		freeCode,
		insertPending,
		selectPairings,
		claimDevice,
		selectClaimExists,
		selectRequest,
		decidePairing,
		selectDecidedExists,
		insertDevice,
		selectDevices,
		countDevices,
		selectDevice,
		renameDevice,
		withdrawApproval,
		revokeDevice,
		selectHolder,
		selectHolders,
		useCredential,
		probeHolders,
		selectPermissions,
		renewCredential,
		updateSeen,
		deleteUnused,
		deletePairings,
	}
}

// KeyedStatements are those that read by an index in tables of a size.
func KeyedStatements(rows int) []string {
	whole := []string{
		selectDevices, countDevices, // are about all screens
		countOpen, deleteLeft, // about all open pairings, of which there are few
		deleteUnused, // a sweep
	}
	if rows < 600 {
		whole = append(whole, updateSeen, deletePairings) // of many at once
	}
	return slices.DeleteFunc(Statements(), func(sql string) bool { return slices.Contains(whole, sql) })
}

// HoldersTogether looks up several credentials with one query, as for simultaneous callers.
func (s *Store) HoldersTogether(ctx context.Context, hashes ...[]byte) (holders []string, err error) {
	batch := make([]*lookup.Question[secretHash, string], len(hashes))
	for i, hash := range hashes {
		batch[i] = &lookup.Question[secretHash, string]{Key: secretHash(hash)}
	}
	err = s.readHolders(ctx, batch)
	for _, asked := range batch {
		holders = append(holders, asked.Found)
	}
	return holders, err
}

// Internals without state, for tests.
var (
	Describe    = describe
	RandomCode  = randomCode
	IsCode      = isCode
	NewSecret   = newSecret
	ParseSecret = parseSecret
)

// ClientKeyOf returns the key by which the database identifies a client.
func (s *Service) ClientKeyOf(client netip.Addr) string {
	return string(clientKey(s.clientKey, client))
}

// FindClaim finds the claim cookie.
func (s *Service) FindClaim(header http.Header) (value string, found bool) {
	return s.claim.find(header)
}

// DrawCodes makes s get its codes from draw.
func (s *Service) DrawCodes(draw func() string) { s.newCode = draw }

// Flush does what Serve does at each tick.
func (s *Service) Flush(ctx context.Context) { s.flush(ctx) }

// FlushEvery sets the interval of flushes. Call it before Serve.
func (s *Service) FlushEvery(d time.Duration) { s.seen.every = d }

// Noted returns how many devices wait for the next flush.
func (s *Service) Noted() int {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	return len(s.seen.ids)
}

// Note records a device as seen, like Resolve.
func (s *Service) Note(deviceID string) { s.seen.note(deviceID) }

// DeletePairings is the second half of a sweep.
const DeletePairings = deletePairings

const (
	MaxSeen        = maxSeen
	SweepBatchRows = sweepBatchRows
)

// Waiting returns how many callers wait for the next look-up of credentials or claims, and for the next
// check.
func (s *Store) Waiting() int {
	_, holders := s.holders.Load()
	_, checks := s.checks.Load()
	_, claims := s.claims.Load()
	return holders + checks + claims
}

// The statements whose plans are tested.
const (
	SelectHolder   = selectHolder
	SelectHolders  = selectHolders
	SelectPairings = selectPairings
)
