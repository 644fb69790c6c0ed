package sdk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// Collection is a table of a module with the routes that most modules write for each of theirs: people list
// and search its rows, create, edit, order and remove them, and bring them in and out as a table. A row is a
// T, a struct with json tags, from which the columns, the checks and the table's migration follow:
//
//	type book struct {
//		ID       string  `json:"id"`                                 // a UUID; an int64: a number
//		Title    string  `json:"title" collection:"1..120,key,sort,search"`
//		Shelf    string  `json:"shelf" collection:"oneof=hall|office"`
//		Pages    *int64  `json:"pages" collection:"1..5000"`
//		Bought   *string `json:"bought" collection:"date"`
//		Position int64   `json:"position"`                           // optional: people order the list
//		Rev      int64   `json:"rev"`                                // counts the edits of the row
//	}
//
//	m.books = sdk.Collection[book]{Path: "/books", Read: mayRead, Write: mayWrite, Channel: "books"}
//	m.books.Register(r)
//
// The words of a collection tag are joined by commas:
//
//	N..M           a text has N to M characters, a number is N to M, a list has N to M elements
//	lines          a text may have several lines
//	date           a text is a day, 2027-01-31, and its column a date
//	oneof=a|b      a text is one of these
//	search         the list's ?q= finds rows by this text
//	sort, desc     the list's order; desc alone, at the id: the newest first
//	optional       a request may leave it out, or send null: it is 0, "" or empty then
//	key            an imported row changes the row with the same text; its column is UNIQUE
//	heading=a|b    further headings of the column in tables that are imported
//	column=name    the column, if it is not the JSON name in snake case
//	read           never sent by a client: the database or the module sets it
//
// A field is required unless it is a pointer, which may be NULL, or optional. Spaces around a text are taken
// away. Texts without bounds have up to 200 characters, with lines 4,000. A field that is no text, number,
// bool or time.Time is stored as jsonb.
//
//	GET    /books         {"books": [...], "nextCursor": null, "rev": 7}; ?q=, ?limit=, ?cursor=
//	GET    /books/{id}    a row, or 404 BOOK_NOT_FOUND
//	POST   /books         201 with the row; 409 BOOK_TITLE_TAKEN, TOO_MANY_BOOKS; 400 REQUEST_INVALID
//	PUT    /books/{id}    the whole row with its rev; 409 CONFLICT if somebody was faster
//	DELETE /books/{id}    204; 409 BOOK_IN_USE
//	PUT    /books/{id}/place   {"after": id or null, "rev": of the list}: {"rev": 8}; 409 CONFLICT
//	GET    /books/export  a table (CSV) that import can read
//	POST   /books/import  a table (.csv, .xlsx), as an Exchange: {"added", "changed", "unchanged", ...}
//
// A refusal of one member says which, as {"code": "REQUEST_INVALID", "field": "pages"}; those of Check do if
// they are an OfField.
//
// Place is declared if T has a Position, import if it has a key. The rev of the list counts all changes, one
// after the other, in a table of one row beside the collection's (books_rev). The Channel sends each change
// as a CollectionEvent; its snapshot is {"rev": 7}. Before Start the table is compared with T: if it does not
// fit, the module does not start, and its author gets the migration that does (Migration).
type Collection[T any] struct {
	Path  string // "/books": its last part is the name in answers and, with _ for -, that of the table
	One   string // "book": the word in codes; "": the path's without its last s
	Table string // "": as the path
	// Read and Write are permissions of the manifest: Read for list, read and the channel, Write for the rest.
	Read, Write string
	Channel     string // "": none
	Max         int    // how many rows there may be; 0: any number
	MaxBody     int64  // of a row in bytes; 0: 64 KiB
	// Shape is the struct of a row that is known at run time alone. T is any then, and a row a pointer to one.
	Shape reflect.Type
	Whole bool // the list is answered as a whole, as {"books": [...]}; needs a Max
	// Check is called for each row that a client or a file sends, after its tags were checked. It may change the
	// row, and usually returns ErrRequestInvalid or a Refusal, in OfField where one member is wrong.
	Check func(row *T) error
	// Used is an SQL condition about "row", the row of the table, for rows that cannot be removed.
	Used string
	// Search is an SQL condition about "row" and $1, the pattern of a LIKE, instead of the tag.
	Search string
	// Listed is an SQL expression about "row": the JSON of it in the pages of the list, instead of all of it.
	Listed string
	// Only lists the handlers that are declared, of list, read, create, edit, remove, place, export and import;
	// nil: all of them. Replace has the module's own ones, and Wrap is put around each.
	Only    []string
	Replace map[string]HandlerFunc
	Wrap    func(HandlerFunc) HandlerFunc
	// Change runs a change in a transaction that locks out other changes, instead of counting it in the table
	// of the rev and telling the Channel. Lists have no rev then, and place needs one of its own in Replace.
	Change func(ctx context.Context, change CollectionChange) error

	name     string // of the list in answers
	columns  []*column
	id       *column
	rev      *column
	position *column // nil: none
	order    *column // nil: by the id
	key      *column // nil: none
	draft    reflect.Type
	host     func() *Host
	changes  *Changes
}

// CollectionChange is the part of a change that writes a Collection's rows.
type CollectionChange func(tx *Tx) (CollectionEvent, error)

// CollectionEvent is what a change of a Collection did.
type CollectionEvent struct {
	Rev   int64  `json:"rev"`            // of the list
	Event string `json:"event,omitzero"` // created, edited, placed, removed or imported
	ID    any    `json:"id,omitzero"`    // of the row, unless rows were imported
}

// handlers of a collection, in the order of their declaration.
var handlersOfCollections = []string{"list", "read", "create", "edit", "remove", "place", "export", "import"}

// The largest bodies of a collection's routes.
const (
	maxCollectionRow   = 64 << 10 // unless MaxBody says otherwise
	maxCollectionTable = 1 << 20
)

// Register declares the collection's routes and its channel. Mistakes in the tags make the registration fail,
// and are named.
func (c *Collection[T]) Register(r *Registry) {
	if err := c.compile(); err != nil {
		r.problems = append(r.problems, fmt.Errorf("collection %q: %w", c.Path, err))
		return
	}
	c.host = r.host.Load
	own := map[string]HandlerFunc{"list": c.list, "read": c.read, "create": c.create, "edit": c.edit,
		"remove": c.remove, "export": c.export}
	if c.position != nil && c.Change == nil {
		own["place"] = c.place
	}
	if c.key != nil {
		own["import"] = c.importTable
	}
	maps.Copy(own, c.Replace)
	for _, name := range handlersOfCollections {
		serve := own[name]
		if serve == nil || c.Only != nil && !slices.Contains(c.Only, name) {
			continue
		}
		if c.Wrap != nil {
			serve = c.Wrap(serve)
		}
		pattern, permission, body := c.route(name)
		r.HandleFunc(pattern, permission, body, serve)
	}
	if c.Channel != "" {
		r.Channel(c.Channel, c.Read, func(ctx context.Context) (any, error) {
			rev, err := c.readRev(ctx, c.host().DB)
			return CollectionEvent{Rev: rev}, err
		})
	}
	r.starting = append(r.starting, c.start)
}

// route returns what a handler is declared with.
func (c *Collection[T]) route(name string) (pattern, permission string, body Body) {
	switch name {
	case "list":
		return "GET " + c.Path, c.Read, NoBody
	case "read":
		return "GET " + c.Path + "/{id}", c.Read, NoBody
	case "create":
		return "POST " + c.Path, c.Write, Buffered(cmp.Or(c.MaxBody, maxCollectionRow))
	case "edit":
		return "PUT " + c.Path + "/{id}", c.Write, Buffered(cmp.Or(c.MaxBody, maxCollectionRow))
	case "remove":
		return "DELETE " + c.Path + "/{id}", c.Write, NoBody
	case "place":
		return "PUT " + c.Path + "/{id}/place", c.Write, Buffered(1 << 10)
	case "export":
		return "GET " + c.Path + "/export", c.Write, NoBody
	}
	return "POST " + c.Path + "/import", c.Write, Buffered(maxCollectionTable)
}

// Run runs f as one change of the collection, after all earlier ones, and tells the Channel of its event: for
// handlers of the module that write rows.
func (c *Collection[T]) Run(ctx context.Context, f CollectionChange) error {
	if c.Change != nil {
		return c.Change(ctx, f)
	}
	return c.changes.Write(ctx, func(tx *Tx, rev int64) (Updates, error) {
		event, err := f(tx)
		return c.updates(event, rev), err
	})
}

// updates returns what the channel gets.
func (c *Collection[T]) updates(event CollectionEvent, rev int64) Updates {
	if c.Channel == "" {
		return nil
	}
	event.Rev = rev
	return Updates{c.Channel: event}
}

func (c *Collection[T]) list(ctx context.Context, r *http.Request) (any, error) {
	if !c.Whole {
		return c.listPage(ctx, r)
	}
	if _, err := Query(r); err != nil {
		return nil, err
	}
	var rev int64
	var rows []T
	err := Read(ctx, c.host().DB, c.withRev(&rev, c.AllInto(&rows))...)
	return c.answer(rows, rev), err
}

func (c *Collection[T]) read(ctx context.Context, r *http.Request) (any, error) {
	id, err := c.pathID(r)
	if err != nil {
		return nil, err
	}
	return c.Get(ctx, c.host().DB, id)
}

func (c *Collection[T]) create(ctx context.Context, r *http.Request) (any, error) {
	row, err := c.decode(r, false)
	if err != nil {
		return nil, err
	}
	err = c.Run(ctx, func(tx *Tx) (CollectionEvent, error) {
		err := c.Insert(ctx, tx, &row)
		return CollectionEvent{Event: "created", ID: c.idOf(&row)}, err
	})
	if err != nil {
		return nil, err
	}
	return Created(row), nil
}

func (c *Collection[T]) edit(ctx context.Context, r *http.Request) (any, error) {
	row, err := c.decode(r, true)
	if err != nil {
		return nil, err
	}
	id, err := c.pathID(r)
	if err != nil {
		return nil, err
	}
	c.id.of(&row).Set(reflect.ValueOf(id).Convert(c.id.of(&row).Type()))
	err = c.Run(ctx, func(tx *Tx) (CollectionEvent, error) {
		return CollectionEvent{Event: "edited", ID: id}, c.Update(ctx, tx, &row)
	})
	if err != nil {
		return nil, err
	}
	return row, nil
}

func (c *Collection[T]) remove(ctx context.Context, r *http.Request) (any, error) {
	id, err := c.pathID(r)
	if err != nil {
		return nil, err
	}
	return nil, c.Run(ctx, func(tx *Tx) (CollectionEvent, error) {
		return CollectionEvent{Event: "removed", ID: id}, c.Delete(ctx, tx, id)
	})
}

func (c *Collection[T]) export(ctx context.Context, r *http.Request) (any, error) {
	if _, err := Query(r); err != nil {
		return nil, err
	}
	rows, err := c.All(ctx, c.host().DB)
	if err != nil {
		return nil, err
	}
	house, err := c.host().House(ctx)
	if err != nil {
		return nil, err
	}
	table := c.writeTable(rows, house.Language)
	return Download(strings.ReplaceAll(c.name, "_", "-")+".csv", "text/csv; charset=utf-8", table), nil
}
