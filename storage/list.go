package storage

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	maxPage     = 1000
	maxPosition = 1024 // bytes: the longest key of S3 itself
)

// Page is a part of a list, in the service's order of keys.
type Page struct {
	Objects []Object
	Next    string // the position after this page, for List's after; "" at the end
}

// List returns the objects whose keys begin with prefix and come after the position after, within 15 s. An
// empty after is the beginning, a limit below 1 or over 1,000 is 1,000. A page before the last one may be
// shorter than limit or even empty, because keys that break the rules for keys are left out. Errors:
// KEY_INVALID, ACCESS_DENIED, TIMEOUT, UNAVAILABLE.
func (b *Bucket) List(ctx context.Context, prefix, after string, limit int) (Page, error) {
	if !validPrefix(prefix) || len(after) > maxPosition || !utf8.ValidString(after) ||
		strings.ContainsRune(after, 0) {
		return Page{}, ErrKey
	}
	if limit < 1 || limit > maxPage {
		limit = maxPage
	}
	ctx, cancel := context.WithTimeout(ctx, b.provider.limits.call)
	defer cancel()
	input := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &prefix, MaxKeys: aws.Int32(int32(limit))}
	if after != "" {
		input.StartAfter = &after
	}
	result, err := b.provider.client.ListObjectsV2(ctx, input)
	switch {
	case errorCode(err) == codeNoBucket:
		return Page{}, nil
	case err != nil:
		return Page{}, coded(ctx, err)
	}
	return page(result, prefix, after)
}

// page refuses an invalid response, and a response after which a caller would request the same pages forever.
func page(result *s3.ListObjectsV2Output, prefix, after string) (Page, error) {
	if result.IsTruncated == nil {
		return Page{}, ErrUnavailable
	}
	p := Page{Objects: make([]Object, 0, len(result.Contents))}
	for i := range result.Contents {
		key := aws.ToString(result.Contents[i].Key)
		if key <= after || !strings.HasPrefix(key, prefix) {
			return Page{}, ErrUnavailable
		}
		if validKey(key) {
			p.Objects = append(p.Objects, listed(key, &result.Contents[i]))
		}
		p.Next = key
	}
	switch {
	case !*result.IsTruncated:
		p.Next = ""
	case p.Next == "":
		return Page{}, ErrUnavailable
	}
	return p, nil
}

func listed(key string, entry *types.Object) Object {
	return Object{
		Key:      key,
		Size:     aws.ToInt64(entry.Size),
		ETag:     aws.ToString(entry.ETag),
		Modified: aws.ToTime(entry.LastModified),
	}
}
