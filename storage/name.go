package storage

import (
	"crypto/sha256"
	"encoding/hex"
)

// physicalName is the bucket's name at the service: deterministic and, by its hash, another for every triple.
func physicalName(prefix, moduleID, bucketID string) string {
	hash := sha256.Sum256([]byte(prefix + "\x00" + moduleID + "\x00" + bucketID))
	name := prefix + "-" + moduleID + "-" + bucketID
	return name[:min(len(name), 52)] + "-" + hex.EncodeToString(hash[:5])
}
