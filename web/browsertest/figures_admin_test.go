package browsertest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

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
	many, large := startManyModules(t), startLargeHouse(t)
	for _, row := range []struct {
		name       string
		house      *devServer
		path, data string // data is the end of the path of the last response
		rows       string // the rows that exist when it is painted
	}{
		{"200 modules", many, "/#/admin/modules", "/module-lifecycle", ".host-modules tbody tr"},
		{"200 modules in the organiser", many, navigationScreen, "/dashboard/navigation",
			".host-organiser [data-row]"},
		{"200 modules in the sidebar", many, "/#/account", "/dashboard/navigation", ".host-sidebar a"},
		{"10,000 grants", large, permissionsPath, "/people", ".host-grants tbody tr"},
		{"500 screens", large, devicesScreen, "/devices", ".devices tbody tr"},
		{"500 notices", large, "/#/m/announcements", "/slides", ".notice"},
	} {
		h := row.house.front(t)
		h.session = row.house.signedInOwner(t)
		var took, worked []float64
		rows := 0
		for range 5 {
			p := openPage(t, "about:blank", desktop)
			p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
				_, err := cdp.Call(ctx, t, performance.Enable, threadTime)
				return err
			}))
			p.onNewDocument(fmt.Sprintf(paintAfterData, row.data, row.rows))
			h.load(p, row.path)
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

// startManyModules starts a house with 200 modules in 20 groups, of which four wait for a restart.
func startManyModules(t *testing.T) *devServer {
	t.Helper()
	folder := install(t)
	files := map[string]string{}
	for i := range 200 {
		id := fmt.Sprintf("module-%03d", i)
		files[id+"/module.json"] = fmt.Sprintf(testManifest, id, fmt.Sprint("Module ", i),
			`"entrypoints": { "ui": "ui/index.js" }`)
		files[id+"/ui/index.js"] = mounting(`container.textContent = "Here.";`)
	}
	writeModules(t, folder, files)
	d := startIn(t, folder)
	for i := range 20 {
		d.call(t, "PUT", fmt.Sprint(navigationPath, "/groups/group-", i),
			object{"label": fmt.Sprint("Group ", i), "order": i})
	}
	for i := range 200 {
		d.call(t, "PUT", fmt.Sprintf("%s/placements/module-%03d", navigationPath, i),
			object{"groupId": fmt.Sprint("group-", i/10), "order": i})
	}
	for i := range 4 {
		d.call(t, "PUT", fmt.Sprintf("/api/v1/module-lifecycle/module-%03d/enabled", 50*i),
			object{"enabled": false})
	}
	return d
}

// startLargeHouse starts a house with 5,000 people who hold two permissions each, 500 screens and 500
// notices.
func startLargeHouse(t *testing.T) *devServer {
	t.Helper()
	d := startHouse(t)
	d.exec(t, `
		INSERT INTO core.person (email, name)
		SELECT 'singer' || n || '@example.org', 'Singer ' || n FROM generate_series(1, 5000) AS n;
		INSERT INTO core.permission_grant (person_id, permission_id, source_kind)
		SELECT id, permission, 'explicit'
		FROM core.person, (VALUES ('stage.plan.edit'), ('rota.manage')) AS held (permission)
		WHERE email LIKE 'singer%';
		INSERT INTO module_announcements.slides (kind, title, body, position, enabled)
		SELECT 'notice', 'Notice ' || n, 'A line of text.', 1048576 + n, true FROM generate_series(1, 495) AS n`)
	screens := make([]string, 500)
	for i := range screens {
		screens[i] = fmt.Sprintf("('Wall %d', 'stage', interval '%d minutes')", i, i)
	}
	d.addScreens(t, strings.Join(screens, ","))
	return d
}
