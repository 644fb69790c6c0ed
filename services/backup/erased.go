package backup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// erased returns the ids of the people who were erased before the snapshot.
func (s *snapshot) erased(ctx context.Context) ([]string, error) {
	rows, err := s.conn.Query(ctx, `SELECT id::text FROM core.person WHERE erased_at IS NOT NULL ORDER BY 1`)
	if err != nil {
		return nil, failed(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return ids, failed(err)
}

// appendErased adds the ids that <path>.erased does not contain yet, one per line.
func appendErased(path string, ids []string) error {
	path += ".erased"
	known, err := ReadErased(path)
	if errors.Is(err, fs.ErrNotExist) {
		known, err = nil, nil
	}
	if err != nil {
		return err
	}
	file, err := createFile(path)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	if _, err := file.WriteString(strings.Join(append(known, ""), "\n")); err != nil {
		return fail(ErrFailed, notWritten, errors.Join(err, file.discard()))
	}
	return file.publish()
}

// ReadErased reads the list <path>.erased of a newer backup. These people must be erased again after an older
// backup, which still contains them, is restored. Its error is ErrInvalid for any other content.
func ReadErased(path string) (ids []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fail(ErrInvalid, "The list of erased people cannot be opened; check its name.", err)
	}
	for line := range strings.Lines(string(text)) {
		id := strings.TrimSpace(line)
		if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
			return nil, fail(
				ErrInvalid,
				"The list of erased people is damaged: a line is not the id of a person.",
				nil,
			)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
