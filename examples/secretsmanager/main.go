// This program is the backend of a secrets manager that stores secrets in memory. A real
// secrets manager would use a vault.
package main

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/secretsmanager"
)

func main() {
	sdk.Serve(secretsmanager.Plugin(&memory{values: map[secretsmanager.Key]string{}}))
}

// memory implements secretsmanager.Store.
type memory struct {
	mu     sync.RWMutex
	values map[secretsmanager.Key]string
}

// Secret returns the value of a secret.
func (m *memory) Secret(_ context.Context, key secretsmanager.Key) (value string, exists bool, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	value, exists = m.values[key]
	return value, exists, nil
}

// SetSecret stores a secret.
func (m *memory) SetSecret(_ context.Context, key secretsmanager.Key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[key] = value
	return nil
}

// DeleteSecret deletes a secret.
func (m *memory) DeleteSecret(_ context.Context, key secretsmanager.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.values, key)
	return nil
}

// ListSecrets lists the keys with the namespace and the type of key.
func (m *memory) ListSecrets(_ context.Context, key secretsmanager.Key, allOrganizations bool) (keys []secretsmanager.Key, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for k := range m.values {
		if k.Namespace == key.Namespace && k.Type == key.Type && (allOrganizations || k.OrgID == key.OrgID) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compare)
	return keys, nil
}

// RenameSecret moves a secret to a namespace that has no secret of its type.
func (m *memory) RenameSecret(_ context.Context, key secretsmanager.Key, namespace string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, exists := m.values[key]
	if !exists {
		return sdk.Errorf(http.StatusNotFound, "%s %q has no secret", key.Type, key.Namespace)
	}
	moved := key
	moved.Namespace = namespace
	if _, taken := m.values[moved]; taken && moved != key {
		return sdk.Errorf(http.StatusConflict, "%s %q already has a secret", key.Type, namespace)
	}
	delete(m.values, key)
	m.values[moved] = value
	return nil
}

// AllSecrets lists every secret.
func (m *memory) AllSecrets(context.Context) (items []secretsmanager.Item, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for k, v := range m.values {
		items = append(items, secretsmanager.Item{Key: k, Value: v})
	}
	slices.SortFunc(items, func(a, b secretsmanager.Item) int { return compare(a.Key, b.Key) })
	return items, nil
}

func compare(a, b secretsmanager.Key) int {
	return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Type, b.Type))
}
