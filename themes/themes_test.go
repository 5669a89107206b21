package themes

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryBuiltinThemeIsComplete(t *testing.T) {
	all := Builtin()
	for _, name := range []string{"dark", "light", "high-contrast-dark", "high-contrast-light", "colorblind-dark", "colorblind-light"} {
		if _, ok := all[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(entries) || len(all) < 10 {
		t.Errorf("%d themes in %d files", len(all), len(entries))
	}
	for name, theme := range all {
		for role, c := range theme.roles() {
			if _, _, _, ok := c.RGB(); !ok {
				t.Errorf("%s: %s is %q", name, role, *c)
			}
		}
		data, err := files.ReadFile(name + ".toml")
		if err != nil {
			t.Errorf("the file of a theme has its name: %v", err)
		}
		for _, key := range keys() {
			if !regexp.MustCompile(`(?m)^` + key + ` = `).Match(data) {
				t.Errorf("%s.toml does not set %s", name, key)
			}
		}
	}
}

func TestEveryTextIsReadableInEveryTheme(t *testing.T) {
	for name, theme := range Builtin() {
		for _, p := range theme.Check() {
			t.Errorf("%s: %s on %s has %.2f:1", name, p.Role, p.Ground, p.Ratio)
		}
		want := minContrast
		if strings.HasPrefix(name, "high-contrast") {
			want = 7
		}
		for _, p := range theme.below(want) {
			t.Errorf("%s: %s on %s has %.2f:1, want %v", name, p.Role, p.Ground, p.Ratio, want)
		}
		if dark := theme.Ground.luminance() < 0.18; dark != theme.Dark {
			t.Errorf("%s: dark is %v", name, theme.Dark)
		}
		text, dim, faint := Contrast(theme.Text, theme.Ground), Contrast(theme.Dim, theme.Ground), Contrast(theme.Faint, theme.Ground)
		if text < dim*1.15 || dim < faint*1.5 || faint < 1.5 {
			t.Errorf("%s: text %.1f, dim %.1f, faint %.1f do not step down", name, text, dim, faint)
		}
		if strings.HasPrefix(name, "ansi-") {
			continue // sixteen colours have no second ground to spare
		}
		for _, ground := range []Color{theme.Raised, theme.Code, theme.Overlay, theme.Select} {
			if c := Contrast(ground, theme.Ground); c < 1.03 {
				t.Errorf("%s: %s cannot be told from the ground: %.2f", name, ground, c)
			}
		}
	}
}

// TestStatesCanBeToldApartByTheColourBlind simulates the three dichromacies with
// the matrices of Machado, Oliveira and Fernandes, "A Physiologically-based Model
// for Simulation of Color Vision Deficiency" (2009), severity 1.
func TestStatesCanBeToldApartByTheColourBlind(t *testing.T) {
	visions := map[string][9]float64{
		"normal":       {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	}
	for _, name := range []string{"colorblind-dark", "colorblind-light"} {
		theme := Builtin()[name]
		states := map[string]Color{"danger": theme.Danger, "warning": theme.Warning, "success": theme.Success, "accent": theme.Accent, "text": theme.Text}
		for vision, m := range visions {
			for a, ca := range states {
				for b, cb := range states {
					if a >= b {
						continue
					}
					if d := oklabDistance(ca, cb, m); d < 0.07 {
						t.Errorf("%s, %s: %s and %s are %.3f apart", name, vision, a, b, d)
					}
				}
			}
		}
	}
}

func oklabDistance(a, b Color, m [9]float64) float64 {
	x, y := oklab(a, m), oklab(b, m)
	return math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2])
}

func oklab(c Color, m [9]float64) [3]float64 {
	r8, g8, b8, _ := c.RGB()
	in := [3]float64{linear(r8), linear(g8), linear(b8)}
	var rgb [3]float64
	for i := range rgb {
		rgb[i] = min(max(m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2], 0), 1)
	}
	r, g, b := rgb[0], rgb[1], rgb[2]
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	mm := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*mm - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*mm + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*mm - 0.8086757660*s,
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	tests := []struct {
		a, b Color
		want float64
	}{
		{"#000000", "#ffffff", 21},
		{"#ffffff", "#000000", 21},
		{"#777777", "#777777", 1},
		{"#767676", "#ffffff", 4.54},
		{"#777777", "#ffffff", 4.48},
		{"#ff0000", "#ffffff", 4.00},
	}
	for _, tt := range tests {
		if got := Contrast(tt.a, tt.b); math.Abs(got-tt.want) > 0.01 {
			t.Errorf("%s on %s is %.2f, want %.2f", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestCheckNamesTheRoleAndItsGround(t *testing.T) {
	theme := Default(true)
	if got := theme.Check(); len(got) != 0 {
		t.Fatalf("the default has problems: %v", got)
	}
	theme.Comment = "#444444"
	theme.Faint = theme.Ground
	got := theme.Check()
	if len(got) != 1 || got[0].Role != "comment" || got[0].Ground != "code" || got[0].Ratio > 2 {
		t.Errorf("got %+v", got)
	}
}

func TestAShortThemeGoesOverTheDefaultForItsGround(t *testing.T) {
	tests := []struct {
		name, text string
		want       func(*Theme)
	}{
		{"nothing", "", func(w *Theme) { *w = Default(false) }},
		{"dark", "dark = true", func(w *Theme) { *w = Default(true) }},
		{"one role", "dark = true\naccent = \"#FFaa00\"", func(w *Theme) { *w = Default(true); w.Accent = "#ffaa00" }},
		{"dark ground", `ground = "#101010"`, func(w *Theme) { *w = Default(true); w.Ground = "#101010" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load("/home/me/themes/mine.toml", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			var want Theme
			tt.want(&want)
			want.Name = "mine"
			if tt.name == "dark ground" {
				want.Dark = got.Dark
			}
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
	if got, err := Load(`C:\themes\mine.toml`, []byte(`name = "yours"`)); err != nil || got.Name != "yours" {
		t.Errorf("%q, %v", got.Name, err)
	}
}

func TestMistakesAreNamedByPlace(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a typo", "dark = true\naccnt = \"#ffffff\"\n", []string{`t.toml:2:1: there is no role "accnt"; did you mean "accent"?`}},
		{"case", "  Text = \"#ffffff\"\n", nil},
		{"no such thing", "zzzzzzzzzzzz = 1", []string{`t.toml:1:1: there is no role "zzzzzzzzzzzz"; the roles are ground, text, dim,`}},
		{"two", "txt = \"#ffffff\"\n\n  dimm = \"#ffffff\"", []string{
			`t.toml:1:1: there is no role "txt"; did you mean "text"?`,
			`t.toml:3:3: there is no role "dimm"; did you mean "dim"?`,
		}},
		{"a table", "[colors]\ntext = \"#ffffff\"", []string{`t.toml:1:2: there is no role "colors"`}},
		{"a short colour", "# mine\ntext = \"#fff\"", []string{`t.toml:2:8: text is "#fff", a colour is "#rrggbb"`}},
		{"a name", "name = \"x\"\ndim =   \"grey\"", []string{`t.toml:2:9: dim is "grey", a colour is "#rrggbb"`}},
		{"two colours", "text = \"a\"\ndim = 'b'", []string{`t.toml:1:8: text is "a"`, `t.toml:2:7: dim is "b"`}},
		{"a number", "text = 5", []string{`t.toml:1:8: `}},
		{"a quoted bool", "dark = \"yes\"", []string{`t.toml:1:8: `}},
		{"half a line", "name = \"t\"\ntext = ", []string{`t.toml:2:`}},
		{"twice", "text = \"#000000\"\ntext = \"#111111\"", []string{`t.toml:2:1: `}},
		{"empty colour", "text = \"\"", []string{`t.toml:1:8: text is "", a colour is "#rrggbb"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load("t.toml", []byte(tt.text))
			if len(tt.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tt.want) {
				t.Fatalf("got %q", lines)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("got  %s\nwant %s", lines[i], want)
				}
			}
			if fe := (*FileError)(nil); !errors.As(err, &fe) || fe.File != "t.toml" || fe.Line < 1 || fe.Column < 1 {
				t.Errorf("no place in %#v", err)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("text = \"#fff\"\n[a.b]\nc = [{d = 1}]"))
	for _, name := range []string{"dark.toml", "light.toml"} {
		data, err := files.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		theme, err := Load("t.toml", data)
		if err != nil {
			if !strings.Contains(err.Error(), "t.toml") {
				t.Errorf("no file in %q", err)
			}
			return
		}
		for role, c := range theme.roles() {
			if _, _, _, ok := c.RGB(); !ok {
				t.Errorf("%s is %q", role, *c)
			}
		}
	})
}

func TestRolesAreInTheOrderOfTheFile(t *testing.T) {
	names := keys()
	if names[0] != "name" || names[1] != "dark" || names[2] != "ground" || !slices.Contains(names, "function") {
		t.Errorf("keys %v", names)
	}
}

func TestGroundsAreSetOffFromTheTerminalsOwn(t *testing.T) {
	for _, c := range []struct {
		theme  string
		ground Color
	}{{"dark", "#1e1e1e"}, {"dark", "#000000"}, {"dark", "#282c34"}, {"light", "#ffffff"}, {"light", "#fdf6e3"}} {
		on := Builtin()[c.theme].On(c.ground)
		if on.Ground != c.ground {
			t.Errorf("%s on %s: the ground is %s", c.theme, c.ground, on.Ground)
		}
		for name, g := range map[string]Color{"raised": on.Raised, "code": on.Code, "overlay": on.Overlay, "select": on.Select} {
			if r := Contrast(g, c.ground); r < 1.05 {
				t.Errorf("%s on %s: %s cannot be told from the ground: %.2f", c.theme, c.ground, name, r)
			}
			if r := Contrast(on.Dim, g); r < 4.5 && name != "select" {
				t.Errorf("%s on %s: dim text on %s has %.2f:1", c.theme, c.ground, name, r)
			}
		}
	}
	if light := Builtin()["light"]; light.On("#000000") != light {
		t.Error("a light theme was put on a black ground")
	}
}
