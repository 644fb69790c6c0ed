package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxPlan is how many bytes of words the plan in a snapshot may have, as JSON. A longer one contains only
// first lines.
const maxPlan = sdk.MaxSnapshot * 3 / 4

// screenOf returns what screens show in a moment.
func (s *stage) screenOf(m *moment) screen {
	shown := screen{
		ServerTime: m.ServerTime,
		Rev:        m.Rev,
		Timer:      s.timerOf(m),
		Screen:     m.Screen,
		StartsAt:   m.startsAt,
		Message:    m.Message,
		Title:      s.host.Config.String("defaultTitle"),
		Settings: appearances{
			FontScale: s.host.Config.Integer("fontScale"),
			ShowNext:  s.host.Config.Boolean("showNext"),
		},
	}
	if here := m.at(0); here != nil {
		now := here.steps()[m.Section]
		now.Label = labelled(here.name(), now.Label)
		shown.Now, shown.Capo = &now, here.Capo
	}
	shown.Next = nextOf(m)
	return shown
}

// nextOf returns the next step: of the same item, or the first one of the next item.
func nextOf(m *moment) *nextStep {
	if here := m.at(0); here != nil && m.Section < m.lastStep() {
		next := here.steps()[m.Section+1]
		return &nextStep{Label: labelled(here.name(), next.Label), Line: next.Lines[0]}
	}
	after := m.at(1)
	if after == nil {
		return nil
	}
	first := after.steps()[0]
	return &nextStep{Label: labelled(after.name(), first.Label), Line: first.Lines[0]}
}

func labelled(name, label string) string {
	if label == "" {
		return name
	}
	return name + " · " + label
}

// timerOf returns nil if the duration is not planned.
func (s *stage) timerOf(m *moment) *timer {
	mode := s.host.Config.String("timerMode")
	if ends := m.ends[mode]; ends != nil {
		return &timer{EndsAt: *ends, Mode: mode}
	}
	return nil
}

func (s *stage) controlOf(m *moment, ack *string) controlUpdate {
	return controlUpdate{Live: m.live, Driver: m.Driver, Timer: s.timerOf(m), Ack: ack}
}

// tell publishes a moment, first to the screens.
func (s *stage) tell(m *moment, update controlUpdate) {
	s.publish(screenChannel, s.screenOf(m))
	s.publish(controlChannel, update)
}

// screenSnapshot reads in one transaction, so that all its parts are consistent.
func (s *stage) screenSnapshot(ctx context.Context) (any, error) {
	var shown screen
	err := s.reading(ctx, func(tx *sdk.Tx) error {
		m, err := readMoment(ctx, tx)
		if err == nil {
			shown = s.screenOf(m)
		}
		return err
	})
	return shown, err
}

func (s *stage) controlSnapshot(ctx context.Context) (any, error) {
	return s.readControl(ctx)
}

func (s *stage) readControl(ctx context.Context) (*control, error) {
	var read *control
	err := s.reading(ctx, func(tx *sdk.Tx) error {
		m, err := readMoment(ctx, tx)
		if err != nil {
			return err
		}
		read = &control{ServerTime: m.ServerTime, Live: m.live, Driver: m.Driver, Timer: s.timerOf(m)}
		if m.ServiceID == nil {
			return nil
		}
		read.Plan, err = planOf(ctx, tx, *m.ServiceID)
		return err
	})
	if err == nil && read.Plan != nil {
		read.Plan.shorten()
	}
	return read, err
}

// reading runs f in a transaction whose statements all see the same data.
func (s *stage) reading(ctx context.Context, f func(tx *sdk.Tx) error) error {
	return s.store.db.InTx(ctx, func(tx *sdk.Tx) error {
		if _, err := tx.Exec(ctx, `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`); err != nil {
			return err
		}
		return f(tx)
	})
}

// shorten keeps only the first line of each step if all words are too long for one message.
func (p *plan) shorten() {
	size := 0
	for _, item := range p.Items {
		for _, step := range item.Steps {
			for n, line := range step.Lines {
				size += len(line) + len(`"",`)
				if step.Chords != nil {
					size += len(`[],`) + len(step.Chords[n])*mostBytesOfChord
				}
			}
		}
	}
	if size <= maxPlan {
		return
	}
	for _, item := range p.Items {
		for n := range item.Steps {
			item.Steps[n].Lines, item.Steps[n].Chords = item.Steps[n].Lines[:1], nil
		}
	}
}
