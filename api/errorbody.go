package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxErrorBody bounds how much of an error's body is read. Some servers put the
// whole request into it.
const maxErrorBody = 1 << 20

// errorBody is every shape that servers of this family give an error: the
// API's own envelope, a string under error, FastAPI's detail, vLLM's flat
// object, and arrays of any of them.
type errorBody struct {
	Error     json.RawMessage   `json:"error"`
	Errors    []json.RawMessage `json:"errors"`
	Detail    json.RawMessage   `json:"detail"`
	Object    text              `json:"object"`
	Type      text              `json:"type"`
	Code      text              `json:"code"`
	Message   text              `json:"message"`
	Msg       text              `json:"msg"`
	Param     text              `json:"param"`
	Loc       []text            `json:"loc"`
	RequestID text              `json:"request_id"`
	DocsURL   text              `json:"docs_url"`
	Metadata  struct {
		Raw text `json:"raw"`
	} `json:"metadata"`
}

// decodeError makes an Error of a response that was not a success.
func decodeError(status int, header http.Header, body []byte, key Key, now time.Time) *Error {
	e := &Error{Status: status, RequestID: header.Get("X-Request-Id")}
	e.RetryAfter, e.asked = parseRetryAfter(header, now)
	if status == http.StatusTooManyRequests && !e.asked {
		e.RetryAfter, e.asked = limitReset(header)
	}
	e.fillBody(unframed(body))
	if status >= 300 && status < 400 {
		e.HTML = false
		e.Message = redirectMessage(header.Get("Location"))
	}
	if e.Message == "" && !e.HTML {
		e.Message = http.StatusText(status)
	}
	return e.scrubbed(key)
}

// unframed is a body without the frame of server-sent events that some servers
// put around errors of every status. Of several events the first that is called
// an error counts, else the first.
func unframed(body []byte) []byte {
	f := newFramer(bytes.NewReader(body))
	var first, failed string
	for e, err := range f.events() {
		data := strings.TrimSpace(e.Data)
		if err != nil || data == "[DONE]" {
			continue
		}
		if first = cmp.Or(first, data); e.Type == "error" {
			failed = cmp.Or(failed, data)
		}
	}
	if data := cmp.Or(failed, first); data != "" && len(f.stray) == 0 {
		return []byte(data)
	}
	return body
}

// streamError makes an Error of an error that came inside an answer.
func streamError(raw []byte, requestID string, key Key) *Error {
	e := &Error{Status: http.StatusOK, RequestID: requestID}
	e.fillBody(raw)
	return e.scrubbed(key)
}

// fillBody reads whatever a body says.
func (e *Error) fillBody(body []byte) {
	body = unwrapBody(body)
	switch {
	case len(body) == 0:
	case isHTML(body):
		e.HTML = true
		e.Message = htmlTitle(body)
	case body[0] == '{' || body[0] == '[' || body[0] == '"':
		if whole := mended(body); whole != nil {
			e.fill(whole, 0)
		}
		if e.Message == "" && e.Code == "" && e.Type == "" {
			e.Message, e.Raw = string(body), true
		}
	default:
		e.Message, e.Raw = string(body), true
	}
}

// unwrapBody takes away what is around a body: blanks and a byte order mark.
func unwrapBody(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(body, []byte(byteOrderMark)))
}

// fill takes the fields of a JSON value, innermost first.
func (e *Error) fill(raw json.RawMessage, depth int) {
	raw = bytes.TrimSpace(raw)
	if depth > 4 || len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '"':
		setEmpty(&e.Message, unquote(raw))
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			e.fill(list[0], depth+1)
		}
	case '{':
		var b errorBody
		_ = json.Unmarshal(raw, &b)
		e.fill(b.Error, depth+1)
		e.fill(b.Detail, depth+1)
		if len(b.Errors) > 0 {
			e.fill(b.Errors[0], depth+1)
		}
		e.fillFields(b)
	}
}

func (e *Error) fillFields(b errorBody) {
	message, param := string(b.Message), string(b.Param)
	if message == "" {
		message = string(b.Msg)
	}
	if b.Metadata.Raw != "" {
		message += ": " + string(b.Metadata.Raw)
	}
	if len(b.Loc) > 0 {
		var where []string
		for i, name := range b.Loc {
			if i > 0 || name != "body" {
				where = append(where, string(name))
			}
		}
		param = strings.Join(where, ".")
		message = fmt.Sprintf("%s: %s", param, message)
	}
	setEmpty(&e.Message, message)
	setEmpty(&e.Param, param)
	setEmpty(&e.Type, string(b.Type))
	setEmpty(&e.Code, string(b.Code))
	setEmpty(&e.RequestID, string(b.RequestID))
	setEmpty(&e.DocsURL, string(b.DocsURL))
}

func setEmpty(s *string, v string) {
	if *s == "" {
		*s = v
	}
}

// scrubbed makes every text of e safe to show.
func (e *Error) scrubbed(key Key) *Error {
	e.Message = scrub(e.Message, key, maxErrorText)
	for _, s := range []*string{&e.Type, &e.Code, &e.Param, &e.RequestID, &e.DocsURL} {
		*s = scrub(*s, key, 200)
	}
	return e
}

// isHTML tells a web page from everything this API sends.
func isHTML(body []byte) bool {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || body[0] != '<' {
		return false
	}
	head := strings.ToLower(string(body[:min(len(body), 512)]))
	for _, start := range []string{"<!doctype", "<html", "<head", "<body", "<title", "<?xml", "<!--", "<center", "<h1"} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	return strings.Contains(head, "<html")
}

// htmlTitle is all that is taken from a web page: the rest can hold the user's
// address.
func htmlTitle(body []byte) string {
	low := bytes.ToLower(body)
	i := bytes.Index(low, []byte("<title"))
	if i < 0 || len(low) != len(body) {
		return ""
	}
	open := bytes.IndexByte(low[i:], '>')
	if open < 0 {
		return ""
	}
	start := i + open + 1
	end := bytes.IndexByte(low[start:], '<')
	if end < 0 {
		return ""
	}
	return oneLine(string(body[start:start+end]), 120)
}

// redirectMessage names where a redirect that is not followed leads.
func redirectMessage(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Host == "" {
		return "the server redirects the request, check the base URL"
	}
	return fmt.Sprintf("the server redirects to %s: nothing was sent there, check the base URL", printable(u))
}
