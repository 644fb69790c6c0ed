package stream

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestYieldLetsTheNetworkRun checks that a goroutine whose socket becomes ready runs when the only processor
// is yielded. runtime.Gosched would run it after 10 ms.
func TestYieldLetsTheNetworkRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var y yielder
	defer y.close()
	for range 20 {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		fd := int32(writer.Fd())
		var waits, ran atomic.Bool
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			waits.Store(true)
			_, _ = reader.Read(make([]byte, 1))
			ran.Store(true)
		}()
		for !waits.Load() { // there is one processor, so when this goroutine has it again, the other one waits
			runtime.Gosched()
		}
		if n := write(fd, []byte("x")); n != 1 {
			t.Fatalf("wrote %d bytes, want 1", n)
		}
		for range 3 {
			y.yield()
		}
		if !ran.Load() {
			t.Error("a goroutine whose pipe is ready has not run after 3 yields")
		}
		<-ended
		_, _ = reader.Close(), writer.Close()
	}
}

// TestYieldKeepsAShare checks that a shard which shares the only processor with a goroutine that calculates
// does not yield it after each stride: each yield then takes 10 ms or more.
func TestYieldKeepsAShare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var calculating sync.WaitGroup
	defer calculating.Wait()
	var enough atomic.Bool
	defer enough.Store(true)
	calculating.Go(func() {
		for !enough.Load() {
		}
	})
	s := &shard{}
	defer s.yielder.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	const strides = 60
	yields := 0
	for range strides {
		for began := time.Now(); time.Since(began) < 250*time.Microsecond; {
		}
		before := s.resumed
		if s.yield(); s.resumed != before {
			yields++
		}
	}
	if yields == 0 || yields > strides/2 {
		t.Errorf("%d yields after %d strides, want a few", yields, strides)
	}
}
