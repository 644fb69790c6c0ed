package script_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

const formats = `
	m.post("/format", "sample.use", { maxBodyBytes: 1 << 20 }, async (r) => (await r.json()).map((one) => {
		const options = one.date ? { timeZone: "Europe/Berlin", ...one.options } : one.options;
		if (one.method) return new Date(one.date)[one.method](one.locale, options);
		if (one.date) return new Intl.DateTimeFormat(one.locale, options).format(new Date(one.date));
		return new Intl.NumberFormat(one.locale, options).format(one.number);
	}));
	m.get("/house", "sample.use", () => {
		const date = new Date("2026-03-05T23:30:00Z");
		const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions();
		return [locale, timeZone, date.toLocaleString(), date.toLocaleDateString(undefined, { weekday: "long" }),
			(1234.5).toLocaleString(), (12345678901234567890n).toLocaleString("de"), new Intl.PluralRules().select(1)];
	});
	m.get("/parts", "sample.use", () => [
		new Intl.DateTimeFormat("de", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }).formatToParts(0),
		new Intl.NumberFormat("de", { style: "currency", currency: "EUR" }).formatToParts(-1234.5),
	]);
	m.get("/refused", "sample.use", () => [
		() => new Intl.DateTimeFormat("de", { timeZone: "Mars/Base" }),
		() => new Intl.DateTimeFormat("de", { month: "numbers" }),
		() => new Intl.DateTimeFormat("de", { dateStyle: "long", day: "numeric" }),
		() => new Intl.DateTimeFormat("not a locale"),
		() => new Intl.DateTimeFormat("de").format(new Date(NaN)),
		() => new Intl.NumberFormat("de", { style: "unit", unit: "liter" }),
		() => new Intl.NumberFormat("de", { style: "currency" }),
		() => new Intl.NumberFormat("de", { maximumFractionDigits: 1e9 }),
	].map((attempt) => {
		try { return "made " + attempt(); } catch (error) { return error.constructor.name; }
	}).concat(new Date(NaN).toLocaleString("de")));`

// TestIntl: dates and numbers are written as by the engine of a browser (ICU 78), which wrote testdata.
func TestIntl(t *testing.T) {
	t.Parallel()
	m := start(t, sample(formats), sdktest.Options{})
	text, err := os.ReadFile("testdata/intl.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	got := m.Person().Do("POST", "/format", "["+strings.Join(lines, ",")+"]")
	if got.Status != 200 {
		t.Fatalf("POST /format: %v, want 200", got)
	}
	var written []string
	got.JSON(&written)
	for n, line := range lines {
		var known struct{ Want string }
		if err := json.Unmarshal([]byte(line), &known); err != nil {
			t.Fatal(err)
		}
		if written[n] != known.Want {
			t.Errorf("%s\nwritten %q", line, written[n])
		}
	}
}

// TestIntlOfTheHouse: without a language and a zone the house's are used, also after a change of them.
func TestIntlOfTheHouse(t *testing.T) {
	t.Parallel()
	m := start(t, sample(formats), sdktest.Options{TimeZone: "Europe/Berlin"})
	anna := m.Person()
	for zone, want := range map[string]string{
		"Europe/Berlin":    `["en","Europe/Berlin","3/6/2026, 12:30:00 AM","Friday"`,
		"America/New_York": `["en","America/New_York","3/5/2026, 6:30:00 PM","Thursday"`,
		"":                 `["en","UTC","3/5/2026, 11:30:00 PM","Thursday"`,
	} {
		m.SetTimeZone(zone)
		want += `,"1,234.5","12.345.678.901.234.567.890","one"]`
		if got := anna.Do("GET", "/house", nil); got.Body != want {
			t.Errorf("in the zone %q: %v, want %s", zone, got, want)
		}
	}
}

// TestIntlParts: the parts of a text, and what is refused.
func TestIntlParts(t *testing.T) {
	t.Parallel()
	m := start(t, sample(formats), sdktest.Options{})
	const parts = `[[{"type":"day","value":"1"},{"type":"literal","value":". "},` +
		`{"type":"month","value":"Januar"},` +
		`{"type":"literal","value":" "},{"type":"year","value":"1970"},{"type":"literal","value":" um "},` +
		`{"type":"hour","value":"00"},{"type":"literal","value":":"},{"type":"minute","value":"00"}],` +
		`[{"type":"minusSign","value":"-"},{"type":"integer","value":"1"},{"type":"group","value":"."},` +
		`{"type":"integer","value":"234"},{"type":"decimal","value":","},{"type":"fraction","value":"50"},` +
		`{"type":"literal","value":"` + "\u00a0" + `"},{"type":"currency","value":"€"}]]`
	const refused = `["RangeError","RangeError","TypeError","RangeError","TypeError","RangeError","TypeError",` +
		`"RangeError","Invalid Date"]`
	for path, want := range map[string]string{"/parts": parts, "/refused": refused} {
		if got := m.Person().Do("GET", path, nil); got.Body != want {
			t.Errorf("GET %s: %v, want %s", path, got, want)
		}
	}
}
