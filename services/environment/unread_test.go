package environment

import (
	"maps"
	"slices"
	"testing"
)

func TestUnread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variables map[string]string
		want      []UnreadSetting
	}{
		{map[string]string{"HOME": "x", "DATABASE_URL": "x", "SERVICE_API_PORT": "1"}, nil},
		{map[string]string{"SERVICE_API_PROT": "1"}, []UnreadSetting{{Name: "SERVICE_API_PROT"}}},
		{map[string]string{"SERVICE_API_PROT": " "}, nil}, // blank is unset
		{map[string]string{"SERVICE_SMTP_HOST": "a", "SERVICE_SMTP_FROM": "b"}, nil},
		{map[string]string{"SERVICE_SMTP_HOST": " ", "SERVICE_SMTP_FROM": "b"},
			[]UnreadSetting{{"SERVICE_SMTP_FROM", "SERVICE_SMTP_HOST"}}},
		{map[string]string{"OBJECT_STORAGE_REGION": "a"},
			[]UnreadSetting{{"OBJECT_STORAGE_REGION", "OBJECT_STORAGE_ENDPOINT"}}},
		{map[string]string{"SERVICE_CLIENT_ADDRESS_MODE": "trusted-proxy", "SERVICE_CLIENT_ADDRESS_HEADER": "a"},
			nil},
		{map[string]string{"SERVICE_CLIENT_ADDRESS_MODE": "direct", "SERVICE_CLIENT_ADDRESS_HEADER": "a"},
			[]UnreadSetting{{"SERVICE_CLIENT_ADDRESS_HEADER", "SERVICE_CLIENT_ADDRESS_MODE"}}},
	} {
		names := slices.Sorted(maps.Keys(c.variables))
		got := Unread(names, func(name string) (string, bool) {
			value, found := c.variables[name]
			return value, found
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("Unread with %v: %v, want %v", c.variables, got, c.want)
		}
	}
}
