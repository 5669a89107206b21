package emulator

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif" // the formats that a data URI may hold
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"slices"
	"strings"
)

// picture is an image_url part and what was found in it.
type picture struct {
	url, param    string
	width, height int
	format        string
	colours       []string
	note          string // says why nothing was found
}

// maxPixels keeps a small file that unfolds to a huge picture from being
// decoded whole.
const maxPixels = 40_000_000

// inspect decodes a data URI with the standard library, so that a client's own
// mistakes are not repeated here. Nothing is ever fetched from a network.
func (p *picture) inspect() *fault {
	scheme, data, _ := strings.Cut(p.url, ":")
	if !strings.EqualFold(scheme, "data") {
		return p.inspectLink()
	}
	mime, payload, ok := strings.Cut(data, ";base64,")
	if ok && payload == "<BASE64_IMAGE>" {
		p.note = "the placeholder of the documentation instead of an image"
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(payload)
	if !ok || err != nil || len(b) == 0 {
		return p.reject("The data URI does not hold base64 data.")
	}
	if w, h, ok := webpSize(b); ok {
		if len(b) < int(binary.LittleEndian.Uint32(b[4:]))+8 {
			return p.reject("The image (" + excerpt(mime, 40) + ") is cut off.")
		}
		p.width, p.height, p.format = w, h, "WebP"
		return nil
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return p.reject("The image (" + excerpt(mime, 40) + ") cannot be decoded: " + err.Error() + ".")
	}
	p.width, p.height, p.format = c.Width, c.Height, strings.ToUpper(format)
	if c.Width*c.Height > maxPixels {
		return nil
	}
	m, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return p.reject("The image (" + excerpt(mime, 40) + ") is damaged: " + err.Error() + ".")
	}
	p.colours = dominant(m)
	return nil
}

func (p *picture) reject(message string) *fault {
	return &fault{Status: http.StatusBadRequest, Code: "model_request_rejected", Param: p.param, Message: message}
}

// describe says in a few words what was received.
func (p *picture) describe() string {
	if p.note != "" {
		return p.note
	}
	s := fmt.Sprintf("%s, %d×%d pixels", p.format, p.width, p.height)
	if len(p.colours) > 0 {
		s += ", mostly " + strings.Join(p.colours, " and ")
	}
	return s
}

// tokens is a rough count of what an image costs.
func (p *picture) tokens() int { return max(64, p.width*p.height/750) }

// webpSize reads the size out of a WebP header, which the standard library
// cannot decode.
func webpSize(b []byte) (w, h int, ok bool) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0, false
	}
	le := binary.LittleEndian
	switch string(b[12:16]) {
	case "VP8 ":
		return int(le.Uint16(b[26:]) & 0x3fff), int(le.Uint16(b[28:]) & 0x3fff), true
	case "VP8L":
		bits := le.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, true
	case "VP8X":
		return int(le.Uint32(b[24:])&0xffffff) + 1, int(le.Uint32(b[26:])>>8) + 1, true
	}
	return 0, 0, false
}

type colour struct {
	name    string
	r, g, b int
}

func colours() []colour {
	return []colour{
		{"black", 0, 0, 0}, {"grey", 128, 128, 128}, {"white", 255, 255, 255},
		{"red", 220, 30, 30}, {"orange", 255, 150, 0}, {"yellow", 250, 230, 40},
		{"green", 40, 160, 60}, {"cyan", 0, 200, 220}, {"blue", 40, 80, 220},
		{"purple", 130, 50, 170}, {"pink", 255, 140, 190}, {"brown", 130, 80, 40},
	}
}

// dominant names up to two colours that cover most of a picture, from a grid
// of samples.
func dominant(m image.Image) []string {
	const grid = 32
	table := colours()
	count := make([]int, len(table))
	b := m.Bounds()
	for i := range grid * grid {
		x, y := b.Min.X+i%grid*b.Dx()/grid, b.Min.Y+i/grid*b.Dy()/grid
		r, g, bl, a := m.At(x, y).RGBA()
		if a < 0x8000 {
			continue
		}
		distance := func(c colour) int {
			dr, dg, db := int(r>>8)-c.r, int(g>>8)-c.g, int(bl>>8)-c.b
			return dr*dr + dg*dg + db*db
		}
		nearest := 0
		for j, c := range table {
			if distance(c) < distance(table[nearest]) {
				nearest = j
			}
		}
		count[nearest]++
	}
	var names []string
	for range 2 {
		most := slices.Max(count)
		i := slices.Index(count, most)
		if most >= grid*grid/10 {
			names = append(names, table[i].name)
		}
		count[i] = 0
	}
	return names
}
