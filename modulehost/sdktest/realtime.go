package sdktest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/realtime"
)

// openChannels makes the hubs of the channels that the module registered, if it did, and lets them run.
func (m *Module) openChannels(host *facade.Facade, channels []*abi.Channel) {
	m.tb.Helper()
	m.hubs.Unshared() // a test knows what its reader's snapshot shows
	for _, channel := range channels {
		open := m.hubs.Open
		if channel.GetLatest() {
			open = m.hubs.OpenLatest
		}
		hub, err := open(m.tb.Context(), m.manifest.ID, channel.GetName(), m.snapshot(host, channel.GetName()))
		if err != nil {
			m.tb.Fatal("sdktest: ", err)
		}
		m.streams = append(m.streams, gateway.ChannelRoute(m.manifest.ID, channel, hub))
	}
	if len(channels) == 0 {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- m.hubs.Serve(ctx) }()
	select {
	case <-m.hubs.Ready(): // before, readers would be refused
	case err := <-served:
		m.tb.Fatal("sdktest: ", err)
	}
	m.tb.Cleanup(func() {
		end()
		if err := <-served; !errors.Is(err, context.Canceled) {
			m.tb.Error("sdktest: the hubs failed: ", err)
		}
	})
}

// snapshot asks the module for a channel's state. The process number is always the first.
func (m *Module) snapshot(host *facade.Facade, channel string) realtime.Snapshot {
	return func(ctx context.Context) (realtime.State, error) {
		var response abi.SnapshotResponse
		if err := m.run().client.Call(ctx, link.Method(abi.Method_METHOD_SNAPSHOT),
			&abi.SnapshotRequest{Channel: channel}, &response); err != nil {
			return realtime.State{}, process.ErrHandlerFailed
		}
		return realtime.State{Data: response.GetData(), Number: response.GetPosition(),
			Process: host.ProcessNumber()}, nil
	}
}

// Subscription is one reader of a channel. When it was refused, the Response is the refusal.
// Otherwise its Status is 200 and its Body the snapshot, to be decoded with JSON.
type Subscription struct {
	Response

	stream *bufio.Reader
	leave  context.CancelFunc
	within time.Duration // an event comes, or none will
}

const eventWithin = 10 * time.Second

// Subscribe reads one of the module's channels, as a page in the caller's browser or on the screen would,
// until the test ends. It returns with the snapshot: whatever the module publishes afterwards is an update.
func (c *Caller) Subscribe(channel string) *Subscription {
	c.module.tb.Helper()
	ctx, leave := context.WithCancel(c.module.tb.Context())
	c.module.tb.Cleanup(leave)
	request := c.Request(http.MethodGet, "/", nil).WithContext(ctx)
	request.URL.Path = gateway.RealtimePrefix + c.module.manifest.ID + "/" + channel
	response, err := c.module.browser.Do(request)
	if err != nil {
		c.module.tb.Fatal("sdktest: ", err)
	}
	s := &Subscription{
		Response: Response{Status: response.StatusCode, Header: response.Header, module: c.module},
		stream:   bufio.NewReader(response.Body),
		leave:    leave,
		within:   eventWithin,
	}
	c.module.tb.Cleanup(func() { _ = response.Body.Close() })
	if s.Status != http.StatusOK {
		body, err := io.ReadAll(s.stream)
		if err != nil {
			c.module.tb.Fatalf("sdktest: the answer was cut short: %v", err)
		}
		s.Body = string(body)
		return s
	}
	s.Body = s.next("snapshot")
	return s
}

// Update waits for the next update, which is JSON on one line: updates come in the order of the module's
// publishes, each once. It fails the test when none comes within 10 s. A reader that leaves very many
// unread is disconnected, as in life; of a channel of newest values it may miss older ones. Not for use by
// several goroutines at once.
func (s *Subscription) Update() string {
	s.module.tb.Helper()
	if s.Status != http.StatusOK {
		s.module.tb.Fatalf("sdktest: no update comes to who was refused: %s", s)
	}
	return s.next("update")
}

// next is the data of the next event that is no heartbeat.
func (s *Subscription) next(wanted string) string {
	s.module.tb.Helper()
	defer time.AfterFunc(s.within, s.leave).Stop()
	name, data := "", ""
	for {
		line, err := s.stream.ReadString('\n')
		if err != nil {
			s.module.tb.Fatalf("sdktest: no %s within %s: %v", wanted, s.within, err)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case field == "event":
			name = value
		case field == "data":
			data = value
		case line != "\n" || name == "heartbeat":
		case name != wanted:
			s.module.tb.Fatalf("sdktest: the stream has %s where %s was wanted", name, wanted)
		default:
			return data
		}
	}
}
