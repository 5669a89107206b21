package emulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// errorWord is the word after "error" at the beginning of a text.
func errorWord(text string) string {
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 2 || words[0] != "error" {
		return ""
	}
	return words[1]
}

// passing are the errors that go away when the same is asked again, so that
// retries can be watched.
func passing() []int { return []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} }

// wantedFault is the error that the last message asks for with "error 429" and
// the like, or nil.
func (q *request) wantedFault(attempt int) *fault {
	last := q.messages[len(q.messages)-1]
	status, err := strconv.Atoi(errorWord(last.text))
	if err != nil || last.Role != "user" || slices.Contains(passing(), status) && attempt >= 2 {
		return nil
	}
	f := &fault{Status: status, Message: "Scripted demo: this error was asked for."}
	switch status {
	case http.StatusBadRequest:
		f.Code, f.Param = "model_request_rejected", "messages"
	case http.StatusUnauthorized:
		f.Code = "invalid_api_key"
	case http.StatusPaymentRequired:
		f.Code, f.Type = "insufficient_quota", "insufficient_quota"
	case http.StatusForbidden:
		f.Code = "permission_denied"
	case http.StatusNotFound:
		f.Code, f.Param = "model_not_found", "model"
	case http.StatusRequestEntityTooLarge:
		f.Code = "request_too_large"
	case http.StatusUnprocessableEntity:
		f.Code, f.Param = "schema_validation_failed", "messages[0].content"
	case http.StatusTooManyRequests:
		f.Code, f.RetryAfter = "rate_limit_exceeded", "1"
	case http.StatusInternalServerError:
		f.Code = "internal_error"
	case http.StatusBadGateway:
		f.PlainType = "text/html"
		f.PlainBody = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1><p>Scripted demo: this page was asked for.</p></body></html>\n"
	case http.StatusServiceUnavailable:
		f.Code = "overloaded"
	case http.StatusGatewayTimeout:
		f.PlainType, f.PlainBody = "text/plain", "Gateway Timeout\n"
	default:
		return nil
	}
	return f
}

// failure is the way for the stream to break that the text asks for.
func (k ask) failure() failure {
	return map[string]failure{
		"reset": failReset, "cut": failEnd, "stall": failHang, "stream": failError, "frame": failFrame,
	}[errorWord(k.text)]
}
