package main

import (
	"net/http"
	"net/mail"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The refusals that a caller can avoid, besides sdk.ErrRequestInvalid.
var (
	errConflict    = sdk.Refuse(http.StatusConflict, "CONFLICT")
	errGone        = sdk.Refuse(http.StatusNotFound, "NOT_FOUND")
	errNoImport    = sdk.Refuse(http.StatusNotFound, "IMPORT_NOT_FOUND") // or it is too old to be undone
	errNoVolunteer = sdk.Refuse(http.StatusNotFound, "NO_VOLUNTEER")     // the caller is not a volunteer
	errClaim       = sdk.Refuse(http.StatusNotFound, "CLAIM_LINK_UNUSABLE")
	errClaimedBy   = sdk.Refuse(http.StatusConflict, "ALREADY_A_VOLUNTEER")
	errTwice       = sdk.Refuse(http.StatusConflict, "VOLUNTEER_EXISTS")
	errTooMany     = sdk.Refuse(http.StatusConflict, "TOO_MANY")
	errDigestFull  = sdk.Refuse(http.StatusConflict, "DIGEST_FULL")
	errRoleInUse   = sdk.Refuse(http.StatusConflict, "ROLE_IN_USE")
	errTaken       = sdk.Refuse(http.StatusConflict, "ALREADY_TAKEN") // somebody else was faster
	errNobodyFree  = sdk.Refuse(http.StatusConflict, "NOBODY_FREE")
	errNoAddress   = sdk.Refuse(http.StatusConflict, "ADDRESS_MISSING")
)

// isLine accepts one line of text without characters that change the direction of the text around it.
func isLine(text string, least, most int) bool {
	return sdk.IsLine(text, least, most) && !strings.ContainsFunc(text, turns)
}

// turns reports the characters that change the direction of text.
func turns(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// isAddress accepts addresses to which the platform sends mail: ASCII, without a name and without quotes.
func isAddress(text string) bool {
	if len(text) > 254 || strings.ContainsAny(text, "\"<>(),;: \\") {
		return false
	}
	for _, r := range text {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}
