package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// answerFor is how long after the last of its services the link of a mail works.
const answerFor = 30 * 24 * time.Hour

// errMoved: the volunteer has got another address, or an account, while a mail was written.
var errMoved = errors.New("another address or account by now")

// linkedDates is what the page of a link shows.
type linkedDates struct {
	myDates
	Team      string `json:"team"`
	Connected bool   `json:"connected"` // they have an account
	Dashboard string `json:"dashboard"` // where they sign in
}

// linked returns the dates of the volunteer for whom the link was made. It changes nothing, because programs
// that look for viruses in mails open links, too.
func (m *rota) linked(ctx context.Context, _ *http.Request) (any, error) {
	page, err := m.datesOfCaller(ctx)
	if err != nil {
		return nil, err
	}
	if page.Volunteer == nil {
		return nil, errGone
	}
	own, err := ownVolunteer(ctx, m.db)
	if err != nil {
		return nil, err
	}
	return linkedDates{*page, m.host.Config.String("teamName"), own.Connected, m.pageLink("mine")}, nil
}

// answerLink makes the link by which a volunteer answers a mail without an account. The subject is the
// volunteer, so an older mail shows what has been answered since. last is the last date of the mail.
func (m *rota) answerLink(ctx context.Context, to *recipient, last time.Time) (string, error) {
	address, err := m.host.Links.CreateFor(ctx, to.userID, to.id, last.Add(answerFor))
	if err != nil {
		return "", err
	}
	// A change of the address revokes links, and a claim assigns them; this one may have been made just after.
	now, err := m.recipient(ctx, &to.id)
	if err == nil && (now.email != to.email || now.userID != to.userID) {
		err = errMoved
	}
	return address, err
}

// claimed is a volunteer who is connected with a person now: the links that were mailed before are that
// person's, and do not work while they are deactivated.
type claimed struct{ volunteer, userID string }

// changeLinks ends links, and gives them to whom they are, as a change of the board needs it.
func (m *rota) changeLinks(ctx context.Context, told update) error {
	for _, id := range told.unlinked {
		if err := m.host.Links.Revoke(ctx, id); err != nil {
			return err
		}
	}
	if told.claimed.volunteer == "" {
		return nil
	}
	return m.host.Links.Assign(ctx, told.claimed.volunteer, told.claimed.userID)
}

// isFull reports whether the module has as many links as it may.
func isFull(err error) bool { return errors.Is(err, sdk.ErrLinkCapacity) }
