package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Statement is one of a batch. It only reads or changes rows (IsPlain).
type Statement struct {
	SQL  string
	Args []any
}

// Batch runs statements one after the other and calls read with the index and the rows of each, which it must
// close. All are sent as one message; those that are not kept are described before, as another one. Outside a
// transaction they are one transaction of their own. The first failure ends the batch. Batch returns its
// index, which is len(list) when the commit failed. Like Run it begins again when tables have changed.
func (c *ModuleConn) Batch(
	ctx context.Context, list []Statement, read func(index int, rows *pgconn.ResultReader) error,
) (failed int, err error) {
	err = c.planAgain(ctx, true, func(how planning) error {
		failed, err = c.runBatch(ctx, list, how, read)
		return err
	})
	return failed, err
}

func (c *ModuleConn) runBatch(
	ctx context.Context, list []Statement, how planning, read func(index int, rows *pgconn.ResultReader) error,
) (failed int, err error) {
	described, failed, err := c.describeAll(ctx, list, how == planKept)
	if err != nil {
		return failed, err
	}
	built := make([]pgx.ExtendedQueryBuilder, len(list))
	for i, statement := range list {
		if built[i], err = c.build(described[i], statement.Args); err != nil {
			return i, err
		}
		if how == planTogether {
			built[i].ResultFormats = nil // text, however many columns there are now
		}
	}
	pipeline := c.PgConn().StartPipeline(ctx)
	defer pipeline.Close() // reads and discards the rest of the answer
	for i, statement := range described {
		if b := &built[i]; statement.Name == "" {
			pipeline.SendQueryParams(statement.SQL, b.ParamValues, statement.ParamOIDs, b.ParamFormats,
				b.ResultFormats)
		} else {
			pipeline.SendQueryStatement(statement, b.ParamValues, b.ParamFormats, b.ResultFormats)
		}
	}
	if err := pipeline.Sync(); err != nil {
		return 0, err
	}
	for i := range list {
		rows, err := next[*pgconn.ResultReader](pipeline)
		if err == nil {
			err = read(i, rows)
		}
		if err != nil {
			return i, err
		}
	}
	_, err = next[*pgconn.PipelineSync](pipeline)
	return len(list), err
}

// describeAll describes the statements that are not kept with one message.
func (c *ModuleConn) describeAll(
	ctx context.Context, list []Statement, keep bool,
) (described []*pgconn.StatementDescription, failed int, err error) {
	described = make([]*pgconn.StatementDescription, len(list))
	var others []int
	for i, statement := range list {
		if keep && c.statements.keep(statement.SQL) != nil {
			if described[i], err = c.describe(ctx, statement.SQL, true); err != nil {
				return nil, i, err
			}
			continue
		}
		others = append(others, i)
	}
	if len(others) == 0 {
		return described, 0, nil
	}
	pipeline := c.PgConn().StartPipeline(ctx)
	defer pipeline.Close()
	for _, i := range others {
		pipeline.SendPrepare("", list[i].SQL, nil)
	}
	if err := pipeline.Sync(); err != nil {
		return nil, 0, err
	}
	for _, i := range others {
		if described[i], err = next[*pgconn.StatementDescription](pipeline); err != nil {
			return nil, i, err
		}
		described[i].SQL = list[i].SQL
	}
	return described, 0, nil
}

var errPipelineEnded = errors.New("the connection has ended within a batch")

func next[T any](pipeline *pgconn.Pipeline) (result T, err error) {
	got, err := pipeline.GetResults()
	if err != nil {
		return result, err
	}
	result, is := got.(T)
	if !is {
		return result, fmt.Errorf("%w: %T", errPipelineEnded, got)
	}
	return result, nil
}
