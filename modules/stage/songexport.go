package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// exportSongs returns an archive of all songs in a format that other programs read.
func (s *stage) exportSongs(ctx context.Context, r *http.Request) (any, error) {
	sent, err := sdk.Query(r, "format")
	if err != nil {
		return nil, err
	}
	format := sent["format"]
	write, ending := songfile.OpenLyrics, ".xml"
	switch format {
	case "openlyrics":
	case "chordpro":
		write, ending = songfile.ChordPro, ".cho"
	default:
		return nil, sdk.ErrRequestInvalid
	}
	songs, err := readSongs(ctx, s.store.db)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	names := map[string]int{}
	for _, one := range songs {
		name := fileName(one.Title)
		if names[name]++; names[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, names[name])
		}
		file, err := archive.Create(name + ending)
		if err == nil {
			_, err = file.Write([]byte(write(one.inFile())))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return sdk.Download("songs-"+format+".zip", "application/zip", &out), nil
}

// inFile returns a song in the form of files.
func (s *exchangedSong) inFile() songfile.Song {
	one := songfile.Song{Title: s.Title, Credit: s.Credit, Copyright: s.Copyright, CCLI: s.CCLI, Order: s.Order}
	for _, part := range s.Sections {
		one.Sections = append(one.Sections, songfile.Section{Label: part.Label, Text: part.Text})
	}
	return one
}

// fileName makes the name of a file of a title.
func fileName(title string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, title), " .")
	if name == "" {
		return "song"
	}
	return name
}
