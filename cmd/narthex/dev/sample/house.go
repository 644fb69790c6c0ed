package sample

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"
)

// house gives a house without a time zone that of the machine, as an administrator does with one press. It
// returns now on the clock of the house.
func house(ctx context.Context, c *caller) (time.Time, error) {
	var stored struct {
		Name     *string `json:"name"`
		Accent   string  `json:"accent"`
		Language string  `json:"language"`
		TimeZone *string `json:"timeZone"`
		Rev      int64   `json:"rev"`
	}
	if err := c.send(ctx, http.MethodGet, "/v1/house", "", nil, &stored); err != nil {
		return c.now, err
	}
	if stored.TimeZone == nil {
		name := machineZone(os.Getenv("TZ"), "/etc/localtime")
		if name == "" {
			return c.now.UTC(), nil // what a house without a zone has
		}
		stored.TimeZone = &name
		if err := c.json(ctx, http.MethodPut, "/v1/house", stored, nil); err != nil {
			return c.now, err
		}
	}
	zone, err := time.LoadLocation(*stored.TimeZone)
	if err != nil {
		return c.now, err
	}
	return c.now.In(zone), nil
}

// machineZone returns the IANA name of the machine's zone: the value of TZ, or where its zone file is linked
// to. It returns "" for one that has no name, and for UTC, which a house without a zone has anyway.
func machineZone(tz, file string) string {
	name := strings.TrimPrefix(tz, ":")
	if name == "" {
		target, _ := os.Readlink(file) // without a link the name is unknown
		_, name, _ = strings.Cut(target, "zoneinfo/")
	}
	if _, err := time.LoadLocation(name); err != nil || !strings.Contains(name, "/") || name == "Etc/UTC" {
		return ""
	}
	return name
}
