package facade

import (
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// errCopy returns the error that PostgreSQL would return if it did not support COPY.
func errCopy() error {
	return databaseError(&pgconn.PgError{Code: "0A000",
		Message: "COPY is not available to modules; use INSERT ... SELECT unnest($1)"})
}

// isCopy reports whether a statement is COPY. It is the only statement in which the server waits for more
// data from its client. A module cannot send that data, so COPY would occupy the connection until its
// deadline.
func isCopy(sql string) bool {
	word := skipBlank(sql)
	return len(word) >= len("copy") && strings.EqualFold(word[:len("copy")], "copy") &&
		!continuesWord(word[len("copy"):])
}

func continuesWord(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0]
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// skipBlank skips what PostgreSQL's parser skips before a statement: white space, comments and empty
// statements.
func skipBlank(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\n\r\f\v;")
		switch {
		case strings.HasPrefix(sql, "--"):
			end := strings.IndexAny(sql, "\r\n")
			if end < 0 {
				return ""
			}
			sql = sql[end:]
		case strings.HasPrefix(sql, "/*"):
			sql = skipComment(sql)
		default:
			return sql
		}
	}
}

// skipComment skips a comment, which may contain other comments.
func skipComment(sql string) string {
	depth := 0
	for len(sql) > 1 {
		switch sql[:2] {
		case "/*":
			depth, sql = depth+1, sql[2:]
		case "*/":
			depth, sql = depth-1, sql[2:]
		default:
			sql = sql[1:]
		}
		if depth == 0 {
			return sql
		}
	}
	return ""
}
