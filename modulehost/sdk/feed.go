package sdk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// FeedFunc returns the whole text of a feed, in UTF-8, as the caller may see it.
type FeedFunc func(ctx context.Context, r *http.Request) ([]byte, error)

// Feed declares a GET route like HandleFunc and offers it to programs: calendars of phones, readers of news.
// A person makes an address for it (POST /api/v1/feeds). Who has the address gets, without signing in,
// what the person may see then: the permission is checked each time, and Principal is the person. The handler
// reads the query with which the address was made from r.URL. The path has no {name} segments, and a feed has
// at most 5 MiB.
//
// mediaType is such as "text/calendar". The response has an ETag of its content, so that programs that ask
// every hour get 304 while nothing has changed: write nothing into a feed that depends on the time of the
// request.
func (r *Registry) Feed(pattern, permission, mediaType string, serve FeedFunc) {
	r.HandleFunc(pattern, permission, NoBody, func(ctx context.Context, request *http.Request) (any, error) {
		text, err := serve(ctx, request)
		if err != nil {
			return nil, err
		}
		return tagged(request, mediaType, text), nil
	})
	if last := len(r.routes) - 1; last >= 0 && isRoute(r.routes[last], pattern) {
		r.routes[last].Feed = mediaType
		if mediaType == "" {
			r.problems = append(r.problems, fmt.Errorf("feed %q: it needs a media type, as in text/calendar", pattern))
		}
	}
}

func isRoute(route *abi.Route, pattern string) bool {
	return route.GetMethod()+" "+route.GetPath() == pattern
}

// tagged returns a response with an entity tag, or 304 without a body if the client has this content.
func tagged(r *http.Request, mediaType string, text []byte) Response {
	hash := sha256.Sum256(text)
	tag := `"` + base64.RawURLEncoding.EncodeToString(hash[:]) + `"`
	header := http.Header{"Etag": {tag}}
	for _, known := range strings.Split(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if strings.TrimPrefix(strings.TrimSpace(known), "W/") == tag {
			return Response{Status: http.StatusNotModified, Header: header}
		}
	}
	header["Content-Type"] = []string{mediaType + "; charset=utf-8"}
	return Response{Header: header, Body: bytes.NewReader(text)}
}
