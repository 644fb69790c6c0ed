package setting

// Storage defines where the object storage is. Without an endpoint there is none.
type Storage struct {
	Endpoint       string // URL without a trailing slash; "" means no object storage
	AccessKey      Secret
	SecretKey      Secret
	Region         string
	ForcePathStyle bool
	BucketPrefix   string
	Delivery       string // the origin on which browsers reach the storage
	Spool          string // the directory of the spool; "": the directory for temporary files
}
