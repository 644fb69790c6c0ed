package database

import "strings"

// FirstWord returns the first word of a statement as it is written, or "(". It skips what PostgreSQL's parser
// skips before a statement: white space, comments and empty statements.
func FirstWord(sql string) string {
	sql = skipBlank(sql)
	if strings.HasPrefix(sql, "(") {
		return "("
	}
	end := 0
	for end < len(sql) && isOfWord(sql[end]) {
		end++
	}
	return sql[:end]
}

func isOfWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

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
