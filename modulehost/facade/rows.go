package facade

import (
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// pageBytes is the largest size of a page of rows, and so of one row (docs/reference/modules.md).
const pageBytes = 1 << 20

// query runs one statement and returns its rows. If all of them fit on the first page, the module needs no
// further call and the connection is released.
func (s *session) query(ctx context.Context, request *abi.QueryRequest) (proto.Message, error) {
	if isCopy(request.GetSql()) {
		return nil, errCopy()
	}
	if request.GetTransaction() != 0 {
		return s.queryInTransaction(ctx, request)
	}
	l, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	page, err := l.firstPage(ctx, request)
	if err != nil || l.rows == nil {
		l.release()
	}
	if err != nil {
		return nil, databaseError(err)
	}
	if l.rows != nil {
		page.Cursor = s.keep(l)
	}
	return page, nil
}

// queryInTransaction leaves unread rows on the transaction's connection. Their cursor has the transaction's
// id.
func (s *session) queryInTransaction(ctx context.Context, request *abi.QueryRequest) (proto.Message, error) {
	var page *abi.RowsResponse
	err := s.inTransaction(ctx, request.GetTransaction(), func(ctx context.Context, l *lease) (err error) {
		page, err = l.firstPage(ctx, request)
		if err == nil && l.rows != nil {
			page.Cursor = request.GetTransaction()
		}
		return err
	})
	if err != nil {
		return nil, databaseError(err)
	}
	return page, nil
}

// firstPage runs the statement with the lease's context, because its rows may outlive the call. The end of
// the call cancels the statement only until the first page is complete.
func (l *lease) firstPage(ctx context.Context, request *abi.QueryRequest) (*abi.RowsResponse, error) {
	statement, cancel := context.WithCancel(l.ctx)
	stop := context.AfterFunc(ctx, cancel)
	var page *abi.RowsResponse
	err := l.conn.Run(statement, request.GetSql(), decodeArguments(request.GetArguments()),
		func(rows *pgconn.ResultReader) error {
			page = &abi.RowsResponse{Columns: columns(rows)}
			more, err := l.fill(page, rows)
			switch {
			case err != nil:
				return err
			case !more:
			case !stop():
				return ErrDatabaseUnavailable
			default:
				l.rows = rows // its context ends with the lease
			}
			return nil
		})
	if err != nil || l.rows == nil {
		cancel()
		return page, err
	}
	context.AfterFunc(l.ctx, cancel)
	return page, nil
}

func columns(rows *pgconn.ResultReader) []*abi.Column {
	fields := rows.FieldDescriptions()
	columns := make([]*abi.Column, len(fields))
	for i, field := range fields {
		columns[i] = &abi.Column{Name: field.Name, TypeOid: field.DataTypeOID,
			Binary: field.Format == pgtype.BinaryFormatCode}
	}
	return columns
}

// fill appends rows to the page until it is full, or closes them at their end. The row that no longer fits is
// carried to the next page.
func (l *lease) fill(page *abi.RowsResponse, rows *pgconn.ResultReader) (more bool, err error) {
	page.Rows, l.carry = l.carry, nil
	for rows.NextRow() {
		before := len(page.Rows)
		page.Rows = appendRow(page.Rows, rows.Values())
		switch {
		case len(page.Rows)-before > pageBytes:
			return false, ErrRowTooLarge
		case len(page.Rows) > pageBytes:
			l.carry = append([]byte(nil), page.Rows[before:]...)
			page.Rows = page.Rows[:before:before]
			return true, nil
		}
	}
	_, err = rows.Close()
	return false, err
}

// appendRow encodes a row without columns as one NULL, because a page without bytes has no rows.
func appendRow(page []byte, values [][]byte) []byte {
	if len(values) == 0 {
		return binary.BigEndian.AppendUint32(page, ^uint32(0))
	}
	for _, value := range values {
		if value == nil {
			page = binary.BigEndian.AppendUint32(page, ^uint32(0)) // -1: NULL
			continue
		}
		page = binary.BigEndian.AppendUint32(page, uint32(len(value)))
		page = append(page, value...)
	}
	return page
}

func (s *session) fetch(ctx context.Context, request *abi.FetchRequest) (proto.Message, error) {
	l, found := s.find(request.GetCursor())
	if !found {
		return nil, ErrRowsEnded
	}
	page, more, err := l.nextPage()
	if err != nil || !more && !l.transaction {
		l.release()
	}
	if err != nil {
		return nil, databaseError(err)
	}
	if more {
		page.Cursor = request.GetCursor()
	}
	return page, nil
}

func (l *lease) nextPage() (page *abi.RowsResponse, more bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || l.rows == nil {
		return nil, false, ErrRowsEnded
	}
	page = &abi.RowsResponse{}
	more, err = l.fill(page, l.rows)
	if err != nil || !more {
		if settled := l.settleRows(); err == nil {
			err = settled
		}
	}
	return page, more, err
}

// closeRows discards unread rows. Outside a transaction it also releases the connection.
func (s *session) closeRows(_ context.Context, request *abi.CloseRowsRequest) (proto.Message, error) {
	if l, found := s.find(request.GetCursor()); found {
		l.mu.Lock()
		err := l.settleRows()
		l.mu.Unlock()
		if !l.transaction {
			l.release()
		}
		if err != nil {
			return nil, databaseError(err)
		}
	}
	return &abi.CloseRowsResponse{}, nil
}
