// Package authenticatortest is an authenticator in software, for tests of passkeys: it makes one ES256 key,
// with attestation none, and answers challenges with it as a browser and a security key do together.
package authenticatortest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"testing"

	"github.com/go-json-experiment/json"
)

// Authenticator has one passkey. Tests change its fields to play another one, or one that lies.
type Authenticator struct {
	Origin string // of the page that asks
	RPID   string // for which it signs
	ID     []byte // of the passkey
	Count  uint32 // of its uses; it rises with each, unless Frozen
	Frozen bool
	User   []byte // whose passkey it is, after Create

	key *ecdsa.PrivateKey
}

// New makes an authenticator for the pages of an origin.
func New(t testing.TB, origin string) *Authenticator {
	t.Helper()
	parsed, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return &Authenticator{Origin: origin, RPID: parsed.Hostname(), ID: id, key: key}
}

// options is the part of a server's options that the authenticator needs.
type options struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
	} `json:"publicKey"`
}

func parse(t testing.TB, text string) (found options) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &found); err != nil || found.PublicKey.Challenge == "" {
		t.Fatalf("no options of a passkey: %s (%v)", text, err)
	}
	return found
}

// Flags of the authenticator data (WebAuthn, 6.1).
const (
	userPresent  = 0x01
	userVerified = 0x04
	attestedData = 0x40
)

// Create makes the passkey that the options ask for, and returns the credential as JSON.
func (a *Authenticator) Create(t testing.TB, offered string) (credential string) {
	t.Helper()
	asked := parse(t, offered)
	user, err := base64.RawURLEncoding.DecodeString(asked.PublicKey.User.ID)
	if err != nil {
		t.Fatal(err)
	}
	a.User = user
	data := a.data(userPresent | userVerified | attestedData)
	data = append(data, make([]byte, 16)...) // the model: unknown
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.ID)))
	data = append(append(data, a.ID...), a.publicKey(t)...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"),
		binary.BigEndian.AppendUint16(nil, uint16(len(data)))...)
	return a.credential(map[string]any{
		"clientDataJSON":    encode(a.clientData("webauthn.create", asked.PublicKey.Challenge)),
		"attestationObject": encode(append(object, data...)),
		"transports":        []string{"internal"},
	})
}

// Get answers the challenge of the options, and returns the credential as JSON.
func (a *Authenticator) Get(t testing.TB, offered string) (credential string) {
	t.Helper()
	if !a.Frozen {
		a.Count++
	}
	client := a.clientData("webauthn.get", parse(t, offered).PublicKey.Challenge)
	data := a.data(userPresent | userVerified)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return a.credential(map[string]any{
		"clientDataJSON":    encode(client),
		"authenticatorData": encode(data),
		"signature":         encode(signature),
		"userHandle":        encode(a.User),
	})
}

func (a *Authenticator) data(flags byte) []byte {
	party := sha256.Sum256([]byte(a.RPID))
	return binary.BigEndian.AppendUint32(append(party[:], flags), a.Count)
}

func (a *Authenticator) clientData(kind, challenge string) []byte {
	return []byte(`{"type":"` + kind + `","challenge":"` + challenge + `","origin":"` + a.Origin +
		`","crossOrigin":false}`)
}

// publicKey is the key in COSE (RFC 9053).
func (a *Authenticator) publicKey(t testing.TB) []byte {
	t.Helper()
	point, err := a.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		t.Fatal(err)
	}
	key := append([]byte("\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"), point[1:33]...)
	return append(append(key, "\x22\x58\x20"...), point[33:]...)
}

func (a *Authenticator) credential(response map[string]any) string {
	text, _ := json.Marshal(map[string]any{
		"id": encode(a.ID), "rawId": encode(a.ID), "type": "public-key", "response": response,
		"clientExtensionResults": map[string]any{},
	})
	return string(text)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
