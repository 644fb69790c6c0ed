package identity

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/lookup"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{
		selectCredentials,
		insertMember,
		deleteResetsOf,
		deleteVerificationsOf,
		lockForOperator,
		makeRoomForReset,
		insertSession,
		selectSession,
		selectSessions,
		probeSessions,
		updateSession,
		deleteSession,
		selectAddressState,
		selectAddressStateByID,
		lockOwner,
		lockCandidate,
		updateOwner,
		insertPerson,
		adoptPerson,
		insertOwner,
		upsertPerson,
		lockForReset,
		lockForVerification,
		insertReset,
		insertVerification,
		deleteReset,
		deleteVerification,
		selectResets,
		selectVerifications,
		lockHolderOfReset,
		deleteResets,
		updatePassword,
		deleteSessions,
		lockHolderOfVerification,
		selectVerification,
		verifyPerson,
		deleteOtherVerifications,
		updateHash,
		insertPending,
		insertSessionOf,
		deleteExpiredPending,
		selectRemaining,
		selectOwnSessions,
		deleteOwnSession,
		updateSeen,
		deleteExpiredSessions,
		deleteExpiredResets,
		deleteExpiredVerifications,
	}
}

// KeyedStatements are those that read by an index. A sweep deletes many rows, and may read all of them.
func KeyedStatements() []string {
	sweeps := []string{deleteExpiredSessions, deleteExpiredResets, deleteExpiredVerifications,
		deleteExpiredPending}
	return slices.DeleteFunc(Statements(), func(sql string) bool { return slices.Contains(sweeps, sql) })
}

// Internals of passwords, for tests.
var (
	PasswordFits = passwordFits
	HashPassword = hashPassword
)

// Describe returns what a session is called.
var Describe = describe

// RuleOf returns the rate limit of a path.
var RuleOf = ruleOf

// VerifyPassword checks a password with a new hasher.
func VerifyPassword(ctx context.Context, stored, password string) (bool, error) {
	v, err := newHasher().verify(ctx, stored, password)
	return v.matches, err
}

// Semaphore lets tests fill the queue.
type Semaphore = semaphore

const (
	MaxWaiting = maxWaiting
	MaxWait    = deadlines.Hash
)

var NewSemaphore = newSemaphore

func (g *semaphore) Acquire(ctx context.Context) error { return g.acquire(ctx) }
func (g *semaphore) Release()                          { g.release() }
func (g *semaphore) Waiting() int                      { return int(g.waiting.Load()) }
func (g *semaphore) WaitAtMost(wait time.Duration)     { g.wait = wait }
func IsBusy(err error) bool                            { return errors.Is(err, errBusy) }

// CheckSemaphore returns the semaphore of s for password checks.
func CheckSemaphore(s *Service) *Semaphore { return s.passwords.checks }

// HashSemaphore returns the semaphore of s for new hashes.
func HashSemaphore(s *Service) *Semaphore { return s.passwords.hashes }

// HashCheaply makes a hash with the lower cost of an older release.
func HashCheaply(password string) string {
	older := cost{memory: 8 << 10, passes: 1, threads: 1}
	salt := randomBytes(saltBytes)
	return phc(older, salt, derive(older, salt, password))
}

// FillQueue fills the queue, so that the next caller is refused.
func (g *semaphore) FillQueue() (empty func()) {
	g.waiting.Add(maxWaiting)
	return func() { g.waiting.Add(-maxWaiting) }
}

// TakeAll acquires every slot.
func (g *semaphore) TakeAll() (leave func()) {
	for range cap(g.slots) {
		g.slots <- struct{}{}
	}
	return func() {
		for range cap(g.slots) {
			g.release()
		}
	}
}

// SettleWithoutLock is CreateInitialOwner's transaction without its table lock, so that only the owner
// table's primary key decides. It calls meet after it has read that there is no owner, and before it writes
// one.
func (s *Store) SettleWithoutLock(ctx context.Context, address, passwordHash string, meet func()) error {
	return ownerError(store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		tx.Tx = meetingTx{tx.Tx, meet}
		_, err := settleOwnership(
			ctx,
			tx,
			candidate{address: address, name: "A name", passwordHash: passwordHash},
		)
		return err
	}))
}

type meetingTx struct {
	pgx.Tx
	meet func()
}

func (t meetingTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if sql == insertPerson {
		t.meet()
	}
	return t.Tx.QueryRow(ctx, sql, args...)
}

// Internals of links, for tests.
var (
	NewToken   = newToken
	ParseToken = parseToken
)

// ReplacePassword is a reset without the cost of a hash, so that many can reach the database at the same
// time.
func (s *Store) ReplacePassword(ctx context.Context, token tokenHash, passwordHash string) error {
	_, err := s.replacePassword(ctx, token, passwordHash)
	return err
}

// BeginSession is a sign-in with the right password, without the cost of a hash.
func (s *Store) BeginSession(ctx context.Context, address string) error {
	found, err := s.credential(address)
	if err != nil {
		return err
	}
	_, hash := newToken()
	return s.begin(ctx, found, newSession{hash: hash, persistent: true})
}

// IsWrongCredentials reports whether err is the error of a refused sign-in.
func IsWrongCredentials(err error) bool { return errors.Is(err, errHashChanged) }

// IsInvalidToken reports whether err is the error of a refused reset.
func IsInvalidToken(err error) bool { return errors.Is(err, errInvalidToken) }

// Session looks up one session.
func (s *Store) Session(hash [32]byte) (userID string, err error) {
	found, err := s.session(hash)
	return found.userID, err
}

// WrapSessionQueries calls around instead of each query for sessions, and sets the timeout of look-ups. It
// must not be called while a look-up runs.
func (s *Store) WrapSessionQueries(
	patience time.Duration,
	around func(size int, query func() error) error,
) {
	s.live = lookup.New(
		sessionLimits(patience),
		func(ctx context.Context, batch []*lookup.Question[tokenHash, session]) error {
			return around(len(batch), func() error { return s.readSessions(ctx, batch) })
		},
	)
}

// Lookups returns how many queries run and how many look-ups wait.
func (s *Store) Lookups() (underWay, waiting int) { return s.live.Load() }

// Checks returns how many checks of the sessions run and how many callers wait for the next one.
func (s *Store) Checks() (underWay, waiting int) { return s.check.Load() }

// SignInsWaiting returns how many sign-ins wait for the next query.
func (s *Store) SignInsWaiting() int {
	_, waiting := s.credentials.Load()
	return waiting
}

// LookUpTogether looks up several sessions in one query.
func (s *Store) LookUpTogether(ctx context.Context, hashes [][32]byte) error {
	var batch []*lookup.Question[tokenHash, session]
	for _, hash := range hashes {
		batch = append(batch, &lookup.Question[tokenHash, session]{Key: hash})
	}
	return s.readSessions(ctx, batch)
}

// The queries for one session and for several.
const (
	SelectSession  = selectSession
	SelectSessions = selectSessions
)

// The limits of shared look-ups.
var (
	LookupQueries = sessionLimits(0).Queries
	LookupBatch   = sessionLimits(0).Batch
)

// The statements whose plans are tested.
const (
	SelectResets        = selectResets
	SelectVerifications = selectVerifications
	SelectCredentials   = selectCredentials
)
