package songfile

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// node is an element, or a text, whose name is "".
type node struct {
	name  string
	attrs map[string]string
	text  string
	kids  []*node
}

// parseXML reads a document. It expands no entities but those of XML and HTML, and reads at most maxNodes
// elements and texts, maxNested inside each other.
func parseXML(text string) (*node, error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	root := &node{}
	path := []*node{root}
	for count := 0; ; count++ {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && len(path) == 1 && len(root.kids) > 0 {
			return root, nil
		}
		if err != nil {
			return nil, Broken
		}
		if count > maxNodes || len(path) > maxNested {
			return nil, TooLarge
		}
		here := path[len(path)-1]
		switch token := token.(type) {
		case xml.StartElement:
			made := &node{name: token.Name.Local, attrs: map[string]string{}}
			for _, one := range token.Attr {
				made.attrs[one.Name.Local] = one.Value
			}
			here.kids = append(here.kids, made)
			path = append(path, made)
		case xml.EndElement:
			if here.name != token.Name.Local || len(path) == 1 {
				return nil, Broken
			}
			path = path[:len(path)-1]
		case xml.CharData:
			if len(path) > 1 {
				here.kids = append(here.kids, &node{text: string(token)})
			}
		}
	}
}

// first returns the first element at a path of names; nil if there is none.
func (n *node) first(names ...string) *node {
	for _, name := range names {
		all := n.all(name)
		if len(all) == 0 {
			return nil
		}
		n = all[0]
	}
	return n
}

func (n *node) all(name string) (found []*node) {
	if n == nil {
		return nil
	}
	for _, one := range n.kids {
		if one.name == name {
			found = append(found, one)
		}
	}
	return found
}

// words returns all texts inside an element.
func (n *node) words() string {
	if n == nil {
		return ""
	}
	var text strings.Builder
	text.WriteString(n.text)
	for _, one := range n.kids {
		text.WriteString(one.words())
	}
	return text.String()
}

// line returns the texts inside an element as one line.
func (n *node) line() string { return strings.Join(strings.Fields(n.words()), " ") }

// readXML reads OpenLyrics or OpenSong. Other documents are refused, so that nobody sings tags.
func (r *Reader) readXML(name, text string) {
	if len(text) > maxXML {
		r.Problem(name, 1, TooLarge)
		return
	}
	document, err := parseXML(text)
	if err != nil {
		var why Code
		errors.As(err, &why)
		r.Problem(name, 1, why)
		return
	}
	song := document.first("song")
	switch lyrics := song.first("lyrics"); {
	case lyrics == nil:
		r.Problem(name, 1, UnknownFormat)
	case song.first("properties") != nil || len(lyrics.all("verse")) > 0:
		r.Song(name, 1, r.openLyrics(name, song))
	default:
		r.Song(name, 1, r.openSong(name, song))
	}
}
