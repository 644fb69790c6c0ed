package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// memoryUse is the memory of a page after a garbage collection, in bytes.
type memoryUse struct {
	heap             float64 // the engine's whole heap, including compiled code
	objects          int64   // the part that scripts allocated: objects, closures, arrays, strings
	nodes, listeners int64   // attached and detached
	attached         int64   // of the nodes, those that the page shows or hides
}

func (m memoryUse) String() string {
	return fmt.Sprintf("%d KiB of heap, %d KiB of objects, %d nodes (%d attached), %d listeners",
		int(m.heap)>>10, m.objects>>10, m.nodes, m.attached, m.listeners)
}

// attachedNodes counts the nodes of the page, with those of its shadow trees.
const attachedNodes = `(function count(node) {
	let all = 1 + (node.shadowRoot ? count(node.shadowRoot) : 0);
	for (const child of node.childNodes) all += count(child);
	return all;
})(document)`

// heapSize returns the size of the engine's whole heap after a garbage collection, in bytes.
func (p *tab) heapSize() float64 {
	p.t.Helper()
	used, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (float64, error) {
		for range 2 {
			_, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{})
			if err != nil {
				return 0, err
			}
		}
		usage, err := cdp.Call(ctx, t, runtime.GetHeapUsage, cdp.Empty{})
		return usage.UsedSize, err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return used
}

// memoryUse measures a page. The browser still counts nodes and listeners that are not swept yet, so it waits
// until several counts are not lower any more.
func (p *tab) memoryUse() memoryUse {
	p.t.Helper()
	m := memoryUse{objects: p.heapSnapshot().scriptObjects(), nodes: math.MaxInt64, listeners: math.MaxInt64}
	for same := 0; same < 10; same++ {
		before := m
		m.heap = p.heapSize()
		counted, err := chromedp.Call(p.ctx, memory.GetDOMCounters, cdp.Empty{})
		if err != nil {
			p.t.Fatal(err)
		}
		m.nodes, m.listeners = min(m.nodes, counted.Nodes), min(m.listeners, counted.JsEventListeners)
		if m.nodes < before.nodes || m.listeners < before.listeners {
			same = 0
		}
	}
	m.attached = eval[int64](p, attachedNodes)
	return m
}

// assertNoGrowth compares the memory of a page after some changes, in the middle and at the end.
func assertNoGrowth(t *testing.T, warm, half, last memoryUse) {
	t.Helper()
	// The first changes and failures run code for the first time; after them nothing may accumulate. The page
	// may show more than before, so the nodes that count are those that it does not show.
	detached := func(m memoryUse) int64 { return m.nodes - m.attached }
	if last.objects > warm.objects*11/10 || detached(last) > detached(warm)+warm.nodes/10 ||
		last.listeners > warm.listeners*11/10 {
		t.Errorf("after some changes the page holds %v, at the end %v; want at most a tenth more objects, "+
			"detached nodes and listeners", warm, last)
	}
	// The engine continues to compile code that runs often, until all of it is compiled.
	if last.heap > 1.1*half.heap {
		t.Errorf("in the second half the heap grew from %v to %v bytes, want at most a tenth more",
			half.heap, last.heap)
	}
}

// heapSnapshot holds the parts of a heap snapshot from which sizes can be summed.
type heapSnapshot struct {
	Snapshot struct {
		Meta struct {
			Fields []string `json:"node_fields"`
			Types  []any    `json:"node_types"` // its first element is the list of the types' names
		} `json:"meta"`
	} `json:"snapshot"`
	Nodes []int64 `json:"nodes"` // the fields of all nodes, one node after another
}

func (p *tab) heapSnapshot() (snapshot heapSnapshot) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	var mu sync.Mutex
	var text strings.Builder
	err := chromedp.Listen(ctx, func(event any) {
		if chunk, ok := event.(*heapprofiler.EventAddHeapSnapshotChunk); ok {
			mu.Lock()
			defer mu.Unlock()
			text.WriteString(chunk.Chunk)
		}
	})
	if err == nil {
		_, err = chromedp.Call(p.ctx, heapprofiler.TakeHeapSnapshot, heapprofiler.TakeHeapSnapshotParams{})
	}
	mu.Lock()
	defer mu.Unlock()
	if err == nil { // all parts arrive before the response
		err = json.Unmarshal([]byte(text.String()), &snapshot)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return snapshot
}

// scriptObjects sums the memory that scripts allocated. Compiled code and the browser's own objects are
// excluded, because the browser limits both, and not the page.
func (s heapSnapshot) scriptObjects() (sum int64) {
	fields := s.Snapshot.Meta.Fields
	kind, size := slices.Index(fields, "type"), slices.Index(fields, "self_size")
	names, _ := s.Snapshot.Meta.Types[0].([]any)
	for at := 0; at+len(fields) <= len(s.Nodes); at += len(fields) {
		switch names[s.Nodes[at+kind]] {
		case "code", "native", "hidden", "synthetic":
		default:
			sum += s.Nodes[at+size]
		}
	}
	return sum
}
