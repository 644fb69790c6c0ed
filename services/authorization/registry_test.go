package authorization_test

import (
	"errors"
	"testing"

	"github.com/narthex-platform/narthex/services/authorization"
)

func TestRegistryIsFrozen(t *testing.T) {
	t.Parallel()
	given := []authorization.Permission{
		{ID: "b.write", Baseline: authorization.Restricted, ModuleID: "b"},
		{ID: "a.read", Baseline: authorization.Authenticated, ModuleID: "a", Description: "Read"},
	}
	registry, err := authorization.NewRegistry(given)
	if err != nil {
		t.Fatal(err)
	}
	given[0].ID = "changed"
	registry.Permissions()[0].ID = "changed"

	listed := registry.Permissions()
	if len(listed) != 2 || listed[0].ID != "a.read" || listed[1].ID != "b.write" {
		t.Errorf("Permissions: %v, want a.read and b.write unchanged", listed)
	}
	for id, want := range map[string]authorization.Baseline{
		"a.read": authorization.Authenticated, "b.write": authorization.Restricted,
		"changed": authorization.Undeclared, "": authorization.Undeclared,
	} {
		if got := registry.Baseline(id); got != want {
			t.Errorf("%q: got %v, want %v", id, got, want)
		}
	}
}

func TestRegistryRefusals(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		given []authorization.Permission
		want  error
	}{
		{"declared twice", []authorization.Permission{
			{ID: "a.read", Baseline: authorization.Authenticated, ModuleID: "a"},
			{ID: "a.read", Baseline: authorization.Restricted, ModuleID: "b"},
		}, authorization.ErrPermissionDuplicate},
		{
			"no id",
			[]authorization.Permission{{Baseline: authorization.Restricted}},
			authorization.ErrPermissionInvalid,
		},
		{"no baseline", []authorization.Permission{{ID: "a.read"}}, authorization.ErrPermissionInvalid},
		{
			"no text",
			[]authorization.Permission{{ID: "a.\xff", Baseline: authorization.Restricted}},
			authorization.ErrPermissionInvalid,
		},
		{
			"a baseline nobody knows",
			[]authorization.Permission{{ID: "a.read", Baseline: 7}},
			authorization.ErrPermissionInvalid,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if _, err := authorization.NewRegistry(row.given); !errors.Is(err, row.want) {
				t.Errorf("got %v, want %v", err, row.want)
			}
		})
	}
}
