package sdktest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/storage"
)

// accessKey is the platform's access key at the S3 service of every test.
const accessKey = "sdktest"

// openBuckets creates the buckets that the manifest declares, if any, on an S3 service of the test.
func (m *Module) openBuckets() {
	m.tb.Helper()
	if len(m.manifest.Buckets) == 0 {
		return
	}
	objects := gofakes3.New(s3mem.New(), gofakes3.WithTimeSkewLimit(0))
	service := httptest.NewServer(withoutSigning(objects.Server()))
	m.tb.Cleanup(func() {
		service.CloseClientConnections() // a test may have left an object open
		service.Close()
	})
	provider, err := storage.New(environment.Storage{
		Endpoint:       service.URL,
		AccessKey:      environment.NewSecret(accessKey),
		SecretKey:      environment.NewSecret(accessKey),
		Region:         "us-east-1",
		ForcePathStyle: true,
		BucketPrefix:   "narthex",
		Delivery:       service.URL,
	})
	if err != nil {
		m.tb.Fatal("sdktest: ", err)
	}
	m.tb.Cleanup(provider.Close)
	m.buckets, m.faulty = make(map[string]facade.Bucket), make(map[string]facade.Bucket)
	for _, id := range m.manifest.Buckets {
		m.buckets[id] = provider.Bucket(m.manifest.ID, id)
		m.faulty[id] = faultyBucket{m.buckets[id], &m.faults}
	}
}

// withoutSigning allows the platform every request and a read URL only reading, which gofakes3 does not
// distinguish.
func withoutSigning(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		signed := strings.Contains(r.Header.Get("Authorization"), "Credential="+accessKey+"/")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !signed && !(reads && strings.HasPrefix(r.URL.Query().Get("X-Amz-Credential"), accessKey+"/")) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Object is a stored object.
type Object struct {
	ContentType string
	Content     string
}

// Stored returns the current contents of one of the module's buckets, by key.
func (m *Module) Stored(bucket string) map[string]Object {
	m.tb.Helper()
	opened, declared := m.buckets[bucket]
	if !declared {
		m.tb.Fatalf("sdktest: the manifest does not declare the bucket %s", bucket)
	}
	stored := make(map[string]Object)
	for after, last := "", false; !last; last = after == "" {
		page, err := opened.List(m.tb.Context(), "", after, 100)
		if err != nil {
			m.tb.Fatal("sdktest: ", err)
		}
		for _, object := range page.Objects {
			stored[object.Key] = m.object(opened, object.Key)
		}
		after = page.Next
	}
	return stored
}

func (m *Module) object(bucket facade.Bucket, key string) Object {
	m.tb.Helper()
	object, body, err := bucket.Get(m.tb.Context(), key, storage.Range{})
	if err != nil {
		m.tb.Fatalf("sdktest: the object %s: %v", key, err)
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil {
		m.tb.Fatalf("sdktest: the object %s: %v", key, err)
	}
	return Object{ContentType: object.ContentType, Content: string(content)}
}
