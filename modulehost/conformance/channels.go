package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func checkChannels(ctx context.Context, t *trial) outcome {
	for _, channel := range t.live.process.Channels() {
		if err := t.live.snapshotOf(ctx, channel); err != nil {
			return withAction("GET "+gateway.RealtimePrefix+t.module.Manifest.ID+"/"+channel.GetName(),
				failed("%v", err))
		}
	}
	return passed("%d channels", len(t.live.process.Channels()))
}

// snapshotOf reads a channel's snapshot as a page does. The platform's hub checks it.
func (i *installation) snapshotOf(ctx context.Context, channel *abi.Channel) error {
	ctx, cancel := context.WithTimeout(ctx, i.trial.options.response)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, i.root+gateway.RealtimePrefix+
		i.trial.module.Manifest.ID+"/"+channel.GetName(), nil)
	if err != nil {
		return err
	}
	r.Header.Set(callerHeader, i.token+" "+theOwner)
	response, err := i.client.Do(r)
	if err != nil {
		return errors.New("no answer")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return fmt.Errorf("status %d %s: no snapshot, or one that is no JSON or over 1 MiB", response.StatusCode,
			codeIn(body))
	}
	name, lines := "", bufio.NewReader(response.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return errors.New("the stream ended before its snapshot")
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case field == "event":
			name = value
		case field == "data" && name == "snapshot" && jsontext.Value(value).IsValid():
			return nil
		case field == "data" && name == "snapshot":
			return errors.New("the snapshot is no JSON")
		}
	}
}
