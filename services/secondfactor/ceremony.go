package secondfactor

import (
	"encoding/base64"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/environment"
)

// challengeLifetime is how long a browser's question for a passkey is open.
const challengeLifetime = 5 * time.Minute

// ceremonies makes what browsers need to make or use a passkey, and checks what they send back. It stores
// nothing: the challenge is all that a ceremony has to remember, and it never compares with a clock of its
// own.
type ceremonies struct{ rp *webauthn.WebAuthn }

// newCeremonies returns nil for an origin whose host is an address: browsers refuse passkeys there.
func newCeremonies(dashboard environment.Origin) *ceremonies {
	parsed, err := url.Parse(string(dashboard))
	if err != nil {
		return nil
	}
	patience := webauthn.TimeoutConfig{Timeout: challengeLifetime, TimeoutUVD: challengeLifetime}
	rp, err := webauthn.New(&webauthn.Config{
		RPID:                  parsed.Hostname(),
		RPDisplayName:         "Narthex",
		RPOrigins:             []string{string(dashboard)},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			UserVerification: protocol.VerificationPreferred,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: patience, Registration: patience},
	})
	if err != nil {
		return nil
	}
	return &ceremonies{rp}
}

// holder is a person during a ceremony.
type holder struct {
	id             uuid.UUID
	address, name  string
	keys           []passkey
	authenticators []webauthn.Credential
}

func newHolder(p person, keys []passkey) holder {
	h := holder{id: uuid.MustParse(p.ID), address: p.Address, name: p.Name, keys: keys}
	for _, key := range keys {
		var transports []protocol.AuthenticatorTransport
		for _, transport := range key.Transports {
			transports = append(transports, protocol.AuthenticatorTransport(transport))
		}
		h.authenticators = append(h.authenticators, webauthn.Credential{
			ID:            key.CredentialID,
			PublicKey:     key.PublicKey,
			Transport:     transports,
			Flags:         webauthn.CredentialFlags{BackupEligible: key.BackupEligible},
			Authenticator: webauthn.Authenticator{SignCount: uint32(key.SignCount)},
		})
	}
	return h
}

func (h holder) WebAuthnID() []byte                         { return h.id[:] }
func (h holder) WebAuthnName() string                       { return h.address }
func (h holder) WebAuthnDisplayName() string                { return h.name }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.authenticators }

// toMake returns what a browser needs to make a passkey for a person, other than those that they have.
func (c *ceremonies) toMake(
	h holder, house string,
) (options *protocol.CredentialCreation, challenge []byte, err error) {
	var exclude []protocol.CredentialDescriptor
	for _, one := range h.authenticators {
		exclude = append(exclude, one.Descriptor())
	}
	options, _, err = c.rp.BeginRegistration(h, webauthn.WithExclusions(exclude))
	if err != nil {
		return nil, nil, err
	}
	if house != "" {
		options.Response.RelyingParty.Name = house
	}
	return options, options.Response.Challenge, nil
}

// made checks a new passkey. ok is false for everything that is wrong with it.
func (c *ceremonies) made(h holder, challenge, sent []byte) (key passkey, ok bool) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(sent)
	if err != nil {
		return passkey{}, false
	}
	session := c.session(h, challenge)
	session.CredParams = webauthn.CredentialParametersDefault()
	found, err := c.rp.CreateCredential(h, session, parsed)
	if err != nil || len(found.ID) > maxCredentialID {
		return passkey{}, false
	}
	key = passkey{
		CredentialID:   found.ID,
		PublicKey:      found.PublicKey,
		Transports:     make([]string, 0, len(found.Transport)),
		BackupEligible: found.Flags.BackupEligible,
		SignCount:      int64(found.Authenticator.SignCount),
	}
	for _, transport := range found.Transport[:min(len(found.Transport), maxTransports)] {
		if len(transport) <= maxTransport {
			key.Transports = append(key.Transports, string(transport))
		}
	}
	return key, true
}

const (
	maxCredentialID = 1023 // bytes, by the standard
	maxTransports   = 8
	maxTransport    = 32 // bytes
)

// toUse returns what a browser needs to use one of a person's passkeys.
func (c *ceremonies) toUse(h holder) (options *protocol.CredentialAssertion, challenge []byte, err error) {
	options, _, err = c.rp.BeginLogin(h)
	if err != nil {
		return nil, nil, err
	}
	return options, options.Response.Challenge, nil
}

// used checks the use of a passkey, and returns the passkey with its new count. A count that does not rise is
// that of a copy, and is refused.
func (c *ceremonies) used(h holder, challenge, sent []byte) (key passkey, ok bool) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(sent)
	if err != nil {
		return passkey{}, false
	}
	found, err := c.rp.ValidateLogin(h, c.session(h, challenge), parsed)
	if err != nil || found.Authenticator.CloneWarning {
		return passkey{}, false
	}
	for _, key := range h.keys {
		if string(key.CredentialID) == string(found.ID) {
			key.SignCount = int64(found.Authenticator.SignCount)
			return key, true
		}
	}
	return passkey{}, false
}

func (c *ceremonies) session(h holder, challenge []byte) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge:        base64.RawURLEncoding.EncodeToString(challenge),
		RelyingPartyID:   c.rp.Config.RPID,
		UserID:           h.WebAuthnID(),
		UserVerification: protocol.VerificationPreferred,
	}
}
