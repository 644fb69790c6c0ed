// Package songfile reads songs from the files of other programs, and writes them: OpenLyrics, OpenSong,
// ChordPro, the text of SongSelect, and plain text with several kinds of headings. It has no state. What it
// reads is bounded, because a file may come from anywhere.
package songfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// Song is a song of a file. Its parts are as long as the file has them.
type Song struct {
	Title     string
	Credit    string // the authors
	Copyright string
	CCLI      string   // the number of the song
	Order     []string // the labels in the order in which they are sung; empty: as they are in Sections
	Sections  []Section
}

// Section is a part of a song that is sung in one go. Chords are in brackets before the letter to which they
// belong: "[G]Amazing [C]grace".
type Section struct {
	Label string
	Text  string
}

// The limits of one reading.
const (
	maxFile   = 8 << 20 // bytes of one file
	maxXML    = 1 << 20
	maxLines  = 400_000  // of one file
	maxTotal  = 24 << 20 // bytes of all files of an archive
	maxFiles  = 10_000
	maxNodes  = 20_000 // elements and texts of one XML file
	maxNested = 32     // elements inside each other
)

// Code says why a file, or a part of one, is not read.
type Code string

// The codes.
const (
	UnknownFormat Code = "FORMAT_UNKNOWN" // it is not a file with songs that this package reads
	Broken        Code = "FILE_BROKEN"
	TooLarge      Code = "FILE_TOO_LARGE"
	NoSongs       Code = "NO_SONGS"
)

func (c Code) Error() string { return string(c) }

// Reader gets what is in files. line is where a song begins in its file, from 1.
type Reader struct {
	Song     func(file string, line int, one Song)
	Problem  func(file string, line int, why Code)
	Guessed  func(file string) // whose encoding is a guess, so that its letters may be wrong; may be nil
	Language string            // of labels that a file has as letters (v1): "de", otherwise English
	total    int
	unpacked bytes.Buffer
}

// Read reads a file, or an archive (zip) of files.
func (r *Reader) Read(name string, content []byte) {
	if bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		r.readArchive(name, content)
		return
	}
	r.readFile(name, content)
}

// readArchive reads the files of an archive, one after the other. It does not open an archive in an archive,
// and trusts no length that the archive claims.
func (r *Reader) readArchive(name string, content []byte) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		r.Problem(name, 1, Broken)
		return
	}
	if slices.ContainsFunc(archive.File, isOffice) {
		r.Problem(name, 1, UnknownFormat)
		return
	}
	read := 0
	for _, file := range archive.File {
		base := path.Base(file.Name)
		if file.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(file.Name, "__MACOSX/") {
			continue
		}
		if read++; read > maxFiles {
			r.Problem(name, 1, TooLarge)
			return
		}
		unpacked, err := r.unpack(file)
		switch {
		case errors.Is(err, TooLarge) && r.total > maxTotal:
			r.Problem(name, 1, TooLarge)
			return
		case errors.Is(err, TooLarge):
			r.Problem(file.Name, 1, TooLarge)
		case err != nil:
			r.Problem(file.Name, 1, Broken)
		case bytes.HasPrefix(unpacked, []byte("PK\x03\x04")):
			r.Problem(file.Name, 1, UnknownFormat)
		default:
			r.readFile(file.Name, unpacked)
		}
	}
	if read == 0 {
		r.Problem(name, 1, NoSongs)
	}
}

// isOffice reports whether a file is in every document of an office program, which is an archive, too.
func isOffice(file *zip.File) bool { return file.Name == "[Content_Types].xml" }

func (r *Reader) unpack(file *zip.File) ([]byte, error) {
	opened, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	r.unpacked.Reset()
	read, err := r.unpacked.ReadFrom(io.LimitReader(opened, maxFile+1))
	r.total += int(read)
	if read > maxFile || r.total > maxTotal {
		return nil, TooLarge
	}
	return r.unpacked.Bytes(), err
}

// readFile finds out what a file is, and reads it.
func (r *Reader) readFile(name string, content []byte) {
	ends := bytes.Count(content, []byte("\n")) + bytes.Count(content, []byte("\r"))
	if len(content) > maxFile || ends > 2*maxLines {
		r.Problem(name, 1, TooLarge)
		return
	}
	text, guessed, isText := decoded(content)
	if !isText {
		r.Problem(name, 1, UnknownFormat)
		return
	}
	if guessed && r.Guessed != nil {
		r.Guessed(name)
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	switch start := strings.TrimSpace(text); {
	case start == "":
		r.Problem(name, 1, NoSongs)
	case strings.HasPrefix(start, "<"):
		r.readXML(name, text)
	case strings.HasPrefix(start, `{\rtf`), strings.HasPrefix(start, "%PDF"):
		r.Problem(name, 1, UnknownFormat)
	case isChordPro.MatchString(text):
		r.readChordPro(name, text)
	default:
		r.readText(name, text)
	}
}
