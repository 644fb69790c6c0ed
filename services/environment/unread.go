package environment

import (
	"slices"
	"strings"
)

// prefixes are name prefixes that only the platform uses.
var prefixes = []string{"SERVICE_", "OBJECT_STORAGE_"}

// conditions are families of variables that are read only if the variable in needs is set (to value, unless
// that is empty).
var conditions = []struct{ family, needs, value string }{
	{"SERVICE_SMTP_", "SERVICE_SMTP_HOST", ""},
	{"OBJECT_STORAGE_", "OBJECT_STORAGE_ENDPOINT", ""},
	{"SERVICE_CLIENT_ADDRESS_", "SERVICE_CLIENT_ADDRESS_MODE", "trusted-proxy"},
}

// UnreadSetting is a variable that is set but has no effect.
type UnreadSetting struct {
	Name  string
	Needs string // the variable without which it is not read; "": nothing ever reads it
}

// Unread finds, among the names of variables that are set, those that look like the platform's and that Load
// does not read. It does not report modules' secrets.
func Unread(names []string, lookup Lookup) []UnreadSetting {
	var unread []UnreadSetting
	for _, name := range names {
		value, _ := lookup(name)
		ours := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if !ours || strings.TrimSpace(value) == "" {
			continue
		}
		if !slices.ContainsFunc(table, func(r row) bool { return r.name == name }) {
			unread = append(unread, UnreadSetting{Name: name})
			continue
		}
		for _, c := range conditions {
			value, _ := lookup(c.needs)
			met := strings.TrimSpace(value) != "" && (c.value == "" || value == c.value)
			if strings.HasPrefix(name, c.family) && name != c.needs && !met {
				unread = append(unread, UnreadSetting{name, c.needs})
			}
		}
	}
	return unread
}
