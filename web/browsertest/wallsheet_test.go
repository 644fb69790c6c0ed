package browsertest

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	xdraw "golang.org/x/image/draw"
)

// wallShapes are the screens of a sheet.
var wallShapes = []struct {
	name string
	view
}{
	{"1080p", view{width: 1920, height: 1080}},
	{"2160p", view{width: 3840, height: 2160}},
	{"720p", view{width: 1280, height: 720}},
	{"upright", view{width: 1080, height: 1920}},
	{"5x4", view{width: 1280, height: 1024}},
}

// wallSheet writes pictures of walls into a folder: one row for each state, with every shape in it.
type wallSheet struct {
	*boardHouse
	folder string
}

// TestWallSheet photographs every wall in every shape and puts the pictures on sheets, for people to look at:
// SHEET=<folder> go test -run TestWallSheet ./web/browsertest
func TestWallSheet(t *testing.T) {
	folder := os.Getenv("SHEET")
	if folder == "" {
		t.Skip("SHEET=<folder> writes pictures for people to look at")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &wallSheet{boardHouse: &boardHouse{devServer: startNamedHouse(t), t: t}, folder: folder}
	for _, wall := range []struct {
		name  string
		shoot func(t *testing.T)
	}{
		{"host", s.shootHost}, {"announcements", s.shootAnnouncements}, {"calendar", s.shootCalendar},
		{"stage", s.shootStage}, {"german", s.shootGerman}, {"lost", s.shootLost},
	} {
		t.Run(wall.name, func(t *testing.T) {
			s.t = t
			wall.shoot(t)
		})
	}
}

// nameHouse gives the house a name, a colour and a language.
func (s *wallSheet) nameHouse(name, accent, language string) {
	s.t.Helper()
	s.call("PUT", "/api/v1/house", object{"name": name, "accent": accent, "language": language,
		"timeZone": "Europe/Berlin", "secondFactor": "optional", "rev": s.call("GET", "/api/v1/house", nil)["rev"]})
}

// open opens a display in a new browser context, paired unless its label is "".
func (s *wallSheet) open(path, label string, scripts ...string) *tab {
	s.t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	s.t.Cleanup(cancel)
	p := &tab{t: s.t, ctx: ctx}
	p.setView(landscape)
	p.onNewDocument(hurried)
	for _, script := range scripts {
		p.onNewDocument(script)
	}
	p.do(chromedp.Navigate(s.address + "/display/" + path))
	if label == "" {
		return p
	}
	s.call("POST", "/api/v1/device-pairing/"+p.pairingCode()+"/approve", object{"label": label})
	p.waitFor(`document.querySelector(".host-layer :is(.stage, .house, .screen)") &&
		!document.querySelector(".host-screen")`)
	p.runScript(`later(120_000)`)
	p.waitFor(`!document.querySelector(".host-indicator")`)
	return p
}

// shoot photographs what a screen shows, in every shape, and writes the row of the sheet.
func (s *wallSheet) shoot(p *tab, name string) {
	s.t.Helper()
	const high = 432
	var row []image.Image
	across := 0
	for _, shape := range wallShapes {
		p.setView(shape.view)
		p.waitFor(fmt.Sprintf(`innerWidth === %d && innerHeight === %d`, shape.width, shape.height))
		p.waitForFrames()
		p.runScript(`await Promise.allSettled([...document.images].map((image) => image.decode()));
			await Promise.all(document.getAnimations().map(({ finished }) => finished))`)
		shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			s.t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			s.t.Fatal(err)
		}
		if shape.name == "1080p" || shape.name == "upright" {
			s.write(name+"-"+shape.name, picture)
		}
		size := picture.Bounds().Size()
		small := image.NewRGBA(image.Rect(0, 0, size.X*high/size.Y, high))
		xdraw.CatmullRom.Scale(small, small.Rect, picture, picture.Bounds(), draw.Src, nil)
		row = append(row, small)
		across += small.Rect.Dx() + 16
	}
	sheet := image.NewRGBA(image.Rect(0, 0, across, high))
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	at := 0
	for _, small := range row {
		draw.Draw(sheet, small.Bounds().Add(image.Pt(at, 0)), small, image.Point{}, draw.Src)
		at += small.Bounds().Dx() + 16
	}
	s.write("sheet-"+name, sheet)
	p.setView(landscape)
}

func (s *wallSheet) write(name string, picture image.Image) {
	s.t.Helper()
	var content bytes.Buffer
	err := png.Encode(&content, picture)
	if err == nil {
		err = os.WriteFile(filepath.Join(s.folder, name+".png"), content.Bytes(), 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *wallSheet) shootHost(*testing.T) {
	s.nameHouse("Hill Street Church", "copper", "en")
	p := s.open("stage", "")
	p.pairingCode()
	s.shoot(p, "pairing")
	p.holdAt("Paired as")
	s.call("POST", "/api/v1/device-pairing/"+p.pairingCode()+"/approve", object{"label": "Foyer, left"})
	p.waitForText("Paired as")
	s.shoot(p, "paired")
	p = s.open("nothing", "")
	p.waitForText("switched off")
	s.shoot(p, "switched-off")
	p = s.open("announcements", "", `window.fetch = () => Promise.reject(new TypeError("no network"))`)
	p.waitForText("Waiting for the network")
	s.shoot(p, "waiting")
	s.addPerson(s.t, "nora@example.org", "Nora")
	p = s.openAs(s.t, "nora@example.org", "/display/announcements", landscape)
	p.find("button", "Sign out")
	s.shoot(p, "signed-in")
}

// notices are what the office of a real house writes.
var notices = []struct {
	name  string
	title string
	body  string
	scene string // "": no picture
}{
	{"welcome", "Welcome", "", "morning 1920x1080"},
	{"lunch", "Shared lunch", "Sunday 12:30, in the hall.\nBring a plate to share.", "morning 1920x1080"},
	{"bright", "Carol singing on the green", "Saturday 5 December, 17:00. Mulled punch from 16:30. " +
		"Bring a lantern if you have one.", "snow 1600x1200"},
	{"poster", "Nativity play", "Rehearsals on Sundays at 10:30 in the church.", "evening 1200x1600"},
	{"long", "Building fund", "The roof is nearly paid for: 41,200 of 45,000 are here. Thank you for every " +
		"gift. The scaffolding comes down in the second week of January, and the small room can be used again " +
		"from then.", "evening 1920x1080"},
	{"text", "Choir practice Thursday 19:00", "All voices are welcome. We begin with Bach for Advent.", ""},
	{"title", "Welcome", "", ""},
	{"list", "This week", "Mon 19:30 Council\nTue 09:30 Toddler group\nWed 14:30 Seniors\nThu 19:00 Choir\n" +
		"Fri 18:30 Youth", ""},
}

func (s *wallSheet) shootAnnouncements(*testing.T) {
	s.startSlide()
	p := s.open("announcements", "Foyer")
	for _, notice := range notices {
		s.put(p, notice.title, notice.body, notice.scene)
		s.shoot(p, "notice-"+notice.name)
	}
	s.showSlide(p, boardCase{})
	s.shoot(p, "notice-idle")
	s.clearBoard()
	s.addSlide("Countdown", object{"kind": "countdown.slide", "payload": object{
		"label": "The service starts in", "after": "zero",
		"target": timestamp(time.Now().Add(598 * time.Second))}})
	p.waitFor(faceOf + `?.textContent.includes("service")`)
	s.shoot(p, "notice-countdown")
	s.clearBoard()
	s.addSlide("Scripture", object{"kind": "stage.scripture", "payload": object{
		"text": "The LORD is my shepherd; I shall not want. He maketh me to lie down in green pastures: he " +
			"leadeth me beside the still waters.", "reference": "Psalm 23:1–2"}})
	p.waitForText("green pastures")
	s.shoot(p, "notice-scripture")
}

// startSlide leaves one slide on the board, which put and showSlide change.
func (s *wallSheet) startSlide() {
	s.t.Helper()
	s.clearBoard()
	s.slide, s.rev = s.addSlide("-", nil), 1
}

// put shows a notice with a picture of a scene.
func (s *wallSheet) put(p *tab, title, body, scene string) {
	s.t.Helper()
	fields := object{"rev": s.rev, "enabled": true, "title": title, "body": body}
	if scene != "" {
		fields["imageId"] = s.uploadScene(scene)
	}
	s.rev = int(s.call("PUT", announcementsRoot+"/slides/"+s.slide, fields)["rev"].(float64))
	p.waitFor(fmt.Sprintf(`document.querySelectorAll(".slide").length === 1 &&
		document.querySelector(".slide-title")?.textContent.replaceAll("\u00ad", "") === %q &&
		Boolean(document.querySelector(".slide img")) === %v`, title, scene != ""))
}

// uploadScene paints a picture that is something like a photograph, and uploads it.
func (s *wallSheet) uploadScene(scene string) (id string) {
	s.t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, paintScene(scene)); err != nil {
		s.t.Fatal(err)
	}
	_, body := s.send(s.t, s.signedInOwner(s.t), "POST", announcementsRoot+"/images", &content)
	return decoded(s.t, body)["id"].(string)
}

// paintScene paints hills below a sky: "morning 1920x1080", "evening …" or "snow …", which is nearly white.
func paintScene(scene string) image.Image {
	var light string
	var across, down int
	_, _ = fmt.Sscanf(scene, "%s %dx%d", &light, &across, &down)
	colours := map[string][3]color.RGBA{ // above, at the horizon, the nearest hill
		"morning": {{108, 150, 190, 255}, {250, 214, 160, 255}, {52, 84, 58, 255}},
		"evening": {{24, 30, 66, 255}, {214, 110, 84, 255}, {20, 22, 40, 255}},
		"snow":    {{236, 240, 246, 255}, {255, 255, 255, 255}, {214, 224, 236, 255}},
	}[light]
	mix := func(a, b color.RGBA, part float64) color.RGBA {
		of := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*part) }
		return color.RGBA{of(a.R, b.R), of(a.G, b.G), of(a.B, b.B), 255}
	}
	canvas := image.NewRGBA(image.Rect(0, 0, across, down))
	for x := range across {
		along := float64(x) / float64(across)
		for y := range down {
			depth := float64(y) / float64(down)
			c := mix(colours[0], colours[1], min(1, depth/0.7))
			sun := math.Hypot(float64(x)-0.68*float64(across), float64(y)-0.42*float64(down)) / float64(down)
			c = mix(c, color.RGBA{255, 240, 214, 255}, max(0, 0.9-sun*5))
			for hill := range 4 {
				n := float64(hill)
				top := 0.52 + 0.12*n + 0.07*math.Sin(along*(4+2*n)+n*2) + 0.02*math.Sin(along*(19-n)+n)
				if depth > top {
					c = mix(colours[1], colours[2], 0.4+0.2*n)
				}
			}
			canvas.SetRGBA(x, y, c)
		}
	}
	return canvas
}

func (s *wallSheet) shootCalendar(*testing.T) {
	p := s.open("calendar", "Foyer, right")
	s.shoot(p, "calendar-sample")
	s.fillDay(map[string]string{"Church": "Nativity play rehearsal", "Hall": "Advent market: setting up",
		"Small room": "Making Advent wreaths"}, "Youth evening")
	p.waitForText("Advent market")
	s.shoot(p, "calendar-three")
	for _, room := range []string{"Chapel", "Upstairs", "Kitchen"} {
		s.call("POST", calendarRoot+"/rooms", object{"name": room})
	}
	s.fillDay(map[string]string{"Chapel": "Prayer for the town", "Upstairs": "Confirmation class"}, "Home group")
	p.waitForText("Upstairs")
	p.waitForText("Home group")
	s.shoot(p, "calendar-six")
}

// fillDay adds an event that is on now in each of these rooms, and another one after it.
func (s *wallSheet) fillDay(rooms map[string]string, after string) {
	s.t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		s.t.Fatal(err)
	}
	now := time.Now().In(berlin)
	at := func(minutes int) string {
		return now.Add(time.Duration(minutes) * time.Minute).Format("2006-01-02T15:04")
	}
	for _, known := range s.call("GET", calendarRoot+"/rooms", nil)["rooms"].([]any) {
		room := known.(map[string]any)
		event := rooms[room["name"].(string)]
		if event == "" {
			continue
		}
		s.call("POST", calendarRoot+"/events", object{"title": event, "start": at(-40), "end": at(50),
			"rooms": []any{room["id"]}})
		s.call("POST", calendarRoot+"/events", object{"title": after, "start": at(60), "end": at(120),
			"rooms": []any{room["id"]}})
	}
}

func (s *wallSheet) shootStage(*testing.T) {
	hymn := s.call("POST", stageRoot+"/songs", object{"title": "Amazing Grace", "credit": "John Newton",
		"sections": []object{
			{"label": "Verse 1", "text": "[G]Amazing [C]grace! how [G]sweet the sound\nThat saved a wretch like " +
				"[D]me!\n[G]I once was lost, but [C]now am [G]found,\nWas blind, but [D]now I [G]see."},
			{"label": "Verse 2", "text": "'Twas grace that taught my heart to fear,\nAnd grace my fears relieved."},
		}})["id"]
	s.service = s.call("POST", stageRoot+"/services", object{"title": "Sunday service",
		"startsAt": timestamp(time.Now().Add(10 * time.Minute))})["id"].(string)
	items := []object{
		{"kind": "song", "songId": hymn, "seconds": 240}, {"kind": "talk", "title": "Sermon", "seconds": 1500},
		{"kind": "reading", "title": "Psalm 23", "text": "The LORD is my shepherd; I shall not want.\n" +
			"He maketh me to lie down in green pastures:\nhe leadeth me beside the still waters.\n" +
			"He restoreth my soul."},
	}
	s.items = nil
	for _, item := range items {
		s.items = append(s.items, s.call("POST", stageRoot+"/services/"+s.service+"/items", item)["id"].(string))
	}
	live := s.call("GET", stageRoot+"/live", nil)["live"].(map[string]any)
	s.call("POST", stageRoot+"/live/"+s.service+"/take", object{"rev": live["rev"]})
	views := map[string]*tab{}
	for _, view := range []string{"", "singers", "congregation"} {
		views[cmp.Or(view, "all")] = s.open("stage#"+view, "Stage "+view)
	}
	for n, item := range []string{"song", "talk", "reading"} {
		if n > 0 {
			s.press(object{"action": "item", "item": s.items[n]})
		}
		for view, p := range views {
			p.waitFor([]string{words + `.includes("sweet")`, words + ` === "Sermon"`,
				words + `.includes("shepherd")`}[n])
			s.shoot(p, "stage-"+item+"-"+view)
		}
	}
	s.press(object{"action": "message", "message": "Car ABC 123: your lights are on."})
	views["all"].waitFor(`document.querySelector(".message:not([hidden])")`)
	s.shoot(views["all"], "stage-message")
	s.press(object{"action": "message", "message": ""})
	for _, screen := range []string{"logo", "countdown"} {
		s.press(object{"action": "screen", "screen": screen})
		views["all"].waitFor(`document.querySelector(".screen").dataset.screen === "` + screen + `"`)
		s.shoot(views["all"], "stage-"+screen)
	}
}

func (s *wallSheet) shootGerman(*testing.T) {
	s.nameHouse("Evangelisch-lutherische Kirchengemeinde Sankt Michaelis am Deich", "teal", "de")
	p := s.open("announcements", "")
	p.pairingCode()
	s.shoot(p, "german-pairing")
	s.startSlide()
	p = s.open("announcements", "Foyer")
	s.put(p, "Kirchenvorstandswahlbenachrichtigungen",
		"Die Benachrichtigungen liegen im Gemeindebüro. Bitte holen Sie sie bis Freitag ab.", "snow 1600x1200")
	s.shoot(p, "german-notice")
	s.put(p, "أهلا وسهلا بكم في الكنيسة", "القهوة والشاي في القاعة بعد الصلاة.", "morning 1920x1080")
	s.shoot(p, "arabic-notice")
	s.call("POST", calendarRoot+"/rooms", object{"name": "Konfirmandenunterrichtsraum"})
	s.fillDay(map[string]string{
		"Konfirmandenunterrichtsraum": "Jahreshauptversammlung des Kindergottesdienstvorbereitungskreises"}, "Chor")
	p = s.open("calendar", "Flur")
	p.waitFor(`document.body.innerText.replaceAll("\u00ad", "").includes("Konfirmanden")`)
	s.shoot(p, "german-calendar")
}

// shootLost photographs a board whose server has stopped to respond.
func (s *wallSheet) shootLost(t *testing.T) {
	s.startSlide()
	p := s.open("announcements", "Foyer")
	s.put(p, "Erntedank", "Sonntag, 10 Uhr, mit Kaffee danach.", "morning 1920x1080")
	if err := s.process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.process.Signal(syscall.SIGCONT) })
	p.waitFor(`later(46000) && document.querySelector(".host-indicator")`)
	s.shoot(p, "lost")
}
