// Command glutton is a module for tests that uses its database and channels to fill the platform's memory,
// and leaves its sessions in a changed state.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type glutton struct{ host *sdk.Host }

func main() { sdk.Serve(&glutton{}) }

// Register declares a route for each kind of harm.
func (g *glutton) Register(r *sdk.Registry) error {
	for path, do := range map[string]func(context.Context) (string, error){
		"/row":        g.row,
		"/exception":  g.exception,
		"/gossip":     g.gossip,
		"/statements": g.statements,
		"/log":        g.attributes,
		"/leave":      g.leave,
		"/look":       g.look,
		"/tell":       g.publishMany,
	} {
		r.Handle("GET "+path, "glutton.use", sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
			said, err := do(r.Context())
			fmt.Fprintln(w, said, codeOf(err))
		})
	}
	for n := range channels {
		r.Channel(channel(n), "glutton.use", func(context.Context) (any, error) { return n, nil })
	}
	return nil
}

const channels = 60

func channel(n int) string { return "c." + string(rune('a'+n/26)) + string(rune('a'+n%26)) }

// publishMany publishes on all channels until it fails.
func (g *glutton) publishMany(ctx context.Context) (string, error) {
	update := strings.Repeat("u", sdk.MaxUpdate-2)
	for n := range 1 << 20 {
		if err := g.host.Realtime.Publish(channel(n%channels), update); err != nil || ctx.Err() != nil {
			return "", errors.Join(err, ctx.Err())
		}
	}
	return "", nil
}

// Start keeps the host.
func (g *glutton) Start(_ context.Context, host *sdk.Host) error {
	g.host = host
	return nil
}

// Stop does nothing.
func (g *glutton) Stop(context.Context) error { return nil }

func codeOf(err error) string {
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		return coded.Code()
	}
	if refused := (*sdk.DatabaseError)(nil); errors.As(err, &refused) {
		return refused.SQLState
	}
	return fmt.Sprint(err)
}

// row reads a row of 381 MiB.
func (g *glutton) row(ctx context.Context) (text string, err error) {
	err = g.host.DB.QueryRow(ctx, `SELECT repeat('x', 400000000)`).Scan(&text)
	return "", err
}

// exception makes PostgreSQL send an error message of 191 MiB.
func (g *glutton) exception(ctx context.Context) (string, error) {
	_, err := g.host.DB.Exec(ctx, `DO $$ BEGIN RAISE EXCEPTION '%', repeat('x', 200000000); END $$`)
	return "", err
}

// gossip sends itself 140 MiB of notifications.
func (g *glutton) gossip(ctx context.Context) (string, error) {
	for range 20 {
		for _, sql := range []string{
			`LISTEN gossip`,
			`DO $$ BEGIN FOR n IN 1..1000 LOOP PERFORM pg_notify('gossip', n || repeat('x', 7000)); END LOOP; END $$`,
		} {
			if _, err := g.host.DB.Exec(ctx, sql); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// statements executes 80 different statements of 1.2 MiB.
func (g *glutton) statements(ctx context.Context) (string, error) {
	filling := strings.Repeat("x", 1200<<10)
	for n := range 80 {
		if _, err := g.host.DB.Exec(ctx, fmt.Sprintf("SELECT 1 -- %d %s", n, filling)); err != nil {
			return "", err
		}
	}
	return "", nil
}

// attributes logs five lines with so many attributes that each message is ten times as large after decoding.
func (g *glutton) attributes(ctx context.Context) (string, error) {
	many := make([]any, 2*100_000)
	for n := range many {
		many[n] = ""
	}
	for range 4 {
		go g.host.Log.InfoContext(ctx, "", many...)
	}
	g.host.Log.Info("", many...)
	return "", nil
}

// leave ends the process while a lock is held, the search_path is changed and a transaction is open.
func (g *glutton) leave(ctx context.Context) (string, error) {
	tx, err := g.host.DB.Begin(ctx)
	if err != nil {
		return "", err
	}
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(1)`); err != nil {
		return "", err
	}
	for _, sql := range []string{`SELECT pg_advisory_lock(2)`, `SET search_path = pg_catalog`} {
		if _, err := g.host.DB.Exec(ctx, sql); err != nil {
			return "", err
		}
	}
	os.Exit(3)
	return "", nil
}

// look returns the state of its session, which a previous process could have changed.
func (g *glutton) look(ctx context.Context) (string, error) {
	var first, second bool
	var path string
	err := g.host.DB.QueryRow(ctx, `
		SELECT pg_try_advisory_xact_lock(1), pg_try_advisory_xact_lock(2), current_setting('search_path')`).
		Scan(&first, &second, &path)
	return fmt.Sprint(first, second, " ", path), err
}
