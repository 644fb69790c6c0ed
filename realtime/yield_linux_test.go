package realtime

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
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
