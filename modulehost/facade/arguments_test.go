package facade_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestArgumentsThatDoNotFit: a mistake in the call of a statement is told as that, not as a database that is
// not there.
func TestArgumentsThatDoNotFit(t *testing.T) {
	t.Parallel()
	m := open(t)
	yes := &abi.Value{Kind: &abi.Value_Boolean{Boolean: true}}
	for name, c := range map[string]struct {
		sql         string
		args        []*abi.Value
		state, said string
	}{
		"too few":    {`SELECT $1::int + $2::int`, []*abi.Value{integer(1)}, "07001", "2 parameters"},
		"too many":   {`SELECT 1`, []*abi.Value{integer(1)}, "07001", "1 argument"},
		"wrong type": {`SELECT $1::int + $2::int`, []*abi.Value{integer(1), yes}, "07006", "argument 2"},
	} {
		_, err := m.query(t, 0, c.sql, c.args...)
		_, changed := m.exec(t, 0, c.sql, c.args...)
		for _, err := range []error{err, changed} {
			failure, said := (*link.Failure)(nil), abi.DatabaseError{}
			if !errors.As(err, &failure) || proto.Unmarshal(failure.Detail, &said) != nil ||
				said.GetSqlState() != c.state || !strings.Contains(said.GetMessage(), c.said) {
				t.Errorf("%s: error %v, %v; want SQLSTATE %s and %q", name, err, &said, c.state, c.said)
			}
		}
	}
}
