package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// maxCatalogue bounds the body of a catalogue, whatever the server sends.
	maxCatalogue = 16 << 20
	// catalogueTime bounds one reading of it, however slowly it comes.
	catalogueTime = 30 * time.Second
)

// Models reads the catalogue, within 30 seconds. A server may refuse a bad key
// here although the catalogue is public: the result is then an *[Error] with
// status 401 together with the models that it shows without a key, if any.
func (c *Client) Models(ctx context.Context) (Catalogue, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, catalogueTime, ErrFirstByte)
	defer cancel()
	key := c.currentKey()
	models, err := c.models(ctx, key)
	var refused *Error
	if key == "" || !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized {
		return models, err
	}
	models, again := c.models(ctx, "")
	var second *Error
	switch {
	case again == nil, errors.As(again, &second) && second.Status == http.StatusUnauthorized:
		return models, err
	}
	return nil, again
}

// models makes one request for the catalogue with the given key.
func (c *Client) models(ctx context.Context, key Key) (Catalogue, error) {
	if c.clock.slept(0) {
		c.pool.renew()
	}
	req, err := c.newRequest(ctx, http.MethodGet, "models", key)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.catalogueError(ctx, err)
	}
	defer resp.Body.Close()
	if coding := unreadable(resp); coding != "" {
		return nil, encodedError(resp, coding, key)
	}
	body, err := io.ReadAll(io.LimitReader(decompressed(resp, resp.Body), maxCatalogue+1))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		body = body[:min(len(body), maxErrorBody)]
		return nil, decodeError(resp.StatusCode, resp.Header, body, key, time.Now())
	case len(body) > maxCatalogue:
		return nil, fmt.Errorf("read catalogue: %w", ErrTooLarge)
	case err != nil:
		return nil, c.catalogueError(ctx, lost(err))
	}
	models, err := decodeCatalogue(body)
	if err != nil {
		return nil, fmt.Errorf("read catalogue: %w: %w", ErrNoCatalogue, streamError(body, resp.Header.Get("X-Request-Id"), key))
	}
	return models, nil
}

// catalogueError tells the caller's own cancelling from a server that is too
// slow and from one that cannot be reached.
func (c *Client) catalogueError(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrFirstByte):
		c.pool.renew()
		return &ConnectError{Host: c.base.Host, Err: errors.New("no catalogue came in time")}
	case cause != nil:
		return ctx.Err()
	}
	c.pool.renew()
	return c.connectError(err)
}
