package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// linkLasts is how long a mailed claim link is valid.
const linkLasts = 30 * 24 * time.Hour

// linkPurpose is signed with each token, so that no other text that is signed with the key is a valid token.
const linkPurpose = "rota: claim a volunteer\x00"

// claimToken is the token of a claim link: "volunteer.link.end.signature". link is the volunteer's number at
// that time. Using or withdrawing a link changes the number.
type claimToken struct {
	volunteer string
	link      int64
	end       time.Time
}

func (t claimToken) signed(key string) string {
	text := t.volunteer + "." + strconv.FormatInt(t.link, 10) + "." + strconv.FormatInt(t.end.Unix(), 10)
	return text + "." + signature(key, text)
}

func signature(key, text string) string {
	sum := hmac.New(sha256.New, []byte(key))
	_, _ = sum.Write([]byte(linkPurpose + text))
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// readToken uses no part of the text before it has verified the signature.
func readToken(key, text string) (t claimToken, valid bool) {
	at := strings.LastIndexByte(text, '.')
	if at < 0 || !hmac.Equal([]byte(signature(key, text[:at])), []byte(text[at+1:])) {
		return t, false
	}
	parts := strings.Split(text[:at], ".")
	if len(parts) != 3 {
		return t, false
	}
	link, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return t, false
	}
	end, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return t, false
	}
	return claimToken{parts[0], link, time.Unix(end, 0)}, true
}

// claim connects the signed-in person with a volunteer. A link that is altered, expired, withdrawn or used
// gets the same response, so that it reveals nothing. One SQL statement decides between concurrent claims.
func (m *rota) claim(ctx context.Context, r *http.Request) (any, error) {
	body, err := sdk.Decode[struct {
		Token string `json:"token"`
	}](r)
	if err != nil {
		return nil, err
	}
	caller := sdk.Principal(ctx)
	if caller.Kind != sdk.Authenticated {
		return nil, sdk.ErrRequestInvalid
	}
	key, err := m.host.Secret(ctx, "linkSigningKey")
	if err != nil {
		return nil, err
	}
	token, valid := readToken(key, body.Token)
	if !valid || !m.clock().Before(token.end) {
		return nil, errClaim
	}
	err = m.change(ctx, func(tx *sdk.Tx) (told update, err error) {
		touched, err := tx.Exec(ctx, `
			UPDATE volunteers SET user_id = $3, link = link + 1, rev = rev + 1
			WHERE id = $1 AND link = $2 AND user_id IS NULL AND label <> ''`,
			token.volunteer, token.link, caller.UserID)
		switch {
		case sdk.BrokenConstraint(err) == "volunteers_user_id_key":
			return told, errClaimedBy
		case err == nil && touched == 0:
			return told, errClaim
		case err != nil:
			return told, err
		}
		told.claimed = claimed{token.volunteer, caller.UserID}
		told.Volunteers, err = volunteers(ctx, tx, []string{token.volunteer})
		return told, err
	})
	return nil, err
}

// claimLink returns the link in the mail to a volunteer who is not connected with a person yet.
func (m *rota) claimLink(ctx context.Context, v *recipient) (string, error) {
	key, err := m.host.Secret(ctx, "linkSigningKey")
	if err != nil {
		return "", err
	}
	token := claimToken{v.id, v.link, m.clock().Add(linkLasts)}
	return m.pageLink("claim/" + token.signed(key)), nil
}

// pageLink returns a link to a page of the module. The part after the # never leaves the browser.
func (m *rota) pageLink(subpath string) string {
	return strings.TrimRight(m.host.Config.String("dashboardLink"), "/") + "/#/m/rota/" + subpath
}
