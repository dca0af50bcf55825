// Package gosdk has the names that provider-kubernetes uses. It connects to nothing.
package gosdk

import (
	"context"
	"errors"

	"github.com/nebius/gosdk/auth"
)

// Option configures an SDK.
type Option struct{}

// Credentials of an SDK.
type Credentials struct{}

// ServiceAccountReader returns credentials that are never used.
func ServiceAccountReader(auth.PrivateKey) Credentials { return Credentials{} }

// WithCredentials returns an option without effect.
func WithCredentials(Credentials) Option { return Option{} }

// SDK is a client of Nebius.
type SDK struct{}

var errLeftOut = errors.New("this build has no identities of Nebius")

// New always fails.
func New(context.Context, ...Option) (*SDK, error) { return nil, errLeftOut }

// BearerToken always fails.
func (*SDK) BearerToken(context.Context) (auth.BearerToken, error) {
	return auth.BearerToken{}, errLeftOut
}
