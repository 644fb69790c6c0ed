package main

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxListed bounds a list of an archive. What is longer is no rota.
const maxListed = 100_000

// listed is an element of an archive, with its position in its list, from 1.
type listed[T any] struct {
	at int
	of T
}

// arriving is an archive that is imported, element by element: what cannot be taken is named, and stops
// nothing else.
type arriving struct {
	*arrived
	roles       []listed[archivedRole]
	needs       []listed[archivedNeed]
	volunteers  []listed[archivedPerson]
	assignments []listed[archivedDuty]
}

// leaveOut tells of an element that is not taken.
func (a *arriving) leaveOut(code string, at int, name string) {
	a.Skip(sdk.Problem{Line: at, Code: code, Detail: name})
}

var errNoArchive = errors.New("this is not an export of a rota")

// read reads the whole file.
func (a *arriving) read(content []byte) {
	if err := a.readMembers(jsontext.NewDecoder(bytes.NewBuffer(content))); err != nil {
		a.Problem(0, "NOT_AN_EXPORT")
	}
}

// readMembers reads the members of the one object, in whatever order they are.
func (a *arriving) readMembers(from *jsontext.Decoder) error {
	if token, err := from.ReadToken(); err != nil || token.Kind() != '{' {
		return errNoArchive
	}
	isRota := false
	for from.PeekKind() == '"' {
		name, err := from.ReadToken()
		if err != nil {
			return err
		}
		switch name.String() {
		case "rota":
			var version int
			err = json.UnmarshalDecode(from, &version)
			isRota = version == 1
		case "roles":
			err = readElements(a, from, "ROLE_INVALID", &a.roles)
		case "needs":
			err = readElements(a, from, "NEED_INVALID", &a.needs)
		case "volunteers":
			err = readElements(a, from, "VOLUNTEER_INVALID", &a.volunteers)
		case "assignments":
			err = readElements(a, from, "ASSIGNMENT_INVALID", &a.assignments)
		default:
			err = errNoArchive
		}
		if err != nil {
			return err
		}
	}
	if token, err := from.ReadToken(); err != nil || token.Kind() != '}' || from.PeekKind() != 0 || !isRota {
		return errNoArchive
	}
	return nil
}

// archived is what an archive has a list of.
type archived[T any] interface {
	*T
	valid() bool  // apart from what it refers to
	name() string // for people; may be empty
}

// readElements reads a list. It leaves out an element that is none, with this code.
func readElements[T any, P archived[T]](
	a *arriving, from *jsontext.Decoder, code string, all *[]listed[T],
) error {
	if token, err := from.ReadToken(); err != nil || token.Kind() != '[' {
		return errNoArchive
	}
	for at := 1; from.PeekKind() != ']'; at++ {
		value, err := from.ReadValue()
		if err != nil || at > maxListed {
			return errNoArchive
		}
		one := listed[T]{at: at}
		if value.Kind() != '{' || json.Unmarshal(value, &one.of, json.RejectUnknownMembers(true)) != nil ||
			!P(&one.of).valid() {
			a.leaveOut(code, at, P(&one.of).name())
			continue
		}
		*all = append(*all, one)
	}
	_, err := from.ReadToken()
	return err
}

func (r *archivedRole) name() string { return r.Name }

func (r *archivedRole) valid() bool {
	return sdk.IsID(r.ID) && isLine(r.Name, 1, maxRoleName) && (r.Needed == nil || isNeeded(*r.Needed))
}

func (n *archivedNeed) name() string { return "" }

func (n *archivedNeed) valid() bool { return isLine(n.ServiceID, 1, 64) && isNeeded(n.Needed) }

func (p *archivedPerson) name() string { return p.Label }

func (p *archivedPerson) valid() bool {
	draft := volunteerDraft{Label: p.Label, Email: p.Email, Language: p.Language, Digest: p.Digest,
		RoleIDs: p.RoleIDs, PerMonth: &p.PerMonth, Pairs: &p.Pairs}
	away, wishes := awayList{Away: p.Away}, wishList{Wishes: p.Wishes}
	return sdk.IsID(p.ID) && draft.check() == nil && away.check() == nil && wishes.check() == nil
}

func (d *archivedDuty) name() string { return "" }

func (d *archivedDuty) valid() bool { return isLine(d.ServiceID, 1, 64) && isStatus(d.Status) }
