// Package auth has the names that provider-kubernetes uses.
package auth

// BearerToken is a token of Nebius.
type BearerToken struct{ Token string }

// PrivateKey is that of a service account.
type PrivateKey struct{}

// NewPrivateKeyParser returns a key that is never used.
func NewPrivateKeyParser(_ []byte, _, _ string) PrivateKey { return PrivateKey{} }
