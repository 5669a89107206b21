package session

import (
	"cmp"
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strings"
)

// storedPart is a row of parts. id is 0 before it has one.
type storedPart struct {
	id      int64
	message int64
	ordinal int
	Part
}

const partColumns = "id, message, ordinal, kind, text, field, extra, blob, name, call_id, call_state, approval, started, ended"

func scanPart(scan func(...any) error) (storedPart, error) {
	var p storedPart
	var extra string
	var started, ended int64
	err := scan(&p.id, &p.message, &p.ordinal, &p.Kind, &p.Text, &p.Field, &extra, &p.Blob, &p.Name,
		&p.CallID, &p.CallState, &p.Approval, &started, &ended)
	p.Extra = raw(extra)
	p.Started, p.Ended = fromNanos(started), fromNanos(ended)
	return p, err
}

// loadParts returns the parts of a message in order, without its chunks.
func loadParts(ctx context.Context, q querier, message int64) ([]storedPart, error) {
	var all []storedPart
	err := each(ctx, q, "SELECT "+partColumns+" FROM parts WHERE message = ? ORDER BY ordinal", []any{message},
		func(scan func(...any) error) error {
			p, err := scanPart(scan)
			all = append(all, p)
			return err
		})
	return all, err
}

// loadChunks returns the chunks of a message in the order they arrived.
func loadChunks(ctx context.Context, q querier, message int64) ([]*chunk, error) {
	var all []*chunk
	err := each(ctx, q, "SELECT ordinal, n, text FROM chunks WHERE message = ? ORDER BY id", []any{message},
		func(scan func(...any) error) error {
			c := &chunk{}
			all = append(all, c)
			return scan(&c.delta.Ordinal, &c.n, &c.text)
		})
	return all, err
}

// fold appends chunks to the parts that they belong to, and adds the parts
// that are new.
func fold(parts []storedPart, chunks []*chunk) []storedPart {
	texts := map[int]*strings.Builder{}
	parts = slices.Clone(parts)
	for _, c := range chunks {
		o := c.delta.Ordinal
		b := texts[o]
		if b == nil {
			b = &strings.Builder{}
			texts[o] = b
			i, found := find(parts, o)
			if !found {
				d := c.delta
				parts = slices.Insert(parts, i, storedPart{ordinal: o,
					Part: Part{Kind: d.Kind, Field: d.Field, CallID: d.CallID, Name: d.Name}})
			}
			b.WriteString(parts[i].Text)
		}
		b.Write(c.text)
	}
	for i := range parts {
		if b := texts[parts[i].ordinal]; b != nil {
			parts[i].Text = b.String()
		}
	}
	return parts
}

func find(parts []storedPart, ordinal int) (int, bool) {
	return slices.BinarySearchFunc(parts, ordinal, func(p storedPart, o int) int { return cmp.Compare(p.ordinal, o) })
}

// merge lays the parts of a finished message over the stored ones. What is
// empty in a finished part is kept from the stored one.
func merge(parts []storedPart, final []Part) []storedPart {
	parts = slices.Clone(parts)
	for o, f := range final {
		i, found := find(parts, o)
		if !found {
			parts = slices.Insert(parts, i, storedPart{ordinal: o, Part: f})
			continue
		}
		p := &parts[i].Part
		p.Kind = cmp.Or(f.Kind, p.Kind)
		p.Text = cmp.Or(f.Text, p.Text)
		p.Field = cmp.Or(f.Field, p.Field)
		p.Blob = cmp.Or(f.Blob, p.Blob)
		p.Name = cmp.Or(f.Name, p.Name)
		p.CallID = cmp.Or(f.CallID, p.CallID)
		p.CallState = cmp.Or(f.CallState, p.CallState)
		p.Approval = cmp.Or(f.Approval, p.Approval)
		if len(f.Extra) > 0 {
			p.Extra = f.Extra
		}
		if !f.Started.IsZero() {
			p.Started = f.Started
		}
		if !f.Ended.IsZero() {
			p.Ended = f.Ended
		}
	}
	return parts
}

// savePart inserts p or, when it differs from what it was, updates it.
func savePart(ctx context.Context, tx *sql.Tx, p *storedPart, was Part) error {
	values := []any{p.Kind, p.Text, p.Field, string(p.Extra), p.Blob, p.Name, p.CallID, p.CallState,
		p.Approval, nanos(p.Started), nanos(p.Ended)}
	if p.id != 0 {
		if reflect.DeepEqual(p.Part, was) {
			return nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE parts SET kind = ?, text = ?, field = ?, extra = ?, blob = ?, name = ?,
			call_id = ?, call_state = ?, approval = ?, started = ?, ended = ? WHERE id = ?`, append(values, p.id)...)
		return err
	}
	r, err := tx.ExecContext(ctx, `INSERT INTO parts
		(kind, text, field, extra, blob, name, call_id, call_state, approval, started, ended, message, ordinal)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, append(values, p.message, p.ordinal)...)
	if err != nil {
		return err
	}
	p.id, err = r.LastInsertId()
	return err
}
