package openai_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"testing"

	openai "github.com/openai/openai-go/v3"

	"waferchat/api/emulator"
)

// red is a red picture of the given size.
func red(width, height int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Bounds(), image.NewUniform(color.RGBA{220, 30, 30, 255}), image.Point{}, draw.Src)
	return m
}

func dataURI(mime string, b []byte) string {
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(b)
}

func pngURI(t *testing.T, m image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return dataURI("image/png", b.Bytes())
}

func jpegURI(t *testing.T, m image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return dataURI("image/jpeg", b.Bytes())
}

// show is a question about images.
func show(model string, urls ...string) openai.ChatCompletionNewParams {
	parts := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart("What is in this image?")}
	for _, u := range urls {
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: u}))
	}
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(parts)}}
}

func TestImagesArriveAsTheyAre(t *testing.T) {
	inBothProfiles(t, func(t *testing.T, s service) {
		p := show(kimi, pngURI(t, red(70, 50)), jpegURI(t, red(31, 17)))
		p.Seed = openai.Int(1)
		c := s.complete(t, p)
		got := c.Choices[0].Message.Content
		for _, want := range []string{"PNG, 70×50 pixels, mostly red", "JPEG, 31×17 pixels, mostly red"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %q", want, got)
			}
		}
		if streamed := s.listenWell(t, p).Choices[0].Message.Content; streamed != got {
			t.Errorf("streamed %q, whole %q", streamed, got)
		}
		if alone := s.complete(t, ask(kimi, "What is in this image?")); c.Usage.PromptTokens <= alone.Usage.PromptTokens {
			t.Errorf("with images the prompt has %d tokens, without them %d", c.Usage.PromptTokens, alone.Usage.PromptTokens)
		}
	})
}

func TestEveryModelWithVisionSees(t *testing.T) {
	s := start(t, emulator.Options{})
	uri := pngURI(t, red(70, 50))
	for _, c := range s.cards(t) {
		got := s.complete(t, show(c.ID, uri)).Choices[0].Message.Content
		if strings.Contains(got, "70×50") != c.Wafer.Capabilities.Vision {
			t.Errorf("%s has vision: %v, but answers %q", c.ID, c.Wafer.Capabilities.Vision, got)
		}
	}
}

// The document: they are removed from the request without an error, so they
// cost nothing either.
func TestImagesToAModelWithoutVisionVanish(t *testing.T) {
	s := start(t, emulator.Options{})
	with := s.complete(t, show(glm, pngURI(t, red(70, 50)), "data:image/png;base64,bm8gaW1hZ2U="))
	without := s.complete(t, show(glm))
	if with.Usage.PromptTokens != without.Usage.PromptTokens {
		t.Errorf("%d tokens with images, %d without", with.Usage.PromptTokens, without.Usage.PromptTokens)
	}
}

func TestImagesThatCannotBeSeenAreRefused(t *testing.T) {
	s := start(t, emulator.Options{})
	good := pngURI(t, red(70, 50))
	for url, code := range map[string]string{
		"https://192.168.1.7/cat.png":           "unsupported_value",
		"https://10.0.0.1/cat.png":              "unsupported_value",
		"https://localhost/cat.png":             "unsupported_value",
		"https://[::1]/cat.png":                 "unsupported_value",
		"https://169.254.169.254/latest/":       "unsupported_value",
		"file:///etc/passwd":                    "unsupported_value",
		"/etc/passwd":                           "unsupported_value",
		"data:image/png;base64,bm8gaW1hZ2U=":    "model_request_rejected",
		"data:image/png;base64,???":             "model_request_rejected",
		good[:len(good)/2/4*4]:                  "model_request_rejected",
		dataURI("image/png", []byte("\x89PNG")): "model_request_rejected",
	} {
		e := s.refused(t, show(kimi, good, url))
		if e.StatusCode != http.StatusBadRequest || e.Code != code || !strings.HasPrefix(e.Param, "messages[0].content[2]") {
			t.Errorf("%.40s: status %d, %s; wanted %s", url, e.StatusCode, e.RawJSON(), code)
		}
	}
}

func TestPickyServersCompareAnImageWithItsLabel(t *testing.T) {
	s := start(t, emulator.Options{Profile: emulator.Strict})
	mislabelled := strings.Replace(jpegURI(t, red(31, 17)), "image/jpeg", "image/png", 1)
	if e := s.refused(t, show(kimi, mislabelled)); e.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", e.StatusCode)
	}
}
