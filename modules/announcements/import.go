package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// imported is what an import changes, or would change. The line of a problem is the position in its list.
type imported struct {
	Notices  counts `json:"notices"`
	Pictures counts `json:"pictures"`
	Missing  int    `json:"missing"` // pictures that the export did not find, and that are not here, either
	sdk.Exchange
}

type counts struct {
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
}

// importing is one import in progress.
type importing struct {
	*announcements
	imported
	notices []exchanged
	ids     map[string]string // ids in this installation, by the picture's id in the file
	uploads []*upload         // stored, but without a row yet
	named   map[string]bool   // pictures that slides name
	missing map[string]bool   // pictures that slides name, and that the export did not find
}

// importAll imports an export. A slide that exists already is changed to the file's content, others are
// appended to the board, and none is deleted.
func (a *announcements) importAll(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := sdk.ReadExchange(r)
	if err != nil {
		return nil, err
	}
	if err := a.importing.Take(ctx); err != nil { // an import has one picture at a time in memory
		return nil, err
	}
	defer a.importing.Leave()
	i := &importing{announcements: a, imported: imported{Exchange: exchange}, ids: make(map[string]string),
		named: make(map[string]bool), missing: make(map[string]bool)}
	err = i.read(ctx, newExchangeReader(r.Body))
	if errors.Is(err, errNoExport) {
		i.Problem(0, "NOT_AN_EXPORT")
		err = nil
	}
	if err != nil || i.ProblemCount > 0 {
		i.clear(ctx)
		return i.Answer(&i.imported, err)
	}
	err = a.change(ctx, func(tx *sdk.Tx) (update, error) { return update{}, i.Keep(i.write(ctx, tx)) })
	return i.Answer(&i.imported, err)
}

// read checks the whole file. It stores the pictures unless it is a preview or there are problems.
func (i *importing) read(ctx context.Context, r exchangeReader) error {
	if err := r.begin(); err != nil {
		return err
	}
	if err := i.readNotices(r); err != nil {
		return err
	}
	if err := r.list("pictures"); err != nil {
		return err
	}
	known, err := i.store.known(ctx)
	if err != nil {
		return err
	}
	if err := i.readPictures(ctx, r, known); err != nil {
		return err
	}
	if r.has() {
		if err := i.readMissing(r, known); err != nil {
			return err
		}
	}
	for n, notice := range i.notices {
		if id := notice.ImageID; id != nil && i.ids[*id] == "" && !i.missing[*id] {
			i.Problem(n+1, "PICTURE_MISSING")
		}
	}
	return r.end()
}

func (i *importing) readNotices(r exchangeReader) error {
	ids := make(map[string]bool)
	for {
		more, err := r.more()
		if err != nil || !more {
			return err
		}
		var notice exchanged
		if err := r.value(&notice); err != nil {
			return err
		}
		i.notices = append(i.notices, notice)
		if len(i.notices) > maxExchangeSlides {
			return errNoExport
		}
		d := notice.draft("")
		if d.check() != nil || !sdk.IsID(notice.ID) || ids[notice.ID] {
			i.Problem(len(i.notices), "NOTICE_INVALID")
		}
		i.notices[len(i.notices)-1].Only = d.Only // in the form in which it is kept
		ids[notice.ID] = true
		if notice.ImageID != nil {
			i.named[*notice.ImageID] = true
		}
	}
}

// readMissing reads the pictures that the export did not find. A notice comes in without such a picture, but
// keeps one that is known here: where it was exported, an import changes nothing.
func (i *importing) readMissing(r exchangeReader, known map[string]string) error {
	if err := r.list("missing"); err != nil {
		return err
	}
	for {
		more, err := r.more()
		if err != nil || !more {
			return err
		}
		var id string
		if err := r.value(&id); err != nil {
			return err
		}
		if i.ids[id] != "" || i.missing[id] || !i.named[id] {
			return errNoExport
		}
		if known[id] != "" {
			i.ids[id] = id
			continue
		}
		i.missing[id] = true
		i.Missing++
	}
}

func (i *importing) readPictures(ctx context.Context, r exchangeReader, known map[string]string) error {
	for line := 1; ; line++ {
		more, err := r.more()
		if err != nil || !more {
			return err
		}
		var p exchangedPicture
		if err := r.value(&p); err != nil {
			return err
		}
		if line > maxExchangeSlides { // a notice has one picture at most
			return errNoExport
		}
		u, err := uploadOf(p)
		if err != nil || i.ids[p.ID] != "" || !i.named[p.ID] {
			i.Problem(line, "PICTURE_INVALID")
			continue
		}
		sum := sha256.Sum256(p.Data)
		switch here, taken := known[p.ID]; {
		case taken && here == hex.EncodeToString(sum[:]):
			i.ids[p.ID] = p.ID
			i.Pictures.Same++
			continue
		case taken: // the id belongs to another picture
			u.ID = uuid.NewString()
		}
		i.ids[p.ID] = u.ID
		i.Pictures.New++
		if i.Preview || i.ProblemCount > 0 {
			continue
		}
		if _, err := i.images.Put(ctx, u.objectKey, u.Type, u); err != nil {
			return stored(err)
		}
		i.uploads = append(i.uploads, u)
	}
}

// write compares the slides with the existing ones, and writes those that differ. A picture that no slide
// names afterwards stays for the undo.
func (i *importing) write(ctx context.Context, tx *sdk.Tx) error {
	before := make(map[string]slide)
	slides, err := listSlides(ctx, tx, true)
	if err != nil {
		return err
	}
	for _, s := range slides {
		before[s.ID] = s
	}
	for _, u := range i.uploads {
		if err := addImage(ctx, tx, &u.picture); err != nil {
			return err
		}
	}
	var rows []sdk.ImportedRow
	for _, notice := range i.notices {
		d := notice.draft(sdk.Principal(ctx).UserID)
		if d.ImageID != nil {
			if id := i.ids[*d.ImageID]; id != "" {
				d.ImageID = &id
			} else { // it is missing
				d.ImageID = nil
			}
		}
		there, found := before[notice.ID]
		switch {
		case found && same(there, &d):
			i.Notices.Same++
			continue
		case found:
			i.Notices.Changed++
		default:
			i.Notices.New++
		}
		if i.Preview {
			continue
		}
		row := sdk.ImportedRow{Key: notice.ID}
		if found {
			d.Rev, row.Before = &there.Rev, exchangedOf(there)
			_, _, err = replace(ctx, tx, notice.ID, &d)
		} else {
			_, err = create(ctx, tx, &d)
		}
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if len(rows)+len(i.uploads) == 0 {
		return sdk.ErrUnchanged
	}
	return imports.Remember(ctx, tx, map[string][]sdk.ImportedRow{"notices": rows})
}

// clear deletes the stored objects if a problem is found later. After rows may name the objects, the sweep
// deletes unused ones.
func (i *importing) clear(ctx context.Context) {
	for _, u := range i.uploads {
		i.deleteObject(ctx, u.objectKey)
	}
}

// draft returns a slide of a file as a draft.
func (e *exchanged) draft(writer string) draft {
	return draft{Kind: &e.Kind, Title: &e.Title, Body: &e.Body, ImageID: e.ImageID, Payload: e.Payload,
		StartsAt: (*time.Time)(e.StartsAt), EndsAt: (*time.Time)(e.EndsAt), Only: e.Only, Enabled: &e.Enabled,
		writer: writer, id: e.ID}
}

// same reports whether a draft would change nothing.
func same(s slide, d *draft) bool {
	wanted := exchanged{s.ID, *d.Kind, *d.Title, *d.Body, d.ImageID, d.Payload, (*moment)(d.StartsAt),
		(*moment)(d.EndsAt), d.Only, *d.Enabled}
	return canonical(exchangedOf(s)) == canonical(wanted)
}

// canonical returns a comparable text of a slide, because the database formats a payload in its own way.
func canonical(e exchanged) string {
	if e.Payload == nil {
		e.Payload = jsontext.Value("null")
	}
	text, err := json.Marshal(e)
	if err == nil {
		err = (*jsontext.Value)(&text).Canonicalize()
	}
	if err != nil {
		return "" // then it counts as different
	}
	return string(text)
}
