package manifest

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one JSON value of the file. Decoding into structs would stop at the first error and would accept
// null everywhere. With the tree every error is found, and null is refused because it has no kind that a
// field accepts.
type node struct {
	kind     jsontext.Kind
	text     string   // a string's value, or a number as written
	members  []member // of an object, in the file's order, duplicates kept
	elements []*node  // of an array
}

type member struct {
	name  string
	value *node
}

const (
	kindString = jsontext.Kind('"')
	kindNumber = jsontext.Kind('0')
	kindObject = jsontext.Kind('{')
	kindArray  = jsontext.Kind('[')
	kindTrue   = jsontext.Kind('t')
	kindFalse  = jsontext.Kind('f')
)

// readTree parses the document. If it is not JSON, readTree reports that and returns nil. It keeps duplicate
// names, so that open can report all of them.
func (r *report) readTree(data []byte) *node {
	if len(data) > MaxBytes {
		r.add(ErrInvalid, "", "%s must not be larger than %d KiB.", FileName, MaxBytes>>10)
		return nil
	}
	if !utf8.Valid(data) {
		r.add(ErrInvalid, "", "%s must be UTF-8 text.", FileName)
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors begin a file with a byte order mark
	decoder := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	root, err := readNode(decoder)
	if err != nil {
		r.malformed(data, err)
		return nil
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		r.add(ErrInvalid, "", "%s must hold one JSON object and nothing after it.", FileName)
		return nil
	}
	return root
}

// readNode recurses at most 10,000 deep: the decoder refuses more.
func readNode(decoder *jsontext.Decoder) (*node, error) {
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: token.Kind()}
	switch n.kind {
	case kindString, kindNumber:
		n.text = token.String()
	case kindObject:
		for decoder.PeekKind() != '}' {
			name, err := decoder.ReadToken()
			if err != nil {
				return nil, err
			}
			member := member{name: name.String()}
			if member.value, err = readNode(decoder); err != nil {
				return nil, err
			}
			n.members = append(n.members, member)
		}
		_, err = decoder.ReadToken()
	case kindArray:
		for decoder.PeekKind() != ']' {
			element, err := readNode(decoder)
			if err != nil {
				return nil, err
			}
			n.elements = append(n.elements, element)
		}
		_, err = decoder.ReadToken()
	}
	return n, err
}

// malformed reports where the JSON is malformed, but not the library's message, which quotes the file.
func (r *report) malformed(data []byte, err error) {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) || syntax.ByteOffset > int64(len(data)) {
		r.add(ErrInvalid, "", "%s is not complete JSON.", FileName)
		return
	}
	line := 1 + bytes.Count(data[:syntax.ByteOffset], []byte("\n"))
	r.add(ErrInvalid, printable(string(syntax.JSONPointer)), "%s is not well-formed JSON at line %d.", FileName,
		line)
}
