package main

import (
	"context"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// withoutUnknownSongs removes the items of songs that neither the file nor the database has.
func (all *exchange) withoutUnknownSongs(before []exchangedSong, found *sdk.Exchange) {
	known := make(map[string]bool)
	for _, songs := range [][]exchangedSong{before, all.Songs} {
		for _, one := range songs {
			known[one.ID] = true
		}
	}
	all.removeItems(found, "SONG_MISSING", func(_ string, i exchangedItem) bool {
		return i.SongID != nil && !known[*i.SongID]
	})
}

// withoutTakenItems removes the items whose ids belong to another service here.
func (all *exchange) withoutTakenItems(ctx context.Context, tx *sdk.Tx, found *sdk.Exchange) error {
	type placed struct{ ID, ServiceID string }
	owners := make(map[string]string)
	for part := range slices.Chunk(all.Services, chunk) {
		var ids []string
		for _, service := range part {
			for _, i := range service.Items {
				ids = append(ids, i.ID)
			}
		}
		there, err := sdk.Select[placed](ctx, tx, `
			SELECT id::text, service_id::text FROM items WHERE id = ANY ($1::text[]::uuid[])`, ids)
		if err != nil {
			return err
		}
		for _, one := range there {
			owners[one.ID] = one.ServiceID
		}
	}
	all.removeItems(found, "ITEM_ELSEWHERE", func(service string, i exchangedItem) bool {
		return owners[i.ID] != "" && owners[i.ID] != service
	})
	return nil
}

// removeItems removes items from the services of a file, and says so.
func (all *exchange) removeItems(found *sdk.Exchange, code string,
	unwanted func(service string, i exchangedItem) bool,
) {
	for n := range all.Services {
		service := &all.Services[n]
		service.Items = slices.DeleteFunc(service.Items, func(i exchangedItem) bool {
			gone := unwanted(service.ID, i)
			if gone {
				found.Note(sdk.Problem{Line: service.line, Code: code, Detail: service.Title})
			}
			return gone
		})
	}
}
