package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// TestPackageRefusals checks packages whose checksum is right. Each row changes a valid archive.
func TestPackageRefusals(t *testing.T) {
	t.Parallel()
	good := entriesOf(small(t, "people", "1.0.0"))
	with := func(more ...entry) []byte { return compress(t, tarOf(t, append(more, good...)...)) }
	special := func(kind byte, name, link string, mode int64) entry {
		return entry{Header: tar.Header{Typeflag: kind, Name: name, Linkname: link, Mode: mode}}
	}
	named := func(name string) []byte { return with(file(name, "x")) }
	whole := with()
	sized := func(header []byte) []byte { // one file of 512 MiB, of which only the header is there
		return compress(t, append(header, bytes.Repeat([]byte{0}, 1024)...))
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"good": {whole, nil},
		"folders named": {with(special(tar.TypeDir, "ui/", "", 0o700),
			special(tar.TypeDir, "docs", "", 0)), nil},
		"padded":  {compress(t, append(tarOf(t, good...), make([]byte, 20<<10)...)), nil},
		"empty":   {nil, archive.ErrInvalid},
		"no gzip": {tarOf(t, good...), archive.ErrInvalid},
		"no tar": {compress(t, []byte(strings.Repeat("no tar ", 300))),
			archive.ErrInvalid},
		"truncated":       {whole[:len(whole)-20], archive.ErrInvalid},
		"without its sum": {whole[:len(whole)-8], archive.ErrInvalid},
		"wrong gzip sum": {append(whole[:len(whole)-8:len(whole)-8], 1, 2, 3, 4, 5, 6, 7, 8),
			archive.ErrInvalid},
		"trailing garbage": {append(whole[:len(whole):len(whole)], "x"...), archive.ErrInvalid},
		"trailing zeros":   {append(whole[:len(whole):len(whole)], 0), archive.ErrInvalid},
		"second member":    {append(whole[:len(whole):len(whole)], whole...), archive.ErrInvalid},
		"split in members": {append(compress(t, tarOf(t, good...)[:512]),
			compress(t, tarOf(t, good...)[512:])...), archive.ErrInvalid},
		"garbage behind the archive's end": {compress(t, append(tarOf(t, good...), "hidden"...)),
			archive.ErrInvalid},
		"zeros behind the archive's end": {compress(t, append(tarOf(t, good...), make([]byte, 1<<20)...)),
			archive.ErrInvalid},
		"cut inside a file": {compress(t, tarOf(t, good...)[:600]), archive.ErrInvalid},

		"absolute path":     {named("/etc/people"), archive.ErrName},
		"way out":           {named("../people"), archive.ErrName},
		"way out and back":  {named("ui/../../people.js"), archive.ErrName},
		"dot in front":      {named("./people.js"), archive.ErrName},
		"the folder itself": {with(special(tar.TypeDir, "./", "", 0o755)), archive.ErrName},
		"no name":           {named(""), archive.ErrName},
		"empty part":        {named("ui//people.js"), archive.ErrName},
		"file with a slash": {with(entry{tar.Header{Typeflag: tar.TypeReg, Name: "people"}, ""},
			special(tar.TypeDir, "x//", "", 0o755)), archive.ErrName},
		"backslash":         {named(`ui\people.js`), archive.ErrName},
		"reordered name":    {named("ui/\u202esj.js"), archive.ErrName},
		"control character": {named("ui/a\x1b.js"), archive.ErrName},
		"new line":          {named("ui/a\n.js"), archive.ErrName},
		"no UTF-8":          {named("ui/\xff.js"), archive.ErrName},
		"long path": {named(strings.Repeat("abcdefg/", 15) + strings.Repeat("a", 136)),
			archive.ErrLongName},
		"longest path":           {named(strings.Repeat("abcdefg/", 15) + strings.Repeat("a", 135)), nil},
		"deep path":              {named(strings.Repeat("a/", 16) + "b"), archive.ErrLongName},
		"record of the platform": {named(archive.RecordName), archive.ErrReserved},
		"file twice":             {with(good[0]), archive.ErrTwice},
		"folder twice": {with(special(tar.TypeDir, "a/", "", 0o755), special(tar.TypeDir, "a/", "", 0o755)),
			archive.ErrTwice},
		"folder after files": {with(file("a/b", ""), special(tar.TypeDir, "a/", "", 0o755)), archive.ErrTwice},
		"file and folder":    {with(file("ui", "")), archive.ErrTwice},
		"symbolic link":      {with(special(tar.TypeSymlink, "a", "/etc", 0o777)), archive.ErrKind},
		"hard link":          {with(file("a", ""), special(tar.TypeLink, "b", "a", 0o644)), archive.ErrKind},
		"character device":   {with(special(tar.TypeChar, "a", "", 0o644)), archive.ErrKind},
		"block device":       {with(special(tar.TypeBlock, "a", "", 0o644)), archive.ErrKind},
		"FIFO":               {with(special(tar.TypeFifo, "a", "", 0o644)), archive.ErrKind},
		"contiguous file":    {with(special(tar.TypeCont, "a", "", 0o644)), archive.ErrKind},
		"global header": {with(entry{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader,
			PAXRecords: map[string]string{"comment": "x"}}}), archive.ErrKind},
		"setuid":        {with(special(tar.TypeReg, "a", "", 0o4755)), archive.ErrKind},
		"setgid":        {with(special(tar.TypeReg, "a", "", 0o2755)), archive.ErrKind},
		"sticky folder": {with(special(tar.TypeDir, "a/", "", 0o1777)), archive.ErrKind},
		"sparse file":   {sparseFile(t), archive.ErrKind},
		"NUL in a name": {compress(t, bytes.Replace(tarOf(t, good...), []byte("ui/index.js\x00\x00"),
			[]byte("ui/\x00index.js\x00"), 1)), archive.ErrInvalid},
		"huge file": {sized(headerOf(t, 512<<20)), archive.ErrTooLarge},
		"bomb":      {bomb(t), archive.ErrTooLarge},

		"no manifest":  {compress(t, tarOf(t, file("ui/index.js", ""))), catalog.ErrManifestMissing},
		"one top":      {compress(t, tarOf(t, file("people/module.json", "{}"))), catalog.ErrManifestMissing},
		"bad manifest": {compress(t, tarOf(t, file("module.json", "{}"))), manifest.ErrInvalid},
		"no artifact": {compress(t, tarOf(t, file("module.json", manifestOf(t, "people", "1.0.0", nil)))),
			manifest.ErrArtifactInvalid},
		"other release": {compress(t, tarOf(t, file("module.json",
			manifestOf(t, "people", "1.0.0", fields{"compatibility": fields{"platform": "^9.0.0",
				"moduleSdk": "^0.1.0"}})), good[1])), catalog.ErrPlatformIncompatible},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertInstallError(t, writePackage(t, c.data), c.want)
		})
	}
}

// TestFileRefusals checks what can be wrong with the package file and its checksum file.
func TestFileRefusals(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0", 64)
	sum := func(text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { must(t, os.WriteFile(path+".sha256", []byte(text), 0o644)) }
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		want    error
	}{
		"no package": {func(t *testing.T, path string) { must(t, os.Remove(path)) },
			archive.ErrUnreadable},
		"package is a folder": {func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.Mkdir(path, 0o755))
		}, archive.ErrUnreadable},
		"package is a FIFO": {func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, syscall.Mkfifo(path, 0o644))
		}, archive.ErrUnreadable},
		"package is huge": {func(t *testing.T, path string) {
			must(t, os.Truncate(path, archive.MaxPackedBytes+1))
		}, archive.ErrLargeFile},
		"package is a link": {func(t *testing.T, path string) {
			must(t, os.Rename(path, path+".old"))
			must(t, os.Symlink(path+".old", path))
		}, nil},
		"no checksum file": {func(t *testing.T, path string) { must(t, os.Remove(path+".sha256")) },
			archive.ErrChecksum},
		"checksum is a FIFO": {func(t *testing.T, path string) {
			must(t, os.Remove(path+".sha256"))
			must(t, syscall.Mkfifo(path+".sha256", 0o644))
		}, archive.ErrChecksum},
		"other package": {sum(hash + "  people-1.0.0.tar.gz\n"), archive.ErrChecksum},
		"other name": {func(t *testing.T, path string) {
			replace(t, path+".sha256", "people", "peoples")
		}, archive.ErrChecksum},
		"a path for a name": {func(t *testing.T, path string) { replace(t, path+".sha256", "  ", "  ./") },
			archive.ErrChecksum},
		"one space": {func(t *testing.T, path string) { replace(t, path+".sha256", "  ", " ") },
			archive.ErrChecksum},
		"two lines": {func(t *testing.T, path string) { replace(t, path+".sha256", "\n", "\n\n") },
			archive.ErrChecksum},
		"no final new line":   {func(t *testing.T, path string) { replace(t, path+".sha256", "\n", "") }, nil},
		"short hash":          {sum(hash[2:] + "  people-1.0.0.tar.gz\n"), archive.ErrChecksum},
		"no hash":             {sum(strings.Repeat("x", 64) + "  people-1.0.0.tar.gz\n"), archive.ErrChecksum},
		"empty checksum file": {sum(""), archive.ErrChecksum},
		"endless checksum file": {func(t *testing.T, path string) { must(t, os.Truncate(path+".sha256", 1<<40)) },
			archive.ErrChecksum},
		"truncated download": {func(t *testing.T, path string) { must(t, os.Truncate(path, 100)) },
			archive.ErrChecksum},
		"one bit of the package": {func(t *testing.T, path string) {
			replace(t, path, "\x1f\x8b\x08\x00", "\x1f\x8b\x08\x01")
		}, archive.ErrChecksum},
		"one more byte": {func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(mustRead(t, path)+"x"), 0o644))
		}, archive.ErrChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writePackage(t, compress(t, tarOf(t, entriesOf(small(t, "people", "1.0.0"))...)))
			c.prepare(t, path)
			assertInstallError(t, path, c.want)
		})
	}
}

// assertInstallError installs over an older version, which a refusal must leave unchanged.
func assertInstallError(t *testing.T, path string, want error) {
	t.Helper()
	dir, before := t.TempDir(), small(t, "people", "0.9.0")
	writeTree(t, filepath.Join(dir, "people"), before)
	_, err := archive.Install(dir, path, platform, archive.Checks{})
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
	if err == nil {
		before = readTree(t, filepath.Join(dir, "people"))
	}
	assertInstalled(t, dir, before)
	if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "people")); err == nil {
		t.Error("the package wrote a file outside the modules directory")
	}
	if err != nil && (strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), filepath.Dir(path)) ||
		!strings.Contains(err.Error(), ": ")) {
		t.Errorf("the error shows a path or has no sentence: %v", err)
	}
}

func replace(t *testing.T, path, old, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(strings.Replace(mustRead(t, path), old, text, 1)), 0o644))
}

func headerOf(t *testing.T, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, tar.NewWriter(&out).WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "a", Mode: 0o644,
		Size: size}))
	return out.Bytes()
}

// sparseFile returns an archive with a sparse file of 1,000 bytes, none of which the archive holds.
func sparseFile(t *testing.T) []byte {
	t.Helper()
	const records = "22 GNU.sparse.major=0\n22 GNU.sparse.minor=1\n26 GNU.sparse.numblocks=0\n" +
		"24 GNU.sparse.size=1000\n19 GNU.sparse.map=\n"
	data := tarOf(t, file("PaxHeaders/a", records), file("a", ""))
	data[156] = tar.TypeXHeader
	return compress(t, checked(data))
}

// checked corrects the checksum of the first header.
func checked(data []byte) []byte {
	copy(data[148:156], "        ")
	sum := 0
	for _, b := range data[:512] {
		sum += int(b)
	}
	copy(data[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return data
}

// TestHeadersAreReadFirst installs a package whose thousandth entry breaks a rule, where no file can be
// written. The package must be refused because of the rule.
func TestHeadersAreReadFirst(t *testing.T) {
	t.Parallel()
	const readable = 20_000 // entries
	entries := func(count int, last ...entry) []entry {
		all := entriesOf(small(t, "people", "1.0.0"))
		for n := range count {
			all = append(all, file(fmt.Sprintf("ui/%05d.js", n), "export {}"))
		}
		return append(all, last...)
	}
	for name, c := range map[string]struct {
		entries []entry
		want    string
	}{
		"too many": {entries(readable), archive.ErrTooMany.Error()},
		"a name":   {entries(1000, file("../x", "x")), archive.ErrName.Error()},
		"a link": {entries(1000, entry{tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/"}, ""}),
			archive.ErrKind.Error()},
		"a sound one": {entries(1), archive.ErrUnwritable.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := writePackage(t, compress(t, tarOf(t, c.entries...)))
			said, err := child(t, "install", []string{dir, path}, fileSizeVariable+"=0").Output()
			if err == nil || string(said) != c.want+"\n" {
				t.Errorf("installing where no file can be written says %q, %v, want %q", said, err, c.want)
			}
			assertInstalled(t, dir)
		})
	}
}

// TestEntriesAreCounted also counts folders that only files' names imply. It writes no files, because that
// would be slow.
func TestEntriesAreCounted(t *testing.T) {
	t.Parallel()
	for pattern, each := range map[string]int{"%d": 1, "%d/b/c/d/e/f/g/h": 8} {
		names := archive.Contents{}
		for n := range archive.MaxEntries / each {
			if _, err := names.Add(fmt.Sprintf(pattern, n), false); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := names.Add("one-more", false); !errors.Is(err, archive.ErrTooMany) {
			t.Errorf("one entry over the limit, named as %s: error %v, want %v", pattern, err,
				archive.ErrTooMany)
		}
	}
}

// bomb returns a stream of 600 MiB in 600 KiB: endless extended headers, which create no file. The
// compressor is flushed after each MiB, so that its output for the second one can be repeated.
func bomb(t *testing.T) []byte {
	t.Helper()
	record := make([]byte, 1<<20-512)
	copy(record, fmt.Sprintf("%d comment=", len(record)))
	record[len(record)-1] = '\n'
	header := tarOf(t, file("x", string(record)))[:1<<20]
	header[156] = tar.TypeXHeader
	checked(header)
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	var ends []int
	for range 3 {
		_, err := w.Write(header)
		must(t, err)
		must(t, w.Flush())
		ends = append(ends, out.Len())
	}
	return append(out.Bytes()[:ends[2]:ends[2]], bytes.Repeat(out.Bytes()[ends[1]:ends[2]], 600)...)
}
