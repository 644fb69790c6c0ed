package sdktest_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// tally is a module that writes by sdk.Changes.
type tally struct {
	host    *sdk.Host
	changes *sdk.Changes
}

func (y *tally) Register(r *sdk.Registry) error {
	r.Channel("marks", "tally.view", func(ctx context.Context) (any, error) {
		return sdk.Select[int64](ctx, y.host.DB, `SELECT rev FROM board`)
	})
	return nil
}

func (y *tally) Start(_ context.Context, h *sdk.Host) error {
	y.host, y.changes = h, h.Changes(`UPDATE board SET rev = rev + 1 RETURNING rev`)
	return nil
}

func (y *tally) Stop(context.Context) error { return nil }

// mark writes a row and publishes its rev with a text.
func (y *tally) mark(ctx context.Context, text string, end error) error {
	return y.changes.Write(ctx, func(tx *sdk.Tx, rev int64) (sdk.Updates, error) {
		if _, err := tx.Exec(ctx, `INSERT INTO marks (rev, name) VALUES ($1, 'mark')`, rev); err != nil {
			return nil, err
		}
		return sdk.Updates{"marks": map[string]any{"rev": rev, "text": text}}, end
	})
}

func startTally(t *testing.T) (*tally, *sdktest.Module) {
	y := &tally{}
	return y, sdktest.Start(t, y, sdktest.Options{Folder: "testdata/tally"})
}

// TestChangesInOrder: of many writers at once each change has a rev of its own, and readers get them in
// order.
func TestChangesInOrder(t *testing.T) {
	t.Parallel()
	y, m := startTally(t)
	screen := m.Person().Subscribe("marks")
	const writers = 40
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			if err := y.mark(t.Context(), "", nil); err != nil {
				t.Error(err)
			}
		})
	}
	for n := range writers {
		if got, want := screen.Update(), fmt.Sprintf(`{"rev":%d,"text":""}`, n+1); got != want {
			t.Fatalf("update %d: %s, want %s", n, got, want)
		}
	}
	all.Wait()
}

// TestChangesWithoutEffect: a refused change and one that changes nothing leave no row, no rev and no update.
func TestChangesWithoutEffect(t *testing.T) {
	t.Parallel()
	y, m := startTally(t)
	screen := m.Person().Subscribe("marks")
	refusal := errors.New("refused")
	if err := y.mark(t.Context(), "", refusal); !errors.Is(err, refusal) {
		t.Errorf("a refused change: error %v, want %v", err, refusal)
	}
	if err := y.mark(t.Context(), "", fmt.Errorf("a preview: %w", sdk.ErrUnchanged)); err != nil {
		t.Errorf("a change without effect: error %v, want none", err)
	}
	if err := y.mark(t.Context(), strings.Repeat("x", sdk.MaxUpdate), nil); err != nil {
		t.Fatal(err)
	}
	if got := screen.Update(); got != `{"rev":1}` { // the long text does not fit into an update
		t.Errorf("the first update: %.100s, want {\"rev\":1}", got)
	}
	revs, err := sdk.Select[int64](t.Context(), y.host.DB, `SELECT rev FROM marks`)
	if err != nil || !reflect.DeepEqual(revs, []int64{1}) {
		t.Errorf("rows %v, error %v, want that of the third change alone", revs, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := y.mark(ended, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a change after the end of its request: error %v, want %v", err, context.Canceled)
	}
}

// TestSelect: the columns go to the fields in their order, with those of embedded structs.
func TestSelect(t *testing.T) {
	t.Parallel()
	y, _ := startTally(t)
	type more struct {
		Tags []string
		More map[string]int
	}
	type mark struct {
		Rev    int64
		Name   string
		hidden int
		At     *time.Time
		more
	}
	_, err := y.host.DB.Exec(t.Context(), `
		INSERT INTO marks
		VALUES (1, 'one', '2026-11-27T10:00:00Z', '{a,b}', '{"n": 3}'), (2, 'two', NULL, NULL, NULL)`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sdk.Select[mark](t.Context(), y.host.DB, `SELECT * FROM marks ORDER BY rev`)
	if err != nil || len(got) != 2 || got[0].Rev != 1 || got[0].Name != "one" || got[0].hidden != 0 ||
		!got[0].At.Equal(time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)) ||
		!reflect.DeepEqual(got[0].more, more{[]string{"a", "b"}, map[string]int{"n": 3}}) ||
		got[1].At != nil || got[1].Tags != nil || got[1].More != nil {
		t.Errorf("Select: %+v, error %v", got, err)
	}
	if _, err := sdk.Select[mark](t.Context(), y.host.DB, `SELECT rev FROM marks`); err == nil {
		t.Error("Select of one column into five fields: no error, want one")
	}
	times, err := sdk.Select[time.Time](t.Context(), y.host.DB, `SELECT at FROM marks WHERE at IS NOT NULL`)
	if err != nil || len(times) != 1 {
		t.Errorf("Select of times: %v, error %v, want one", times, err)
	}
	var name string
	missing := errors.New("missing")
	err = y.host.DB.QueryRow(t.Context(), `SELECT name FROM marks WHERE rev = 9`).Scan(&name)
	if err = sdk.OrNoRow(err, missing); !errors.Is(err, missing) {
		t.Errorf("OrNoRow without a row: %v, want %v", err, missing)
	}
}
