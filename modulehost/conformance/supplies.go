package conformance

import (
	"context"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/storage"
)

// values returns every key's default, and for a required key without one some value that its declaration
// accepts.
func values(m *manifest.Manifest) map[string]any {
	values := make(map[string]any)
	for _, d := range m.Configuration {
		switch {
		case d.Default != nil:
			values[d.Key] = d.Default
		case d.Required && d.Type != manifest.TypeSecret:
			values[d.Key] = someValue(d)
		}
	}
	return values
}

// settings returns the values as the module gets them.
func settings(m *manifest.Manifest) []*abi.Setting {
	return facade.Settings(m.Configuration, values(m))
}

// storedSettings returns the values as the platform stores them.
func storedSettings(m *manifest.Manifest) map[string]string {
	all, texts := values(m), make(map[string]string)
	for _, d := range m.Configuration {
		if value, found := all[d.Key]; found {
			texts[d.Key] = d.Text(value)
		}
	}
	return texts
}

func someValue(d manifest.Declaration) any {
	switch d.Type {
	case manifest.TypeInteger:
		switch {
		case d.Minimum != nil:
			return *d.Minimum
		case d.Maximum != nil:
			return *d.Maximum
		}
		return int64(1)
	case manifest.TypeBoolean:
		return true
	case manifest.TypeEnum:
		return d.Values[0]
	case manifest.TypeURL:
		return "https://example.org/"
	}
	length := int64(1)
	if d.MinLength != nil {
		length = max(length, *d.MinLength)
	}
	return strings.Repeat("x", int(length))
}

// secrets returns a value for every declared secret.
func secrets(m *manifest.Manifest) map[string]string {
	values := make(map[string]string)
	for _, d := range m.Configuration {
		if d.Type == manifest.TypeSecret {
			values[d.Key] = "conformance"
		}
	}
	return values
}

// noModules provides no capability of another module.
type noModules struct{}

func (noModules) Invoke(context.Context, string, string, []byte) ([]byte, error) {
	return nil, facade.ErrCapabilityAbsent
}

// noPeople is a directory of people without anyone in it.
type noPeople struct{}

func (noPeople) Names(context.Context, []string) (map[string]string, error) { return nil, nil }

// someHouse is a house whose times are not those of UTC.
func someHouse() facade.House {
	return facade.House{Name: "Conformance", Language: "de", TimeZone: "Europe/Berlin", Rev: 1}
}

// linkMaker makes links that nobody can open.
type linkMaker struct{}

func (linkMaker) Create(context.Context, string, string, string, time.Time) (string, error) {
	return home + "/#conformance", nil
}

func (linkMaker) Revoke(context.Context, string, string) error { return nil }

func (linkMaker) Assign(context.Context, string, string) error { return nil }

// mailTaker is a mail server that accepts everything and delivers nothing.
type mailTaker struct{}

func (mailTaker) Send(context.Context, mail.Message) mail.SendResult { return mail.Sent }

func buckets(m *manifest.Manifest) map[string]facade.Bucket {
	all := make(map[string]facade.Bucket, len(m.Buckets))
	for _, id := range m.Buckets {
		all[id] = storage.NewMemory()
	}
	return all
}
