package migrations

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations/folding"
)

// peopleWords is the name of the file that adds the column of words. The words of the people who are there
// are made in its transaction, so that nobody is missing in a search afterwards.
const peopleWords = "people_words"

const wordsBatch = 5000

func makeAllWords(ctx context.Context, tx pgx.Tx) error {
	for {
		if n, err := MakeWords(ctx, tx, wordsBatch); n == 0 || err != nil {
			return err
		}
	}
}

// MakeWords makes the words by which people are found for at most limit people who have none, and returns for
// how many. It leaves out people whose row another transaction has locked.
func MakeWords(ctx context.Context, tx pgx.Tx, limit int) (made int, err error) {
	rows, err := tx.Query(ctx, `
		SELECT id::text, name, coalesce(email, '')
		FROM core.person
		WHERE words IS NULL
		ORDER BY id
		LIMIT $1
		FOR NO KEY UPDATE SKIP LOCKED`, limit)
	if err != nil {
		return 0, err
	}
	var ids, words []string
	var id, name, address string
	if _, err := pgx.ForEachRow(rows, []any{&id, &name, &address}, func() error {
		ids = append(ids, id)
		words = append(words, strings.Join(folding.Words(name, address), " "))
		return nil
	}); err != nil || len(ids) == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `
		UPDATE core.person AS p
		SET words = array_to_tsvector(string_to_array(made.words, ' '))
		FROM unnest($1::uuid[], $2::text[]) AS made (id, words)
		WHERE p.id = made.id`, ids, words)
	return len(ids), err
}
