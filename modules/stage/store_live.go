package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// moment is the state that screens and phones get, except the plan.
type moment struct {
	live
	Driver     *string
	ServerTime time.Time
	startsAt   *time.Time
	ends       map[string]*time.Time // when the time is over, by the timer's mode
	around     []neighbour
}

// neighbour is the current item of the service, or the one before or after it.
type neighbour struct {
	words
	ID      string
	Offset  int64 // from the current item: -1, 0 or 1
	Seconds int64
}

// readMoment reads the state of the service that is being driven.
func readMoment(ctx context.Context, q sdk.Querier) (*moment, error) {
	var m moment
	var item, onTime, service *time.Time
	err := q.QueryRow(ctx, `
		SELECT clock_timestamp(), stage.rev, stage.driver, stage.service_id::text, live.item_id::text,
			coalesce(live.section, 0), coalesce(live.item_since, now()), coalesce(live.screen, 'logo'),
			coalesce(live.message, ''), services.starts_at,
			CASE WHEN items.seconds > 0 THEN items.seconds * interval '1 second' + CASE
				WHEN live.screen = 'countdown' THEN greatest(live.item_since, services.starts_at)
				ELSE live.item_since
			END END,
			services.starts_at + interval '1 second' * (
				SELECT nullif(sum(seconds), 0)
				FROM items AS other
				WHERE other.service_id = services.id AND other.position <= items.position),
			services.starts_at + interval '1 second' * (
				SELECT nullif(sum(seconds), 0) FROM items AS other WHERE other.service_id = services.id)
		FROM stage
			LEFT JOIN services ON services.id = stage.service_id
			LEFT JOIN live ON live.service_id = stage.service_id
			LEFT JOIN items ON items.id = live.item_id`).
		Scan(&m.ServerTime, &m.Rev, &m.Driver, &m.ServiceID, &m.ItemID, &m.Section, &m.ItemSince, &m.Screen,
			&m.Message, &m.startsAt, &item, &onTime, &service)
	if err != nil || m.ServiceID == nil {
		return &m, err
	}
	m.ends = map[string]*time.Time{"item": item, "end_on_time": onTime, "end_service": service}
	m.around, err = sdk.SelectBy(ctx, q, func(row sdk.Scanner, n *neighbour) error {
		return scanWords(row, &n.words, &n.ID, &n.Offset, &n.Seconds)
	}, `
		SELECT items.id::text, items.position - here.position, items.seconds, `+wordColumns+`
		FROM items
			LEFT JOIN songs ON songs.id = items.song_id,
			(SELECT coalesce((SELECT position FROM items WHERE id = $2), 0) AS position) AS here
		WHERE items.service_id = $1 AND items.position BETWEEN here.position - 1 AND here.position + 1
		ORDER BY items.position`, *m.ServiceID, m.ItemID)
	m.Section = max(0, min(m.Section, m.lastStep()))
	return &m, err
}

const wordColumns = `items.kind, items.title, items.text, songs.title, songs.sections,
	songs.verse_order, items.transpose, items.capo`

func scanWords(row sdk.Scanner, w *words, before ...any) error {
	return row.Scan(append(before, &w.Kind, &w.Title, &w.Text, &w.SongTitle, &w.Sections, &w.Order,
		&w.Transpose, &w.Capo)...)
}

// at returns the item at this offset from the current one; nil when there is none.
func (m *moment) at(offset int64) *neighbour {
	for n := range m.around {
		if m.around[n].Offset == offset {
			return &m.around[n]
		}
	}
	return nil
}

// lastStep returns the number of the last step of the current item.
func (m *moment) lastStep() int64 {
	if here := m.at(0); here != nil {
		return int64(len(here.steps())) - 1
	}
	return 0
}

// planOf reads the items of a service with their words.
func planOf(ctx context.Context, q sdk.Querier, id string) (*plan, error) {
	p := &plan{ID: id}
	err := q.QueryRow(ctx, `SELECT title, starts_at FROM services WHERE id = $1`, id).Scan(&p.Title, &p.StartsAt)
	if err != nil {
		return nil, sdk.OrNoRow(err, errNoService)
	}
	p.Items, err = sdk.SelectBy(ctx, q, func(row sdk.Scanner, i *planItem) error {
		var w words
		err := scanWords(row, &w, &i.ID, &i.Seconds)
		i.Kind, i.Title, i.Steps, i.Capo = w.Kind, w.name(), w.steps(), w.Capo
		return err
	}, `
		SELECT items.id::text, items.seconds, `+wordColumns+`
		FROM items LEFT JOIN songs ON songs.id = items.song_id
		WHERE items.service_id = $1
		ORDER BY items.position`, id)
	return p, err
}
