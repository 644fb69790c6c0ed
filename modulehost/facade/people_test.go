package facade_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// directory returns every id in upper case as the name, or always err if that is set.
type directory struct{ err error }

func (d directory) Names(_ context.Context, ids []string) (map[string]string, error) {
	names := make(map[string]string)
	for _, id := range ids {
		names[id] = strings.ToUpper(id)
	}
	return names, d.err
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what   string
		people facade.People
		ids    int
		want   error
	}{
		{"a module whose manifest does not ask", nil, 1, facade.ErrPermissionDenied},
		{"200 ids", directory{}, 200, nil},
		{"201 ids", directory{}, 201, facade.ErrRequest},
		{"a store that fails", directory{errors.New("host=10.0.0.1")}, 1, facade.ErrStore},
	} {
		session := facade.New(facade.Config{ModuleID: "rota", People: c.people}).Open()
		request := &abi.NamesRequest{}
		for range c.ids {
			request.UserIds = append(request.UserIds, "ruth")
		}
		payload, err := proto.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		response, err := session.Serve(t.Context(), link.Method(abi.Method_METHOD_NAMES), payload)
		names, _ := response.(*abi.NamesResponse)
		ruth := map[string]string{"ruth": "RUTH"}
		if !errors.Is(err, c.want) || c.want == nil && !maps.Equal(names.GetNames(), ruth) {
			t.Errorf("names for %s: %v, error %v, want error %v", c.what, names, err, c.want)
		}
		session.Close()
	}
}
