// Package secretsmanager supports plugins of the type secretsmanager, which store the
// secrets of a host.
//
//	sdk.Serve(secretsmanager.Plugin(vault{}))
//
// It implements the published service secretsmanagerplugin.SecretsManager, which existing
// hosts call.
package secretsmanager

import (
	"context"
	"log/slog"

	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/secretspb"
	"github.com/slipway-dev/slipway/sdk"
)

// Key identifies a secret.
type Key struct {
	OrgID     int64
	Namespace string // for example the name of a data source
	Type      string // for example "datasource"
}

// Item is a secret with its value, which must not be logged.
type Item struct {
	Key
	Value string
}

// Store stores secrets. Users see its errors; see [sdk.Error].
type Store interface {
	// Secret returns the value of a secret and whether it exists.
	Secret(ctx context.Context, key Key) (value string, exists bool, err error)
	// SetSecret stores or replaces a secret.
	SetSecret(ctx context.Context, key Key, value string) error
	// DeleteSecret deletes a secret. It returns nil if the secret does not exist.
	DeleteSecret(ctx context.Context, key Key) error
	// ListSecrets lists the keys that have the same namespace and type as key, in key's
	// organization or, if allOrganizations is true, in all organizations.
	ListSecrets(ctx context.Context, key Key, allOrganizations bool) ([]Key, error)
	// RenameSecret moves a secret to another namespace.
	RenameSecret(ctx context.Context, key Key, namespace string) error
	// AllSecrets lists every secret with its value, for a host that migrates to another
	// store.
	AllSecrets(ctx context.Context) ([]Item, error)
}

// Plugin returns a plugin that serves s.
func Plugin(s Store) sdk.Plugin {
	return sdk.Plugin{Services: map[string]func(grpc.ServiceRegistrar){
		wire.SetSecretsManager: func(g grpc.ServiceRegistrar) { secretspb.RegisterSecretsManagerServer(g, server{store: s}) },
	}}
}

type server struct {
	secretspb.UnimplementedSecretsManagerServer
	store Store
}

// GetSecret implements secretspb.SecretsManagerServer.
func (s server) GetSecret(ctx context.Context, in *secretspb.GetSecretRequest) (*secretspb.GetSecretResponse, error) {
	value, exists, err := s.store.Secret(ctx, keyFromWire(in.GetKeyDescriptor()))
	if err != nil {
		return &secretspb.GetSecretResponse{UserFriendlyError: messageOf(ctx, err)}, nil
	}
	return &secretspb.GetSecretResponse{DecryptedValue: value, Exists: exists}, nil
}

// SetSecret implements secretspb.SecretsManagerServer.
func (s server) SetSecret(ctx context.Context, in *secretspb.SetSecretRequest) (*secretspb.SetSecretResponse, error) {
	err := s.store.SetSecret(ctx, keyFromWire(in.GetKeyDescriptor()), in.GetValue())
	return &secretspb.SetSecretResponse{UserFriendlyError: messageOf(ctx, err)}, nil
}

// DeleteSecret implements secretspb.SecretsManagerServer.
func (s server) DeleteSecret(ctx context.Context, in *secretspb.DeleteSecretRequest) (*secretspb.DeleteSecretResponse, error) {
	err := s.store.DeleteSecret(ctx, keyFromWire(in.GetKeyDescriptor()))
	return &secretspb.DeleteSecretResponse{UserFriendlyError: messageOf(ctx, err)}, nil
}

// ListSecrets implements secretspb.SecretsManagerServer.
func (s server) ListSecrets(ctx context.Context, in *secretspb.ListSecretsRequest) (*secretspb.ListSecretsResponse, error) {
	keys, err := s.store.ListSecrets(ctx, keyFromWire(in.GetKeyDescriptor()), in.GetAllOrganizations())
	out := &secretspb.ListSecretsResponse{UserFriendlyError: messageOf(ctx, err)}
	for _, k := range keys {
		out.Keys = append(out.Keys, keyToWire(k))
	}
	return out, nil
}

// RenameSecret implements secretspb.SecretsManagerServer.
func (s server) RenameSecret(ctx context.Context, in *secretspb.RenameSecretRequest) (*secretspb.RenameSecretResponse, error) {
	err := s.store.RenameSecret(ctx, keyFromWire(in.GetKeyDescriptor()), in.GetNewNamespace())
	return &secretspb.RenameSecretResponse{UserFriendlyError: messageOf(ctx, err)}, nil
}

// GetAllSecrets implements secretspb.SecretsManagerServer.
func (s server) GetAllSecrets(ctx context.Context, _ *secretspb.GetAllSecretsRequest) (*secretspb.GetAllSecretsResponse, error) {
	items, err := s.store.AllSecrets(ctx)
	out := &secretspb.GetAllSecretsResponse{UserFriendlyError: messageOf(ctx, err)}
	for _, i := range items {
		out.Items = append(out.Items, &secretspb.Item{Key: keyToWire(i.Key), Value: i.Value})
	}
	return out, nil
}

// messageOf logs an error and returns its message for users.
func messageOf(ctx context.Context, err error) string {
	if err == nil {
		return ""
	}
	slog.ErrorContext(ctx, "access secret", "error", err)
	return sdk.AsError(err).Message
}

func keyFromWire(in *secretspb.Key) Key {
	return Key{OrgID: in.GetOrgId(), Namespace: in.GetNamespace(), Type: in.GetType()}
}

func keyToWire(k Key) *secretspb.Key {
	return &secretspb.Key{OrgId: k.OrgID, Namespace: k.Namespace, Type: k.Type}
}
