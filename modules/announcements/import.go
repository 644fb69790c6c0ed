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

// imported is what an import changes, or would change. What is left out, and what comes in otherwise, has its
// position in its list as the line.
type imported struct {
	Notices  counts `json:"notices"`
	Pictures counts `json:"pictures"`
	Missing  int    `json:"missing"` // pictures of notices that neither the file nor this installation has
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
	notices []noticeRead
	ids     map[string]string // ids in this installation, by the picture's id in the file
	uploads []*upload         // stored, but without a row yet
	named   map[string]bool   // pictures that slides name
}

// importAll imports an export. A slide that exists already is changed to the file's content, others are
// appended to the board, and none is deleted. A slide that cannot be shown is left out and stops no other.
// One whose picture is missing comes in without it.
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
		named: make(map[string]bool)}
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

// noticeRead is a notice of a file.
type noticeRead struct {
	exchanged
	line int
}

// read reads the whole file. It stores the pictures unless it is a preview.
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
		if err := r.passMissing(); err != nil {
			return err
		}
	}
	i.findPictures(known)
	return r.end()
}

func (i *importing) readNotices(r exchangeReader) error {
	ids := make(map[string]bool)
	for line := 1; ; line++ {
		more, err := r.more()
		if err != nil || !more {
			return err
		}
		if line > maxExchangeSlides {
			return errNoExport
		}
		notice := noticeRead{line: line}
		fits, err := r.element(&notice.exchanged)
		if err != nil {
			return err
		}
		d := notice.draft("")
		if !fits || d.check() != nil || !sdk.IsID(notice.ID) || ids[notice.ID] {
			i.Skip(sdk.Problem{Line: line, Code: "NOTICE_INVALID", Detail: notice.Title})
			continue
		}
		notice.Only = d.Only // in the form in which it is kept
		ids[notice.ID] = true
		if notice.ImageID != nil {
			i.named[*notice.ImageID] = true
		}
		i.notices = append(i.notices, notice)
	}
}

// readPictures passes over pictures that no notice names: theirs is left out.
func (i *importing) readPictures(ctx context.Context, r exchangeReader, known map[string]string) error {
	for line := 1; ; line++ {
		more, err := r.more()
		if err != nil || !more {
			return err
		}
		if line > maxExchangeSlides { // a notice has one picture at most
			return errNoExport
		}
		var p exchangedPicture
		fits, err := r.element(&p)
		switch {
		case err != nil:
			return err
		case fits && !i.named[p.ID]:
			continue
		}
		u, err := uploadOf(p)
		if !fits || err != nil || i.ids[p.ID] != "" {
			i.Skip(sdk.Problem{Line: line, Code: "PICTURE_INVALID"})
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
		if i.Preview {
			continue
		}
		if _, err := i.images.Put(ctx, u.objectKey, u.Type, u); err != nil {
			return stored(err)
		}
		i.uploads = append(i.uploads, u)
	}
}

// findPictures gives each notice the id that its picture has in this installation. A notice whose picture is
// neither in the file nor here comes in without it. Where it was exported, an import changes nothing.
func (i *importing) findPictures(known map[string]string) {
	missing := make(map[string]bool)
	for n := range i.notices {
		notice := &i.notices[n]
		if notice.ImageID == nil {
			continue
		}
		inFile := *notice.ImageID
		id := i.ids[inFile]
		if id == "" && known[inFile] != "" {
			id = inFile
		}
		if id != "" {
			notice.ImageID = &id
			continue
		}
		notice.ImageID, missing[inFile] = nil, true
		i.Note(sdk.Problem{Line: notice.line, Code: "PICTURE_MISSING", Detail: notice.Title})
	}
	i.Missing = len(missing)
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
