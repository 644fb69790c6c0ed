package identity

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/mail"
)

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{selectCredential, insertSession, selectSession, selectSessions, probeSessions, updateSession, deleteSession,
		selectStanding, selectStandingByID, lockOwner, insertPerson, adoptPerson, insertOwner,
		upsertPerson, upsertReset, insertVerification, deleteReset, updatePassword, deleteSessions, verifyPerson,
		deleteExpiredSessions, deleteExpiredResets, deleteExpiredVerifications, selectPeople, searchPeople}
}

// The inner doors of passwords.
var (
	PasswordFits = passwordFits
	HashPassword = hashPassword
	ParseAddress = parseAddress
)

// RuleOf is the rate limit of a path.
var RuleOf = ruleOf

// VerifyPassword checks against a hasher of its own.
func VerifyPassword(ctx context.Context, stored, password string) (bool, error) {
	return newHasher().verify(ctx, stored, password)
}

// Gate lets tests stand in the queue.
type Gate = gate

const (
	GateQueue = gateQueue
	GateWait  = gateWait
)

var NewGate = newGate

func (g *gate) Enter(ctx context.Context) error { return g.enter(ctx) }
func (g *gate) Leave()                          { g.leave() }
func (g *gate) Waiting() int                    { return int(g.waiting.Load()) }
func IsBusy(err error) bool                     { return errors.Is(err, errBusy) }

// GateOf is the one that s hashes behind.
func GateOf(s *Service) *Gate { return s.passwords.gate }

// FillQueue makes the next caller the one too many.
func (g *gate) FillQueue() (empty func()) {
	g.waiting.Add(gateQueue)
	return func() { g.waiting.Add(-gateQueue) }
}

// TakeAll occupies every turn.
func (g *gate) TakeAll() (leave func()) {
	for range cap(g.slots) {
		g.slots <- struct{}{}
	}
	return func() {
		for range cap(g.slots) {
			g.leave()
		}
	}
}

// SettleWithoutLock is CreateInitialOwner's transaction without its table lock: the owner table's key alone decides. meet is called
// between the decision that there is no owner yet and the attempt to become one.
func (s *Store) SettleWithoutLock(ctx context.Context, address, passwordHash string, meet func()) error {
	return ownerError(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		met := meetingTx{tx, meet}
		_, err := settleOwnership(ctx, met, candidate{address: address, name: "A name", passwordHash: passwordHash})
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

// The inner doors of links.
var (
	MintToken = mintToken
	OpenToken = openToken
)

// ReplacePassword is a reset without its hash, so that many can meet at the database.
func (s *Store) ReplacePassword(ctx context.Context, token tokenHash, passwordHash string) error {
	return s.replacePassword(ctx, token, passwordHash)
}

// BeginSession is a sign-in whose password was right, without its hash.
func (s *Store) BeginSession(ctx context.Context, address string) error {
	found, err := s.credential(ctx, address)
	if err != nil {
		return err
	}
	_, hash := mintToken()
	return s.begin(ctx, hash, found, true)
}

// IsWrongCredentials tells a refused sign-in.
func IsWrongCredentials(err error) bool { return errors.Is(err, errCredentials) }

// IsInvalidToken tells a refused reset.
func IsInvalidToken(err error) bool { return errors.Is(err, errInvalidToken) }

// The inner doors of the listing of people.
var ParsePeoplePosition = parsePeoplePosition

const (
	SelectPeople = selectPeople
	SearchPeople = searchPeople
)

// The letters, as they are written.
var NewLetters = newLetters

func (l *letters) Verification(address, token string) mail.Message {
	return l.verification(address, token)
}
func (l *letters) Reset(address, token string) mail.Message { return l.reset(address, token) }

// Session looks one up.
func (s *Store) Session(hash [32]byte) (userID string, err error) {
	found, err := s.session(hash)
	return found.userID, err
}

// AroundSessions lets around run each query for sessions. Not for use while one is under way.
func (s *Store) AroundSessions(around func(size int, query func() error) error) {
	read := s.lookups.read
	s.lookups.read = func(ctx context.Context, batch []*lookup) error {
		return around(len(batch), func() error { return read(ctx, batch) })
	}
}

// SetPatience shortens how long a look-up takes at most.
func (s *Store) SetPatience(patience time.Duration) { s.patience = patience }

// Lookups tells how many queries are under way and how many look-ups wait.
func (s *Store) Lookups() (underWay, waiting int) {
	s.lookups.mu.Lock()
	defer s.lookups.mu.Unlock()
	return s.lookups.underWay, len(s.lookups.waiting)
}

// AskTogether is one query for several look-ups.
func (s *Store) AskTogether(ctx context.Context, hashes [][32]byte) error {
	var batch []*lookup
	for _, hash := range hashes {
		batch = append(batch, &lookup{hash: hash})
	}
	return s.lookups.read(ctx, batch)
}

// Their queries, alone and together.
const (
	SelectSession  = selectSession
	SelectSessions = selectSessions
)

// The limits of shared look-ups.
const (
	LookupQueries = lookupQueries
	LookupBatch   = lookupBatch
)
