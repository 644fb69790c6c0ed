package browsertest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// TestAdministrationFigures measures, for the screens of a large installation, the time from the last data to
// the first paint, and until everything is painted. It runs only if NARTHEX_FIGURES is set, and asserts
// nothing.
func TestAdministrationFigures(t *testing.T) {
	if os.Getenv("NARTHEX_FIGURES") == "" {
		t.Skip("set NARTHEX_FIGURES to run it")
	}
	for _, row := range []struct {
		name, path, data string // data is the end of the path of the last response
		rows             string // the rows that exist when it is painted
		fixture          func(t *testing.T, h *fixture)
	}{
		{"200 modules", "/#/admin/modules", "/module-lifecycle", ".host-modules tbody tr", largeModules},
		{"200 modules in the organiser", navigationScreen, "/dashboard/navigation", ".host-organiser [data-row]",
			largeModules},
		{"200 modules in the sidebar", "/#/account", "/dashboard/navigation", ".host-sidebar a", largeModules},
		{"10,000 grants", "/#/admin/permissions", "/people", ".host-grants tbody tr", largeGrants},
		{"500 screens", "/#/admin/screens", "/devices", ".devices tbody tr", largeScreens},
		{"500 notices", "/#/m/announcements", "/slides", ".notice", func(t *testing.T, h *fixture) {
			n := newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
			for i := len(n.slides); i < 500; i++ {
				n.add(fmt.Sprintf("Notice %d", i+1), "A line of text.", true, nil, nil)
			}
		}},
	} {
		h := newFixture(t)
		h.setSignedIn(person)
		row.fixture(t, h)
		var took, worked []float64
		rows := 0
		for range 5 {
			p := openPage(t, "about:blank", desktop)
			p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
				_, err := cdp.Call(ctx, t, performance.Enable, threadTime)
				return err
			}))
			p.onNewDocument(fmt.Sprintf(paintAfterData, row.data, row.rows))
			p.do(chromedp.Navigate(h.URL + row.path))
			p.waitFor("window.painted > 0 && window.came > 0")
			took = append(took, eval[float64](p, "painted - came"))
			worked = append(worked, p.mainThreadSeconds()*1000)
			rows = eval[int](p, fmt.Sprintf("document.querySelectorAll(%q).length", row.rows))
			_ = chromedp.Cancel(p.ctx)
		}
		slices.Sort(took)
		slices.Sort(worked)
		t.Logf("%s: painted %.0f ms after their data (%.0f to %.0f), the page worked %.0f ms in all, %d rows",
			row.name, took[2], took[0], took[4], worked[2], rows)
	}
}

// paintAfterData records when the last response for a path arrived, and when the first rows were painted.
const paintAfterData = `
	window.came = 0;
	new PerformanceObserver((list) => {
		for (const { name, responseEnd } of list.getEntries())
			if (name.split("?")[0].endsWith(%q) && !window.painted) came = responseEnd;
	}).observe({ type: "resource" });
	let waiting = false;
	new MutationObserver(() => {
		if (waiting || !document.querySelector(%q)) return;
		waiting = true;
		requestAnimationFrame(() => requestAnimationFrame(() => (window.painted = performance.now())));
	}).observe(document, { subtree: true, childList: true });`

var threadTime = performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}

// mainThreadSeconds returns how long the page's main thread has worked. Other programs on the machine do not
// count.
func (p *tab) mainThreadSeconds() float64 {
	p.t.Helper()
	found, err := chromedp.Call(p.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, metric := range found.Metrics {
		if metric.Name == "TaskDuration" {
			return metric.Value
		}
	}
	p.t.Fatal("Chromium counts no TaskDuration")
	return 0
}

// largeModules installs 200 modules: a fifth of them is blocked by another module; four wait for a restart.
func largeModules(t *testing.T, h *fixture) {
	o := setModulesFixture(t, h)
	o.modules = nil
	var groups, doors []object
	for i := range 200 {
		id, name := fmt.Sprintf("module-%03d", i), fmt.Sprintf("Module %d", i)
		entry := installed(id, name, running)
		if i%5 == 1 {
			on := fmt.Sprintf("module-%03d", i-1)
			entry = installed(id, name, blocked("required_dependency_blocked", needs(on)), dependsOn(on))
		}
		entry["restartRequired"] = i%50 == 0
		o.modules = append(o.modules, entry)
		doors = append(doors, module(id, name, nil))
		if len(doors) == 10 {
			groups = append(groups, group(fmt.Sprint("group-", i), fmt.Sprint("Group ", i/10), doors...))
			doors = nil
		}
	}
	o.setNavigation(everyPermission, nil, groups...)
}

// largeGrants gives each of 5,000 people two of 400 permissions.
func largeGrants(t *testing.T, h *fixture) {
	r := newGrantsFixture(t, h)
	r.grants, r.people = nil, nil
	known := []object{}
	for i := range 400 {
		of := fmt.Sprintf("module-%03d", i/2)
		known = append(known, object{"id": fmt.Sprintf("%s.thing.p%d", of, i), "baseline": "restricted",
			"moduleId": of, "description": fmt.Sprintf("Do thing %d", i)})
	}
	r.respondJSON("GET /api/v1/permissions", 200, object{"permissions": known})
	for i := range 5_000 {
		id := fmt.Sprintf("44444444-4444-4444-8444-%012d", i)
		r.people = append(r.people, object{"userId": id, "name": fmt.Sprintf("Singer %d", i),
			"email": fmt.Sprintf("singer%d@example.org", i), "owner": i == 0})
	}
	for i := range 10_000 {
		r.grants = append(r.grants, object{"id": fmt.Sprintf("grant-%d", i),
			"userId": r.people[i*7%5_000]["userId"], "permissionId": known[i%400]["id"], "expiresAt": nil,
			"createdBy": r.people[i*13%5_000]["userId"], "createdAt": "2026-11-03T09:00:00.000Z",
			"revokedAt": nil})
	}
}

// largeScreens pairs 500 screens.
func largeScreens(t *testing.T, h *fixture) {
	wl := newScreensFixture(t, h)
	wl.devices = nil
	for i := range 500 {
		seen := time.Now().Add(-time.Duration(i) * time.Minute)
		wl.devices = append(wl.devices, paired(fmt.Sprint("d", i), fmt.Sprint("Wall ", i), "stage", seen))
	}
}
