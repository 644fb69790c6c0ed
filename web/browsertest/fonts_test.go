package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// font is a system font as a machine may have it: the files of a package that "npm ci" installs. No test sees
// the fonts of the machine itself.
type font struct {
	name    string
	folders []string // of web/node_modules
}

// usualFont is the font of every test that names no other, and of the pictures in this repository.
var usualFont = font{"DejaVu Sans", []string{"dejavu-fonts-ttf/ttf"}}

// systemFonts are the fonts with which each layout must hold. Among them are the narrowest, the widest and
// the tallest that people usually have. Arimo has the measures of Liberation Sans and Arial. What the
// Arabic ones lack is taken from Noto Sans.
var systemFonts = []font{
	usualFont,
	{"Noto Sans", expoFonts("noto-sans")},
	{"Arimo", expoFonts("arimo")},
	{"Roboto", expoFonts("roboto")},
	{"Roboto Condensed", expoFonts("roboto-condensed")},
	{"Noto Naskh Arabic", expoFonts("noto-naskh-arabic", "noto-sans")},
	{"Noto Sans Arabic", expoFonts("noto-sans-arabic", "noto-sans")},
}

func expoFonts(packages ...string) (folders []string) {
	for _, name := range packages {
		folders = append(folders, "@expo-google-fonts/"+name)
	}
	return folders
}

// fontSettings makes a font the usual one of a machine that has no others, drawn as Debian draws it.
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
	%s
	<cachedir>%s</cachedir>
	<match>
		<test name="family"><string>monospace</string></test>
		<edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit>
	</match>
	<match>
		<edit name="family" mode="append_last"><string>%s</string></edit>
		<edit name="antialias" mode="append"><bool>true</bool></edit>
		<edit name="hintstyle" mode="append"><const>hintslight</const></edit>
		<edit name="lcdfilter" mode="append"><const>lcddefault</const></edit>
	</match>
</fontconfig>
`

// useFont lets the processes that are started from now on see this font alone.
func useFont(folder string, f font) error {
	path, err := fontFile(folder, f)
	if err != nil {
		return err
	}
	return os.Setenv("FONTCONFIG_FILE", path)
}

func fontFile(folder string, f font) (string, error) {
	var folders []string
	for _, name := range f.folders {
		path, err := filepath.Abs(filepath.Join("../node_modules", name))
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("the fonts of the tests are needed (npm ci in web): %w", err)
		}
		folders = append(folders, "<dir>"+path+"</dir>")
	}
	path := filepath.Join(folder, strings.ReplaceAll(f.name, " ", "-")+".conf")
	text := fmt.Sprintf(fontSettings, strings.Join(folders, "\n\t"), filepath.Join(folder, "fontconfig"), f.name)
	return path, os.WriteFile(path, []byte(text), 0o644)
}

// eachFont runs a test once per system font, in a browser of a machine that has only this one. With -short it
// runs the test with the usual font alone.
func eachFont(t *testing.T, test func(t *testing.T, browser context.Context)) {
	t.Helper()
	for _, f := range few(systemFonts...) {
		t.Run(f.name, func(t *testing.T) {
			if f.name == usualFont.name {
				test(t, chromium)
				return
			}
			path, err := fontFile(t.TempDir(), f)
			if err != nil {
				t.Fatal(err)
			}
			options := append(browserOptions[:len(browserOptions):len(browserOptions)],
				chromedp.Env("FONTCONFIG_FILE="+path))
			allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
			t.Cleanup(stop)
			browser, cancel := chromedp.NewContext(allocator)
			t.Cleanup(cancel)
			if err := chromedp.Do(browser); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = chromedp.Cancel(browser) })
			test(t, browser)
		})
	}
}
