package sdk_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type position struct {
	At time.Time `json:"at"`
	ID int64     `json:"id"`
}

func pageRequest(query string) *http.Request {
	return httptest.NewRequest("GET", "/notes?"+query, nil)
}

// TestPagesMeetWithoutGap reads a list with equal times page by page, using only the cursors.
func TestPagesMeetWithoutGap(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 22, 10, 0, 0, 123456000, time.UTC)
	var all []position
	for n := range int64(10) {
		all = append(all, position{At: start.Add(time.Duration(n/3) * time.Microsecond), ID: n})
	}
	var read []position
	query := "limit=3"
	for range 4 {
		page, err := sdk.ReadPage[position](pageRequest(query))
		if err != nil {
			t.Fatalf("ReadPage(%s): error %v, want none", query, err)
		}
		from := 0
		for page.After != nil && from < len(all) && (all[from].At.Before(page.After.At) ||
			all[from].At.Equal(page.After.At) && all[from].ID <= page.After.ID) {
			from++
		}
		rows, next, err := sdk.CutPage(page, all[from:min(from+page.Limit+1, len(all))],
			func(p position) position { return p })
		if err != nil {
			t.Fatalf("CutPage: error %v, want none", err)
		}
		if read = append(read, rows...); next == nil {
			break
		}
		query = "limit=3&cursor=" + *next
	}
	if len(read) != len(all) {
		t.Fatalf("ten rows in pages of three: %v, want every row once", read)
	}
	for n := range read {
		if read[n].ID != int64(n) {
			t.Errorf("row %d: %v, want %v", n, read[n], all[n])
		}
	}
}

func TestReadPageRefusesWhatThePlatformRefuses(t *testing.T) {
	t.Parallel()
	cursor := func(text string) string { return "cursor=" + base64.RawURLEncoding.EncodeToString([]byte(text)) }
	good := `1{"at":"2026-11-22T10:00:00.123456Z","id":4}`
	for _, query := range []string{
		"limit=0", "limit=201", "limit=+5", "limit=05", "limit=five", "limit=", "limit=5&limit=6", "cursor=",
		"other=1", "author=", "author=a&author=b", "%zz", "cursor=!", cursor("2" + good[1:]), cursor(good + " {}"),
		cursor("1"), cursor(`1{"at":"2026-11-22T10:00:00.123456Z"}`),
		cursor(`1{"at":"2026-11-22T10:00:00.123456Z","id":4,"more":1}`),
		cursor(`1{"at":null,"id":4}`), cursor(good) + "==", cursor(good) + "%0A",
		"cursor=" + strings.Repeat("A", 2000),
	} {
		page, err := sdk.ReadPage[position](pageRequest(query), "author")
		if !errors.Is(err, sdk.ErrRequestInvalid) {
			t.Errorf("ReadPage(%.80s): %+v, error %v, want %v", query, page, err, sdk.ErrRequestInvalid)
		}
	}
	query := cursor(good) + "&author=" + url.QueryEscape("Ruth & Naomi")
	page, err := sdk.ReadPage[position](pageRequest(query), "author")
	if err != nil || page.Limit != 50 || page.After == nil || page.After.ID != 4 ||
		page.After.At.Nanosecond() != 123456000 || page.Query["author"] != "Ruth & Naomi" || len(page.Query) != 1 {
		t.Errorf("ReadPage(%s): %+v, error %v, want limit 50, position 4 with its microseconds", query, page, err)
	}
}
