package emulator

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// fault is an error of the API in the making. Its envelope has the shape of
// the API's errors page: OpenAI's, with request_id and docs_url.
type fault struct {
	Status               int
	Type, Code, Message  string
	Param                string
	RetryAfter           string
	PlainBody, PlainType string // sent instead of the envelope when not empty
}

// kind is the broad bucket; it follows from the status unless it was set.
func (f *fault) kind() string {
	switch {
	case f.Type != "":
		return f.Type
	case f.Status == http.StatusUnauthorized:
		return "authentication_error"
	case f.Status == http.StatusForbidden:
		return "permission_error"
	case f.Status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case f.Status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// envelope returns the error object as a value to encode. Empty strings are
// null.
func (f *fault) envelope(requestID string) map[string]any {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	docs := ""
	if f.Code != "" {
		docs = "https://docs.wafer.ai/errors#" + f.Code
	}
	return map[string]any{"error": map[string]any{
		"type": f.kind(), "code": orNull(f.Code), "message": f.Message, "param": orNull(f.Param),
		"request_id": requestID, "docs_url": orNull(docs),
	}}
}

func (x *exchange) refuse(f *fault) {
	if f.RetryAfter != "" {
		x.w.Header().Set("Retry-After", f.RetryAfter)
	}
	if f.PlainBody == "" {
		x.reply(f.Status, f.envelope(x.id))
		return
	}
	x.w.Header().Set("Content-Type", f.PlainType)
	x.w.WriteHeader(f.Status)
	_, _ = x.w.Write([]byte(f.PlainBody))
}

func invalidKey() *fault {
	return &fault{Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: "The API key is not valid."}
}

func schemaFault(param, message string) *fault {
	return &fault{Status: http.StatusUnprocessableEntity, Code: "schema_validation_failed", Param: param, Message: message}
}

func unsupported(param, message string) *fault {
	return &fault{Status: http.StatusBadRequest, Code: "unsupported_value", Param: param, Message: message}
}

// encode is JSON as servers write it: without the escapes that only HTML needs.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // only values made by this package come here
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
