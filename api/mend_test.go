package api

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAnErrorThatWasCutOffIsReadAsFarAsItGoes(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"Why.","code":"x"}}`:           `error 400 x "Why."`,
		`{"error":{"message":"Why.","code":"x","input":"aa`: `error 400 x "Why."`,
		`{"error":{"message":"Why.","code":"x","in`:         `error 400 x "Why."`,
		`{"error":{"message":"Why.","code":50`:              `error 400 "Why."`, // half a number is none
		`{"error":{"message":"Why.","code":`:                `error 400 "Why."`,
		`{"error":{"message":"Why.",`:                       `error 400 "Why."`,
		`{"error":{"message":"Why so`:                       `error 400 "Why so"`,
		`{"error":{"message":"Why \`:                        `error 400 "Why"`,
		`{"error":{"message":"Why \u00`:                     `error 400 "Why"`,
		`{"error":{"message":"Why \"so\" [{`:                `error 400 "Why \"so\" [{"`,
		`{"detail":[{"loc":["body","n"],"msg":"too`:         `error 400 n "n: too"`,
		`[{"error":{"message":"Why."`:                       `error 400 "Why."`,
		`{"code":"x","error":"Why`:                          `error 400 x "Why"`,
		`{"error":{"mess`:                                   `error 400 "{\"error\":{\"mess"`,
		`{`:                                                 `error 400 "{"`,
		`[ERROR] no route`:                                  `error 400 "[ERROR] no route"`,
		`{no JSON "at all`:                                  `error 400 "{no JSON \"at all"`,
		`"Why`:                                              `error 400 "Why"`,
	} {
		client, _ := newTestClient(t, noRetries, refused(400, body))
		if got := strings.Replace(tell(read(client.Stream(t.Context(), hello()))), " without the request's id", "", 1); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func TestALargeErrorIsReadToItsEnd(t *testing.T) {
	large := strings.Repeat("x", 100_000)
	said := `{"error":{"message":"Why.","code":"x"`
	for name, r := range map[string]reply{
		"with the request in it":       refused(400, `{"error":{"input":"`+large+`","message":"Why.","code":"x"}}`),
		"cut off behind what it says":  refused(400, said+`,"input":"`+large),
		"torn off behind what it says": tornRefusal(said + `,"input":"` + large),
		"larger than anybody reads":    refused(400, said+`,"input":"`+strings.Repeat(large, 30)+`"}}`),
	} {
		client, _ := newTestClient(t, noRetries, r)
		if e := asError[*Error](t, read(client.Stream(t.Context(), hello())).err); e.Code != "x" || e.Message != "Why." || e.Raw {
			t.Errorf("%s: %.300s, raw %t", name, e, e.Raw)
		}
	}
	deep := strings.Repeat(`{"a":[`, 200_000)
	client, _ := newTestClient(t, noRetries, refused(400, deep))
	if e := asError[*Error](t, read(client.Stream(t.Context(), hello())).err); !e.Raw || !strings.HasPrefix(e.Message, `{"a":[`) {
		t.Errorf("%.300s", e)
	}
}

// tornRefusal replies with a refusal whose connection is lost.
func tornRefusal(body string) reply {
	return func(*http.Request) (*http.Response, error) {
		return response(400, []string{"Content-Type: application/json"}, &pieceReader{pieces: []string{body}, err: io.ErrUnexpectedEOF}), nil
	}
}

// FuzzMended: of any JSON, every beginning is mended to JSON, and the whole is
// left as it is.
func FuzzMended(f *testing.F) {
	f.Add(`{"error":{"message":"a\"b\\cé","code":[1,2.5e3,true,null,{}]}}`, 20)
	f.Add(`[[],{"":""},"]}"]`, 7)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if !json.Valid([]byte(text)) {
			if got := mended([]byte(text)); got != nil && !json.Valid(got) {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		if got := mended([]byte(text)); string(got) != text {
			t.Fatalf("%q became %q", text, got)
		}
		trimmed := strings.TrimLeft(text, " \t\r\n")
		cut := trimmed[:min(max(n, 1), len(trimmed))]
		if got := mended([]byte(cut)); strings.ContainsRune("{[\"", rune(trimmed[0])) && !json.Valid(got) {
			t.Fatalf("%q became %q", cut, got)
		}
	})
}
