package main

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// following asks that the slides of a kind say something else: the members of Set replace those of their
// payloads.
type following struct {
	Kind string         `json:"kind"`
	Set  jsontext.Value `json:"set"`
}

// follow lets the module that brings a kind of slide keep its slides up to date, because a screen asks no
// other module. It refuses the kinds of others. A slide keeps its rev, so whoever has it open can still save
// it.
func (a *announcements) follow(ctx context.Context, in following) (struct{}, error) {
	if !strings.HasPrefix(in.Kind, sdk.CallingModule(ctx)+".") || in.Set.Kind() != '{' ||
		strings.Contains(string(in.Set), `\u0000`) {
		return struct{}{}, sdk.ErrRequestInvalid
	}
	err := a.change(ctx, func(tx *sdk.Tx) (changed update, err error) {
		slides, err := sdk.SelectBy(ctx, tx, scan, `
			UPDATE slides
			SET payload = coalesce(payload, '{}') || $2::jsonb
			WHERE kind = $1 AND (ends_at IS NULL OR ends_at > now())
			  AND payload IS DISTINCT FROM coalesce(payload, '{}') || $2::jsonb
			  AND octet_length((coalesce(payload, '{}') || $2::jsonb)::text) <= $3
			RETURNING `+columns, in.Kind, string(in.Set), maxPayload)
		if err == nil && len(slides) == 0 {
			err = sdk.ErrUnchanged
		}
		for _, s := range slides {
			one := onBoard(&s)
			changed.Upsert = append(changed.Upsert, one.Upsert...)
			changed.Remove = append(changed.Remove, one.Remove...)
		}
		return changed, err
	})
	return struct{}{}, err
}
