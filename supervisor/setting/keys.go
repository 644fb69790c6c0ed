package setting

// Keys are the keys of one purpose, derived from the identity secret. Current signs everything. A signature
// made with either key is accepted, so replacing the secret does not invalidate everything at once.
type Keys struct {
	Current  []byte
	Previous []byte // nil unless SERVICE_IDENTITY_SECRET_PREVIOUS is set
}
