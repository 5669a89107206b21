package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"waferchat/api"
)

// short writes API messages for people: role, content, calls, reasoning.
func short(msgs []api.Message) string {
	var b strings.Builder
	for _, m := range msgs {
		fmt.Fprintf(&b, "%s", m.Role)
		if m.ToolCallID != "" {
			fmt.Fprintf(&b, "(%s)", m.ToolCallID)
		}
		for _, p := range m.Content {
			fmt.Fprintf(&b, " %q%s", p.Text, p.ImageURL)
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " %s=%s(%s)", c.ID, c.Name, c.Arguments)
		}
		if m.Reasoning != nil {
			fmt.Fprintf(&b, " <%s:%s%s>", m.ReasoningField, *m.Reasoning, m.ReasoningDetails)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// describe writes stored messages for people.
func describe(path []Message) string {
	var b strings.Builder
	for _, m := range path {
		fmt.Fprintf(&b, "%s deleted=%v\n", m.Role, m.Deleted)
		for _, p := range m.Parts {
			fmt.Fprintf(&b, "  %s %q id=%q name=%q field=%q extra=%q\n", p.Kind, p.Text, p.CallID, p.Name, p.Field, p.Extra)
		}
	}
	return b.String()
}

func reasoning(s, field string) Part { return Part{Kind: PartReasoning, Text: s, Field: field} }

func gone(m Message) Message { m.Deleted = true; return m }

func image(s string) Part { return Part{Kind: PartImage, Text: s} }

func parts(role api.Role, ps ...Part) Message { return Message{Role: role, Parts: ps} }

func TestHistoryIsRepairedForTheStrictestServer(t *testing.T) {
	u := func(s string) Message { return parts(api.RoleUser, text(s)) }
	a := func(ps ...Part) Message { return parts(api.RoleAssistant, ps...) }
	r := func(ps ...Part) Message { return parts(api.RoleTool, ps...) }
	cancelled := fmt.Sprintf("%q", noteNoResult)
	for _, c := range []struct {
		name string
		p    Projection
		path []Message
		want string
	}{
		{"plain", Projection{System: "be brief"}, []Message{u("hi"), a(reasoning("hm", ""), text("hel"), reasoning("m", ""), text("lo")), u("so")},
			`system "be brief"|user "hi"|assistant "hello"|user "so"|`},
		{"nothing", Projection{System: " \n"}, nil, ``},
		{"killed during two tool calls", Projection{}, []Message{u("go"), a(call("1", "running", "{}"), call("2", "waiting", "{}")), u("go on")},
			`user "go"|assistant 1=tool({}) 2=tool({})|tool(1) ` + cancelled + `|tool(2) ` + cancelled + `|user "go on"|`},
		{"one of two answered, at the end", Projection{}, []Message{u("go"), a(text("x"), call("1", "", "{}"), call("2", "", "{}")), r(answer("2", "done"))},
			`user "go"|assistant "x" 1=tool({}) 2=tool({})|tool(1) ` + cancelled + `|tool(2) "done"|`},
		{"broken arguments", Projection{}, []Message{a(call("1", "", `{"cmd": "echo <hi>`), call("2", "", ""), call("3", "", " null\n"), call("4", "", "[1]"),
			call("5", "", ` {"a" : 1}`), call("6", "", "{\"a\": \"\\ud99c x\\\\ud99c \\ud83d\\ude00 \xff\"}"))},
			`assistant 1=tool({"_raw":"{\"cmd\": \"echo <hi>"}) 2=tool({}) 3=tool({}) 4=tool({"_raw":"[1]"}) 5=tool( {"a" : 1}) ` +
				`6=tool({"a": "\ufffd x\\ud99c \ud83d\ude00 ` + "\uFFFD" + `"})|` +
				strings.Join([]string{"tool(1) ", "tool(2) ", "tool(3) ", "tool(4) ", "tool(5) ", "tool(6) "}, cancelled+"|") + cancelled + "|"},
		{"orphan and second results", Projection{}, []Message{r(answer("1", "?")), u("a"), r(answer("1", "?")), a(call("1", "ok", "{}")), r(answer("1", "x"), answer("1", "y")),
			r(answer("2", "?")), u("b"), r(answer("1", "late"))},
			`user "a"|assistant 1=tool({})|tool(1) "x"|user "b"|`},
		{"a call without id, and ids that come again", Projection{}, []Message{a(call("", "", "{}"), call("", "", "{}"), call("call_0", "", "{}")), r(answer("", "x")), r(answer("", "y")),
			a(call("call_0", "", "{}")), r(answer("call_0", "z")), u("next"), a(call("call_0", "", "{}")), r(answer("call_0", ""))},
			`assistant call_0=tool({}) call_1=tool({}) call_0_2=tool({})|tool(call_0) "x"|tool(call_1) "y"|tool(call_0_2) ` + cancelled +
				`|assistant call_0_3=tool({})|tool(call_0_3) "z"|user "next"|assistant call_0=tool({})|tool(call_0) "[no output]"|`},
		{"names", Projection{}, []Message{a(Part{Kind: PartToolCall, CallID: "1"}, Part{Kind: PartToolCall, CallID: "2", Name: "a.b é" + strings.Repeat("x", 80)})},
			`assistant 1=unknown({}) 2=a_b__` + strings.Repeat("x", 59) + `({})|tool(1) ` + cancelled + `|tool(2) ` + cancelled + `|`},
		{"blank answers", Projection{}, []Message{u("a"), a(reasoning("only", "")), u("b"), a(text("  \n")), a(), u("c"), gone(a(text("x"))), u("d")},
			`user "a\n\nb\n\nc\n\nd"|`},
		{"a kept partial answer", Projection{}, []Message{u("a"), {Role: api.RoleAssistant, State: Cancelled, Parts: []Part{text("half")}}, u("b"),
			{Role: api.RoleAssistant, State: Interrupted, Parts: []Part{text("an")}}, {Role: api.RoleAssistant, State: Failed, Parts: []Part{text("swer")}}},
			`user "a"|assistant "half"|user "b"|assistant "an"|assistant "swer"|`},
		{"a deleted turn", Projection{}, []Message{u("a"), gone(a(text("x"), call("1", "", "{}"))), gone(r(answer("1", "y"))), gone(u("b")), u("c"), u(" \n"), parts(api.RoleUser)},
			`user "a\n\nc"|`},
		{"images", Projection{Vision: api.Yes}, []Message{parts(api.RoleUser, text("look "), image("data:1"), text("at "), text("it"), image("data:2")), u("b"), a(text("y"), image("data:3"))},
			`user "look " ""data:1 "at it" ""data:2 "b"|assistant "y` + noteNoImage + `"|`},
		{"images for a model without eyes", Projection{Vision: api.No}, []Message{parts(api.RoleUser, text("look"), image("data:1"), text("it")), parts(api.RoleUser, image("https://x"))},
			`user "look\n` + noteImage + `\nit\n\n` + noteImage + `"|`},
		{"an image that is not there", Projection{}, []Message{parts(api.RoleUser, image(""))}, `user "` + noteNoImage + `"|`},
		{"an image by a tool", Projection{}, []Message{a(call("1", "", "")), r(answer("1", ""), image("data:1"))}, `assistant 1=tool({})|tool(1) "` + noteNoImage + `"|`},
		{"a refusal", Projection{}, []Message{u("a"), a(Part{Kind: PartRefusal, Text: "no"})}, `user "a"|assistant "no"|`},
		{"invalid text", Projection{System: "\xff"}, []Message{u("a\xc3"), a(text("\x80b"), call("\xfe", "", "")), r(answer("\xfe", "c\xff"))},
			"system \"\uFFFD\"|user \"a\uFFFD\"|assistant \"\uFFFDb\" \uFFFD=tool({})|tool(\uFFFD) \"c\uFFFD\"|"},
		{"a system message within", Projection{}, []Message{a(call("1", "", "")), parts(api.RoleSystem, text("now")), parts(api.RoleSystem)},
			`assistant 1=tool({})|tool(1) ` + cancelled + `|system "now"|`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := dump(c.path)
			if got := strings.ReplaceAll(short(Project(c.p, c.path)), "\n", "|"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if dump(c.path) != before {
				t.Error("the stored messages were changed")
			}
		})
	}
}

func TestReasoningGoesBackAsItCame(t *testing.T) {
	u := parts(api.RoleUser, text("u"))
	a := func(ps ...Part) Message { return parts(api.RoleAssistant, ps...) }
	c, r := call("1", "ok", "{}"), parts(api.RoleTool, answer("1", "r"))
	extra := reasoning("B", "reasoning")
	extra.Extra = raw(`[{"x": "<\ud800"}]`)
	path := []Message{
		u, a(c), r, // before any reasoning: not known to think
		a(reasoning("I should look. ", "reasoning"), text("look"), reasoning("Calling.", "reasoning"), c), r,
		a(text("did not think"), c), r,
		a(reasoning("A", "reasoning"), extra, text("plain")), u,
		a(reasoning("A", "reasoning"), extra, reasoning("", ""), c), r,
		a(reasoning("C", thinkTag), text("x"), c), r,
	}
	for policy, want := range map[ReplayPolicy][]string{
		"":          {"-", "<reasoning:I should look. Calling.>", "<reasoning:>", "-", `<reasoning:AB[{"x": "<\ufffd"}]>`, "<reasoning:>"},
		ReplayNever: {"-", "-", "-", "-", "-", "-"},
		ReplayAlways: {"-", "<reasoning:I should look. Calling.>", "<reasoning:>", `<reasoning:AB[{"x": "<\ufffd"}]>`,
			`<reasoning:AB[{"x": "<\ufffd"}]>`, "<:C>"},
	} {
		got := []string{}
		for _, m := range Project(Projection{Replay: policy}, path) {
			switch {
			case m.Role != api.RoleAssistant:
			case m.Reasoning == nil:
				got = append(got, "-")
			default:
				got = append(got, fmt.Sprintf("<%s:%s%s>", m.ReasoningField, *m.Reasoning, m.ReasoningDetails))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q:\ngot  %q\nwant %q", policy, got, want)
		}
	}
	two := a(extra, extra, Part{Kind: PartReasoning, Extra: raw(`{"not": "an array"}`)}, Part{Kind: PartReasoning, Extra: raw(`[broken`)}, c)
	details := Project(Projection{}, []Message{two})[0].ReasoningDetails
	if want := `[{"x": "<\ufffd"},{"x": "<\ufffd"},{"not": "an array"}]`; string(details) != want {
		t.Errorf("details %s, not %s", details, want)
	}
}

// generator makes random histories, most of them broken.
type generator struct{ r *rand.Rand }

func (g generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g generator) id() string { return g.pick("", "1", "1", "2", "3", "call_0", "1_2", "\xff", " ") }

func (g generator) part(role api.Role) Part {
	words := g.pick("", " ", "\n", "one", "two words", "\xff\xfe", "äöü\x00", "{\"\\ud800\"}", "😀", "<think>")
	extra := raw(g.pick("", "", "[1]", `["\udc00"]`, `{"a": "\ud83d"}`, "[", "\xff"))
	switch k := g.r.IntN(8); {
	case role == api.RoleTool && k < 6:
		return Part{Kind: PartToolResult, CallID: g.id(), Text: words}
	case role == api.RoleAssistant && k < 2:
		return Part{Kind: PartToolCall, CallID: g.id(), Name: g.pick("", "f", "a.b", strings.Repeat("名", 70)), CallState: g.pick("", "ok", "running"),
			Text: g.pick("", "null", "{}", `{"a":1}`, `{"a`, "[]", "7", `{"s":"\ud99c"}`, `{"s":"\udc00\ud800\\ud800"}`, "\xff", "{}{}", `{"ok":"\ud83d\ude00"}`)}
	case role == api.RoleAssistant && k < 4:
		return Part{Kind: PartReasoning, Text: words, Field: g.pick("", "reasoning", "reasoning_content", thinkTag, "\xff"), Extra: extra}
	case k == 4:
		return Part{Kind: PartImage, Text: g.pick("", "https://x/y.png", "data:image/png;base64,AA==", "\xff")}
	case k == 5:
		return Part{Kind: PartKind(g.pick("refusal", "unknown", "tool_result", "tool_call", "reasoning")), Text: words, CallID: g.id(), Extra: extra}
	}
	return Part{Kind: PartText, Text: words}
}

func (g generator) path() []Message {
	path := make([]Message, g.r.IntN(14))
	role := api.RoleUser
	for i := range path {
		// Mostly in the order of a real history.
		switch n := g.r.IntN(10); {
		case n == 0:
			role = api.Role(g.pick("user", "assistant", "tool", "system", "other"))
		case role == api.RoleUser:
			role = api.RoleAssistant
		case role == api.RoleAssistant && n < 6:
			role = api.RoleTool
		case role == api.RoleAssistant:
			role = api.RoleUser
		case n < 3:
			role = api.RoleUser
		case n < 7:
			role = api.RoleAssistant
		}
		path[i] = Message{Role: role, State: State(g.pick("done", "cancelled", "interrupted", "failed", "streaming")), Deleted: g.r.IntN(8) == 0}
		for range g.r.IntN(5) {
			path[i].Parts = append(path[i].Parts, g.part(role))
		}
	}
	return path
}

func (g generator) projection() Projection {
	return Projection{System: g.pick("", "sys", "\xff"), Replay: ReplayPolicy(g.pick("", "auto", "never", "always")),
		Vision: api.Support(g.pick("", "yes", "no"))}
}

func TestAnyHistoryIsAcceptedByTheStrictestServer(t *testing.T) {
	for seed := range uint64(5000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		p, path := g.projection(), g.path()
		if err := judge(p, path); err != nil {
			t.Fatalf("seed %d, %+v: %v\n%s\nof %s", seed, p, err, short(Project(p, path)), describe(path))
		}
	}
}

func FuzzProject(f *testing.F) {
	f.Add(uint64(1), "text", `{"a`, "id", "[1]")
	f.Add(uint64(2), "\xff\xed\xa0\x80", `{"a":"\udc00"}`, "", `{"x":"\ud83d"}`)
	f.Fuzz(func(t *testing.T, seed uint64, words, args, id, extra string) {
		g := generator{rand.New(rand.NewPCG(seed, 2))}
		p, path := g.projection(), g.path()
		for i := range path {
			for j := range path[i].Parts {
				part := &path[i].Parts[j]
				if g.r.IntN(2) == 0 {
					part.Extra, part.Name = raw(extra), id
				}
				switch g.r.IntN(4) {
				case 0:
					part.Text = words
				case 1:
					part.Text = args
				case 2:
					part.CallID = id
				}
			}
		}
		if err := judge(p, path); err != nil {
			t.Fatalf("%v\n%s\nof %s", err, short(Project(p, path)), describe(path))
		}
	})
}

// judge says what is wrong with the projection of a path.
func judge(p Projection, path []Message) error {
	out := Project(p, path)
	if err := strict(out, p); err != nil {
		return err
	}
	if !reflect.DeepEqual(out, Project(p, path)) {
		return fmt.Errorf("twice gives two results")
	}
	return stable(p, path, out)
}

// stable checks every shorter path that a request was made for: the longer one
// must begin with it. Where no answer came, the user's next text joins the last.
func stable(p Projection, path []Message, out []api.Message) error {
	for k, m := range path {
		before := Project(p, path[:k])
		n := len(before)
		if m.Deleted || m.Role != api.RoleAssistant || n == 0 {
			continue
		}
		answered := len(Project(Projection{}, path[k:k+1])) > 0
		if !answered && before[n-1].Role == api.RoleUser && n <= len(out) {
			a, b := short(before[n-1:]), short(out[n-1:n])
			if !strings.HasPrefix(b, strings.TrimRight(a, "\"\n")) {
				return fmt.Errorf("%s became %s", a, b)
			}
			before = before[:n-1]
			n--
		}
		if n > len(out) || n > 0 && !reflect.DeepEqual(before, out[:n]) {
			return fmt.Errorf("the request with %d messages is no prefix:\n%s", k, short(before))
		}
	}
	return nil
}

var legalName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// strict is what the pickiest servers refuse.
func strict(msgs []api.Message, p Projection) error {
	open, used := map[string]bool{}, map[string]bool{}
	thinking := false
	for i, m := range msgs {
		if m.Role != api.RoleTool && len(open) > 0 {
			return fmt.Errorf("message %d: calls without an answer", i)
		}
		if err := strictText(m, p); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		switch m.Role {
		case api.RoleUser:
			clear(used)
			if i > 0 && msgs[i-1].Role == api.RoleUser {
				return fmt.Errorf("message %d: two by the user", i)
			}
		case api.RoleTool:
			if !open[m.ToolCallID] || len(m.Content) != 1 {
				return fmt.Errorf("message %d: answers no call", i)
			}
			delete(open, m.ToolCallID)
		case api.RoleAssistant:
			if len(m.ToolCalls) == 0 && (len(m.Content) == 0 || strings.TrimSpace(m.Content[0].Text) == "") {
				return fmt.Errorf("message %d: an empty answer", i)
			}
			thinking = thinking || m.Reasoning != nil
			if thinking && len(m.ToolCalls) > 0 && m.Reasoning == nil {
				return fmt.Errorf("message %d: calls without reasoning in thinking mode", i)
			}
			for _, c := range m.ToolCalls {
				if strings.TrimSpace(c.ID) == "" || used[c.ID] {
					return fmt.Errorf("message %d: call id %q is empty or not new", i, c.ID)
				}
				used[c.ID], open[c.ID] = true, true
				var object map[string]any
				if json.Unmarshal([]byte(c.Arguments), &object) != nil || object == nil || !legalName.MatchString(c.Name) {
					return fmt.Errorf("message %d: call of %q with %q", i, c.Name, c.Arguments)
				}
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without an answer at the end")
	}
	return nil
}

// strictText checks the encoding, also of JSON within the JSON.
func strictText(m api.Message, p Projection) error {
	texts := []string{m.ToolCallID, m.ReasoningField, string(m.ReasoningDetails)}
	embedded := []string{string(m.ReasoningDetails)}
	if m.Reasoning != nil {
		texts = append(texts, *m.Reasoning)
	}
	for _, c := range m.ToolCalls {
		texts = append(texts, c.ID, c.Name, c.Arguments)
		embedded = append(embedded, c.Arguments)
	}
	for _, c := range m.Content {
		texts = append(texts, c.Text, c.ImageURL)
		if c.ImageURL != "" && (p.Vision == api.No || m.Role != api.RoleUser) {
			return fmt.Errorf("an image")
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is no UTF-8", s)
		}
	}
	for _, s := range embedded {
		if s == "" {
			continue
		}
		if !json.Valid([]byte(s)) || loneSurrogate(s) {
			return fmt.Errorf("%q is no strict JSON", s)
		}
	}
	return nil
}

// loneSurrogate finds escapes without their other half by taking out what is
// right.
func loneSurrogate(s string) bool {
	b := regexp.MustCompile(`\\[^u]`).ReplaceAll([]byte(s), nil)
	b = regexp.MustCompile(`(?i)\\ud[89ab]..\\ud[c-f]..`).ReplaceAll(b, nil)
	return regexp.MustCompile(`(?i)\\ud[89a-f]`).Match(bytes.TrimSpace(b))
}
