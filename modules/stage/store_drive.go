package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

func unchangedIf(done bool, err error) error {
	if err == nil && done {
		return sdk.ErrUnchanged
	}
	return err
}

// isDone reports whether a press was already executed.
func isDone(ctx context.Context, tx *sdk.Tx, driver, op string) (done bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM presses WHERE driver = $1 AND op_id = $2)`,
		driver, op).Scan(&done)
	return done, err
}

func keepPress(ctx context.Context, tx *sdk.Tx, driver, op string) error {
	_, err := tx.Exec(ctx, `INSERT INTO presses (driver, op_id) VALUES ($1, $2)`, driver, op)
	return err
}

// forgetPresses deletes old presses, which no client repeats any more.
func (s *stage) forgetPresses(ctx context.Context) error {
	_, err := s.store.db.Exec(ctx, `DELETE FROM presses WHERE done_at < now() - interval '1 hour'`)
	if err != nil {
		return err
	}
	return sdk.NothingUntil(ctx, s.store.db, `SELECT min(done_at) + interval '1 hour' FROM presses`)
}

// takeStage puts a service on the screens, at its previous position or at its first item.
func takeStage(ctx context.Context, tx *sdk.Tx, service, driver string) error {
	var there bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM services WHERE id = $1 AND cancelled_at IS NULL)`, service).Scan(&there)
	if err != nil {
		return err
	}
	if !there {
		return errNoService
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO live (service_id, item_id)
		SELECT $1, (SELECT id FROM items WHERE service_id = $1 ORDER BY position LIMIT 1)
		ON CONFLICT (service_id) DO NOTHING`, service)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE stage SET service_id = $1, driver = $2`, service, driver)
	return err
}

// do executes one press.
func do(ctx context.Context, tx *sdk.Tx, service string, p *press) error {
	switch p.Action {
	case "end":
		_, err := tx.Exec(ctx, `UPDATE stage SET service_id = NULL, driver = NULL`)
		return err
	case "screen":
		if err := endCountdown(ctx, tx, service); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE live SET screen = $2 WHERE service_id = $1`, service, *p.Screen)
		return err
	case "message":
		_, err := tx.Exec(ctx, `UPDATE live SET message = $2 WHERE service_id = $1`, service, *p.Message)
		return err
	}
	before, err := readMoment(ctx, tx)
	if err != nil {
		return err
	}
	if err := endCountdown(ctx, tx, service); err != nil {
		return err
	}
	if before.Screen == showCountdown && p.Action == "next" && before.ServerTime.Before(*before.startsAt) {
		return nil // the first item is on the screens now: nobody has seen it yet
	}
	item, section := before.target(p)
	if item == nil {
		return nil // the service is empty or at its end
	}
	changed, err := tx.Exec(ctx, `
		UPDATE live
		SET section = $3, item_since = CASE WHEN item_id = $2 THEN item_since ELSE clock_timestamp() END,
			item_id = $2
		WHERE service_id = $1 AND EXISTS (SELECT FROM items WHERE id = $2 AND service_id = $1)`,
		service, *item, section)
	if err == nil && changed == 0 {
		return errNoItem
	}
	return err
}

// endCountdown ends a countdown, if there is one: the current item began at the start of the service, or
// begins now.
func endCountdown(ctx context.Context, tx *sdk.Tx, service string) error {
	_, err := tx.Exec(ctx, `
		UPDATE live
		SET screen = 'live',
			item_since = least(clock_timestamp(), greatest(item_since, services.starts_at))
		FROM services
		WHERE live.service_id = $1 AND services.id = $1 AND live.screen = 'countdown'`, service)
	return err
}

// target returns the position after a press; nil if there is none.
func (m *moment) target(p *press) (item *string, section int64) {
	if p.Section != nil {
		section = *p.Section
	}
	switch p.Action {
	case "item":
		return p.Item, section
	case "section":
		return m.ItemID, section
	case "next":
		if m.at(0) != nil && m.Section < m.lastStep() {
			return m.ItemID, m.Section + 1
		}
		if after := m.at(1); after != nil {
			return &after.ID, 0
		}
	case "previous":
		if m.Section > 0 {
			return m.ItemID, m.Section - 1
		}
		if before := m.at(-1); before != nil {
			return &before.ID, int64(len(before.steps())) - 1
		}
	}
	return nil, 0
}
