package main

import (
	"context"
	"errors"
	"io"
	"time"
)

func soak(ctx context.Context, out io.Writer, k *kit, lasts time.Duration) error {
	return errors.New("not yet")
}
