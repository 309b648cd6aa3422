package frontend

import "context"

// Bundle bundles a frontend once.
func Bundle(ctx context.Context, o Options) (*Result, error) {
	s := NewSession(o)
	defer s.Close()
	return s.Bundle(ctx)
}
