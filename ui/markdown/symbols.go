package markdown

import "strings"

// The tables below list names and what they stand for, "name:sign", between
// spaces: a program that shows no formula does not pay for them.

// texSigns stand close to what is around them.
const texSigns = ` alpha:α beta:β gamma:γ delta:δ epsilon:ϵ varepsilon:ε zeta:ζ eta:η theta:θ vartheta:ϑ iota:ι kappa:κ lambda:λ mu:μ
 nu:ν xi:ξ omicron:ο pi:π varpi:ϖ rho:ρ varrho:ϱ sigma:σ varsigma:ς tau:τ upsilon:υ phi:φ varphi:φ chi:χ psi:ψ omega:ω
 Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Upsilon:Υ Phi:Φ Psi:Ψ Omega:Ω
 infty:∞ partial:∂ nabla:∇ sum:∑ prod:∏ coprod:∐ int:∫ iint:∬ iiint:∭ oint:∮ bigcup:⋃ bigcap:⋂ bigoplus:⨁ bigotimes:⨂ bigvee:⋁ bigwedge:⋀
 forall:∀ exists:∃ nexists:∄ neg:¬ lnot:¬ emptyset:∅ varnothing:∅ top:⊤ bot:⊥ angle:∠ triangle:△ square:□ Box:□ diamond:⋄
 ell:ℓ hbar:ℏ Re:ℜ Im:ℑ aleph:ℵ wp:℘ imath:ı jmath:ȷ prime:′ dagger:† ddagger:‡ degree:° checkmark:✓
 ldots:… dots:… cdots:⋯ vdots:⋮ ddots:⋱ dotsc:… dotsb:⋯ colon:: vert:| lvert:| rvert:| Vert:‖ lVert:‖ rVert:‖ backslash:\
 langle:⟨ rangle:⟩ lfloor:⌊ rfloor:⌋ lceil:⌈ rceil:⌉ lbrace:{ rbrace:} lbrack:[ rbrack:] star:⋆ ast:∗ bullet:• surd:√ circ:∘ blacksquare:■ qed:∎ 
`

// texRelations have spaces around them.
const texRelations = ` le:≤ leq:≤ leqslant:⩽ ge:≥ geq:≥ geqslant:⩾ ne:≠ neq:≠ ll:≪ gg:≫ equiv:≡ approx:≈ sim:∼ simeq:≃ cong:≅ propto:∝ doteq:≐ lt:< gt:>
 to:→ rightarrow:→ leftarrow:← gets:← leftrightarrow:↔ Rightarrow:⇒ implies:⟹ Leftarrow:⇐ Leftrightarrow:⇔ iff:⟺ mapsto:↦
 longrightarrow:⟶ longleftarrow:⟵ Longrightarrow:⟹ hookrightarrow:↪ rightleftharpoons:⇌ uparrow:↑ downarrow:↓ nearrow:↗ searrow:↘
 in:∈ notin:∉ ni:∋ subset:⊂ subseteq:⊆ subsetneq:⊊ supset:⊃ supseteq:⊇ cup:∪ cap:∩ setminus:∖ land:∧ wedge:∧ lor:∨ vee:∨
 cdot:· times:× div:÷ pm:± mp:∓ oplus:⊕ ominus:⊖ otimes:⊗ odot:⊙ mid:∣ nmid:∤ parallel:∥ perp:⊥ models:⊨ vdash:⊢ dashv:⊣
 prec:≺ succ:≻ preceq:≼ succeq:≽ therefore:∴ because:∵ bmod:mod coloneqq:≔ triangleq:≜ 
`

// texNames are names of functions, written as they are.
const texNames = ` sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim limsup liminf max min sup inf det dim ker deg gcd arg Pr hom mod argmax argmin `

// texAccents stand on the character before them.
const texAccents = " hat:\u0302 widehat:\u0302 bar:\u0304 overline:\u0305 vec:\u20d7 tilde:\u0303 widetilde:\u0303 dot:\u0307 ddot:\u0308 " +
	"check:\u030c breve:\u0306 acute:\u0301 grave:\u0300 underline:\u0332 mathring:\u030a "

// Characters with their small forms, one after the other.
const (
	superscripts = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻=⁼(⁽)⁾aᵃbᵇcᶜdᵈeᵉfᶠgᵍhʰiⁱjʲkᵏlˡmᵐnⁿoᵒpᵖrʳsˢtᵗuᵘvᵛwʷxˣyʸzᶻ" +
		"AᴬBᴮDᴰEᴱGᴳHᴴIᴵJᴶKᴷLᴸMᴹNᴺOᴼPᴾRᴿTᵀUᵁVⱽWᵂβᵝγᵞδᵟθᶿφᵠχᵡ"
	subscripts = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓβᵦγᵧρᵨφᵩχᵪ"
)

// lookUp returns what a name stands for in one of the tables.
func lookUp(table, name string) (string, bool) {
	i := strings.Index(table, " "+name+":")
	if i < 0 {
		return "", false
	}
	sign := table[i+len(name)+2:]
	return sign[:strings.IndexAny(sign, " \n")], true
}

// script returns the small form of a text if all of it has one.
func script(s string, table string) (string, bool) {
	var out strings.Builder
	for _, r := range s {
		if r == ' ' {
			continue
		}
		small, ok := smallForm(r, table)
		if !ok {
			return "", false
		}
		out.WriteRune(small)
	}
	return out.String(), out.Len() > 0
}

// smallForm returns the small form of a character.
func smallForm(r rune, table string) (small rune, ok bool) {
	base, found := true, false
	for _, c := range table {
		if found {
			return c, true
		}
		found = base && c == r
		base = !base
	}
	return 0, false
}

// letters writes Latin letters and digits in one of TeX's alphabets.
func letters(s, alphabet string) string {
	first, special := rune(0x1d538), "Cℂ Hℍ Nℕ Pℙ Qℚ Rℝ Zℤ" // mathbb
	switch alphabet {
	case "mathcal", "mathscr":
		first, special = 0x1d49c, "Bℬ Eℰ Fℱ Hℋ Iℐ Lℒ Mℳ Rℛ eℯ gℊ oℴ"
	case "mathfrak":
		first, special = 0x1d504, "Cℭ Hℌ Iℑ Rℜ Zℨ"
	}
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(special, r); i >= 0 && r < 0x80 && r != ' ' {
			for _, other := range special[i+1:] {
				return other
			}
		}
		switch {
		case r >= 'A' && r <= 'Z':
			return first + r - 'A'
		case r >= 'a' && r <= 'z':
			return first + 26 + r - 'a'
		case r >= '0' && r <= '9' && alphabet == "mathbb":
			return 0x1d7d8 + r - '0'
		}
		return r
	}, s)
}
