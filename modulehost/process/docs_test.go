package process_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestFramesOfTheDocumentation checks that the two frames printed in docs/link.md are those that are sent.
func TestFramesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/link.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## A first frame")
	var frames [][]byte
	for _, block := range regexp.MustCompile("(?s)```\n(.*?)```").FindAllStringSubmatch(section, -1) {
		var digits string
		for line := range strings.Lines(block[1]) {
			bytes, _, _ := strings.Cut(line, "   ") // the rest is a remark
			digits += strings.Join(strings.Fields(bytes), "")
		}
		frame, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, frame)
	}
	if len(frames) != 2 {
		t.Fatal(len(frames), "frames")
	}
	near, far := net.Pipe()
	defer far.Close()
	client := link.NewClient(near)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		result <- client.Call(ctx, link.Method(abi.Method_METHOD_REGISTER), &abi.RegisterRequest{
			Abi: 1, ModuleId: "hi", ModuleVersion: "1.0.0", PlatformVersion: "0.1.2",
		}, nil)
	}()
	sent := make([]byte, 1000)
	n, err := far.Read(sent)
	if err != nil || !bytes.Equal(sent[:n], frames[0]) {
		t.Errorf("sent % x, want % x; error %v", sent[:n], frames[0], err)
	}
	if _, err := far.Write(frames[1]); err != nil {
		t.Fatal(err)
	}
	var failure *link.Failure
	if err := <-result; !errors.As(err, &failure) || failure.CodeText != "NO" || len(failure.Detail) > 0 {
		t.Error(err)
	}
}
