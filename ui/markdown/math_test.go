package markdown

import (
	"strings"
	"testing"
)

func TestFormulasAreWrittenInUnicode(t *testing.T) {
	for tex, want := range map[string]string{
		`E = mc^2`:                                               "E = mc²",
		`\alpha + \beta_1 \le \Gamma`:                            "α + β₁ ≤ Γ",
		`x^{n+1}_{ij}`:                                           "xⁿ⁺¹ᵢⱼ",
		`x_{max} y_{\text{out}}`:                                 "xₘₐₓ yₒᵤₜ",
		`x^{q?} y_b z_{bc}`:                                      "x^{q?} y_b z_{bc}",
		`\frac{a}{b} \frac12 \tfrac{1}{2}`:                       "a/b 1/2 1/2",
		`\frac{a+b}{c}`:                                          "(a+b)/c",
		`\frac{a+b}{c-d}`:                                        "(a+b)/(c-d)",
		`\frac{2x}{3y}`:                                          "2x/(3y)",
		`\frac{\partial f}{\partial x}`:                          "∂f/∂x",
		`\frac{1}{(a+b)}`:                                        "1/(a+b)",
		`\sqrt{2} \sqrt{x+1} \sqrt[3]{x}`:                        "√2 √(x+1) ∛x",
		`\sqrt[n]{x}`:                                            "ⁿ√x",
		`\sum_{i=1}^{n} i^2`:                                     "∑ᵢ₌₁ⁿ i²",
		`\int_0^\infty e^{-x}\,dx`:                               "∫₀^∞ e⁻ˣ dx",
		`\lim_{x \to 0} \frac{\sin x}{x}`:                        "lim_{x → 0} (sin x)/x",
		`a\le b\ge c\ne d`:                                       "a ≤ b ≥ c ≠ d",
		`a \cdot b \times c \pm d`:                               "a · b × c ± d",
		`x \in \mathbb{R}^n, \mathcal{L}`:                        "x ∈ ℝⁿ, ℒ",
		`\mathfrak{g} \mathbb{1}`:                                "𝔤 𝟙",
		`\left( \frac{a}{b} \right)`:                             "( a/b )",
		`\left\{ x \mid x > 0 \right.`:                           "{ x ∣ x > 0",
		`\text{if } x > 0`:                                       "if x > 0",
		`\mathrm{d}x \operatorname{rank} A`:                      "dx rank A",
		`\operatorname{rank}(A)`:                                 "rank(A)",
		`90^\circ f'(x) A^T A^\dagger`:                           "90° f′(x) Aᵀ A†",
		`\hat{x} \vec{v} \overline{ab}`:                          "x̂ v⃗ \\overline{ab}",
		`\unknown{x} \foo`:                                       `\unknown{x} \foo`,
		`\sin\theta \log_2 n`:                                    "sin θ log₂ n",
		`\{1, 2\} 5\% a\;b\!c`:                                   "{1, 2} 5% a bc",
		`\begin{pmatrix} a & b \\ c & d \end{pmatrix}`:           "(a b; c d)",
		`\begin{bmatrix} 1 \\ 2 \end{bmatrix}^T`:                 "[1; 2]ᵀ",
		`f = \begin{cases} 1 & x > 0 \\ 0 & x \le 0 \end{cases}`: "f = { 1 x > 0; 0 x ≤ 0",
		`\begin{aligned} a &= b \\ &= c \end{aligned}`:           "a = b\n  = c",
		`\begin{aligned} a`:                                      "a",
		`a \Rightarrow b \iff c`:                                 "a ⇒ b ⟺ c",
		`{a`:                                                     "a",
		`a}`:                                                     "a}",
		`\`:                                                      `\`,
		`x^`:                                                     "x^",
		`\frac`:                                                  "/",
		`\sqrt[3`:                                                "√[3",
		`\text{open`:                                             `\text{open}`,
		"":                                                       "",
		`\,`:                                                     "",
		"a\x1b[2Jb":                                              "a\x1b[2Jb", // made safe when it is drawn
		`漢 ü \ü`:                                                 `漢 ü \ü`,
		strings.Repeat("{", 100) + "x":                           strings.Repeat("{", 60) + "x",
	} {
		got := unicodeMath(tex)
		if strings.HasPrefix(tex, "{{{{") {
			if !strings.HasSuffix(got, "x") {
				t.Errorf("deep nesting gives %q", got)
			}
			continue
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s\n got %q\nwant %q", tex, got, want)
		}
	}
}

func TestMoneyIsNoMathematics(t *testing.T) {
	for _, src := range []string{
		"It costs $5 and $6.", "$5–$10", "from $5 to $10", "$HOME and $PATH", "$HOME/bin:$PATH", "US$ 3 or US$ 4", "a $100/month plan, or $1,000/year",
		"$5-$6", "it was 5$ and 6$ now", "$ 5 $", "$5 a month or 6$.", "A$5 and B$6", "$$", "$", "$1.50/$2.50", "pay $20 (or $15)", `\$5 and 6$`,
	} {
		if got, want := strings.TrimSpace(plain(Render(src, 80, testStyle()))), strings.ReplaceAll(src, `\$`, "$"); got != want {
			t.Errorf("%q is shown as %q", src, got)
		}
	}
}

func TestFormulasInText(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string
	}{
		{"so $x^2$ is", []string{"so x² is"}},
		{`so \(x^2\) is`, []string{"so x² is"}},
		{"before $$x^2$$ after", []string{"before", "  x²", "after"}},
		{`\[x^2\]`, []string{"  x²"}},
		{"$$\nE = mc^2\n$$", []string{"  E = mc²"}},
		{"text:\n\\[\na\n- b\n\\]\nmore", []string{"text:", "", "  a - b", "", "more"}},
		{"- item\n  $$\n  a \\\\\n  # b\n  $$\n", []string{"• item", "    a", "    # b"}},
		{"$$\na & b \\\\\nc\n$$ where", []string{"  a b", "  c", "where"}},
		{"`$x^2$` and `\\(x\\)`", []string{`$x^2$ and \(x\)`}},
		{"```\n$x^2$\n```", []string{" $x^2$"}},
		{"| a |\n|---|\n| $$x^2$$ |", []string{"a", "──", "x²"}},
		{"$$\nnot closed\n\nnext", []string{"$$", "not closed", "", "next"}},
		{"$$x\n= y$$", []string{"  x = y"}},
		{"$$x\n= y\n$$\nmore", []string{"  x = y", "more"}},
		{"$$\n\\begin{aligned}\nf(x) &= a \\\\\n&= b \\\\\ny &= c\n\\end{aligned}\n$$", []string{"  f(x) = a", "       = b", "  y = c"}},
		{"$$\na \\\\\n&= b\n$$", []string{"  a", "    = b"}},
		{"$$\n&= a \\\\\n&= b\n$$", []string{"  = a", "  = b"}},
		{"so $\\begin{aligned} a &= b \\\\ &= c \\end{aligned}$", []string{"so a = b; = c"}},
		{`$\,$ \(\)`, []string{`$\,$ ()`}},
		{"**$x$** and $*a*$", []string{"x and *a*"}},
		{`\[not a link\](x) and \[y = 1\]`, []string{"[not a link](x) and", "  y = 1"}},
		{"$a < b$ &lt; $\\lt$", []string{"a < b < <"}},
	} {
		check(t, c.src, 60, c.want...)
	}
	check(t, "$$\nf(x) &= a + b + c + d + e + f \\\\\n&= g\n$$", 20, "  f(x) = a + b + c +", "  d + e + f", "     = g")
	check(t, "- x\n  $$\n  a + b + c + d\n  $$", 12, "• x", "    a + b +", "    c + d")
	check(t, "$$ab$$", 1, "a", "b")
	two := "$$\na \\\\ b\n$$"
	if got := source(two, Render(two, 20, testStyle()), Place{0, 1}, Place{1, 1}); got != two {
		t.Errorf("up to the indent of its second row the formula is selected as %q", got)
	}
	src := "$\x1b[2J\u202e\\text{\x07}$ $$\n\x1b]0;x\x07\n$$"
	checkLines(t, src, 10, Render(src, 10, testStyle()))
}

func TestAnUnfinishedFormulaIsShownAsItIs(t *testing.T) {
	m := NewStream(40, testStyle())
	src := "so $x^2 + y$ it"
	for i, r := range src {
		m.Append(string(r))
		m.Flush()
		got := strings.TrimSpace(plain(linesOf(m)))
		if n := i + 1; n > 3 && n < len("so $x^2 + y$") && got != strings.TrimSpace(src[:n]) {
			t.Errorf("%q is shown as %q", src[:n], got)
		}
	}
	if got := strings.TrimSpace(plain(linesOf(m))); got != "so x² + y it" {
		t.Errorf("at the end: %q", got)
	}
}
