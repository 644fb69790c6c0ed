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

// cost holds argon2id's three parameters. Each stored hash contains its own parameters, so that hashes stay
// readable after currentCost is raised.
type cost struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

func currentCost() cost { return cost{memory: 19 << 10, passes: 2, threads: 1} }

// below reports whether c is cheaper to attack. More threads do not count: they make a hash faster for
// everybody.
func (c cost) below(other cost) bool { return c.memory < other.memory || c.passes < other.passes }

const (
	saltBytes = 16
	keyBytes  = 32
)

// The length of a new password, in UTF-16 code units. An existing password is not checked against it: a
// wrong length simply does not match.
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

// hasher checks and hashes passwords. Checks and new hashes have a semaphore each, so that requests that
// hash (sign-up, reset) cannot keep people from signing in. For people who do not exist it checks against
// decoy, so that the response takes as long.
type hasher struct {
	checks *semaphore
	hashes *semaphore
	decoy  string
}

func newHasher() *hasher {
	// The key is random, so no password matches it, and making it needs no hash at start.
	decoy := phc(currentCost(), randomBytes(saltBytes), randomBytes(keyBytes))
	return &hasher{
		checks: newSemaphore(max(1, runtime.GOMAXPROCS(0)/2)),
		hashes: newSemaphore(1),
		decoy:  decoy,
	}
}

// verdict is the result of a password check.
type verdict struct {
	matches bool
	renewed string // the password's hash at today's cost, if it matches and the stored hash costs less; else ""
}

// verify reports whether stored was made from password. With an empty stored it does the same work and
// never matches. errBusy comes from the semaphore, which is acquired before any memory is allocated.
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

// hash makes a PHC string. It first acquires a slot of the semaphore for new hashes.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.hashes.acquire(ctx); err != nil {
		return "", err
	}
	defer h.hashes.release()
	return hashPassword(password), nil
}

// hashPassword makes a PHC string with a new salt. It acquires no semaphore, because an operator's command
// needs none.
func hashPassword(password string) string {
	salt := randomBytes(saltBytes)
	return phc(currentCost(), salt, derive(currentCost(), salt, password))
}

// derive normalises the password first (NFKC), so that a decomposed or full-width form of it opens the same
// account.
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

// parsePHC accepts what phc writes. The upper bounds keep a damaged row from using up the machine's memory.
func parsePHC(stored string) (c cost, salt, key []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 {
		return cost{}, nil, nil, errStoredHash
	}
	_, scanned := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.threads)
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if errors.Join(scanned, saltErr, keyErr) != nil || !strings.HasPrefix(stored, phcHead(c)) ||
		len(key) != keyBytes ||
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
