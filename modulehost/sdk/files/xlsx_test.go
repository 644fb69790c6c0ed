package files_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
)

// workbook packs the parts of a workbook, over those of a small one.
func workbook(tb testing.TB, parts map[string]string) string {
	tb.Helper()
	all := map[string]string{
		"[Content_Types].xml": `<Types/>`,
		"xl/workbook.xml": `<?xml version="1.0" encoding="UTF-8"?><workbook xmlns:r="r"><sheets>` +
			`<sheet name="Old" sheetId="1" state="hidden" r:id="rId1"/>` +
			`<sheet name="New" sheetId="2" r:id="rId2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Target="worksheets/sheet2.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": `<worksheet/>`,
		"xl/sharedStrings.xml": `<sst><si><t>Name</t></si><si><t>E-Mail</t></si>` +
			`<si><r><t xml:space="preserve">Ada </t></r><r><t>One</t></r><rPh><t>x</t></rPh></si></sst>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy\ hh:mm"/>` +
			`<numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/>` +
			`</cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>` +
			`<xf numFmtId="20"/></cellXfs></styleSheet>`,
	}
	for name, part := range parts {
		all[name] = part
	}
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed)
	})
	for name, part := range all {
		into, err := w.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(into, part); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return file.String()
}

func sheet(tb testing.TB, rows string) string {
	tb.Helper()
	return workbook(tb, map[string]string{
		"xl/worksheets/sheet2.xml": `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`})
}

const headings = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>`

// TestWorkbooks: cells come out as the spreadsheet shows them, dates included.
func TestWorkbooks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"shared and own texts": {sheet(t, headings+`<row r="2"/><row r="3"><c r="A3" t="s"><v>2</v></c>`+
			`<c r="B3" t="inlineStr"><is><t>a@x</t></is></c></row>`), "3 Ada One <a@x>"},
		"a missing cell": {sheet(t, headings+`<row r="2"><c r="B2" t="str"><f>A1</f><v>b</v></c></row>`), "2  <b>"},
		"no references": {sheet(t, headings+`<row><c t="str"><v>A</v></c><c t="str"><v>b</v></c></row>`),
			"2 A <b>"},
		"a day and a time": {sheet(t, headings+`<row r="2"><c r="A2" s="1"><v>46387</v></c>`+
			`<c r="B2" s="2"><v>46387.75</v></c></row>`), "2 2026-12-31 <2026-12-31 18:00:00>"},
		"numbers": {sheet(t, headings+`<row r="2"><c r="A2"><v>46387</v></c>`+
			`<c r="B2" s="3"><v>46387.5</v></c></row>`), "2 46387 <46387.5>"},
		"a time of day": {sheet(t, headings+`<row r="2"><c r="A2" s="4"><v>0.8125</v></c>`+
			`<c r="B2" t="b"><v>1</v></c></row>`), "2 19:30:00 <TRUE>"},
		"text that is none": {sheet(t, headings+`<row r="2"><c r="A2" t="s"><v>-1</v></c>`+
			`<c r="B2" t="s"><v>99</v></c><c r="C2" t="str"><v>x</v></c></row>`), "2  <>"},
		"no workbook":  {"PK\x03\x04 and more", files.ErrUnreadable.Error()},
		"an old Excel": {"\xd0\xcf\x11\xe0 and more", files.ErrUnreadable.Error()},
		"no sheet":     {workbook(t, nil), files.ErrUnreadable.Error()},
		"broken XML":   {sheet(t, headings+`<row`), files.ErrUnreadable.Error()},
		"too many rows": {sheet(t, headings+strings.Repeat(`<row><c t="str"><v>A</v></c></row>`, 200)),
			files.ErrTooMany.Error()},
		"a column far away": {sheet(t, headings+`<row r="2"><c r="XFD2"><v>1</v></c></row>`),
			files.ErrTooMany.Error()},
	} {
		if got := table(c.content); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestBombs: a workbook that unpacks to very much needs little memory before it is refused.
func TestBombs(t *testing.T) {
	const many = 24 << 20 // more than a workbook may unpack to
	const row = `<row><c t="str"><v>Ada</v></c><c t="str"><v>ada@example.org</v></c></row>`
	for count, want := range map[int]error{1: nil, many / 4: files.ErrTooMany} {
		sound := sheet(t, headings+strings.Repeat("<a/>", count)+row)
		if _, err := files.ReadTable([]byte(sound), columns, 5000); !errors.Is(err, want) {
			t.Errorf("%d elements that mean nothing: error %v, want %v", count, err, want)
		}
	}
	for name, content := range map[string]string{
		"spaces":     sheet(t, headings+strings.Repeat(" ", many)),
		"rows":       sheet(t, headings+strings.Repeat("<row/>", many/6)),
		"cells":      sheet(t, "<row>"+strings.Repeat("<c/>", many/4)),
		"nesting":    sheet(t, strings.Repeat("<a>", many/3)),
		"attributes": sheet(t, "<row "+strings.Repeat(` a=""`, many/5)+"/>"),
		"a name":     sheet(t, "<"+strings.Repeat("a", many)+"/>"),
		"a text":     sheet(t, headings+"<row><c t=\"str\"><v>"+strings.Repeat("a", many)+"</v></c></row>"),
		"texts": workbook(t, map[string]string{"xl/worksheets/sheet2.xml": "<worksheet/>",
			"xl/sharedStrings.xml": "<sst>" + strings.Repeat("<si/>", many/5)}),
		"entities": sheet(t, `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaaaaaaaa">]><row>`+strings.Repeat("&a;", 100000)),
	} {
		if len(content) > 2<<20 {
			t.Fatalf("%s: %d bytes, want a small file", name, len(content))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := files.ReadTable([]byte(content), columns, 5000)
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20 // of which almost nothing is kept
		if err == nil || used > 64 {
			t.Errorf("%s: error %v after %d MiB, want a refusal after little", name, err, used)
		}
	}
}

func FuzzWorkbook(f *testing.F) {
	f.Add(headings + `<row r="2"><c r="A2" s="1"><v>46387</v></c><c r="B2" t="s"><v>-1</v></c></row>`)
	f.Fuzz(func(t *testing.T, rows string) {
		workbook := []byte(sheet(t, rows))
		filestest.Bounded(t, workbook, func() {
			if read, err := files.ReadTable(workbook, columns, 50); err == nil && len(read.Rows) > 50 {
				t.Fatalf("%d rows", len(read.Rows))
			}
		})
	})
}
