package songfile_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// read returns what is in a file, in a form for comparisons.
func read(name, content string) string {
	var out strings.Builder
	r := songfile.Reader{
		Song: func(_ string, _ int, one songfile.Song) { out.WriteString(shown(one)) },
		Problem: func(file string, line int, why songfile.Code) {
			fmt.Fprintf(&out, "! %s:%d %s\n", file, line, why)
		},
	}
	r.Read(name, []byte(content))
	return out.String()
}

func shown(one songfile.Song) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s / %s / %s / %s\n", one.Title, one.Credit, one.Copyright, one.CCLI)
	for _, section := range one.Sections {
		fmt.Fprintf(&out, "[%s] %s\n", section.Label, strings.ReplaceAll(section.Text, "\n", " | "))
	}
	if one.Order != nil {
		fmt.Fprintf(&out, "= %s\n", strings.Join(one.Order, ", "))
	}
	return out.String()
}

// TestFiles: each file of testdata is a song as a program writes it, and below it stands what is read. The
// name says which program.
func TestFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.case")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		all, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		content, want, _ := strings.Cut(string(all), "\n==== read\n")
		if got := read("", content); got != want {
			t.Errorf("%s is read as\n%s\nwant\n%s", file, got, want)
		}
		if got := read("", strings.ReplaceAll("\ufeff"+content, "\n", "\r\n")); got != want {
			t.Errorf("%s with a mark and CRLF is read as\n%s\nwant\n%s", file, got, want)
		}
	}
}

// TestEncodings: UTF-16 and Windows-1252 are read, and what is no text is refused.
func TestEncodings(t *testing.T) {
	t.Parallel()
	const want = "Großer Gott /  /  / \n[1] Herr, wir preisen\n"
	utf16 := "\xff\xfe"
	for _, r := range "Großer Gott\n\nHerr, wir preisen" {
		utf16 += string([]byte{byte(r), 0})
	}
	for _, content := range []string{utf16, "Gro\xdfer Gott\n\nHerr, wir preisen"} {
		if got := read("", content); got != want {
			t.Errorf("%q is read as %q, want %q", content, got, want)
		}
	}
	const latin = "Gro\xdfer Gott, wir loben dich\n\n[Strophe 1]\nGro\xdfer Gott, wir loben dich;\n" +
		"Herr, wir preisen deine St\xe4rke.\n"
	const german = "Großer Gott, wir loben dich /  /  / \n" +
		"[Strophe 1] Großer Gott, wir loben dich; | Herr, wir preisen deine Stärke.\n"
	if got := read("", latin); got != german {
		t.Errorf("%q is read as %q, want %q", latin, got, german)
	}
	for _, content := range []string{"%PDF-1.7\nx", `{\rtf1 x}`, "\x89PNG\r\n\x1a\n\x00",
		"<html><body>x</body></html>", "MZ\x00\x01\x02"} {
		if got := read("a", content); got != "! a:1 FORMAT_UNKNOWN\n" {
			t.Errorf("%q is read as %q", content, got)
		}
	}
}

// TestRoundTrips: what is written is read again as the same song.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	song := songfile.Song{
		Title: "Grace & more <1>", Credit: "John Newton", Copyright: "© 1779 nobody", CCLI: "4711",
		Order: []string{"Verse 1", "Chorus", "Verse 2", "Chorus"},
		Sections: []songfile.Section{
			{Label: "Verse 1", Text: "[G]Amazing [C/E]grace\nhow \"sweet\""},
			{Label: "Chorus", Text: "Praise[D7]"},
			{Label: "Verse 2", Text: "'Twas grace"},
		},
	}
	want := shown(song)
	for name, text := range map[string]string{
		"ChordPro": songfile.ChordPro(song), "OpenLyrics": songfile.OpenLyrics(song)} {
		if got := read("", text); got != want {
			t.Errorf("%s\n%s\nis read as\n%s\nwant\n%s", name, text, got, want)
		}
	}
}

func zipOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range files {
		one, err := w.Create(name)
		if err == nil {
			_, err = one.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestArchives: each file of an archive is read by itself, so that a bad one stops no other.
func TestArchives(t *testing.T) {
	t.Parallel()
	inner := string(zipOf(t, map[string]string{"x.txt": "X\n\nx"}))
	got := read("all.zip", string(zipOf(t, map[string]string{
		"songs/Grace": "<song><title>Grace</title><lyrics>[V1]\n Amazing</lyrics></song>",
		"__MACOSX/a":  "x", ".DS_Store": "x", "page.html": "<html/>", "in.zip": inner,
	})))
	for _, want := range []string{"Grace /", "[Verse 1] Amazing", "! page.html:1 FORMAT_UNKNOWN",
		"! in.zip:1 FORMAT_UNKNOWN"} {
		if !strings.Contains(got, want) {
			t.Errorf("the archive is read as\n%s\nwithout %q", got, want)
		}
	}
	if strings.Count(got, "\n") != 4 {
		t.Errorf("the archive is read as\n%s", got)
	}
	document := zipOf(t, map[string]string{"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"})
	if got := read("a.docx", string(document)); got != "! a.docx:1 FORMAT_UNKNOWN\n" {
		t.Errorf("a document is read as %s", got)
	}
}

// bomb is an archive of files of this size, which say that they have another one.
func bomb(t testing.TB, size int, told uint64) []byte {
	var packed bytes.Buffer
	deflate, _ := flate.NewWriter(&packed, flate.BestCompression)
	sum := crc32.NewIEEE()
	block := bytes.Repeat([]byte("a "), 1<<19)
	for range size >> 20 {
		deflate.Write(block)
		sum.Write(block)
	}
	deflate.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for n := range 40 {
		one, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(n, ".txt"), Method: zip.Deflate,
			CRC32: sum.Sum32(), CompressedSize64: uint64(packed.Len()), UncompressedSize64: told})
		if err != nil {
			t.Fatal(err)
		}
		one.Write(packed.Bytes())
	}
	w.Close()
	return out.Bytes()
}

// TestHostileFiles: bombs of several kinds end in a refusal, in little memory and time.
func TestHostileFiles(t *testing.T) {
	const lol = `<!DOCTYPE song [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">` +
		`<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><song><lyrics>&c;</lyrics></song>`
	for name, one := range map[string]struct{ content, want string }{
		"entities": {lol, "FILE_BROKEN"},
		"external": {`<!DOCTYPE song [<!ENTITY a SYSTEM "file:///etc/passwd">]><song><lyrics>&a;</lyrics></song>`,
			"FILE_BROKEN"},
		"deep":       {strings.Repeat("<song>", 1<<17), "FILE_TOO_LARGE"},
		"wide":       {"<song>" + strings.Repeat("<a/>", 1<<17) + "</song>", "FILE_TOO_LARGE"},
		"attributes": {"<song " + strings.Repeat(`a="b" `, 1<<16) + "></song>", "FORMAT_UNKNOWN"},
		"crossed":    {"<song><lyrics></song></lyrics>", "FILE_BROKEN"},
		"unclosed":   {"<song><lyrics>", "FILE_BROKEN"},
		"zip bomb":   {string(bomb(t, 256<<20, 256<<20)), "x:1 FILE_TOO_LARGE"},
		"lying bomb": {string(bomb(t, 256<<20, 100)), "FILE_BROKEN"},
		"paragraphs": {"Title\n\n" + strings.Repeat("a\n\n", 1<<18), "Title /"},
		"credits":    {"Title\n\n" + strings.Repeat("Text: x\nMusik: y\n", 1<<17), "Title /"},
		"lines":      {"Title" + strings.Repeat("\n", 8<<20-5), "FILE_TOO_LARGE"},
		"large":      {strings.Repeat("a", 8<<20+1), "FILE_TOO_LARGE"},
		"no zip":     {"PK\x03\x04 nothing", "FILE_BROKEN"},
		"brackets":   {"{title: x}\n" + strings.Repeat("[", 1<<20), "x /"},
		"chords":     {"Title\n\n" + strings.Repeat("G ", 1<<20), "Title /"},
		"long line":  {"Title\n\n" + strings.Repeat("[G]", 1<<19) + "\n" + strings.Repeat("a", 1<<20), "Title /"},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		got := read("x", one.content)
		runtime.ReadMemStats(&after)
		if !strings.Contains(got, one.want) {
			t.Errorf("%s: %.200s, want %s", name, got, one.want)
		}
		if all := (after.TotalAlloc - before.TotalAlloc) >> 20; all > 64 {
			t.Errorf("%s: %d MiB were allocated, want at most 64", name, all)
		} else {
			t.Logf("%s: %d MiB", name, all)
		}
	}
}

// FuzzRead: no file makes a reader fail, and no title is a tag.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.case")
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add(zipOf(f, map[string]string{"a": "Title\n\nwords"}))
	f.Fuzz(func(t *testing.T, content []byte) {
		r := songfile.Reader{
			Problem: func(string, int, songfile.Code) {},
			Song: func(_ string, _ int, one songfile.Song) {
				text := songfile.OpenLyrics(one) + songfile.ChordPro(one)
				if len(text) > 64*len(content)+100_000 {
					t.Errorf("%d bytes became a song of %d", len(content), len(text))
				}
				for _, section := range one.Sections {
					if strings.TrimSpace(section.Text) == "" {
						t.Errorf("the section %q is empty", section.Label)
					}
				}
			},
		}
		filestest.Bounded(t, content, func() { r.Read("x", content) })
	})
}
