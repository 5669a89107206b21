package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"waferchat/api"
)

// row is what a Message stores as JSON, and what is worked out of it.
type row struct {
	params, usage, prices, timing, failure, extra string

	cost    *int64
	counted int64
}

func encodeMessage(m *Message) (row, error) {
	var r row
	var err error
	if r.params, err = encode(m.Params); err != nil {
		return r, wrap(err, "encode parameters")
	}
	if r.timing, err = encode(m.Timing); err != nil {
		return r, wrap(err, "encode timing")
	}
	if r.usage, err = encodePointer(m.Usage); err != nil {
		return r, wrap(err, "encode usage")
	}
	if r.prices, err = encodePointer(m.Prices); err != nil {
		return r, wrap(err, "encode prices")
	}
	if r.failure, err = encodePointer(m.Failure); err != nil {
		return r, wrap(err, "encode failure")
	}
	if len(m.Extra) > 0 && !json.Valid(m.Extra) {
		return r, errors.New("encode extra fields: not valid JSON")
	}
	r.extra = string(m.Extra)
	r.cost = Cost(m.Usage, m.Prices)
	if m.Estimate > 0 && m.Usage != nil && m.Usage.PromptTokens != nil {
		r.counted = max(*m.Usage.PromptTokens, 0)
	}
	return r, nil
}

func decodeMessage(m *Message, r *row) error {
	m.Extra = raw(r.extra)
	if err := decodeParams(r.params, &m.Params); err != nil {
		return wrap(err, "decode parameters")
	}
	if err := decode(r.timing, &m.Timing); err != nil {
		return wrap(err, "decode timing")
	}
	if err := decode(r.usage, &m.Usage); err != nil {
		return wrap(err, "decode usage")
	}
	if err := decode(r.prices, &m.Prices); err != nil {
		return wrap(err, "decode prices")
	}
	return wrap(decode(r.failure, &m.Failure), "decode failure")
}

// encode gives "" for a value that has no JSON fields to show.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	s := string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	if s == "{}" || s == "null" || s == "[]" {
		return "", nil
	}
	return s, nil
}

// encodePointer tells nil ("") from an empty value ("{}").
func encodePointer[T any](v *T) (string, error) {
	if v == nil {
		return "", nil
	}
	s, err := encode(v)
	if s == "" {
		s = "{}"
	}
	return s, err
}

func decode(s string, v any) error {
	if s == "" {
		return nil
	}
	return json.Unmarshal([]byte(s), v)
}

// decodeParams reads parameters. A field of an odd type, which another version
// or a person wrote, is kept as it is and makes nothing unreadable.
func decodeParams(s string, p *api.Params) error {
	err := decode(s, p)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) {
		return nil
	}
	return err
}

// raw keeps nil apart from stored text.
func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// nanos is how times are stored; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
