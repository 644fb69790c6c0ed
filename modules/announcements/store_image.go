package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

func addImage(ctx context.Context, q sdk.Querier, p *picture) error {
	_, err := q.Exec(ctx, `
		INSERT INTO images (id, object_key, type, bytes, width, height, sha256)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		p.ID, p.objectKey, p.Type, p.Bytes, int64(p.Width), int64(p.Height), p.sum)
	return err
}

// audience is the condition for slides whose pictures a caller gets.
type audience string

const (
	writers audience = "true"
	readers audience = started
	screens audience = `enabled` // they load a picture before its slide begins
)

// image finds a picture. Unless writers ask, a slide for the audience must name it.
func (s *store) image(ctx context.Context, id string, to audience) (*picture, error) {
	p := picture{ID: id}
	var sizes []byte
	err := s.db.QueryRow(ctx, `
		SELECT object_key, type, bytes, width, height, sha256, sizes
		FROM images
		WHERE id = $1 AND ($2 OR EXISTS (SELECT FROM slides WHERE image_id = images.id AND `+string(to)+`))`,
		id, to == writers).Scan(&p.objectKey, &p.Type, &p.Bytes, &p.Width, &p.Height, &p.sum, &sizes)
	if err == nil && sizes != nil {
		err = json.Unmarshal(sizes, &p.sizes)
	}
	return &p, sdk.OrNoRow(err, errNoImage)
}

// named converts the error of a write that names a missing picture to a refusal.
func named(err error) error {
	if sdk.BrokenConstraint(err) == "slides_image" {
		return errImageUnknown
	}
	return err
}

// unused is the condition for pictures that no slide names, nor would after the undo of an import.
const unused = `NOT EXISTS (SELECT FROM slides WHERE image_id = images.id)
	AND NOT EXISTS (SELECT FROM imported WHERE before->>'imageId' = images.id::text)`

// dropImage deletes a picture's row if it is unused. It returns the key of the object, or "" if the
// row stays. It locks the row first, so that a concurrent slide that names the picture waits and is then
// refused.
func dropImage(ctx context.Context, tx *sdk.Tx, id *string) (key string, err error) {
	if id == nil {
		return "", nil
	}
	err = tx.QueryRow(ctx, `SELECT object_key FROM images WHERE id = $1 FOR UPDATE`, *id).Scan(&key)
	if err == nil {
		err = tx.QueryRow(ctx, `
			DELETE FROM images
			WHERE id = $1 AND `+unused+`
			RETURNING object_key`, *id).Scan(&key)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return key, err
}
