package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"waferchat/api"
	"waferchat/session"
)

// knows lets an engine know these models, as on Wafer.
func knows(cards ...api.Model) setup {
	return func(o *Options, _ *api.Options) {
		all := api.Catalogue(cards)
		o.Wafer = true
		o.Model = all.Find
		o.Prices = func(id string) *api.Prices { m, _ := all.Find(id); return m.Prices }
		o.Names = func() []string {
			var names []string
			for _, m := range all {
				names = append(names, m.ID)
			}
			return names
		}
	}
}

// storedChat begins a session with these texts in turn by the user and the model.
func storedChat(t testing.TB, s *session.Store, model string, texts ...string) session.Session {
	t.Helper()
	v := session.Session{ID: session.NewID(), Model: model}
	var msgs []session.Message
	var parent session.MessageID
	for i, text := range texts {
		m := session.Message{ID: session.NewMessageID(), Parent: parent, Role: api.RoleUser, State: session.Done,
			Parts: []session.Part{{Kind: session.PartText, Text: text}}}
		if i%2 == 1 {
			m.Role, m.Model = api.RoleAssistant, model
		}
		parent = m.ID
		msgs = append(msgs, m)
	}
	if err := s.Begin(t.Context(), v, msgs...); err != nil {
		t.Fatal(err)
	}
	v.Head = parent
	return v
}

func gaugeOf(t testing.TB, e *Engine, v session.Session) Gauge {
	t.Helper()
	g, err := e.Gauge(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// measuredAt stores three finished answers of a model whose prompts the server
// counted at this many times their estimates.
func measuredAt(t testing.TB, s *session.Store, model string, factor float64) {
	t.Helper()
	v := session.Session{ID: session.NewID(), Model: model}
	var msgs []session.Message
	for i, estimate := range []int64{1000, 2000, 4000} {
		n := int64(math.Round(float64(estimate) * factor))
		msgs = append(msgs, session.Message{ID: session.NewMessageID(), Role: api.RoleAssistant, State: session.Done, Model: model,
			Created: time.Unix(int64(i), 0), Estimate: estimate, Usage: &api.Usage{PromptTokens: &n}})
	}
	if err := s.Begin(t.Context(), v, msgs...); err != nil {
		t.Fatal(err)
	}
}

func TestAForecastGrowsWithTheDraft(t *testing.T) {
	r := newRig(t, knows(glmCard()))
	v := storedChat(t, r.store, "GLM-5.3", "What is a monad?", strings.Repeat("It is a monoid in the category of endofunctors. ", 20))
	g := gaugeOf(t, r.Engine, v)
	none := g.Forecast("")
	if none.Draft != 0 || none.Request < 200 || none.Request > 320 || none.Calibrated || none.Error != session.UncalibratedError {
		t.Errorf("without a draft: %+v", none)
	}
	if none.Window != 1_048_576 || none.Limit != 65_536 || none.LimitReason != LimitDefault {
		t.Errorf("without a draft: %+v", none)
	}
	if blank := g.Forecast(" \n"); blank.Request != none.Request {
		t.Errorf("blanks count: %+v", blank)
	}
	draft := strings.Repeat("Please explain. ", 10)
	f := g.Forecast(draft)
	more := f.Request - none.Request
	if f.Draft < 25 || f.Draft > 45 || more < f.Draft+perMessage-1 || more > f.Draft+perMessage+1 {
		t.Errorf("with a draft: %+v", f)
	}
	if again := g.Forecast(draft); again.Request != f.Request {
		t.Errorf("asked again: %+v", again)
	}
}

func TestAForecastIsWhatIsSent(t *testing.T) {
	r := newRig(t, knows(glmCard()))
	v := storedChat(t, r.store, "GLM-5.3", "one", "two")
	v.System = strings.Repeat("be brief ", 30)
	before := gaugeOf(t, r.Engine, v).Forecast("three").Request
	v, _ = r.say(v, "three")
	path, err := r.store.Path(t.Context(), v.Head, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := Estimate(r.request(v, path[:3])); got != before {
		t.Errorf("forecast %d, sent %d", before, got)
	}
}

func TestALongChatIsMeasuredPieceByPieceAndWhole(t *testing.T) {
	r := newRig(t, knows(glmCard()))
	texts := make([]string, 2*measured+501)
	for i := range texts {
		texts[i] = strings.Repeat("words ", i%7+1)
	}
	v := storedChat(t, r.store, "GLM-5.3", texts...)
	path, err := r.store.Path(t.Context(), v.Head, 0)
	if err != nil {
		t.Fatal(err)
	}
	var deleted []session.MessageID
	for _, m := range path[300 : 500+measured] { // longer than what is read at a time
		deleted = append(deleted, m.ID)
	}
	for _, change := range []func() error{
		func() error { return nil },
		func() error { return r.store.SetDeleted(t.Context(), true, deleted...) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if path, err = r.store.Path(t.Context(), v.Head, 0); err != nil {
			t.Fatal(err)
		}
		want := Estimate(r.request(v, path))
		if got := gaugeOf(t, r.Engine, v).Forecast("").Request; got != want {
			t.Errorf("%d tokens, not %d", got, want)
		}
	}
}

func TestAForecastIsCorrectedByWhatTheServerCountedBefore(t *testing.T) {
	r := newRig(t, knows(glmCard()))
	v := storedChat(t, r.store, "glm-5.3", strings.Repeat("some words and more ", 100), "ok")
	before := gaugeOf(t, r.Engine, v).Forecast("a draft of a few words")
	measuredAt(t, r.store, "GLM-5.3", 1.5)
	after := gaugeOf(t, r.Engine, v).Forecast("a draft of a few words")
	if !after.Calibrated || after.Error != 0.02 {
		t.Errorf("%+v", after)
	}
	if want := math.Round(1.5 * float64(before.Request)); float64(after.Request) != want {
		t.Errorf("%d tokens, not %v", after.Request, want)
	}
	if after.Draft <= before.Draft {
		t.Errorf("the draft has %d tokens, %d before", after.Draft, before.Draft)
	}
}

func TestAForecastBoundsThePrice(t *testing.T) {
	price := func(in, out, read int64) *api.Prices {
		p := &api.Prices{Input: &in, Output: &out, CacheRead: &read}
		if read < 0 {
			p.CacheRead = nil
		}
		return p
	}
	g := func(p *api.Prices, window int64, params api.Params) Gauge {
		card := api.Model{ID: "m", ContextLength: window}
		return Gauge{meter: newMeter(), base: tokens(1000), prices: p, calibration: session.Calibration{Factor: 1, Error: 0.1, Count: 9, Largest: 1e9},
			outlook: outlook{card: card, known: true, wafer: true, params: params}}
	}
	draft := strings.Repeat("好", 1877) // 1,000 tokens with what is around a message
	for _, c := range []struct {
		name        string
		g           Gauge
		least, most int64 // micro-cents, -1 is unknown
	}{
		{"all known", g(price(1_000_000, 2_000_000, 100_000), 8192, api.Params{}), 990, 2200 + 2*4096},
		{"no cache price", g(price(1_000_000, 2_000_000, -1), 8192, api.Params{}), 1800, 2200 + 2*4096},
		{"a cache that costs more", g(price(1_000_000, 2_000_000, 3_000_000), 8192, api.Params{}), 1800, 2200 + 2*4096},
		{"a limit", g(price(1_000_000, 2_000_000, 100_000), 8192, api.Params{MaxTokens: ptr(10)}), 990, 2200 + 20},
		{"three choices", g(price(1_000_000, 2_000_000, 100_000), 8192, api.Params{MaxTokens: ptr(10), N: ptr(3)}), 990, 2200 + 60},
		{"no limit known", g(price(1_000_000, 2_000_000, 100_000), 0, api.Params{}), 990, -1},
		{"no prices", g(nil, 8192, api.Params{}), -1, -1},
		{"no price of the answer", g(&api.Prices{Input: ptr(int64(1_000_000)), CacheRead: ptr(int64(100_000))}, 8192, api.Params{}), 990, -1},
		{"no price of the prompt", g(&api.Prices{Output: ptr(int64(1_000_000))}, 8192, api.Params{}), -1, -1},
	} {
		f := c.g.Forecast(draft)
		if f.Request != 2000 {
			t.Fatalf("%d tokens", f.Request)
		}
		for what, x := range map[string]struct {
			got  *int64
			want int64
		}{"least": {f.Least, c.least}, "most": {f.Most, c.most}} {
			if (x.got == nil) != (x.want < 0) || x.got != nil && *x.got != x.want {
				t.Errorf("%s: %s %s, want %d", c.name, what, show(x.got), x.want)
			}
		}
	}
}

func show(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

func TestNoticesComeInOneOrder(t *testing.T) {
	private := kimiCard()
	card := api.Model{ID: "m", ContextLength: 8192, Vision: api.No, ZDR: api.No, Disabled: "gone", Efforts: []string{"low"}}
	r := newRig(t, knows(card, private))
	v := storedChat(t, r.store, "m", "look", "ok")
	v.ZDR, v.Tools, v.Effort = true, []string{"calculate"}, "high"
	v.Params = schemaOf(t, `{"$ref":"#/nowhere"}`)
	v.Params.Temperature, v.Params.MaxTokens = ptr(1.0), ptr(9000)
	v.Head = addPicture(t, r.store, v)
	got := gaugeOf(t, r.Engine, v).Forecast(strings.Repeat("long ", 9000))
	var kinds []NoticeKind
	for _, n := range got.Notices {
		kinds = append(kinds, n.Kind)
	}
	want := []NoticeKind{NoticeModel, NoticeZDR, NoticeZDR, NoticePictures, NoticeWindow, NoticeLimit, NoticeRefused, NoticeSchemaTools, NoticeEffort, NoticeDropped}
	if !slices.Equal(kinds, want) {
		t.Errorf("got  %s\nwant %s", kinds, want)
	}
	if text := told(got.Notices); !strings.Contains(text, "With it: Kimi-K3.") {
		t.Errorf("%s", text)
	}
}

// addPicture puts a message with a picture below the head of a session.
func addPicture(t testing.TB, s *session.Store, v session.Session) session.MessageID {
	t.Helper()
	m := session.Message{ID: session.NewMessageID(), Parent: v.Head, Role: api.RoleUser, State: session.Done, Parts: []session.Part{
		{Kind: session.PartImage, Text: picture(t, "png", 2800, 2800)}}}
	if err := s.Begin(t.Context(), v, m); err != nil {
		t.Fatal(err)
	}
	return m.ID
}

func TestPicturesCountForAModelThatSeesThem(t *testing.T) {
	r := newRig(t, knows(glmCard(), kimiCard()))
	v := storedChat(t, r.store, "Kimi-K3", "look", "ok")
	v.Head = addPicture(t, r.store, v)
	if f := gaugeOf(t, r.Engine, v).Forecast(""); f.Request < 10_000 || len(f.Notices) != 0 {
		t.Errorf("%+v", f)
	}
	v.Model = "GLM-5.3"
	if f := gaugeOf(t, r.Engine, v).Forecast(""); f.Request > 100 || len(f.Notices) != 1 || f.Notices[0].Kind != NoticePictures {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsUnknownStaysUnknown(t *testing.T) {
	r := newRig(t)
	v := storedChat(t, r.store, "m", "q", "a")
	v.Params.MaxTokens = ptr(100)
	f := gaugeOf(t, r.Engine, v).Forecast("draft")
	if f.Window != 0 || f.Least != nil || f.Most != nil || len(f.Notices) != 0 || f.Limit != 100 || f.LimitReason != LimitSet {
		t.Errorf("%+v", f)
	}
	if f := (Gauge{}).Forecast("draft"); f.Request != 0 || f.Draft != 0 || f.Notices != nil {
		t.Errorf("of nothing: %+v", f)
	}
	v.Head = "nosuchmessag"
	if _, err := r.Gauge(t.Context(), v); !errors.Is(err, session.ErrNoMessage) {
		t.Errorf("of a message that is not there: %v", err)
	}
}

func TestAnAnswerKeepsWhatWasExpectedOfItsRequest(t *testing.T) {
	r := newRig(t, knows(glmCard(), api.Model{ID: "small", ContextLength: 8192}))
	req := api.Request{Model: "GLM-5.3", Messages: []api.Message{userSays(strings.Repeat("word ", 100))}}
	estimate, limit := r.expect(t.Context(), req)
	if estimate != Estimate(req) || limit != 65_536 {
		t.Errorf("estimate %d, limit %d", estimate, limit)
	}
	req.Model = "small"
	if _, limit := r.expect(t.Context(), req); limit != 4096 {
		t.Errorf("limit %d", limit)
	}
	measuredAt(t, r.store, "small", 50) // 106 tokens are 5,300 now: half of the window is not left
	if _, limit := r.expect(t.Context(), req); limit != 0 {
		t.Errorf("limit %d of which nobody can be sure", limit)
	}
}

func benchmarkStore(b *testing.B, turns int) (*Engine, session.Session) {
	b.Helper()
	s, err := session.Open(b.Context(), b.TempDir()+"/s.db", session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	texts := make([]string, 2*turns)
	body := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)
	for i := range texts {
		texts[i] = body[:len(body)-i%800]
	}
	o := Options{Store: s}
	knows(glmCard())(&o, nil)
	e := New(o)
	return e, storedChat(b, s, "GLM-5.3", texts...)
}

func BenchmarkGaugeOf10000Turns(b *testing.B) {
	e, v := benchmarkStore(b, 10_000)
	for b.Loop() {
		gaugeOf(b, e, v)
	}
}

func BenchmarkForecast(b *testing.B) {
	e, v := benchmarkStore(b, 10)
	g := gaugeOf(b, e, v)
	for _, size := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			draft := strings.Repeat("A draft of some words. ", size/23+1)
			b.SetBytes(int64(len(draft)))
			for b.Loop() {
				g.Forecast(draft)
			}
		})
	}
}

func TestToolsOfOnesOwnCountAsOffered(t *testing.T) {
	r := newRig(t)
	for tools, want := range map[string]bool{``: true, `null`: true, ` [ ] `: true, `[]`: true, `[{"type":"function","function":{"name":"f"}}]`: false} {
		v := chat()
		v.Params.ToolChoice = json.RawMessage(`"required"`)
		if tools != "" {
			v.Params.Extra = map[string]json.RawMessage{"tools": json.RawMessage(tools)}
		}
		g, err := r.Gauge(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		said := told(g.Forecast("q").Notices)
		if strings.Contains(said, "no tools are offered") != want {
			t.Errorf("tools %s: %s", tools, said)
		}
	}
}
