package storage

import "strings"

const maxKey = 512 // bytes

// validKey checks the rules for keys. The allowed characters need no escaping in a URL, in XML and in a
// file's path.
func validKey(key string) bool {
	if key == "" || !validPrefix(key) {
		return false
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// validPrefix reports whether a key may begin with prefix.
func validPrefix(prefix string) bool {
	for i := range len(prefix) {
		if !isKeyByte(prefix[i]) {
			return false
		}
	}
	return len(prefix) <= maxKey
}

func isKeyByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		strings.IndexByte("!_.*'()/-", b) >= 0
}
