package emulator

import (
	"encoding/json"
	"math/big"
	"strings"
	"unicode/utf8"
)

// bounds are the limits of a number; nil means none.
type bounds struct {
	low, high         *big.Rat
	lowOpen, highOpen bool // the limit itself is not allowed
}

func (b *bounds) raise(limit *big.Rat, open bool) {
	if limit == nil {
		return
	}
	order := 1
	if b.low != nil {
		order = limit.Cmp(b.low)
	}
	if order > 0 || order == 0 && open {
		b.low, b.lowOpen = limit, open
	}
}

func (b *bounds) lower(limit *big.Rat, open bool) {
	if limit == nil {
		return
	}
	order := -1
	if b.high != nil {
		order = limit.Cmp(b.high)
	}
	if order < 0 || order == 0 && open {
		b.high, b.highOpen = limit, open
	}
}

// holds tells whether a number is within the bounds.
func (b *bounds) holds(v *big.Rat) bool {
	if b.low != nil && (v.Cmp(b.low) < 0 || b.lowOpen && v.Cmp(b.low) == 0) {
		return false
	}
	return b.high == nil || v.Cmp(b.high) < 0 || !b.highOpen && v.Cmp(b.high) == 0
}

func boundsOf(schemas []map[string]any) *bounds {
	b := &bounds{}
	for _, m := range schemas {
		// Up to draft-04 the exclusive limits were flags of the others.
		b.raise(rational(m["minimum"]), m["exclusiveMinimum"] == true)
		b.lower(rational(m["maximum"]), m["exclusiveMaximum"] == true)
		b.raise(rational(m["exclusiveMinimum"]), true)
		b.lower(rational(m["exclusiveMaximum"]), true)
	}
	return b
}

func rational(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

func (s *sampler) number(schemas []map[string]any, whole bool) (any, bool) {
	b := boundsOf(schemas)
	liked := big.NewRat(int64(7+12*s.variant%80), 1)
	one, half := big.NewRat(1, 1), big.NewRat(1, 2)
	candidates := []*big.Rat{liked, new(big.Rat).Add(liked, half), new(big.Rat), half, new(big.Rat).Neg(liked)}
	if b.low != nil {
		up := roundUp(b.low)
		candidates = append(candidates, b.low, up, new(big.Rat).Add(up, one), new(big.Rat).Add(b.low, half))
	}
	if b.high != nil {
		down := new(big.Rat).Neg(roundUp(new(big.Rat).Neg(b.high)))
		candidates = append(candidates, b.high, down, new(big.Rat).Sub(down, one), new(big.Rat).Sub(b.high, half))
	}
	if b.low != nil && b.high != nil {
		middle := new(big.Rat).Add(b.low, b.high)
		candidates = append(candidates, middle.Quo(middle, big.NewRat(2, 1)))
	}
	for i := range candidates {
		v := candidates[(i+s.other)%len(candidates)]
		if b.holds(v) && (!whole || v.IsInt()) {
			digits, _ := v.FloatPrec() // exact: limits are decimals, and so are their means
			return json.Number(v.FloatString(digits)), true
		}
	}
	return nil, false
}

func roundUp(r *big.Rat) *big.Rat {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return new(big.Rat).SetInt(q)
}

// count reads a keyword that counts, such as minItems, of all schemas: the
// largest of them, or the least where it is a limit from above.
func count(schemas []map[string]any, keyword string, otherwise int) int {
	n, found := otherwise, false
	for _, m := range schemas {
		r := rational(m[keyword])
		if r == nil {
			continue
		}
		v := int(min(float(r), 1<<30))
		switch upper := strings.HasPrefix(keyword, "max"); {
		case !found:
			n, found = v, true
		case upper:
			n = min(n, v)
		default:
			n = max(n, v)
		}
	}
	return n
}

func float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

func (s *sampler) text(schemas []map[string]any, name string) (any, bool) {
	var patterns []string
	format := ""
	for _, m := range schemas {
		if p, ok := m["pattern"].(string); ok {
			patterns = append(patterns, p)
		}
		if f, ok := m["format"].(string); ok {
			format = f
		}
	}
	g, err := newTextGoal(patterns, count(schemas, "minLength", 0), count(schemas, "maxLength", mostText))
	if err != nil || g.least > mostText || g.least > g.most {
		return nil, false
	}
	if v := formatted(format); v != "" && g.fits(v) {
		return v, true
	}
	if v := stretched(s.word(name), g.least, g.most); g.fits(v) {
		return v, true
	}
	return s.try(g, s.variant)
}

// try samples a text. Failing is work that counts as many values.
func (s *sampler) try(g textGoal, variant int) (any, bool) {
	const work = 500
	text, ok := g.sample(variant)
	if !ok {
		s.left -= work
	}
	return text, ok
}

// stretched is a text of as many characters as are wanted.
func stretched(text string, least, most int) string {
	if missing := least - utf8.RuneCountInString(text); missing > 0 {
		text += strings.Repeat(" demo", missing/5+1)
	}
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most])
	}
	return text
}

// formatted is an example of a format, "" for an unknown one. The API does not
// enforce formats; the demo likes them all the same.
func formatted(name string) string {
	return map[string]string{
		"date": "2026-10-01", "time": "12:30:00Z", "date-time": "2026-10-01T12:30:00Z", "duration": "PT30M",
		"email": "demo@example.com", "idn-email": "demo@example.com", "hostname": "example.com", "idn-hostname": "example.com",
		"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/demo", "uri-reference": "/demo", "iri": "https://example.com/demo",
		"uuid": "6fa1c1de-0000-4000-8000-000000000001", "json-pointer": "/demo", "regex": "^demo$",
	}[name]
}
