package backend

import (
	"context"

	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/internal/wire/secretspb"
	"github.com/slipway-dev/slipway/sdk/secretsmanager"
)

// SecretsManager calls a secrets manager plugin. It implements secretsmanager.Store.
type SecretsManager struct {
	secrets secretspb.SecretsManagerClient
}

// NewSecretsManager returns a client for the secrets manager at the other end of conn;
// see [Client.Conn].
func NewSecretsManager(conn grpc.ClientConnInterface) *SecretsManager {
	return &SecretsManager{secrets: secretspb.NewSecretsManagerClient(conn)}
}

// Secret returns the value of a secret and whether it exists.
func (m *SecretsManager) Secret(ctx context.Context, key secretsmanager.Key) (value string, exists bool, err error) {
	out, err := m.secrets.GetSecret(ctx, &secretspb.GetSecretRequest{KeyDescriptor: keyToWire(key)})
	if err := secretsError(ctx, err, out); err != nil {
		return "", false, err
	}
	return out.GetDecryptedValue(), out.GetExists(), nil
}

// SetSecret stores or replaces a secret.
func (m *SecretsManager) SetSecret(ctx context.Context, key secretsmanager.Key, value string) error {
	out, err := m.secrets.SetSecret(ctx, &secretspb.SetSecretRequest{KeyDescriptor: keyToWire(key), Value: value})
	return secretsError(ctx, err, out)
}

// DeleteSecret deletes a secret.
func (m *SecretsManager) DeleteSecret(ctx context.Context, key secretsmanager.Key) error {
	out, err := m.secrets.DeleteSecret(ctx, &secretspb.DeleteSecretRequest{KeyDescriptor: keyToWire(key)})
	return secretsError(ctx, err, out)
}

// ListSecrets lists the keys with the namespace and the type of key, in its
// organization or in all of them.
func (m *SecretsManager) ListSecrets(ctx context.Context, key secretsmanager.Key, allOrganizations bool) ([]secretsmanager.Key, error) {
	out, err := m.secrets.ListSecrets(ctx, &secretspb.ListSecretsRequest{KeyDescriptor: keyToWire(key), AllOrganizations: allOrganizations})
	if err := secretsError(ctx, err, out); err != nil {
		return nil, err
	}
	keys := make([]secretsmanager.Key, len(out.GetKeys()))
	for n, k := range out.GetKeys() {
		keys[n] = keyFromWire(k)
	}
	return keys, nil
}

// RenameSecret moves a secret to another namespace.
func (m *SecretsManager) RenameSecret(ctx context.Context, key secretsmanager.Key, namespace string) error {
	out, err := m.secrets.RenameSecret(ctx, &secretspb.RenameSecretRequest{KeyDescriptor: keyToWire(key), NewNamespace: namespace})
	return secretsError(ctx, err, out)
}

// AllSecrets lists every secret with its value.
func (m *SecretsManager) AllSecrets(ctx context.Context) ([]secretsmanager.Item, error) {
	out, err := m.secrets.GetAllSecrets(ctx, &secretspb.GetAllSecretsRequest{})
	if err := secretsError(ctx, err, out); err != nil {
		return nil, err
	}
	items := make([]secretsmanager.Item, len(out.GetItems()))
	for n, i := range out.GetItems() {
		items[n] = secretsmanager.Item{Key: keyFromWire(i.GetKey()), Value: i.GetValue()}
	}
	return items, nil
}

// secretsError returns the error of a call, or the one that its response reports.
func secretsError(ctx context.Context, err error, response interface{ GetUserFriendlyError() string }) error {
	if err != nil {
		return callError(ctx, err)
	}
	return reportedError(response.GetUserFriendlyError())
}

func keyFromWire(in *secretspb.Key) secretsmanager.Key {
	return secretsmanager.Key{OrgID: in.GetOrgId(), Namespace: in.GetNamespace(), Type: in.GetType()}
}

func keyToWire(k secretsmanager.Key) *secretspb.Key {
	return &secretspb.Key{OrgId: k.OrgID, Namespace: k.Namespace, Type: k.Type}
}
