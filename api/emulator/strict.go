package emulator

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The rules of the strict profile, after the pickiest real servers:
//
//	S1  every call is answered by a tool message before the next other message
//	S2  every tool message answers an earlier call; ids are neither empty nor doubled within a turn,
//	    which goes from one message of the user to the next
//	S3  the arguments of earlier calls are strings that hold a JSON object
//	S4  an assistant message has content that is not blank, or tool calls
//	S5  no content is null
//	S6  with "think" in the model's name, a message with tool calls has a reasoning_content string
//	S7  an image's media type is that of its bytes; its base64 is neither empty nor broken into lines
//	S8  with "txt" in the model's name, no message has an image
//	S9  the body has at most 5 MiB (checked where the body is read)
//	S10 the body is valid UTF-8 and JSON without lone surrogate escapes
//	S11 tool names match ^[a-zA-Z0-9_-]{1,64}$

type strictRequest struct {
	Model    string          `json:"model"`
	Messages []strictMessage `json:"messages"`
	Tools    []tool          `json:"tools"`
}

type strictMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	ToolCallID       string          `json:"tool_call_id"`
	ToolCalls        []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// checkStrict returns the first rule that the body breaks, as an error, or nil.
func checkStrict(body []byte) *fault {
	if err := checkStrictBody(body); err != nil {
		return &fault{Status: http.StatusBadRequest, Message: err.Error()}
	}
	return nil
}

func checkStrictBody(body []byte) error {
	if err := checkEncoding(body); err != nil {
		return err
	}
	var q strictRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return fmt.Errorf("S10: the body has fields of the wrong type: %w", err)
	}
	for _, t := range q.Tools {
		if err := checkToolName(t.Function.Name); err != nil {
			return err
		}
	}
	for i, m := range q.Messages {
		if err := m.check(strings.ToLower(q.Model)); err != nil {
			return fmt.Errorf("%w (messages[%d])", err, i)
		}
	}
	return checkCallsAnswered(q.Messages)
}

// checkEncoding is rule S10.
func checkEncoding(body []byte) error {
	if !utf8.Valid(body) {
		return fmt.Errorf("S10: the body is not valid UTF-8")
	}
	if !json.Valid(body) {
		return fmt.Errorf("S10: the body is not valid JSON")
	}
	high := false // the escape just before was the first half of a pair
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			if high {
				return fmt.Errorf("S10: lone surrogate escape before byte %d", i)
			}
			continue
		}
		i++
		var unit uint64
		if body[i] == 'u' {
			unit, _ = strconv.ParseUint(string(body[i+1:i+5]), 16, 32)
			i += 4
		}
		isLow := unit >= 0xDC00 && unit < 0xE000
		if isLow != high {
			return fmt.Errorf("S10: lone surrogate escape at byte %d", i)
		}
		high = unit >= 0xD800 && unit < 0xDC00
	}
	return nil
}

func checkToolName(name string) error {
	if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(name) {
		return fmt.Errorf("S11: tool name %q does not match ^[a-zA-Z0-9_-]{1,64}$", name)
	}
	return nil
}

// check applies the rules that concern one message. model is in lower case.
func (m strictMessage) check(model string) error {
	content := bytes.TrimSpace(m.Content)
	if string(content) == "null" || len(content) == 0 && m.Role != "assistant" {
		return fmt.Errorf("S5: content is null or missing")
	}
	if m.Role == "assistant" && len(m.ToolCalls) == 0 && blank(content) {
		return fmt.Errorf("S4: assistant message with neither content nor tool_calls")
	}
	for _, c := range m.ToolCalls {
		if err := checkToolName(c.Function.Name); err != nil {
			return err
		}
		var text string
		var object map[string]any
		if json.Unmarshal(c.Function.Arguments, &text) != nil || json.Unmarshal([]byte(text), &object) != nil || object == nil {
			return fmt.Errorf("S3: arguments of call %q are not a string with a JSON object", c.ID)
		}
	}
	if strings.Contains(model, "think") && len(m.ToolCalls) > 0 && !bytes.HasPrefix(m.ReasoningContent, []byte(`"`)) {
		return fmt.Errorf("S6: the reasoning_content of a message with tool_calls must be passed back")
	}
	return m.checkImages(model)
}

// blank tells whether content is white space alone, as a string or as parts.
func blank(content []byte) bool {
	var text string
	if len(content) == 0 || json.Unmarshal(content, &text) == nil {
		return strings.TrimSpace(text) == ""
	}
	var parts []part
	_ = json.Unmarshal(content, &parts)
	return !slices.ContainsFunc(parts, func(p part) bool {
		return p.ImageURL != nil || p.Text != nil && strings.TrimSpace(*p.Text) != ""
	})
}

// checkImages is rules S7 and S8.
func (m strictMessage) checkImages(model string) error {
	var parts []part
	if json.Unmarshal(m.Content, &parts) != nil {
		return nil // a string
	}
	for _, p := range parts {
		if p.Type != "image_url" || p.ImageURL == nil {
			continue
		}
		if strings.Contains(model, "txt") {
			return fmt.Errorf("S8: this model takes no image_url parts")
		}
		data, isData := strings.CutPrefix(p.ImageURL.URL, "data:")
		if !isData {
			continue
		}
		mime, payload, ok := strings.Cut(data, ";base64,")
		if !ok || payload == "" || strings.ContainsAny(payload, "\r\n") {
			return fmt.Errorf("S7: the image's base64 is missing, empty or broken into lines")
		}
		b, err := base64.StdEncoding.DecodeString(payload)
		if err != nil {
			return fmt.Errorf("S7: the image's base64 is invalid: %w", err)
		}
		if is := http.DetectContentType(b); is != mime {
			return fmt.Errorf("S7: the image is labelled %s but its bytes are %s", mime, is)
		}
	}
	return nil
}

// checkCallsAnswered is rules S1 and S2.
func checkCallsAnswered(messages []strictMessage) error {
	var open, used []string
	for i, m := range messages {
		if m.Role == "user" {
			used = nil
		}
		if m.Role == "tool" {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return fmt.Errorf("S2: messages[%d] answers %q, which no call before it has as its id", i, m.ToolCallID)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("S1: call %q is not answered before messages[%d]", open[0], i)
		}
		for _, c := range m.ToolCalls {
			if c.ID == "" || slices.Contains(used, c.ID) {
				return fmt.Errorf("S2: messages[%d] has an empty or doubled call id %q", i, c.ID)
			}
			open, used = append(open, c.ID), append(used, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("S1: call %q is not answered at the end of the messages", open[0])
	}
	return nil
}
