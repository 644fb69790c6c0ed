package main

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
	"github.com/narthex-platform/narthex/modules/stage/songfile"
)

// FuzzArchive: every archive is read or refused.
func FuzzArchive(f *testing.F) {
	f.Add([]byte(`{"songs":[{"id":"x","title":"t","credit":"","sections":[{"label":"1","text":"w"}]}],` +
		`"services":[{}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		filestest.Bounded(t, content, func() { parseExchange(content, &sdk.Exchange{}) })
	})
}

// FuzzSongs: every file, and every form of several ones, is read or refused, and each song that is read can
// be stored.
func FuzzSongs(f *testing.F) {
	f.Add("", []byte(`{"songs":[{"title":"t","sections":[{"label":"1","text":"w"}]}]}`))
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=\"file\"; "+
		"filename=\"x.cho\"\r\n\r\n{title: T}\n[G]words\n\r\n--b--\r\n"))
	f.Fuzz(func(t *testing.T, contentType string, content []byte) {
		read := &songReader{Exchange: &sdk.Exchange{}}
		read.files = songfile.Reader{Song: read.take, Problem: read.refuse}
		filestest.Bounded(t, content, func() { read.all(contentType, content) })
		for _, one := range read.songs {
			if err := one.check(); err != nil {
				t.Fatalf("%+v, which cannot be stored: %v", one, err)
			}
		}
	})
}
