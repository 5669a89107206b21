package chat

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"waferchat/api"
)

func userSays(text string) api.Message {
	return api.Message{Role: api.RoleUser, Content: []api.Part{{Text: text}}}
}

func TestTheDocumentsOwnRequestsAreEstimatedAsTheyWereCounted(t *testing.T) {
	for _, c := range []struct {
		want     int64
		messages []api.Message
	}{
		{22, []api.Message{{Role: api.RoleSystem, Content: []api.Part{{Text: "Answer in one sentence."}}}, userSays("What is Wafer Serverless?")}},
		{11, []api.Message{userSays("Count from 1 to 5.")}},
	} {
		got := Estimate(api.Request{Model: "GLM-5.3", Messages: c.messages})
		if d := float64(got) / float64(c.want); d < 0.7 || d > 1.4 {
			t.Errorf("%d tokens, not %d", got, c.want)
		}
	}
}

func TestEverythingThatIsSentCountsInAnEstimate(t *testing.T) {
	long := strings.Repeat("some words ", 50)
	schema, err := api.JSONSchema("s", json.RawMessage(`{"description":"`+long+`"}`), true)
	if err != nil {
		t.Fatal(err)
	}
	base := api.Request{Messages: []api.Message{userSays("hi")}}
	least := Estimate(base)
	for name, add := range map[string]func(*api.Request){
		"a message":         func(r *api.Request) { r.Messages = append(r.Messages, userSays(long)) },
		"a second part":     func(r *api.Request) { r.Messages[0].Content = append(r.Messages[0].Content, api.Part{Text: long}) },
		"reasoning":         func(r *api.Request) { r.Messages[0].Reasoning = &long },
		"a call":            func(r *api.Request) { r.Messages[0].ToolCalls = []api.ToolCall{{Name: "f", Arguments: long}} },
		"a tool":            func(r *api.Request) { r.Tools = []api.Tool{{Name: "f", Description: long}} },
		"a tool's schema":   func(r *api.Request) { r.Tools = []api.Tool{{Name: "f", Parameters: json.RawMessage(long)}} },
		"a response format": func(r *api.Request) { r.ResponseFormat = schema },
		"a picture": func(r *api.Request) {
			r.Messages[0].Content = append(r.Messages[0].Content, api.Part{ImageURL: "https://x/y"})
		},
	} {
		req := api.Request{Messages: []api.Message{userSays("hi")}}
		add(&req)
		if got := Estimate(req); got < least+90 {
			t.Errorf("%s: %d tokens, %d without", name, got, least)
		}
	}
}

// picture is a data URI with an image of a size.
func picture(t testing.TB, kind string, w, h int) string {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black})
	var b bytes.Buffer
	encode := map[string]func(io.Writer, image.Image) error{
		"png":  png.Encode,
		"jpeg": func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) },
		"gif":  func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) },
	}[kind]
	if err := encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestAPictureCountsByItsPixels(t *testing.T) {
	for _, kind := range []string{"png", "jpeg", "gif"} {
		if got := imageTokens(picture(t, kind, 560, 280)); got != 200 {
			t.Errorf("%s: %d tokens", kind, got)
		}
	}
	whole := picture(t, "png", 560, 280)
	for name, c := range map[string]struct {
		address string
		want    int64
	}{
		"tiny":             {picture(t, "png", 1, 1), leastImage},
		"huge":             {picture(t, "gif", 9000, 4000), mostImage},
		"cut off":          {whole[:100], 200},
		"a URL":            {"https://example.com/x.png", unknownImage},
		"no base64":        {"data:image/png,abc", unknownImage},
		"another kind":     {strings.Replace(whole, "png", "webp", 1), unknownImage},
		"with a parameter": {strings.Replace(whole, "png", "PNG;q=1", 1), 200},
		"not an image":     {"data:image/png;base64,AAAA", unknownImage},
		"broken base64":    {"data:image/png;base64,????", unknownImage},
		"empty":            {"", unknownImage},
	} {
		if got := imageTokens(c.address); got != c.want {
			t.Errorf("%s: %d tokens, not %d", name, got, c.want)
		}
	}
}
