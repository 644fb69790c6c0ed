package sdktest_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestRefusalsSayWhy: the author of a page learns from each 400 of the SDK's helpers what was wrong.
func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	type position struct {
		ID int64 `json:"id"`
	}
	decode := func(contentType, body string) error {
		request := httptest.NewRequest("POST", "/plans", strings.NewReader(body))
		if contentType != "" {
			request.Header.Set("Content-Type", contentType)
		}
		_, err := sdk.Decode[plan](request)
		return err
	}
	page := func(query string) error {
		_, err := sdk.ReadPage[position](httptest.NewRequest(http.MethodGet, "/plans?"+query, nil), "search")
		return err
	}
	exchange := func(query string) error {
		_, err := sdk.ReadExchange(httptest.NewRequest(http.MethodPost, "/plans?"+query, nil), "csv", "ics")
		return err
	}
	const json, at = "application/json", `{"at":"2026-11-22T10:00:00.250Z",`
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no type":       {decode("", "{}"), "application/json"},
		"no object":     {decode(json, "[]"), "not an object"},
		"no JSON":       {decode(json, "{"), "EOF"},
		"two":           {decode(json, at+`"steps":[]}{}`), "follows"},
		"unknown":       {decode(json, at+`"stpes":[]}`), "/stpes is not a member that the route knows; it"},
		"missing":       {decode(json, at[:len(at)-1]+"}"), `the member "steps" is missing in the body`},
		"missing below": {decode(json, at+`"steps":[{}]}`), `the member "name" is missing in /steps/0`},
		"null":          {decode(json, at+`"steps":null}`), "null"},
		"type":          {decode(json, at+`"steps":[{"name":7}]}`), "/steps/0/name"},
		"time":          {decode(json, `{"at":"yesterday","steps":[]}`), "2006-01-02T15:04:05.000Z"},
		"parameter":     {page("serach=x"), `"serach"; it knows limit, cursor, search`},
		"twice":         {page("search=x&search=y"), `"search" occurs 2 times`},
		"empty":         {page("search="), `"search" is empty`},
		"limit":         {page("limit=1000"), "from 1 to 200"},
		"cursor":        {page("cursor=7"), "cursor was not made by CutPage"},
		"preview":       {exchange("preview=yes&format=csv"), "preview is not 1 or true"},
		"dates":         {exchange("dates=ymd&format=csv"), "dates is not dmy or mdy"},
		"format":        {exchange("format=xml"), "format is not one of csv, ics"},
	} {
		if !errors.Is(c.err, sdk.ErrRequestInvalid) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want %v with %q", name, c.err, sdk.ErrRequestInvalid, c.want)
		}
	}
}
