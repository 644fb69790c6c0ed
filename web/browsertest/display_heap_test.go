package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// memoryUse is what a page holds after a collection. Sizes are bytes.
type memoryUse struct {
	heap             float64 // all of the engine's heap, with the code that it has compiled
	objects          int64   // of it what scripts have made: objects, closures, arrays, strings
	nodes, listeners int64   // of the document and of what has left it
}

func (m memoryUse) String() string {
	return fmt.Sprintf("%d KiB of heap, %d KiB of objects, %d nodes, %d listeners",
		int(m.heap)>>10, m.objects>>10, m.nodes, m.listeners)
}

// heapSize is all of the engine's heap after a collection, bytes.
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

// memoryUse measures a page. The browser counts nodes and listeners until they are swept, which it does at
// its leisure, so the least of some counts is taken.
func (p *tab) memoryUse() memoryUse {
	p.t.Helper()
	m := memoryUse{objects: p.heapSnapshot().scriptObjects(), nodes: math.MaxInt64, listeners: math.MaxInt64}
	for range 6 {
		m.heap = p.heapSize()
		counted, err := chromedp.Call(p.ctx, memory.GetDOMCounters, cdp.Empty{})
		if err != nil {
			p.t.Fatal(err)
		}
		m.nodes, m.listeners = min(m.nodes, counted.Nodes), min(m.listeners, counted.JsEventListeners)
		time.Sleep(300 * time.Millisecond)
	}
	return m
}

// heapSnapshot is what of a snapshot of the engine's heap is needed to add it up.
type heapSnapshot struct {
	Snapshot struct {
		Meta struct {
			Fields []string `json:"node_fields"`
			Types  []any    `json:"node_types"` // first the names of the types
		} `json:"meta"`
	} `json:"snapshot"`
	Nodes []int64 `json:"nodes"` // the fields of one node after those of the other
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
	if err == nil { // every part has come before the response
		err = json.Unmarshal([]byte(text.String()), &snapshot)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return snapshot
}

// scriptObjects adds up what scripts have made. Compiled code and what the browser itself keeps are left out:
// both grow to a bound that is not the page's.
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
