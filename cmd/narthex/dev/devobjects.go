package dev

import (
	"bufio"
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/johannesboyne/gofakes3"
)

// devObjects keeps objects below a folder: a folder for each bucket, in it a file for each object. The file's
// name is the hash of the key, because a key can be longer than a file name, or be the prefix of another key.
// A file holds the MD5 of the content, a line of metadata, and the content.
type devObjects string

var _ gofakes3.Backend = devObjects("")

// objectLine is the metadata line of an object's file.
type objectLine struct {
	Key         string    `json:"key"`
	ContentType string    `json:"contentType"`
	Disposition string    `json:"disposition,omitempty"`
	Modified    time.Time `json:"modified"`
}

// storedObject is an open object file, positioned at the start of the content.
type storedObject struct {
	*os.File
	objectLine
	hash   [md5.Size]byte
	begins int64
	size   int64
}

func (d devObjects) bucket(name string) (string, error) {
	folder := filepath.Join(string(d), name)
	if gofakes3.ValidateBucketName(name) != nil {
		return "", gofakes3.BucketNotFound(name)
	}
	if _, err := os.Stat(folder); err != nil {
		return "", gofakes3.BucketNotFound(name)
	}
	return folder, nil
}

func objectFile(folder, key string) string {
	hash := sha256.Sum256([]byte(key))
	return filepath.Join(folder, hex.EncodeToString(hash[:]))
}

func openStored(path string) (_ *storedObject, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	o := &storedObject{File: file}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	reader := bufio.NewReader(file)
	if _, err := io.ReadFull(reader, o.hash[:]); err != nil {
		return nil, err
	}
	line, err := reader.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	o.begins = int64(len(o.hash) + len(line))
	o.size = info.Size() - o.begins
	return o, json.Unmarshal(line, &o.objectLine)
}

// GetObject opens an object, or a range of it.
func (d devObjects) GetObject(
	bucket, key string, part *gofakes3.ObjectRangeRequest,
) (*gofakes3.Object, error) {
	folder, err := d.bucket(bucket)
	if err != nil {
		return nil, err
	}
	kept, err := openStored(objectFile(folder, key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gofakes3.KeyNotFound(key)
	}
	if err != nil {
		return nil, err
	}
	within, err := part.Range(kept.size)
	if err != nil {
		_ = kept.Close()
		return nil, err
	}
	offset, length := int64(0), kept.size
	if within != nil {
		offset, length = within.Start, within.Length
	}
	metadata := map[string]string{"Content-Type": kept.ContentType,
		"Last-Modified": kept.Modified.Format(http.TimeFormat)}
	if kept.Disposition != "" {
		metadata["Content-Disposition"] = kept.Disposition
	}
	return &gofakes3.Object{
		Name:     key,
		Metadata: metadata,
		Size:     kept.size,
		Hash:     kept.hash[:],
		Range:    within,
		Contents: struct {
			io.Reader
			io.Closer
		}{io.NewSectionReader(kept, kept.begins+offset, length), kept},
	}, nil
}

// HeadObject returns what GetObject does, without the content.
func (d devObjects) HeadObject(bucket, key string) (*gofakes3.Object, error) {
	return d.GetObject(bucket, key, nil)
}

// PutObject replaces an object completely, or not at all.
func (d devObjects) PutObject(
	bucket, key string, meta map[string]string, content io.Reader, size int64,
	conditions *gofakes3.PutConditions,
) (_ gofakes3.PutObjectResult, err error) {
	if conditions != nil {
		return gofakes3.PutObjectResult{}, gofakes3.ErrNotImplemented
	}
	folder, err := d.bucket(bucket)
	if err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	file, err := os.CreateTemp(folder, ".put-")
	if err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	defer func() {
		_ = file.Close()
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	line, err := json.Marshal(objectLine{
		Key: key, ContentType: meta["Content-Type"], Disposition: meta["Content-Disposition"],
		Modified: time.Now().UTC(),
	})
	if err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	hash := md5.New()
	if _, err := fmt.Fprintf(file, "%s%s\n", make([]byte, md5.Size), line); err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	switch n, err := io.Copy(io.MultiWriter(file, hash), content); {
	case err != nil:
		return gofakes3.PutObjectResult{}, err
	case n != size:
		return gofakes3.PutObjectResult{}, gofakes3.ErrIncompleteBody
	}
	if _, err := file.WriteAt(hash.Sum(nil), 0); err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	return gofakes3.PutObjectResult{}, os.Rename(file.Name(), objectFile(folder, key))
}

// ListBucket reads the first line of every object file. That is fast enough for development.
func (d devObjects) ListBucket(
	bucket string, prefix *gofakes3.Prefix, page gofakes3.ListBucketPage,
) (*gofakes3.ObjectList, error) {
	folder, err := d.bucket(bucket)
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	list := gofakes3.NewObjectList()
	for _, file := range files {
		if strings.HasPrefix(file.Name(), ".") { // a put in progress
			continue
		}
		kept, err := openStored(filepath.Join(folder, file.Name()))
		if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		_ = kept.Close()
		if strings.HasPrefix(kept.Key, prefix.Prefix) && (!page.HasMarker || kept.Key > page.Marker) {
			list.Add(&gofakes3.Content{
				Key:          kept.Key,
				LastModified: gofakes3.NewContentTime(kept.Modified),
				ETag:         gofakes3.FormatETag(kept.hash[:]),
				Size:         kept.size,
			})
		}
	}
	slices.SortFunc(list.Contents, func(a, b *gofakes3.Content) int { return cmp.Compare(a.Key, b.Key) })
	if most := int(page.MaxKeys); most > 0 && len(list.Contents) > most {
		list.Contents, list.IsTruncated = list.Contents[:most], true
		list.NextMarker = list.Contents[most-1].Key
	}
	return list, nil
}

// DeleteObject also succeeds if there is no such object.
func (d devObjects) DeleteObject(bucket, key string) (gofakes3.ObjectDeleteResult, error) {
	folder, err := d.bucket(bucket)
	if err != nil {
		return gofakes3.ObjectDeleteResult{}, err
	}
	if err := os.Remove(objectFile(folder, key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return gofakes3.ObjectDeleteResult{}, err
	}
	return gofakes3.ObjectDeleteResult{}, nil
}

// CreateBucket makes the bucket's folder.
func (d devObjects) CreateBucket(name string) error {
	err := os.Mkdir(filepath.Join(string(d), name), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return gofakes3.ResourceError(gofakes3.ErrBucketAlreadyExists, name)
	}
	return err
}

// BucketExists reports whether the bucket exists.
func (d devObjects) BucketExists(name string) (bool, error) {
	_, err := d.bucket(name)
	return err == nil, nil
}

// The platform uses no other method.

// ListBuckets is not offered.
func (devObjects) ListBuckets() ([]gofakes3.BucketInfo, error) {
	return nil, gofakes3.ErrNotImplemented
}

// DeleteBucket is not offered.
func (devObjects) DeleteBucket(string) error { return gofakes3.ErrNotImplemented }

// ForceDeleteBucket is not offered.
func (devObjects) ForceDeleteBucket(string) error { return gofakes3.ErrNotImplemented }

// DeleteMulti is not offered.
func (devObjects) DeleteMulti(string, ...string) (gofakes3.MultiDeleteResult, error) {
	return gofakes3.MultiDeleteResult{}, gofakes3.ErrNotImplemented
}

// CopyObject is not offered.
func (devObjects) CopyObject(
	string, string, string, string, map[string]string,
) (gofakes3.CopyObjectResult, error) {
	return gofakes3.CopyObjectResult{}, gofakes3.ErrNotImplemented
}
