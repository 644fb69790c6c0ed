package httpapi_test

import (
	"net/http/httptest"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	plain := httpapi.NewRepresentation([]byte("plain"), "")
	zstd := httpapi.NewRepresentation([]byte("z"), httpapi.Zstd)
	gzip := httpapi.NewRepresentation([]byte("g"), httpapi.Gzip)
	for _, row := range []struct {
		accept []string
		want   *httpapi.Representation
	}{
		{nil, plain},
		{[]string{""}, plain},
		{[]string{"gzip, deflate, br, zstd"}, zstd},
		{[]string{"gzip, deflate, br"}, gzip},
		{[]string{"deflate", "GZip"}, gzip},
		{[]string{"zstd;q=0.4, gzip;q=0.5"}, gzip},
		{[]string{"zstd; q=0, gzip;q=0.001"}, gzip},
		{[]string{"*"}, zstd},
		{[]string{"zstd;q=0, *;q=0.1"}, gzip},
		{[]string{"*;q=0"}, plain},
		{[]string{"identity"}, plain},
		{[]string{"gzip;q=2"}, plain},
		{[]string{"gzip;q=NaN"}, plain},
		{[]string{"gzip;level=9"}, plain},
		{[]string{"xgzip, zstdx"}, plain},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if row.accept != nil {
			r.Header["Accept-Encoding"] = row.accept
		}
		if got := httpapi.Choose(r, plain, []*httpapi.Representation{zstd, gzip}); got != row.want {
			t.Errorf("Accept-Encoding %q gets %q, want %q", row.accept, got.Bytes, row.want.Bytes)
		}
		if got := httpapi.Choose(r, plain, nil); got != plain {
			t.Errorf("Accept-Encoding %q gets %q of a file without other codings, want it plain", row.accept,
				got.Bytes)
		}
	}
}
