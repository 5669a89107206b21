package session

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
)

// SaveBlob keeps bytes, once however often they are saved, and returns the
// name for Part.Blob: their SHA-256 in hex.
func (s *Store) SaveBlob(ctx context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	err := s.write(ctx, quick, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO blobs (sha256, data, created) VALUES (?, ?, ?)",
			name, append([]byte{}, data...), nanos(s.o.Now()))
		return err
	})
	return name, wrap(err, "save blob")
}

// Blob returns the bytes that SaveBlob kept, or an error.
func (s *Store) Blob(ctx context.Context, name string) ([]byte, error) {
	var data []byte
	err := s.readers.QueryRowContext(ctx, "SELECT data FROM blobs WHERE sha256 = ?", name).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%s is not stored", name)
	}
	return data, wrap(err, "read blob")
}
