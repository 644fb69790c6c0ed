package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of an export and an import.
const (
	maxExchange       = 32 << 20 // bytes of a file: the largest body of a route
	maxExchangeSlides = 2000
)

// exchangeVersion is the version of the file's format: one JSON object of three members, in this order:
// {"announcements":1, "notices":[exchanged ...], "pictures":[exchangedPicture ...]}. A fourth one follows
// if the storage has lost pictures that notices name: "missing":[id ...]. Export and import have one
// picture at a time in memory.
const exchangeVersion = 1

// exchanged is a slide in a file.
type exchanged struct {
	ID       string         `json:"id"`
	Kind     string         `json:"kind"`
	Title    string         `json:"title"`
	Body     string         `json:"body"`
	ImageID  *string        `json:"imageId"`
	Payload  jsontext.Value `json:"payload"`
	StartsAt *moment        `json:"startsAt"`
	EndsAt   *moment        `json:"endsAt"`
	Only     *only          `json:"only,omitzero"` // older files have none
	Enabled  bool           `json:"enabled"`
}

// moment is a time in the format of the module's routes.
type moment time.Time

const momentForm = "2006-01-02T15:04:05.000Z"

// MarshalText writes it in UTC.
func (m moment) MarshalText() ([]byte, error) {
	return []byte(time.Time(m).UTC().Format(momentForm)), nil
}

// UnmarshalText accepts no other format.
func (m *moment) UnmarshalText(text []byte) error {
	at, err := time.Parse(momentForm, string(text))
	*m = moment(at)
	return err
}

// exchangedPicture is a picture in a file, its bytes as base64.
type exchangedPicture struct {
	ID   string `json:"id"`
	Data []byte `json:"data"`
}

// exportAll writes a file with all slides and their pictures. It refuses an export that is too large for an
// import; pictures=0 omits the pictures.
func (a *announcements) exportAll(ctx context.Context, r *http.Request) (any, error) {
	sent, err := sdk.Query(r, "pictures")
	if err != nil || sent["pictures"] != "" && sent["pictures"] != "0" {
		return nil, sdk.ErrRequestInvalid
	}
	slides, err := listSlides(ctx, a.store.db, true)
	if err != nil {
		return nil, err
	}
	var pictures []picture
	if sent["pictures"] == "" {
		if pictures, err = a.store.shownPictures(ctx); err != nil {
			return nil, err
		}
	}
	notices, err := json.Marshal(noticesOf(slides, pictures))
	if err != nil {
		return nil, err
	}
	size := int64(len(notices)) + 1<<10
	for _, p := range pictures {
		size += p.Bytes*4/3 + 1<<10
	}
	if size > maxExchange {
		return nil, errExportTooLarge
	}
	reader, writer := io.Pipe()
	go func() { _ = writer.CloseWithError(a.writeExport(ctx, writer, notices, pictures)) }()
	return sdk.Response{Body: reader, Header: http.Header{
		"Content-Type":        {"application/json"},
		"Content-Disposition": {`attachment; filename="announcements.json"`},
	}}, nil
}

func exchangedOf(s slide) exchanged {
	return exchanged{s.ID, s.Kind, s.Title, s.Body, s.ImageID, s.Payload, (*moment)(s.StartsAt),
		(*moment)(s.EndsAt), s.Only, s.Enabled}
}

// noticesOf returns slides in the form of a file, without the ids of pictures that are not in the file.
func noticesOf(slides []slide, pictures []picture) []exchanged {
	there := make(map[string]bool, len(pictures))
	for _, p := range pictures {
		there[p.ID] = true
	}
	notices := make([]exchanged, len(slides))
	for n, s := range slides {
		notices[n] = exchangedOf(s)
		if s.ImageID != nil && !there[*s.ImageID] {
			notices[n].ImageID = nil
		}
	}
	return notices
}

func (a *announcements) writeExport(
	ctx context.Context, w io.Writer, notices []byte, pictures []picture,
) error {
	e := jsontext.NewEncoder(w)
	err := errors.Join(e.WriteToken(jsontext.BeginObject), e.WriteToken(jsontext.String("announcements")),
		e.WriteToken(jsontext.Int(exchangeVersion)), e.WriteToken(jsontext.String("notices")),
		e.WriteValue(notices), e.WriteToken(jsontext.String("pictures")), e.WriteToken(jsontext.BeginArray))
	var missing []string
	for _, p := range pictures {
		if err != nil {
			return err
		}
		data, failed := a.content(ctx, p)
		if errors.Is(failed, sdk.ErrNotFound) {
			missing = append(missing, p.ID)
			continue
		}
		if err = failed; err == nil {
			err = json.MarshalEncode(e, exchangedPicture{p.ID, data})
		}
	}
	err = errors.Join(err, e.WriteToken(jsontext.EndArray))
	if len(missing) > 0 {
		a.host.Log.Warn("an export lacks pictures that are not in the storage any more", "pictures", len(missing))
		err = errors.Join(err, e.WriteToken(jsontext.String("missing")), json.MarshalEncode(e, missing))
	}
	return errors.Join(err, e.WriteToken(jsontext.EndObject))
}

// content returns the bytes of a picture.
func (a *announcements) content(ctx context.Context, p picture) ([]byte, error) {
	_, body, err := a.images.Get(ctx, p.objectKey)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(body)
	return data, errors.Join(err, body.Close())
}

// shownPictures returns the pictures that slides name.
func (s *store) shownPictures(ctx context.Context) ([]picture, error) {
	return sdk.SelectBy(ctx, s.db, func(row sdk.Scanner, p *picture) error {
		return row.Scan(&p.ID, &p.objectKey, &p.Type, &p.Bytes, &p.Width, &p.Height, &p.sum)
	}, `
		SELECT id::text, object_key, type, bytes, width, height, sha256
		FROM images
		WHERE EXISTS (SELECT FROM slides WHERE image_id = images.id)
		ORDER BY created_at, id`)
}

// exchangeReader reads a file value by value. It buffers at most the longest allowed value.
type exchangeReader struct {
	decoder *jsontext.Decoder
	body    *valueReader
}

// maxValue, in bytes, is the largest picture in base64, with its other members.
const maxValue = maxImage/3*4 + 64<<10

var errNoExport = errors.New("this is not an export of announcements")

func newExchangeReader(body io.Reader) exchangeReader {
	counted := &valueReader{body: body}
	return exchangeReader{jsontext.NewDecoder(counted), counted}
}

// valueReader ends a body whose current value is too long, because the decoder buffers a whole value.
type valueReader struct {
	body io.Reader
	read int64 // since the beginning of the value
}

func (v *valueReader) Read(p []byte) (int, error) {
	if v.read > maxValue {
		return 0, errNoExport
	}
	n, err := v.body.Read(p)
	v.read += int64(n)
	return n, err
}

// begin reads up to the first slide.
func (r exchangeReader) begin() error {
	if err := r.token('{'); err != nil {
		return err
	}
	var version int
	if err := r.member("announcements"); err != nil {
		return err
	}
	if err := r.value(&version); err != nil {
		return err
	}
	if version != exchangeVersion {
		return errNoExport
	}
	return r.list("notices")
}

// list reads up to the first element of the next member, which must be a list with this name.
func (r exchangeReader) list(name string) error {
	if err := r.member(name); err != nil {
		return err
	}
	return r.token('[')
}

// more reports whether the list has another element. At the end it reads the end of the list.
func (r exchangeReader) more() (bool, error) {
	r.body.read = 0
	if r.decoder.PeekKind() != ']' {
		return true, nil
	}
	return false, r.token(']')
}

// has reports whether another member follows.
func (r exchangeReader) has() bool {
	r.body.read = 0
	return r.decoder.PeekKind() == '"'
}

// end refuses anything after the object.
func (r exchangeReader) end() error {
	if err := r.token('}'); err != nil {
		return err
	}
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		return unread(err)
	}
	return nil
}

// element reads an element of a list. It reports false for one that is JSON of another shape.
func (r exchangeReader) element(into any) (fits bool, err error) {
	r.body.read = 0
	value, err := r.decoder.ReadValue()
	if err != nil {
		return false, unread(err)
	}
	return json.Unmarshal(value, into, json.RejectUnknownMembers(true)) == nil, nil
}

// passMissing reads the pictures that the export did not find.
func (r exchangeReader) passMissing() error {
	if err := r.list("missing"); err != nil {
		return err
	}
	for {
		more, err := r.more()
		if err != nil || !more {
			return err
		}
		if _, err := r.decoder.ReadValue(); err != nil {
			return unread(err)
		}
	}
}

func (r exchangeReader) member(name string) error {
	r.body.read = 0
	token, err := r.decoder.ReadToken()
	if err != nil || token.Kind() != '"' || token.String() != name {
		return unread(err)
	}
	return nil
}

func (r exchangeReader) token(kind jsontext.Kind) error {
	r.body.read = 0
	token, err := r.decoder.ReadToken()
	if err != nil || token.Kind() != kind {
		return unread(err)
	}
	return nil
}

func (r exchangeReader) value(into any) error {
	r.body.read = 0
	if err := json.UnmarshalDecode(r.decoder, into, json.RejectUnknownMembers(true)); err != nil {
		return unread(err)
	}
	return nil
}

// unread returns errNoExport, except for a body that is too long or was aborted: the platform responds to
// that.
func unread(err error) error {
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return tooLong
	}
	if errors.Is(err, sdk.ErrBodyAborted) {
		return err
	}
	return errNoExport
}

// uploadOf returns a picture of a file as an upload. It becomes a new object with the id that the slides
// name.
func uploadOf(p exchangedPicture) (*upload, error) {
	u, err := newUpload(bytes.NewReader(p.Data))
	if err != nil || !sdk.IsID(p.ID) || len(p.Data) > maxImage {
		return nil, errImage
	}
	u.ID = p.ID
	return u, nil
}

// known returns the pictures that exist already, by id and content.
func (s *store) known(ctx context.Context) (map[string]string, error) {
	type known struct{ ID, Sum string }
	all, err := sdk.Select[known](ctx, s.db, `SELECT id::text, encode(sha256, 'hex') FROM images`)
	sums := make(map[string]string, len(all))
	for _, one := range all {
		sums[one.ID] = one.Sum
	}
	return sums, err
}
