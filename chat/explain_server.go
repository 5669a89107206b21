package chat

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"waferchat/api"
)

// explainServer explains what the server reported.
func explainServer(err error) words {
	var e *api.Error
	if !errors.As(err, &e) {
		return words{}
	}
	w := serverWords(e)
	if w.none() {
		w = unanswered(e, errors.Is(err, api.ErrNoCatalogue))
	}
	w.title = strings.TrimSuffix(w.title, ".") + mark(e) + "."
	if text := clean(e.Message); text != "" && !e.HTML && !redirects(e) {
		w.advice = join(w.advice, "The server says: “"+text+"”")
	}
	if coding := clean(e.Encoding); coding != "" && e.Status != http.StatusOK {
		w.advice = join(w.advice, "What it says about that is compressed with "+coding+", which cannot be read.")
	}
	if e.RequestID != "" {
		w.advice = join(w.advice, "Request "+clean(e.RequestID)+".")
	}
	return w
}

// mark is the status and code of an error, to stand at the end of a title.
func mark(e *api.Error) string {
	var parts []string
	if e.Status != 0 && e.Status != http.StatusOK {
		parts = append(parts, strconv.Itoa(e.Status))
	}
	if code := clean(e.Code); code != "" && code != strconv.Itoa(e.Status) {
		parts = append(parts, code)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, " ") + ")"
}

// status is the HTTP status of an error; inside a stream, where the headers
// said 200, servers put it into the code.
func status(e *api.Error) int {
	if n, err := strconv.Atoi(e.Code); err == nil && n >= 400 && n < 600 {
		return n
	}
	return e.Status
}

func redirects(e *api.Error) bool { return e.Status >= 300 && e.Status < 400 }

// serverWords explains a refusal; there are no words for an error of status 200
// that has no code.
func serverWords(e *api.Error) words {
	if e.HTML {
		return pageWords(e)
	}
	if w := codeWords(e); !w.none() {
		return w
	}
	switch s := status(e); {
	case s == http.StatusUnauthorized:
		return words{"The server did not accept the API key.", "Check the key, or set another one: /key, or `waferchat key set`."}
	case s == http.StatusPaymentRequired:
		return noCredit()
	case s == http.StatusForbidden:
		return words{"The API key may not do this.", "Check that it is a key for this service and that it has access to the model."}
	case s == http.StatusNotFound:
		return notFound(e)
	case s == http.StatusMethodNotAllowed:
		return words{"This address does not take chat completions.", "Check the base URL; it usually ends in /v1."}
	case s == http.StatusRequestTimeout:
		return words{"The server gave up waiting for the request.", "Check the network, then try again."}
	case s == http.StatusConflict:
		return words{"The server was busy with a conflicting request.", "Try again in a moment."}
	case s == http.StatusRequestEntityTooLarge:
		return words{"The request is too large for the server.", "Remove pictures or long pastes from the chat, or go on in a new one."}
	case s == http.StatusTooManyRequests:
		return limited(e)
	case s >= 500:
		return unavailable(s, e)
	case s >= 400:
		return refused(e)
	case redirects(e):
		return words{"The server sends the request elsewhere.", capital(sentence(cleanOr(e.Message, "check the base URL")))}
	}
	return words{}
}

// unanswered explains what came under the status of an answer and is none, or
// ended one.
func unanswered(e *api.Error, catalogue bool) words {
	coding := clean(e.Encoding)
	switch {
	case coding != "":
		return words{"The server's answer is compressed with " + coding + ", which waferchat cannot read.", "Nobody asked for that: a gateway or a proxy in between may do it; check the base URL."}
	case catalogue:
		return words{"The server sent no list of models.", "Check the base URL; it usually ends in /v1."}
	case e.Visible:
		return words{"The server reported an error in the middle of the answer.", "What arrived is kept: answer again, or ask to go on."}
	case e.Raw:
		return words{"What the server sent is no answer of a chat API.", "Check the base URL; it usually ends in /v1."}
	}
	return words{"The server reported an error instead of an answer.", "Try again; if it happens again, choose another model."}
}

// codeWords explains the codes that say more than their status does.
func codeWords(e *api.Error) words {
	switch code := strings.ToLower(e.Code); {
	case code == "missing_api_key":
		return words{"The server wants an API key.", "Set WAFER_API_KEY, or save a key with `waferchat key set`."}
	case code == "model_zdr_not_supported":
		return words{"This model does not support Zero Data Retention, so the request was not run.", "Choose a model with ZDR, or ask without --zdr."}
	case code == "insufficient_quota" || code == "insufficient_balance" || code == "billing_hard_limit_reached":
		return noCredit()
	case tooLong(e, code) && limitTooLarge(e):
		return words{"max_tokens is too large for this model.", "Lower it, or unset it, then try again."}
	case tooLong(e, code):
		return words{"The chat is too long for this model.", "Start a new chat, or choose a model with a larger context."}
	case code == "rate_limit_exceeded":
		return tooOften(e)
	case code == "overloaded" || e.Type == "overloaded_error":
		return unavailable(http.StatusServiceUnavailable, e)
	case code == "ttfb_gate_shed":
		return words{"The model is at capacity just now.", "Try again in a moment, or choose another model." + wait(e)}
	case code == "model_not_found":
		return noModel()
	case strings.HasPrefix(code, "json_schema_refs_"):
		return words{"The server cannot resolve a reference in the JSON schema.", "Inline the $ref it names; only local references that do not recur are allowed."}
	case code == "tool_schema_invalid":
		return words{"The server does not take the parameters of a tool.", "They must be a JSON Schema of type object; correct the tool, or switch it off."}
	case code == "tool_choice_unknown_tool":
		return words{"The tool that tool_choice names is not offered.", "Switch the tool on, or unset tool_choice."}
	case code == "invalid_json_request":
		return words{"The server could not read the request.", "If a request field was set by hand, unset it; otherwise please report this."}
	case code == "model_request_rejected":
		return words{"The model refused the request.", "If there is a picture by URL in it, attach the picture itself instead."}
	case code == "content_filter" || code == "content_policy_violation":
		return words{"The server's content filter stopped the request.", "Put it in other words, or choose another model."}
	}
	return words{}
}

func noCredit() words {
	return words{"There is no credit left for this API key.", "Add credit with your provider (for Wafer: app.wafer.ai), or use another key."}
}

func noModel() words {
	return words{"The server does not have this model.", "Choose another one (Alt+M, or -m on the command line); `waferchat models` lists them."}
}

// notFound tells a model that is gone from an address that is wrong.
func notFound(e *api.Error) words {
	if lacksModel(e) {
		return noModel()
	}
	return words{"There is no chat API at this address.", "Check the base URL; it usually ends in /v1."}
}

func limited(e *api.Error) words {
	if !e.Retryable() {
		return words{"The quota of this API key is used up.", "Raise it with your provider, or use another key."}
	}
	return tooOften(e)
}

func tooOften(e *api.Error) words {
	return words{"The server limits how often this key may ask.", "Wait a moment, then try again." + wait(e)}
}

func unavailable(s int, e *api.Error) words {
	switch s {
	case http.StatusInternalServerError:
		return words{"The server failed to answer.", "Try again; if it happens again, choose another model." + wait(e)}
	case http.StatusServiceUnavailable, 529:
		return words{"The server is overloaded.", "Try again in a moment, or choose another model." + wait(e)}
	case http.StatusGatewayTimeout, 524:
		return words{"The model did not answer the server in time.", "Try again, or choose another model." + wait(e)}
	}
	return words{"The server is not available just now.", "Try again in a moment." + wait(e)}
}

func refused(e *api.Error) words {
	if param := clean(e.Param); param != "" {
		return words{"The server refused the request because of " + param + ".", "Change or unset it, then try again."}
	}
	return words{"The server refused the request.", "Change what it names, then try again."}
}

// pageWords explains a web page where an answer of the API should be.
func pageWords(e *api.Error) words {
	switch s := status(e); {
	case s >= 500:
		return words{"The server is not available just now; a gateway in front of it answered with a web page.", "Try again in a moment." + wait(e)}
	case s == http.StatusForbidden:
		return words{"A web page answered instead of the API, and it forbids access.", "A proxy, a firewall or a login may stand between; check the network and the base URL."}
	case s == http.StatusTooManyRequests:
		return limited(e)
	}
	return words{"A web page answered instead of the API.", "Check the base URL; it usually ends in /v1. A proxy or a network login may also answer so."}
}
