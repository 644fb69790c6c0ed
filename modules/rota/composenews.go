package main

import (
	"cmp"
	"context"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// toTell is a piece of news for one person, with what has become of it since.
type toTell struct {
	newsItem
	Coordinates bool
	Now         time.Time // where the service is now
	Cancelled   bool
	Roles       string // that the reader still has in the service
	Again       bool   // one of them waits for a new answer
	Status      string // of the volunteer that the news are about; "" if they are not planned any more
}

// newsToTell returns what a mail tells, in the order in which it happened.
func (m *rota) newsToTell(ctx context.Context, mailID int64) ([]toTell, error) {
	return sdk.SelectBy(ctx, m.db, func(row sdk.Scanner, n *toTell) error {
		return row.Scan(&n.ID, &n.Kind, &n.ServiceID, &n.Title, &n.Start, &n.Was, &n.People, &n.Role, &n.Name,
			&n.Unreached, &n.Coordinates, &n.Now, &n.Cancelled, &n.Roles, &n.Again, &n.Status)
	}, `
		SELECT n.id, n.kind, n.service_ref, coalesce(k.title, n.title), n.starts_at, n.was, n.people,
		       coalesce(r.name, ''), coalesce(v.label, n.label), `+unreached+`, t.coordinates,
		       coalesce(k.starts_at, n.starts_at),
		       coalesce(k.cancelled, false), coalesce(own.roles, ''), coalesce(own.again, false),
		       coalesce((SELECT status FROM assignments AS a
		                 WHERE a.service_ref = n.service_ref AND a.role_id = n.role_id
		                   AND a.volunteer_id = n.volunteer_id), '')
		FROM told AS t
			JOIN news AS n ON n.id = t.news_id
			LEFT JOIN roles AS r ON r.id = n.role_id
			LEFT JOIN volunteers AS v ON v.id = n.volunteer_id
			LEFT JOIN known_services AS k USING (service_ref)
			LEFT JOIN LATERAL (
				SELECT string_agg(o.name, ', ' ORDER BY o.position, o.id) AS roles,
				       bool_or(a.status = 'open' AND a.agreed IS NOT NULL) AS again
				FROM assignments AS a JOIN roles AS o ON o.id = a.role_id
				WHERE a.service_ref = n.service_ref AND a.volunteer_id = t.volunteer_id
				  AND a.status IN ('open', 'yes')) AS own ON true
		WHERE t.mail_id = $1
		ORDER BY n.id`, mailID)
}

// newsReader returns who gets a mail about news. A volunteer who was removed has left name and address in it.
func (m *rota) newsReader(ctx context.Context, q queued) (*recipient, error) {
	if q.volunteerID != nil {
		return m.recipient(ctx, q.volunteerID)
	}
	to := &recipient{}
	err := m.db.QueryRow(ctx, `
		SELECT label, email, language FROM told WHERE mail_id = $1 AND email <> '' LIMIT 1`,
		q.id).Scan(&to.label, &to.email, &to.language)
	to.language = cmp.Or(to.language, m.host.Config.String("mailLanguage"))
	return to, sdk.OrNoRow(err, errNobody)
}

// composeNews writes what has changed for one person. What was undone meanwhile is not told.
func (m *rota) composeNews(ctx context.Context, q queued) (*sdk.Message, error) {
	to, err := m.newsReader(ctx, q)
	if err != nil {
		return nil, err
	}
	all, err := m.newsToTell(ctx, q.id)
	if err != nil {
		return nil, err
	}
	words := wordsOf(to.language)
	c := words.News
	own, again, last := false, false, m.clock()
	for _, n := range onceAService(all) {
		if !n.holds() {
			continue
		}
		c.lines = append(c.lines, m.newsLine(words, n))
		if n.Coordinates {
			continue
		}
		own = true
		again = again || n.Again || n.Kind == newsAway
		if n.Now.After(last) {
			last = n.Now
		}
	}
	if len(c.lines) == 0 {
		return nil, errNobody
	}
	if again {
		c.text, c.button = c.text+" "+words.AgainNote, words.Request.button
	}
	switch {
	case to.id == "": // there is nothing left to see
	case !own:
		c.button, c.link = words.ToBoard, m.pageLink("board")
	default:
		if err := m.addLink(ctx, &c, to, last, words); err != nil {
			return nil, err
		}
	}
	c.greeting = words.greeting(to.label)
	message := m.message([]mail.Address{{Address: to.email}}, to.language, c)
	return &message, nil
}

// onceAService makes one piece of news of all moves and cancellations of a service: from where the reader
// knows it to where it is now.
func onceAService(all []toTell) (told []toTell) {
	for _, n := range all {
		if !ofService(n.Kind) {
			told = append(told, n)
			continue
		}
		same := slices.IndexFunc(told, func(o toTell) bool {
			return ofService(o.Kind) && o.ServiceID == n.ServiceID
		})
		if same < 0 {
			told = append(told, n)
		}
	}
	for at := range told {
		if n := &told[at]; ofService(n.Kind) {
			n.settle()
		}
	}
	return told
}

func ofService(kind string) bool {
	return kind == newsMoved || kind == newsCancelled || kind == newsRestored
}

// settle makes the first piece of news of a service say where the service is now; Kind is "" if that is
// where the reader knows it.
func (n *toTell) settle() {
	known := n.Start
	if n.Was != nil {
		known = *n.Was
	}
	gone := n.Kind == newsRestored // the reader believes so
	switch {
	case n.Cancelled && gone, !n.Cancelled && !gone && n.Now.Equal(known):
		n.Kind = ""
	case n.Cancelled:
		n.Kind, n.Start = newsCancelled, known
	case gone:
		n.Start = n.Now
	default:
		n.Kind, n.Start, n.Was = newsMoved, n.Now, &known
	}
}

// holds reports whether the news are still true and still concern the reader.
func (n *toTell) holds() bool {
	switch n.Kind {
	case "":
		return false
	case newsDeclined:
		return n.Status == statusNo
	case newsAway, newsReplaced:
		return n.Status == statusYes
	case newsRemoved:
		return true
	}
	return n.Coordinates || n.Roles != ""
}

func (m *rota) newsLine(words *words, n toTell) string {
	lines, role := words.OwnNews, n.Role
	if n.Coordinates {
		lines = words.AllNews
	} else if ofService(n.Kind) {
		role = n.Roles
	}
	was := ""
	if n.Was != nil {
		was = words.moment(n.Was.In(m.zone()))
	}
	line := strings.NewReplacer(
		"{title}", plain(n.Title), "{when}", words.moment(n.Start.In(m.zone())), "{was}", was, "{role}",
		role, "{people}", strconv.Itoa(n.People), "{name}", cmp.Or(plain(n.Name), words.Somebody),
	).Replace(lines[n.Kind])
	if n.Coordinates && len(n.Unreached) > 0 {
		line += ". " + words.Unreached + ": " + plain(strings.Join(n.Unreached, ", "))
	}
	return line
}
