package script

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// collectionOptions are what a script declares a collection with, besides its functions.
type collectionOptions struct {
	Path         string      `json:"path"`
	Fields       [][2]string `json:"fields"` // name and words, in their order
	One          string      `json:"one"`
	Table        string      `json:"table"`
	Read         string      `json:"read"`
	Write        string      `json:"write"`
	Channel      string      `json:"channel"`
	Max          int         `json:"max"`
	MaxBodyBytes int64       `json:"maxBodyBytes"`
	Whole        bool        `json:"whole"`
	Ordered      bool        `json:"ordered"`
	Used         string      `json:"used"`
	Search       string      `json:"search"`
	Listed       string      `json:"listed"`
	Only         []string    `json:"only"`
}

// collection declares a collection of the SDK: its options as JSON, the function that checks a row, and the
// one that runs a change; null: none.
func (d *declarations) collection(a arguments) error {
	var given collectionOptions
	err := json.Unmarshal([]byte(a.text(0, "the options")), &given, json.RejectUnknownMembers(true))
	if err != nil {
		return fmt.Errorf("m.collection: %w", err)
	}
	shape, err := given.shape()
	if err != nil {
		return fmt.Errorf("collection %q: %w", given.Path, err)
	}
	made := &sdk.Collection[any]{Path: given.Path, One: given.One, Table: given.Table, Read: given.Read,
		Write: given.Write, Channel: given.Channel, Max: given.Max, MaxBody: given.MaxBodyBytes, Whole: given.Whole,
		Used: given.Used, Search: given.Search, Listed: given.Listed, Only: given.Only, Shape: shape}
	if check, is := goja.AssertFunction(a.at(1)); is {
		made.Check = d.rowCheck(check, shape)
	}
	if change := a.at(2); !missing(change) {
		what := "the change of " + given.Path
		made.Change = func(ctx context.Context, do sdk.CollectionChange) error {
			_, err := d.call(ctx, what, change, func() []any { return []any{&heldChange{do}} }, nothing)
			if errors.Is(err, sdk.ErrUnchanged) {
				return nil
			}
			return err
		}
	}
	made.Register(d.registry)
	return nil
}

var (
	isField    = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	fieldTypes = map[string]reflect.Type{
		"text": reflect.TypeFor[string](), "integer": reflect.TypeFor[int64](),
		"number": reflect.TypeFor[float64](), "boolean": reflect.TypeFor[bool](),
		"time":  reflect.TypeFor[time.Time](),
		"texts": reflect.TypeFor[[]string](), "json": reflect.TypeFor[any](),
	}
)

// shape makes the struct of a row.
func (o *collectionOptions) shape() (reflect.Type, error) {
	fields := []reflect.StructField{rowField("id", fieldTypes["text"], "")}
	for _, given := range o.Fields {
		name, words := given[0], strings.Split(given[1], ",")
		for n := range words {
			words[n] = strings.TrimSpace(words[n])
		}
		kind, nullable := strings.CutSuffix(words[0], "?")
		of := fieldTypes[kind]
		switch {
		case !isField.MatchString(name) || name == "id" || name == "rev" || name == "position":
			return nil, fmt.Errorf("a field cannot be named %q; id, rev and position are there already", name)
		case of == nil:
			return nil, fmt.Errorf("the field %s begins with its type: text, integer, number, boolean, time, texts "+
				"or json, with a ? if it may be null; %q is none", name, words[0])
		case kind == "integer" && !strings.Contains(given[1], ".."):
			words = append(words, fmt.Sprintf("%d..%d", -maxSafe, maxSafe))
		}
		if nullable && kind != "json" {
			of = reflect.PointerTo(of)
		}
		fields = append(fields, rowField(name, of, strings.Join(words[1:], ",")))
	}
	if o.Ordered {
		fields = append(fields, rowField("position", fieldTypes["integer"], ""))
	}
	return reflect.StructOf(append(fields, rowField("rev", fieldTypes["integer"], ""))), nil
}

func rowField(name string, of reflect.Type, words string) reflect.StructField {
	return reflect.StructField{Name: strings.ToUpper(name[:1]) + name[1:], Type: of,
		Tag: reflect.StructTag("json:" + strconv.Quote(name) + " collection:" + strconv.Quote(words))}
}

// rowCheck calls the script's function with the JSON of a row. It returns the JSON of what the row is now.
func (e *engine) rowCheck(check goja.Callable, shape reflect.Type) func(row *any) error {
	return func(row *any) error {
		text, err := json.Marshal(*row)
		if err != nil {
			return err
		}
		changed := ""
		e.onLoop(func() {
			e.turn(e.module, func() error {
				made, thrown := check(goja.Undefined(), e.vm.ToValue(string(text)))
				if thrown == nil {
					changed = made.String()
					return nil
				}
				err = e.failureOf(thrown)
				if ex := (*goja.Exception)(nil); errors.As(thrown, &ex) {
					return nil
				}
				return thrown
			})
		})
		if err != nil {
			return err
		}
		fresh := reflect.New(shape).Interface()
		if err := json.Unmarshal([]byte(changed), fresh, json.RejectUnknownMembers(true)); err != nil {
			return fmt.Errorf("the check has made a row that does not fit its fields: %w", err)
		}
		*row = fresh
		return nil
	}
}

// heldChange is a change of a collection as a value of the script.
type heldChange struct{ do sdk.CollectionChange }

var errNoChange = errors.New("a change of a collection runs in the transaction of db.tx or db.changes")

// applyChange runs a change in a transaction of the script, and tells it what the change did.
func (e *engine) applyChange(a arguments) work {
	t := a.transaction()
	change, is := a.at(1).Export().(*heldChange)
	return func(ctx context.Context, _ *call) (result, error) {
		if t == nil || !is {
			return nil, errNoChange
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.ended {
			return nil, errTxEnded
		}
		done, err := change.do(t.tx)
		return func() (goja.Value, error) {
			return e.object(map[string]any{"event": done.Event, "id": done.ID}), nil
		}, err
	}
}
