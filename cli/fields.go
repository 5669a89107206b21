package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"waferchat/api"
	"waferchat/nearest"
	"waferchat/session"
)

// field is a request field that the command line asks for.
type field struct {
	name  string          // of the wire
	value json.RawMessage // null takes a field away that the document has
	given string          // how it was given, such as "-o seed" or "--schema"
	gone  bool            // it is taken away, whatever its name
}

func (f field) unsets() bool {
	return f.gone || string(f.value) == "null" && (named(f.name) || f.name == toolsField)
}

// toolsField is a field of the document that api.Params has no name for.
const toolsField = "tools"

// named tells whether the API's document has this field.
func named(name string) bool { return slices.Contains(api.ParamNames(), name) }

// elsewhere are request fields that have a place of their own.
func elsewhere() map[string]string {
	return map[string]string{
		"model": "use -m", "messages": "give a prompt", "stream": "--output says how the answer comes",
		"zdr": "use --zdr", "wafer-zdr": "use --zdr",
	}
}

// readFields collects the request fields of -o and of the flags that say what an
// answer looks like. Mistakes in them are told before anything runs.
func (p *program) readFields() error {
	p.asked = nil
	for _, option := range p.flags.options {
		f, err := readOption(option)
		if err != nil {
			return err
		}
		p.tellField(f)
		p.asked = append(p.asked, f)
	}
	shape, err := p.flags.shape()
	if err != nil {
		return err
	}
	for _, f := range shape {
		for _, other := range p.asked {
			if apart := other.unsets() && other.name != f.name; !apart && slices.Contains(api.ParamRivals(f.name), other.name) {
				return usage("%s and %s do not go together: only one can say what the answer looks like", f.given, other.given)
			}
		}
		p.asked = append(p.asked, f)
	}
	return p.agree()
}

// tellField tells what there is to know about a field of -o.
func (p *program) tellField(f field) {
	near, mistyped := nearest.Name(f.name, api.ParamNames())
	switch {
	case f.unsets() || named(f.name):
	case f.name == toolsField:
		p.note("the model may call these tools; its calls are shown and not run")
	case mistyped:
		p.note("sending the unknown field %s as it is; did you mean %s?", f.name, near)
	}
}

// agree makes sure that the flags and -o do not contradict each other.
func (p *program) agree() error {
	for _, f := range p.asked {
		var effort string
		if f.name != "reasoning_effort" || !p.flags.effortSet {
			continue
		}
		if _ = json.Unmarshal(f.value, &effort); effort != strings.TrimSpace(p.flags.effort) {
			return usage("--effort %s and %s do not agree", shellQuote(p.flags.effort), f.given)
		}
	}
	return nil
}

// ask puts the request fields of the command line into a session. What is asked
// for now takes the place of what the session or the configuration says in other
// words.
func (p *program) ask(v *session.Session) error {
	said := p.said()
	if len(said) == 0 && len(p.asked) == 0 {
		return nil
	}
	v.Params.ReasoningEffort = cmp.Or(v.Effort, v.Params.ReasoningEffort)
	fields := map[string]json.RawMessage{}
	text, err := plainJSON(v.Params)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		return fmt.Errorf("read request fields: %w", err)
	}
	for name := range said {
		for _, other := range api.ParamRivals(name) {
			if !said[other] {
				delete(fields, other)
			}
		}
	}
	for _, f := range p.asked {
		if fields[f.name] = f.value; f.unsets() {
			delete(fields, f.name)
		}
	}
	var params api.Params
	if text, err = plainJSON(fields); err == nil {
		err = json.Unmarshal(text, &params)
	}
	if err != nil {
		return fmt.Errorf("set request fields: %w", err)
	}
	v.Effort, params.ReasoningEffort = params.ReasoningEffort, ""
	v.Params = params
	return nil
}

// said are the fields that were asked for now: with -o, with a flag, or by a
// profile that was named, which -o overrules.
func (p *program) said() map[string]bool {
	said := map[string]bool{}
	for _, f := range p.asked {
		if !f.unsets() {
			said[f.name] = true
		}
	}
	for _, o := range []struct {
		option, name string
		flag         bool
	}{{"effort", "reasoning_effort", p.flags.effortSet}, {"max_tokens", "max_tokens", p.flags.maxTokensSet}} {
		overruled := !o.flag && slices.ContainsFunc(api.ParamRivals(o.name), func(other string) bool { return said[other] })
		if p.config.Explicit(o.option) && !overruled {
			said[o.name] = true
		}
	}
	return said
}

// plainJSON is JSON without the escapes that only web pages need.
func plainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
