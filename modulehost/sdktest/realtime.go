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
	"github.com/narthex-platform/narthex/realtime/hub"
)

// openChannels creates and starts the hubs of the registered channels, if there are any.
func (m *Module) openChannels(host *facade.Facade, channels []*abi.Channel) {
	m.tb.Helper()
	m.hubs.Unshared() // so that a snapshot is always as new as its reader
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
	case <-m.hubs.Ready(): // until then readers are refused
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

// snapshot requests a channel's state from the module. The process number is always 1.
func (m *Module) snapshot(host *facade.Facade, channel string) hub.Snapshot {
	return func(ctx context.Context) (hub.State, error) {
		var response abi.SnapshotResponse
		if err := m.run().client.Call(ctx, link.Method(abi.Method_METHOD_SNAPSHOT),
			&abi.SnapshotRequest{Channel: channel}, &response); err != nil {
			return hub.State{}, process.ErrHandlerFailed
		}
		return hub.State{Data: response.GetData(), Number: response.GetPosition(),
			Process: host.ProcessNumber()}, nil
	}
}

// Subscription is one reader of a channel. If it was refused, the Response is the refusal. Otherwise its
// Status is 200 and its Body is the snapshot, to be decoded with JSON.
type Subscription struct {
	Response

	stream *bufio.Reader
	leave  context.CancelFunc
	within time.Duration // how long to wait for the next event
}

const eventWithin = 10 * time.Second

// Subscribe reads one of the module's channels, as a page in the caller's browser or on the screen would,
// until the test ends. It returns after the snapshot was received, so everything that the module publishes
// later is an update.
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

// Update waits for the next update and returns it as JSON on one line. Updates arrive once each, in the order
// in which the module published them. Update fails the test when none arrives within 10 s. A reader with very
// many unread updates is disconnected, as on the platform; on a LatestChannel it may skip older values. Not
// safe for concurrent use.
func (s *Subscription) Update() string {
	s.module.tb.Helper()
	if s.Status != http.StatusOK {
		s.module.tb.Fatalf("sdktest: no update comes to who was refused: %s", s)
	}
	return s.next("update")
}

// next returns the data of the next event that is not a heartbeat.
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
