package chat

import (
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
)

// Tokens of an image. Vision models of these families make a token of 28×28 to
// 32×32 pixels and scale down what comes to more than some thousands.
const (
	pixelsPerToken = 28 * 28
	leastImage     = 64
	mostImage      = 16_384
	// unknownImage is for one whose size cannot be told: about 900×900 pixels.
	unknownImage = 1_000
)

// headerBytes is how much of an image is read for its size: metadata may stand
// in front of that.
const headerBytes = 256 << 10

// imageTokens estimates the tokens of an image from its address.
func imageTokens(address string) int64 {
	c, ok := imageSize(address)
	if !ok {
		return unknownImage
	}
	return min(max(int64(c.Width)*int64(c.Height)/pixelsPerToken, leastImage), mostImage)
}

// imageSize reads the size of a PNG, JPEG or GIF out of the beginning of a
// base64 data URI; ok is false for everything else.
func imageSize(address string) (c image.Config, ok bool) {
	head, data, found := strings.Cut(address, ";base64,")
	kind, isData := strings.CutPrefix(head, "data:image/")
	if !found || !isData {
		return c, false
	}
	kind, _, _ = strings.Cut(kind, ";")
	decode := map[string]func(io.Reader) (image.Config, error){
		"png": png.DecodeConfig, "jpeg": jpeg.DecodeConfig, "jpg": jpeg.DecodeConfig, "gif": gif.DecodeConfig,
	}[strings.ToLower(kind)]
	if decode == nil {
		return c, false
	}
	c, err := decode(io.LimitReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)), headerBytes))
	return c, err == nil && c.Width > 0 && c.Height > 0
}
