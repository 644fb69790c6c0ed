package feeds

import (
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
	"github.com/narthex-platform/narthex/services/store"
)

// fetchRule limits the fetches of one feed.
var fetchRule = ratelimit.Rule{Window: time.Minute, Max: 60}

// maxFeed is the length of the longest feed, in bytes.
const maxFeed = 5 << 20

// fetch is GET /api/v1/feeds/{secret}/{name}. Cookies of the request count for nothing.
func (o *offers) fetch(c *httpapi.Call) error {
	hash, possible := parseSecret(c.Parameter("secret"))
	if !possible {
		return ErrNotFound
	}
	ctx, s := c.Request.Context(), o.service
	found, err := s.store.find(ctx, hash)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(found.id)
	if err != nil {
		return err
	}
	if ok, wait := s.limiter.Allow(fetchRule, ratelimit.KeyOfID(id, feedsPath)); !ok {
		c.Writer.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		return tooMany{wait}
	}
	offer, offered := o.find(found.moduleID, found.path)
	if !offered || offer.name() != c.Parameter("name") {
		return ErrNotFound
	}
	caller := s.authorizer.Caller(found.principal())
	if allowed, err := caller.Allowed(ctx, offer.route.Permission); err != nil {
		return err
	} else if !allowed {
		return ErrNotFound
	}
	if err := s.store.markUsed(ctx, found.id); err != nil {
		s.log.Warn("last use of a feed not written", zap.String("cause", string(store.CauseOf(err))))
	}
	return offer.pass(c, caller, found.query)
}

// pass lets the module's route answer. Of the request it gets the query of the feed and the entity tags that
// the client knows.
func (o offer) pass(c *httpapi.Call, caller httpapi.Caller, query string) error {
	request := c.Request.WithContext(c.Request.Context())
	request.URL = &url.URL{Path: o.route.Path, RawQuery: query}
	request.Header = http.Header{}
	if known, sent := c.Request.Header["If-None-Match"]; sent {
		request.Header["If-None-Match"] = known
	}
	w := &answer{ResponseWriter: c.Writer, mediaType: o.route.Feed, header: http.Header{}}
	err := o.route.Handle(&httpapi.Call{
		Writer:     w,
		Request:    request,
		RequestID:  c.RequestID,
		Caller:     caller,
		MaxBody:    o.route.MaxBody,
		Connection: c.Connection,
	})
	if err != nil {
		return err
	}
	return w.refused
}

// answer passes the response of a module on if it is one of a feed: the declared type or 304, and not too
// long. Everything else is dropped, and refused says so.
type answer struct {
	http.ResponseWriter
	mediaType string
	header    http.Header // of the module
	refused   error
	started   bool
	written   int
}

func (a *answer) Header() http.Header { return a.header }

// passed are the headers of a module's response that go out. The gateway has checked them.
var passed = []string{"Content-Type", "Content-Length", "Etag", "Last-Modified", "Cache-Control",
	"Content-Security-Policy"}

func (a *answer) WriteHeader(status int) {
	if a.started {
		return
	}
	a.started = true
	switch {
	case status >= http.StatusInternalServerError:
		a.refused = errModule
	case status == http.StatusOK && a.isFeed(), status == http.StatusNotModified:
		for _, name := range passed {
			if values := a.header[name]; len(values) > 0 {
				a.ResponseWriter.Header()[name] = values
			}
		}
		a.ResponseWriter.WriteHeader(status)
	default:
		a.refused = ErrNotFound
	}
}

func (a *answer) isFeed() bool {
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	length, _ := strconv.Atoi(a.header.Get("Content-Length")) // none: Write counts
	return err == nil && media == a.mediaType && length <= maxFeed
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.refused != nil {
		return len(b), nil
	}
	if a.written += len(b); a.written > maxFeed {
		panic(http.ErrAbortHandler) // a part of it was sent, so only an abort shows the failure
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap lets net/http flush the writer.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
