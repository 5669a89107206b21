package emulator

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// webp is the header of a WebP picture of 40×80 pixels.
const webp = "RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x27\x00\x00\x4f\x00\x00"

// encodings are a blue picture of 40×80 pixels with a white corner, in every
// format that the standard library writes.
func encodings(t *testing.T) (pngs, jpgs, gifs []byte) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 40, 80))
	draw.Draw(m, m.Bounds(), image.NewUniform(color.RGBA{40, 80, 220, 255}), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(0, 0, 20, 40), image.White, image.Point{}, draw.Src)
	var p, j, g bytes.Buffer
	if err := errors.Join(png.Encode(&p, m), jpeg.Encode(&j, m, nil), gif.Encode(&g, m, nil)); err != nil {
		t.Fatal(err)
	}
	return p.Bytes(), j.Bytes(), g.Bytes()
}

// look posts a question with a picture by its URL.
func (r *running) look(t *testing.T, model, url string) answered {
	t.Helper()
	return r.post(t, []byte(`{"model":"`+model+`","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"what is this"},{"type":"image_url","image_url":{"url":`+string(encode(url))+`,"detail":"high"}}]}]}`))
}

func dataURI(mime string, data []byte) string {
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data)
}

func TestImagesAreDecodedForVisionModelsOnly(t *testing.T) {
	run := start(t, Options{})
	pngs, jpgs, gifs := encodings(t)
	for _, tt := range []struct{ url, want string }{
		{dataURI("image/png", pngBytes(t, 3, 2)), "PNG, 3×2 pixels, mostly red"},
		{dataURI("image/png", pngs), "PNG, 40×80 pixels, mostly blue and white"},
		{dataURI("image/jpeg", jpgs), "JPEG, 40×80 pixels, mostly blue and white"},
		{dataURI("image/gif", gifs), "GIF, 40×80 pixels, mostly blue and white"},
		{dataURI("image/webp", []byte(webp)), "WebP, 40×80 pixels"},
		{strings.Replace(dataURI("image/png;name=x", pngs), "data:", "DATA:", 1), "PNG, 40×80 pixels"},
		{"https://pictures.waferchat.dev/a.png", "an image by URL, which the demo does not fetch"},
	} {
		a := run.look(t, "Kimi-K3", tt.url)
		if got := a.content(); !strings.Contains(got, "1 image arrived") || !strings.Contains(got, tt.want) {
			t.Errorf("%.60s: %d %q", tt.url, a.status, got)
		}
		without := run.look(t, "GLM-5.2", tt.url)
		if without.status != 200 || strings.Contains(without.content(), "arrived with this message") || without.usage(t).Prompt >= a.usage(t).Prompt {
			t.Errorf("%.60s for a text model: %d %q", tt.url, without.status, without.content())
		}
	}
}

func TestDamagedImagesAreRefusedByVisionModelsOnly(t *testing.T) {
	run := start(t, Options{})
	pngs, jpgs, gifs := encodings(t)
	for name, url := range map[string]string{
		"cut PNG": dataURI("image/png", pngs[:len(pngs)-20]), "cut JPEG": dataURI("image/jpeg", jpgs[:len(jpgs)/2]), "cut GIF": dataURI("image/gif", gifs[:len(gifs)-9]),
		"cut WebP": dataURI("image/webp", []byte(strings.Replace(webp, "\x16", "\x17", 1))), "head alone": dataURI("image/png", pngs[:8]),
		"text": dataURI("image/png", []byte("hello")), "empty": "data:image/png;base64,", "no base64": "data:image/png,abc", "bad base64": "data:image/png;base64,a-_b", "half base64": "data:image/png;base64,abc",
	} {
		a := run.look(t, "Kimi-K3", url)
		if e := a.envelope(t).Error; a.status != 400 || e.Code != "model_request_rejected" || e.Param != "messages[0].content[1].image_url.url" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		if a := run.look(t, "GLM-5.3", url); a.status != 200 {
			t.Errorf("%s for a text model: %d %s", name, a.status, a.body)
		}
	}
}

func TestImageURLsAreDecidedByTheirAddress(t *testing.T) {
	run := start(t, Options{})
	for code, urls := range map[string][]string{
		"":                       {"https://pictures.waferchat.dev/a.png", "https://8.8.8.8/a.png", "HTTPS://Pictures.Waferchat.DEV:8443/a", "https://[2606:4700::1111]/a.png", "https://notexample.com/"},
		"model_request_rejected": {"https://example.com/a.png", "https://www.example.org./a.png", "https://a.b.invalid/", "https://pictures.test/a.png", "https://x.example/"},
		"unsupported_value": {"", "a.png", "/etc/hosts", "file:///etc/hosts", "http://pictures.waferchat.dev/a.png", "ftp://pictures.waferchat.dev/a", "https://", "https:///a.png",
			"https://localhost/a", "https://a.localhost/", "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f.0.0.1/", "https://10.1.2.3/", "https://172.16.0.1/", "https://192.168.0.1/",
			"https://169.254.1.1/", "https://100.64.0.1/", "https://0.0.0.0/", "https://224.0.0.1/", "https://[::1]/", "https://[::]/", "https://[fe80::1%25eth0]/", "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/",
			"https://intranet/a.png", "https://nas.local/", "https://host.internal/", "https://box.lan/", "https://a.home.arpa/", "https://user:secret@10.0.0.1/"},
	} {
		for _, url := range urls {
			a := run.look(t, "Kimi-K3", url)
			if code == "" {
				if a.status != 200 {
					t.Errorf("%q: %d %s", url, a.status, a.body)
				}
				continue
			}
			if e := a.envelope(t).Error; a.status != 400 || e.Code != code || e.Param != "messages[0].content[1].image_url.url" {
				t.Errorf("%q: %d %s, want %s", url, a.status, a.body, code)
			}
		}
	}
}
