package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

// What each page has to reach, in both profiles.
const (
	leastPerformance = 97
	leastOther       = 100 // accessibility, best practices
	mostShift        = 0.02
)

// What a person waits at most from the address to their own duties, in the profile of a phone, in
// milliseconds.
const (
	mostFirst  = 1600
	mostSecond = 700
)

// openedPage is a page that run.mjs opens. A page that is not for somebody signed in is a visitor's.
type openedPage struct {
	Path     string `json:"path"`
	SignedIn bool   `json:"signedIn"`
}

// awaited is a page that run.mjs opens twice; it is there when the selector Shown finds Count elements.
type awaited struct {
	Path  string `json:"path"`
	Shown string `json:"shown"`
	Count int    `json:"count"`
}

// opening is the argument of run.mjs.
type opening struct {
	Chromium string            `json:"chromium"`
	Origin   string            `json:"origin"`
	Session  map[string]string `json:"session"`
	Pages    []openedPage      `json:"pages"`
	Waits    []awaited         `json:"waits"`
	Rounds   int               `json:"rounds"`
}

// opened is its output.
type opened struct {
	Pages []judged `json:"pages"`
	Waits []waited `json:"waits"`
}

// judged is what Lighthouse gives a page: 0 to 100, and the layout shift.
type judged struct {
	Path          string   `json:"path"`
	Profile       string   `json:"profile"`
	Performance   int      `json:"performance"`
	Accessibility int      `json:"accessibility"`
	BestPractices int      `json:"bestPractices"`
	Shift         float64  `json:"shift"`
	Named         []string `json:"named"` // what it would improve
}

func (j judged) reached() bool {
	return j.Performance >= leastPerformance && j.Accessibility >= leastOther && j.BestPractices >= leastOther &&
		j.Shift <= mostShift
}

// waited are milliseconds.
type waited struct {
	Path   string  `json:"path"`
	First  float64 `json:"first"`
	Second float64 `json:"second"`
}

func housePages() []openedPage {
	return []openedPage{{"/", false}, {"/", true}, {"/#/m/rota/mine", true}, {"/#/m/rota", true},
		{"/#/m/calendar", true}, {"/#/m/announcements", true}, {"/#/m/stage", true}, {"/#/admin/people", true}}
}

// judgePages opens pages of the house in Chromium, prints what Lighthouse gives them and how long a person
// waits for their duties, and fails if a page is below its goal. The waits are the medians of the runs.
func (all *systems) judgePages(ctx context.Context, o options) error {
	found, err := all.openPages(ctx, o)
	if err != nil {
		return err
	}
	missed := 0
	fmt.Printf("%-10s %-22s %11s %13s %14s %6s\n", "profile", "page", "performance", "accessibility",
		"best practices", "shift")
	for n, page := range found.Pages {
		name := page.Path
		if !housePages()[n%len(housePages())].SignedIn {
			name += " (visitor)"
		}
		fmt.Printf("%-10s %-22s %11d %13d %14d %6.3f", page.Profile, name, page.Performance, page.Accessibility,
			page.BestPractices, page.Shift)
		if !page.reached() {
			missed++
			fmt.Print("  missed: ", strings.Join(page.Named, ", "))
		}
		fmt.Println()
	}
	var first, second []float64
	for _, wait := range found.Waits {
		first, second = append(first, wait.First), append(second, wait.Second)
	}
	for _, visit := range []struct {
		name  string
		taken []float64
		most  float64
	}{{"first", first, mostFirst}, {"second", second, mostSecond}} {
		fmt.Printf("phone, from the address to one's own duties, %s visit (ms): %s, at most %.0f\n", visit.name,
			spread(visit.taken), visit.most)
		if median(visit.taken) > visit.most {
			missed++
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d goals are missed", missed)
	}
	return nil
}

func (all *systems) openPages(ctx context.Context, o options) (*opened, error) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	name, value, _ := strings.Cut(strings.TrimPrefix(all.house.cookies[0], "Cookie: "), "=")
	argument, err := json.Marshal(opening{Chromium: chromium, Origin: all.house.origin,
		Session: map[string]string{"name": name, "value": value}, Pages: housePages(),
		Waits: []awaited{{"/#/m/rota/mine", ".dates > li", 6}}, Rounds: o.runs})
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "node", filepath.Join(o.lighthouse, "run.mjs"), string(argument))
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("run.mjs: %w", err)
	}
	var found opened
	if err := json.Unmarshal(output, &found); err != nil {
		return nil, err
	}
	if len(found.Pages) != 2*len(housePages()) || len(found.Waits) != o.runs {
		return nil, errors.New("run.mjs did not open every page")
	}
	return &found, nil
}
