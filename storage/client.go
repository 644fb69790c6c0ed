package storage

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// newTransport makes a transport without a proxy from the environment, with verified certificates, for
// HTTP/1.1.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		ResponseHeaderTimeout:  10 * time.Second, // after a half-open connection there is time for another one
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConnsPerHost:    32,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
		WriteBufferSize:        64 << 10,
		ReadBufferSize:         64 << 10,
	}
}

func newClient(settings setting.Storage, transport http.RoundTripper, counts *counts) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(settings.Endpoint),
		Region:       settings.Region,
		UsePathStyle: settings.ForcePathStyle,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return credentials(settings), nil
		}),
		HTTPClient: doer{counts: counts, Client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}},
		// All our requests may be repeated. The second attempt is needed when the service has just closed the idle
		// connection.
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = 2
			o.MaxBackoff = 250 * time.Millisecond
		}),
		// Some services refuse checksums that they do not support. A put is nevertheless signed with the hash of
		// its body.
		RequestChecksumCalculation:                aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation:                aws.ResponseChecksumValidationWhenRequired,
		DisableLogOutputChecksumValidationSkipped: true,
		DisableS3ExpressSessionAuth:               aws.Bool(true),
		Logger:                                    logging.Nop{},
	})
}

func credentials(settings setting.Storage) aws.Credentials {
	return aws.Credentials{AccessKeyID: settings.AccessKey.Reveal(),
		SecretAccessKey: settings.SecretKey.Reveal()}
}

const (
	maxRefusal = 64 << 10 // bytes of an error response
	// bytes of any other response, except for objects: a page of a list has 1,000 entries of a few KiB each
	maxResponse = 8 << 20
)

// doer limits how much of a response the client library reads into memory, and counts the requests.
type doer struct {
	*http.Client
	counts *counts
}

func (d doer) Do(request *http.Request) (*http.Response, error) {
	response, err := d.Client.Do(request)
	d.counts.count(response, err)
	if err != nil {
		return nil, err
	}
	switch {
	case response.StatusCode/100 != 2:
		response.Body = bounded(response.Body, maxRefusal)
	case middleware.GetOperationName(request.Context()) != "GetObject":
		response.Body = bounded(response.Body, maxResponse)
	}
	return response, nil
}

func bounded(body io.ReadCloser, limit int64) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(body, limit), body}
}
