// Command rota plans who serves in which service. Coordinators fill roles, volunteers are asked by mail, sign
// in and respond, and get reminders automatically.
package main

import (
	"context"
	"net/mail"
	"sync/atomic"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The permissions of module.json.
const (
	readOwn    = "rota.own.read"
	respondOwn = "rota.own.respond"
	manage     = "rota.manage"
	sendMail   = "rota.mail.send"
	byLink     = "rota.link.respond"
)

const boardChannel = "board"

// The intervals of the schedules.
const (
	remindEvery  = 10 * time.Minute
	deliverEvery = time.Minute
	restMost     = 24 * time.Hour // when nothing waits
)

// rota is the module with its routes and, once started, their dependencies.
type rota struct {
	host    *sdk.Host
	db      *sdk.DB
	place   atomic.Pointer[time.Location] // the house's zone; see zone.go
	replyTo *mail.Address                 // nil: none
	changes *sdk.Changes                  // of the board
	outbox  *sdk.Worker
	clock   func() time.Time // the current time for reminders; tests replace it

	fresh      time.Duration // what own duties and the board show of other modules may be so old
	outside    atomic.Pointer[outside]
	following  sdk.Turn
	followedAt atomic.Pointer[time.Time]
}

func main() { sdk.Serve(newRota()) }

func newRota() *rota { return &rota{clock: time.Now, fresh: time.Second, following: sdk.NewTurn()} }

// Register declares the routes, the channel and the schedules.
func (m *rota) Register(r *sdk.Registry) error {
	r.HandleFunc("GET /mine", readOwn, sdk.NoBody, m.inZone(m.mine))
	r.Feed("GET /duties.ics", readOwn, "text/calendar", m.feed)
	r.HandleFunc("GET /services/{ref}/asked", readOwn, sdk.NoBody, m.inZone(m.askedFor))
	r.HandleFunc("POST /mine/{id}/answer", respondOwn, sdk.Buffered(4<<10), m.inZone(m.answer))
	r.HandleFunc("POST /mine/{id}/substitute", respondOwn, sdk.Buffered(1<<10), m.inZone(m.seekSubstitute))
	r.HandleFunc("POST /mine/{id}/take", respondOwn, sdk.Buffered(1<<10), m.inZone(m.takeOver))
	r.HandleFunc("PUT /mine/away", respondOwn, sdk.Buffered(4<<10), m.inZone(m.putAway))
	r.HandleFunc("PUT /mine/wishes", respondOwn, sdk.Buffered(4<<10), m.inZone(m.putWishes))
	r.HandleFunc("POST /claim", respondOwn, sdk.Buffered(4<<10), m.inZone(m.claim))
	r.HandleFunc("GET /link", byLink, sdk.NoBody, m.inZone(m.linked))
	r.HandleFunc("POST /link/{id}/answer", byLink, sdk.Buffered(4<<10), m.inZone(m.answer))
	r.HandleFunc("POST /link/{id}/substitute", byLink, sdk.Buffered(1<<10), m.inZone(m.seekSubstitute))
	r.HandleFunc("POST /link/{id}/take", byLink, sdk.Buffered(1<<10), m.inZone(m.takeOver))
	r.HandleFunc("GET /board", manage, sdk.NoBody, m.inZone(m.getBoard))
	r.HandleFunc("GET /fill", manage, sdk.NoBody, m.inZone(m.fill))
	r.HandleFunc("GET /plan.csv", manage, sdk.NoBody, m.inZone(m.planTable))
	r.HandleFunc("GET /plan.ics", manage, sdk.NoBody, m.inZone(m.planCalendar))
	r.HandleFunc("PUT /assignments", manage, sdk.Buffered(64<<10), m.inZone(m.assign))
	r.HandleFunc("PUT /news/seen", manage, sdk.Buffered(1<<10), m.inZone(m.seeNews))
	r.HandleFunc("PUT /services/{ref}/needs", manage, sdk.Buffered(4<<10), m.inZone(m.putNeeds))
	r.HandleFunc("PUT /roles", manage, sdk.Buffered(16<<10), m.inZone(m.putRoles))
	r.HandleFunc("POST /volunteers", manage, sdk.Buffered(4<<10), m.inZone(m.addVolunteer))
	r.HandleFunc("PUT /volunteers/{id}", manage, sdk.Buffered(4<<10), m.inZone(m.editVolunteer))
	r.HandleFunc("PUT /volunteers/{id}/away", manage, sdk.Buffered(4<<10), m.inZone(m.putAwayOf))
	r.HandleFunc("PUT /volunteers/{id}/wishes", manage, sdk.Buffered(4<<10), m.inZone(m.putWishesOf))
	r.HandleFunc("DELETE /volunteers/{id}", manage, sdk.NoBody, m.inZone(m.removeVolunteer))
	r.HandleFunc("DELETE /volunteers/{id}/link", manage, sdk.NoBody, m.inZone(m.withdrawLink))
	r.HandleFunc("GET /volunteers/export", manage, sdk.NoBody, m.inZone(m.exportVolunteers))
	r.HandleFunc("POST /volunteers/import", manage, sdk.Buffered(512<<10), m.inZone(m.importVolunteers))
	r.HandleFunc("GET /export", manage, sdk.NoBody, m.inZone(m.exportAll))
	r.HandleFunc("POST /import", manage, sdk.Streamed(maxArchive), m.inZone(m.importAll))
	r.HandleFunc("GET /imports", manage, sdk.NoBody, m.inZone(m.listImports))
	r.HandleFunc("DELETE /imports/{id}", manage, sdk.NoBody, m.inZone(m.undoImport))
	r.HandleFunc("POST /mail/test", sendMail, sdk.Buffered(4<<10), m.inZone(m.sendTest))
	r.HandleFunc("POST /mail/send", sendMail, sdk.Buffered(4<<10), m.inZone(m.queueMails))
	r.Probe("GET /mine")
	r.Channel(boardChannel, manage, m.snapshot)
	r.Every("reminders", remindEvery, m.scheduled(m.remind))
	r.Every("mails", deliverEvery, m.resume)
	r.Every("services", followEvery, m.scheduled(m.keepFollowing))
	r.Every("imports", time.Hour, m.forgetImports)
	r.PersonErased(m.forget)
	r.PersonExport(m.exportPerson)
	return nil
}

// Start stores the host, reads the settings and begins to send waiting mails.
func (m *rota) Start(ctx context.Context, h *sdk.Host) error {
	m.host, m.db = h, h.DB
	m.changes = h.Changes(`UPDATE board SET rev = rev + 1 RETURNING rev`)
	if err := m.followZone(ctx); err != nil {
		return err
	}
	if text := h.Config.String("replyTo"); text != "" {
		if isAddress(text) {
			m.replyTo = &mail.Address{Address: text}
		} else {
			h.Log.Warn("replyTo is no address, mails have none")
		}
	}
	m.outbox = sdk.NewWorker(m.deliver)
	m.outbox.Wake()
	return nil
}

// Stop waits for the mail that is being sent. Waiting mails are sent after the next start.
func (m *rota) Stop(ctx context.Context) error {
	return m.outbox.Stop(ctx)
}
