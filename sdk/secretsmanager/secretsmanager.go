// Package secretsmanager is for plugins of the type secretsmanager, which keep the
// secrets of a host in a store of their own.
//
//	sdk.Serve(secretsmanager.Plugin(vault{}))
//
// It speaks the published service secretsmanagerplugin.SecretsManager, so that existing
// hosts and plugins understand it.
package secretsmanager

import (
	"context"
	"log/slog"

	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/secretspb"
	"github.com/slipway-dev/slipway/sdk"
)

// Key names a secret.
type Key struct {
	OrgID     int64
	Namespace string // such as the name of a data source
	Type      string // such as datasource
}

// Item is a secret with its value. Never log it.
type Item struct {
	Key
	Value string
}

// Store is what the author writes. Errors are shown to users as sdk.Error says.
type Store interface {
	// Secret returns the value; exists is false, without an error, when there is none.
	Secret(ctx context.Context, key Key) (value string, exists bool, err error)
	// SetSecret stores a value, also over another.
	SetSecret(ctx context.Context, key Key, value string) error
	// DeleteSecret removes a secret; one that is not there is no error.
	DeleteSecret(ctx context.Context, key Key) error
	// ListSecrets lists the keys with the namespace and the type of a key, in its
	// organisation or in all.
	ListSecrets(ctx context.Context, key Key, allOrganizations bool) ([]Key, error)
	// RenameSecret moves a secret to another namespace.
	RenameSecret(ctx context.Context, key Key, namespace string) error
	// AllSecrets lists every secret with its value: for hosts that leave the plugin.
	AllSecrets(ctx context.Context) ([]Item, error)
}

// Plugin makes a plugin of a store.
func Plugin(s Store) sdk.Plugin {
	return sdk.Plugin{Services: map[string]func(grpc.ServiceRegistrar){
		wire.SetSecretsManager: func(g grpc.ServiceRegistrar) { secretspb.RegisterSecretsManagerServer(g, server{store: s}) },
	}}
}

type server struct {
	secretspb.UnimplementedSecretsManagerServer
	store Store
}

// GetSecret adapts the call of the protocol.
func (s server) GetSecret(ctx context.Context, in *secretspb.GetSecretRequest) (*secretspb.GetSecretResponse, error) {
	value, exists, err := s.store.Secret(ctx, keyFromWire(in.GetKeyDescriptor()))
	if err != nil {
		return &secretspb.GetSecretResponse{UserFriendlyError: said(ctx, err)}, nil
	}
	return &secretspb.GetSecretResponse{DecryptedValue: value, Exists: exists}, nil
}

// SetSecret adapts the call of the protocol.
func (s server) SetSecret(ctx context.Context, in *secretspb.SetSecretRequest) (*secretspb.SetSecretResponse, error) {
	err := s.store.SetSecret(ctx, keyFromWire(in.GetKeyDescriptor()), in.GetValue())
	return &secretspb.SetSecretResponse{UserFriendlyError: said(ctx, err)}, nil
}

// DeleteSecret adapts the call of the protocol.
func (s server) DeleteSecret(ctx context.Context, in *secretspb.DeleteSecretRequest) (*secretspb.DeleteSecretResponse, error) {
	err := s.store.DeleteSecret(ctx, keyFromWire(in.GetKeyDescriptor()))
	return &secretspb.DeleteSecretResponse{UserFriendlyError: said(ctx, err)}, nil
}

// ListSecrets adapts the call of the protocol.
func (s server) ListSecrets(ctx context.Context, in *secretspb.ListSecretsRequest) (*secretspb.ListSecretsResponse, error) {
	keys, err := s.store.ListSecrets(ctx, keyFromWire(in.GetKeyDescriptor()), in.GetAllOrganizations())
	out := &secretspb.ListSecretsResponse{UserFriendlyError: said(ctx, err)}
	for _, k := range keys {
		out.Keys = append(out.Keys, keyToWire(k))
	}
	return out, nil
}

// RenameSecret adapts the call of the protocol.
func (s server) RenameSecret(ctx context.Context, in *secretspb.RenameSecretRequest) (*secretspb.RenameSecretResponse, error) {
	err := s.store.RenameSecret(ctx, keyFromWire(in.GetKeyDescriptor()), in.GetNewNamespace())
	return &secretspb.RenameSecretResponse{UserFriendlyError: said(ctx, err)}, nil
}

// GetAllSecrets adapts the call of the protocol.
func (s server) GetAllSecrets(ctx context.Context, _ *secretspb.GetAllSecretsRequest) (*secretspb.GetAllSecretsResponse, error) {
	items, err := s.store.AllSecrets(ctx)
	out := &secretspb.GetAllSecretsResponse{UserFriendlyError: said(ctx, err)}
	for _, i := range items {
		out.Items = append(out.Items, &secretspb.Item{Key: keyToWire(i.Key), Value: i.Value})
	}
	return out, nil
}

// said is what the host learns of an error; the log gets all of it.
func said(ctx context.Context, err error) string {
	if err == nil {
		return ""
	}
	slog.ErrorContext(ctx, "a secret could not be handled", "error", err)
	return sdk.AsError(err).Message
}

func keyFromWire(in *secretspb.Key) Key {
	return Key{OrgID: in.GetOrgId(), Namespace: in.GetNamespace(), Type: in.GetType()}
}

func keyToWire(k Key) *secretspb.Key {
	return &secretspb.Key{OrgId: k.OrgID, Namespace: k.Namespace, Type: k.Type}
}
