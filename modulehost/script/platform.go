package script

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// platformNatives are the calls to the platform other than those of the database and the buckets.
func (e *engine) platformNatives() map[string]any {
	return map[string]any{
		"configuration": e.direct(e.configuration),
		"secret": e.promised(func(a arguments) work {
			key := a.text(0, "the key of a secret")
			return func(ctx context.Context, _ *call) (result, error) {
				value, err := e.host.Secret(ctx, key)
				return e.valued(value), err
			}
		}),
		"house": e.promised(func(arguments) work { return e.readHouse }),
		"can": e.promised(func(a arguments) work {
			permission := a.text(0, "a permission")
			return func(ctx context.Context, _ *call) (result, error) {
				may, err := e.host.Can(ctx, permission)
				return e.valued(may), err
			}
		}),
		"log":        e.promised(e.writeLog),
		"say":        e.direct(e.say),
		"mail":       e.promised(e.sendMail),
		"publish":    e.promised(e.publish),
		"names":      e.promised(e.names),
		"createLink": e.promised(e.createLink),
		"revokeLinks": e.promised(func(a arguments) work {
			subject := a.text(0, "the subject of a link")
			return func(ctx context.Context, _ *call) (result, error) {
				return nil, e.host.Links.Revoke(ctx, subject)
			}
		}),
		"assignLinks": e.promised(func(a arguments) work {
			subject, userID := a.text(0, "the subject of a link"), a.text(1, "the id of whose link it is")
			return func(ctx context.Context, _ *call) (result, error) {
				return nil, e.host.Links.Assign(ctx, subject, userID)
			}
		}),
		"invoke": e.promised(e.invoke),
	}
}

// configuration returns a value that an administrator has set: its key and how it is read.
func (e *engine) configuration(a arguments) (value goja.Value, err error) {
	if e.host == nil {
		return nil, errNotStarted
	}
	key, config := a.text(1, "the key of the configuration"), e.host.Config
	defer func() {
		if mistake, is := recover().(string); is { // the SDK panics for a key that module.json does not declare
			value, err = nil, errors.New(mistake)
		}
	}()
	if !config.Has(key) {
		return goja.Null(), nil
	}
	switch a.text(0, "a type") {
	case "integer":
		return e.wholeNumber(config.Integer(key))
	case "boolean":
		return e.vm.ToValue(config.Boolean(key)), nil
	}
	return e.vm.ToValue(config.String(key)), nil
}

func (e *engine) readHouse(ctx context.Context, _ *call) (result, error) {
	house, err := e.host.House(ctx)
	return func() (goja.Value, error) {
		made := e.object(map[string]any{"name": house.Name, "language": house.Language, "rev": house.Rev,
			"timeZone": house.Zone.String()})
		return made, nil
	}, err
}

// writeLog writes a line into the platform's log: a level, a message, and its attributes as one object.
func (e *engine) writeLog(a arguments) work {
	level, message := slog.LevelInfo, a.text(1, "a message")
	switch a.text(0, "a level") {
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	}
	var attributes []any
	if !missing(a.at(2)) {
		object := a.at(2).ToObject(e.vm)
		for _, name := range object.Keys() {
			attributes = append(attributes, name, object.Get(name).String())
		}
	}
	return func(ctx context.Context, _ *call) (result, error) {
		e.host.Log.Log(ctx, level, message, attributes...)
		return nil, nil
	}
}

// say writes a line for the author.
func (e *engine) say(a arguments) (goja.Value, error) {
	text := a.at(0).String()
	if len(text) > mostReport {
		text = text[:mostReport] + "..."
	}
	fmt.Fprintln(e.output, text)
	return nil, nil
}

func (e *engine) sendMail(a arguments) work {
	object := a.at(0).ToObject(e.vm)
	text := func(name string) string {
		if value := object.Get(name); !missing(value) {
			return value.String()
		}
		return ""
	}
	message := sdk.Message{Subject: text("subject"), Text: text("text"), HTML: text("html"),
		Language: text("language")}
	if to := object.Get("to"); !missing(to) {
		e.vm.ForOf(to, func(one goja.Value) bool {
			message.To = append(message.To, e.address(one))
			return len(message.To) < 1000 // the platform refuses far fewer
		})
	}
	if reply := object.Get("replyTo"); !missing(reply) {
		address := e.address(reply)
		message.ReplyTo = &address
	}
	return func(ctx context.Context, _ *call) (result, error) {
		outcome, err := e.host.Mail.Send(ctx, message)
		return e.valued(string(outcome)), err
	}
}

// address reads a text, or an object with address and name.
func (e *engine) address(value goja.Value) mail.Address {
	object, is := value.(*goja.Object)
	if !is {
		return mail.Address{Address: value.String()}
	}
	made := mail.Address{Address: object.Get("address").String()}
	if name := object.Get("name"); !missing(name) {
		made.Name = name.String()
	}
	return made
}

// publish sends an update: the channel, its JSON, and for a latest channel the key.
func (e *engine) publish(a arguments) work {
	channel, update := a.text(0, "a channel"), jsontext.Value(a.text(1, "an update"))
	if missing(a.at(2)) {
		return func(context.Context, *call) (result, error) { return nil, e.host.Realtime.Publish(channel, update) }
	}
	key := a.text(2, "a key")
	return func(context.Context, *call) (result, error) {
		return nil, e.host.Realtime.PublishLatest(channel, key, update)
	}
}

func (e *engine) names(a arguments) work {
	var ids []string
	e.vm.ForOf(a.at(0), func(id goja.Value) bool {
		ids = append(ids, id.String())
		return len(ids) < 10_000 // the platform refuses far fewer
	})
	return func(ctx context.Context, _ *call) (result, error) {
		names, err := e.host.People.Names(ctx, ids)
		return func() (goja.Value, error) {
			made := e.vm.NewObject()
			for id, name := range names {
				_ = made.Set(id, name)
			}
			return made, nil
		}, err
	}
}

func (e *engine) createLink(a arguments) work {
	subject, ends := a.text(0, "the subject of a link"), a.timeOf(1, "the end of a link")
	userID := ""
	if !missing(a.at(2)) {
		userID = a.text(2, "the id of whose link it is")
	}
	return func(ctx context.Context, _ *call) (result, error) {
		address, err := e.host.Links.CreateFor(ctx, userID, subject, ends)
		return e.valued(address), err
	}
}

// invoke calls another module: the capability, the method, and the input as JSON. The result is JSON.
func (e *engine) invoke(a arguments) work {
	capability, method, input := a.text(0, "a capability"), a.text(1, "a method"), a.text(2, "the input")
	return func(ctx context.Context, _ *call) (result, error) {
		var output jsontext.Value
		err := e.host.Capability(capability).Call(ctx, method, jsontext.Value(input), &output)
		return func() (goja.Value, error) {
			return e.prelude.parseJSON(goja.Undefined(), e.vm.ToValue(string(output)))
		}, err
	}
}
