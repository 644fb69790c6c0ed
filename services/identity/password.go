package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// cost is argon2id's three parameters. Hashes carry their own, so that raising currentCost leaves older
// ones readable.
type cost struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

func currentCost() cost { return cost{memory: 19 << 10, passes: 2, threads: 1} }

// below tells whether c is cheaper to break. Threads make a hash quicker for everybody alike.
func (c cost) below(other cost) bool { return c.memory < other.memory || c.passes < other.passes }

const (
	saltBytes = 16
	keyBytes  = 32
)

// The length of a new password, in UTF-16 code units as typed. The check of an existing one has no such
// rule: it simply does not match.
const (
	minPassword = 8
	maxPassword = 128
)

func passwordLength(password string) (units int) {
	for _, r := range password {
		units += utf16.RuneLen(r)
	}
	return units
}

func passwordFits(password string) bool {
	units := passwordLength(password)
	return minPassword <= units && units <= maxPassword && utf8.ValidString(password)
}

// hasher checks and hashes passwords. Checks have a gate of their own, so that whoever makes others hash
// keeps nobody from signing in. Its decoy stands in for people who do not exist, so that asking for them
// takes as long.
type hasher struct {
	checks *semaphore
	hashes *semaphore
	decoy  string
}

func newHasher() *hasher {
	// A random key that no password was ever hashed to: a decoy costs nothing at start.
	decoy := phc(currentCost(), randomBytes(saltBytes), randomBytes(keyBytes))
	return &hasher{
		checks: newSemaphore(max(1, runtime.GOMAXPROCS(0)/2)),
		hashes: newSemaphore(1),
		decoy:  decoy,
	}
}

// verdict is what a check of a password comes to.
type verdict struct {
	matches bool
	renewed string // the password's hash at today's cost, if it matches and the stored hash costs less; else ""
}

// verify tells whether password is the one that stored was made from; an empty stored never matches, and
// takes as long. errBusy comes from the gate, which is passed before anything is allocated.
func (h *hasher) verify(ctx context.Context, stored, password string) (verdict, error) {
	if err := h.checks.acquire(ctx); err != nil {
		return verdict{}, err
	}
	defer h.checks.release()
	exists := stored != ""
	if !exists {
		stored = h.decoy
	}
	c, salt, key, err := parsePHC(stored)
	if err != nil {
		return verdict{}, err
	}
	same := subtle.ConstantTimeCompare(derive(c, salt, password), key) == 1
	v := verdict{matches: same && exists}
	if v.matches && c.below(currentCost()) {
		v.renewed = hashPassword(password)
	}
	return v, nil
}

// hash makes a PHC string behind the gate.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.hashes.acquire(ctx); err != nil {
		return "", err
	}
	defer h.hashes.release()
	return hashPassword(password), nil
}

// hashPassword makes a PHC string with a fresh salt. It passes no gate by itself: an operator's command
// needs none.
func hashPassword(password string) string {
	salt := randomBytes(saltBytes)
	return phc(currentCost(), salt, derive(currentCost(), salt, password))
}

// derive normalises first (NFKC), so that a decomposed or full-width spelling opens the same account.
func derive(c cost, salt []byte, password string) []byte {
	return argon2.IDKey([]byte(norm.NFKC.String(password)), salt, c.passes, c.memory, c.threads, keyBytes)
}

func phc(c cost, salt, key []byte) string {
	encode := base64.RawStdEncoding.EncodeToString
	return phcHead(c) + encode(salt) + "$" + encode(key)
}

func phcHead(c cost) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, c.memory, c.passes, c.threads)
}

var errStoredHash = errors.New("identity: the stored hash is not readable")

// parsePHC accepts what phc writes. The upper bounds keep a damaged row from taking the machine's memory.
func parsePHC(stored string) (c cost, salt, key []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 {
		return cost{}, nil, nil, errStoredHash
	}
	_, scanned := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.threads)
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if errors.Join(scanned, saltErr, keyErr) != nil || !strings.HasPrefix(stored, phcHead(c)) || len(key) != keyBytes ||
		c.memory > 256<<10 || c.passes < 1 || c.passes > 16 ||
		c.threads < 1 {
		return cost{}, nil, nil, errStoredHash
	}
	return c, salt, key, nil
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: it ends the process instead
	return b
}
