package storage_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// BenchmarkBodies compares this package with plain net/http: the same server, URLs that are signed once, no
// hash of the body and no spool.
func BenchmarkBodies(b *testing.B) {
	server := storagetest.New(b)
	bucket := images(b, server)
	put(b, bucket, "a", "", "x")
	for _, size := range []int{1 << 20, 32 << 20} {
		content := bytes.Repeat([]byte("b"), size)
		for _, c := range []struct {
			name string
			call func() error
		}{
			{"put", func() error {
				_, err := bucket.Put(b.Context(), "a", "image/png", io.LimitReader(bytes.NewReader(content), int64(size)))
				return err
			}},
			{"put bare", func() error { return bare(presigned(b, server, http.MethodPut), http.MethodPut, content) }},
			{"get", func() error {
				_, body, err := bucket.Get(b.Context(), "a", storage.Range{})
				if err != nil {
					return err
				}
				defer func() { _ = body.Close() }()
				_, err = io.Copy(io.Discard, body)
				return err
			}},
			{"get bare", func() error { return bare(presigned(b, server, http.MethodGet), http.MethodGet, nil) }},
		} {
			b.Run(fmt.Sprintf("%d MiB/%s", size>>20, c.name), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if err := c.call(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func presigned(b *testing.B, server *storagetest.Server, method string) string {
	target := "http://" + server.Address + "/" + storage.PhysicalName("narthex", "announcements", "images") +
		"/a?X-Amz-Expires=900"
	request, err := http.NewRequestWithContext(b.Context(), method, target, nil)
	if err != nil {
		b.Fatal(err)
	}
	keys := aws.Credentials{AccessKeyID: storagetest.AccessKey, SecretAccessKey: storagetest.SecretKey}
	signed, _, err := v4.NewSigner().PresignHTTP(b.Context(), keys, request, "UNSIGNED-PAYLOAD", "s3",
		"us-east-1", time.Now())
	if err != nil {
		b.Fatal(err)
	}
	return signed
}

func bare(target, method string, content []byte) error {
	request, err := http.NewRequest(method, target, bytes.NewReader(content))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
