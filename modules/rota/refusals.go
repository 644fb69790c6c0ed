package main

import (
	"net/http"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The refusals that a caller can avoid, besides sdk.ErrRequestInvalid.
var (
	errConflict    = sdk.Refuse(http.StatusConflict, "CONFLICT")
	errGone        = sdk.Refuse(http.StatusNotFound, "NOT_FOUND")
	errNoVolunteer = sdk.Refuse(http.StatusNotFound, "NO_VOLUNTEER") // the caller is not a volunteer
	errClaim       = sdk.Refuse(http.StatusNotFound, "CLAIM_LINK_UNUSABLE")
	errClaimedBy   = sdk.Refuse(http.StatusConflict, "ALREADY_A_VOLUNTEER")
	errTwice       = sdk.Refuse(http.StatusConflict, "VOLUNTEER_EXISTS")
	errTooMany     = sdk.Refuse(http.StatusConflict, "TOO_MANY")
	errDigestFull  = sdk.Refuse(http.StatusConflict, "DIGEST_FULL")
	errRoleInUse   = sdk.Refuse(http.StatusConflict, "ROLE_IN_USE")
	errNoAddress   = sdk.Refuse(http.StatusConflict, "ADDRESS_MISSING")
)

// isID accepts an id in its one format.
func isID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}

// isLine accepts one line of text without spaces around it and without characters that hide or reorder
// others.
func isLine(text string, least, most int) bool {
	count := utf8.RuneCountInString(text)
	return least <= count && count <= most && utf8.ValidString(text) && text == strings.TrimSpace(text) &&
		!strings.ContainsFunc(text, hides)
}

// hides reports control characters, line and paragraph separators, and those that change the direction of
// text.
func hides(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r >= 0x202A && r <= 0x202E ||
		r >= 0x2066 && r <= 0x2069
}

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
