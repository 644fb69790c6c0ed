package browsertest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/image/draw"
)

// sheetForms are the forms in which the contact sheet has every screen.
var sheetForms = []struct {
	name     string
	view     view
	language string
}{
	{"desktop-light", view{width: 1280, height: 800, reduced: true}, ""},
	{"desktop-dark", view{width: 1280, height: 800, reduced: true, dark: true}, ""},
	{"phone-light", view{width: 390, height: 844, reduced: true}, ""},
	{"phone-german", view{width: 390, height: 844, reduced: true}, "de"},
}

// sheetScreens are the screens of the contact sheet: the address, and the opener of a dialog, if the screen
// is shown with one.
var sheetScreens = []struct{ name, path, opener string }{
	{"home", "", ""},
	{"people", "admin/people", ""},
	{"invite", "admin/people", ".d-page-header .d-primary"},
	{"person-menu", "admin/people", "tbody tr:nth-child(2) [aria-haspopup=menu]"},
	{"permissions", "admin/permissions", ""},
	{"give", "admin/permissions", ".d-page-header .d-primary"},
	{"modules", "admin/modules", ""},
	{"module", "admin/modules/rota", ""},
	{"settings", "admin/modules/rota/settings", ""},
	{"navigation", "admin/navigation", ""},
	{"screens", "admin/screens", ""},
	{"house", "admin/house", ""},
	{"activity", "admin/activity", ""},
	{"account", "account", ""},
	{"announcements", "m/announcements", ""},
	{"announcements-editor", "m/announcements/new", ""},
	{"announcements-preview", "m/announcements/preview", ""},
	{"calendar-month", "m/calendar", ""},
	{"calendar-week", "m/calendar/week", ""},
	{"calendar-list", "m/calendar/list", ""},
	{"calendar-editor", "m/calendar/new", ""},
	{"calendar-rooms", "m/calendar/rooms", ""},
	{"rota", "m/rota", ""},
	{"rota-board", "m/rota/board/{month}", ""},
	{"rota-fill", "m/rota/fill/{month}", ""},
	{"rota-volunteers", "m/rota/volunteers", ""},
	{"rota-mine", "m/rota/mine", ""},
	{"rota-roles", "m/rota/roles", ""},
	{"stage", "m/stage", ""},
	{"stage-past", "m/stage/past", ""},
	{"stage-songs", "m/stage/songs", ""},
	{"stage-service", "m/stage/service/{service}", ""},
	{"stage-live", "m/stage/live/{service}", ""},
	{"nowhere", "nowhere", ""},
}

// TestSheet writes a picture of every screen in four forms, and contact sheets of them, into the folder that
// SHEET names. Otherwise it is skipped, because other tests open these pages. SHEET_ONLY selects the screens
// with this word in their name.
func TestSheet(t *testing.T) {
	folder := os.Getenv("SHEET")
	if folder == "" {
		t.Skip("the contact sheet is asked for by SHEET=folder")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	d := startSheetHouse(t)
	owner := d.signedInOwner(t)
	addresses := strings.NewReplacer("{month}", time.Now().AddDate(0, 0, 14).Format("2006-01"),
		"{service}", d.query(t, `SELECT id::text FROM module_stage.services ORDER BY starts_at LIMIT 1`))
	t.Run("forms", func(t *testing.T) {
		for _, form := range sheetForms {
			t.Run(form.name, func(t *testing.T) {
				t.Parallel()
				p := d.openIn(t, chromium, owner, "/", form.view)
				p.setLanguage(form.language)
				for _, screen := range sheetScreens {
					if strings.Contains(screen.name, os.Getenv("SHEET_ONLY")) {
						p.showScreen(d.address+"/#/"+addresses.Replace(screen.path), screen.opener)
						p.writeShot(filepath.Join(folder, screen.name+"-"+form.name+".png"))
					}
				}
			})
		}
	})
	writeSheets(t, folder)
}

// startSheetHouse starts a house that has been in use for a while.
func startSheetHouse(t *testing.T) *devServer {
	t.Helper()
	d := startPictured(t)
	for _, person := range []string{"Johanna Weber", "Peter Lindqvist", "Grace Okafor", "Tom Baker"} {
		d.member(t, person, manageNotices)
	}
	d.exec(t, `UPDATE core.house SET time_zone = 'Europe/Berlin'`)
	return d
}

// showScreen loads a page anew, so that nothing of the screen before is left, and waits until it is at rest.
func (p *tab) showScreen(address, opener string) {
	p.t.Helper()
	p.do(chromedp.Navigate("about:blank"))
	p.do(chromedp.Navigate(address))
	p.waitFor(`document.querySelector("main h1") && !document.querySelector("main [aria-busy=true]") &&
		[...document.images].every(({ complete }) => complete)`)
	if opener != "" {
		p.waitFor(fmt.Sprintf(`document.querySelector(%q)`, opener))
		p.runScript(fmt.Sprintf(`document.querySelector(%q).click()`, opener))
		p.waitFor(`document.querySelector("dialog[open], [role=menu]") &&
			!document.querySelector("[aria-busy=true]")`)
	}
	p.runScript(`await Promise.all(document.getAnimations().map(({ finished }) => finished))`)
	p.waitForFrames()
}

func (p *tab) writeShot(file string) {
	p.t.Helper()
	shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(file, shot, 0o644)
	}
	if err != nil {
		p.t.Error(err)
	}
}

// A sheet has so many screens, each in a row of this height, with so much room between the pictures.
const rowsOfSheet, heightOfRow, gapOfSheet = 4, 480, 12

// writeSheets puts the pictures of a folder together: a row for each screen.
func writeSheets(t *testing.T, folder string) {
	t.Helper()
	var rows [][]image.Image
	for _, screen := range sheetScreens {
		var row []image.Image
		for _, form := range sheetForms {
			content, err := os.ReadFile(filepath.Join(folder, screen.name+"-"+form.name+".png"))
			if err != nil {
				break // it was not asked for
			}
			picture, err := png.Decode(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, picture)
		}
		if len(row) == len(sheetForms) {
			rows = append(rows, row)
		}
	}
	for number := 0; number*rowsOfSheet < len(rows); number++ {
		some := rows[number*rowsOfSheet : min(len(rows), (number+1)*rowsOfSheet)]
		var content bytes.Buffer
		if err := png.Encode(&content, sheetOf(some)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, fmt.Sprintf("sheet-%d.png", number+1))
		if err := os.WriteFile(file, content.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Log(file)
	}
}

func sheetOf(rows [][]image.Image) image.Image {
	width := gapOfSheet
	for _, picture := range rows[0] {
		width += gapOfSheet + widthInSheet(picture)
	}
	sheet := image.NewNRGBA(image.Rect(0, 0, width, gapOfSheet+len(rows)*(heightOfRow+gapOfSheet)))
	draw.Draw(sheet, sheet.Rect, image.NewUniform(color.NRGBA{0x80, 0x80, 0x80, 255}), image.Point{}, draw.Src)
	for at, row := range rows {
		x, y := gapOfSheet, gapOfSheet+at*(heightOfRow+gapOfSheet)
		for _, picture := range row {
			wide := widthInSheet(picture)
			place := image.Rect(x, y, x+wide, y+heightOfRow)
			draw.CatmullRom.Scale(sheet, place, picture, picture.Bounds(), draw.Src, nil)
			x += wide + gapOfSheet
		}
	}
	return sheet
}

func widthInSheet(picture image.Image) int {
	size := picture.Bounds().Size()
	return size.X * heightOfRow / size.Y
}
