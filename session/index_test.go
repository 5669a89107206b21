package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// hits asks an index as a search does, and names what it finds: message ids,
// and the session of a title.
func hits(t *testing.T, s *Store, query string) string {
	t.Helper()
	table, q := "short_words", searchable(query)
	if len([]rune(q)) > 2 {
		table = "trigrams"
	}
	all := must(column[string](t.Context(), s.readers, `SELECT coalesce(
		(SELECT m.id FROM parts p JOIN messages m ON m.seq = p.message WHERE p.id = f.rowid),
		(SELECT id FROM sessions WHERE seq = -f.rowid), '?') FROM `+table+` f WHERE `+table+` MATCH ?`,
		`"`+strings.ReplaceAll(q, `"`, `""`)+`"`))(t)
	slices.Sort(all)
	return fmt.Sprint(all)
}

func TestTheIndexesFindWhatWasSaidAndShown(t *testing.T) {
	s := memoryStore(t)
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "A Café in Tōkyō, 秃发乌孤 was here; x2 "),
		result("m3", "m1", answer("c", "exit status 127")), assistant("m2", "m1", Streaming)))
	s.Append(Delta{Message: "m2", Kind: PartReasoning, Text: "Die Straße to Éire is lo"})
	check(t, s.Flush(t.Context()))
	s.Append(Delta{Message: "m2", Kind: PartReasoning, Text: "ng. 한국어"})
	s.Append(Delta{Message: "m2", Ordinal: 1, Kind: PartText, Text: "NUL\x00 and \xff then カタカナ 🔑🗝"})
	s.Append(Delta{Message: "m2", Ordinal: 2, Kind: PartToolCall, Text: `{"hidden": 1}`})
	if got := hits(t, s, "Straße"); got != "[]" {
		t.Errorf("what still streams is found: %s", got)
	}
	check(t, s.Finish(t.Context(), assistant("m2", "m1", Done)))
	check(t, s.Finish(t.Context(), assistant("m2", "m1", Done, Part{}, Part{}, Part{}, text("added afterwards"))))
	v := must(s.Get(t.Context(), "s1"))(t)
	v.Title, v.TitleSource = "Renamed: 東京 trip", TitleUser
	check(t, s.Save(t.Context(), v))
	for query, want := range map[string]string{
		"afé i": "[m1]", "CAFE": "[m1]", "cafe\u0301": "[m1]", "tokyo": "[m1]", "status 12": "[m3]",
		"秃发乌": "[m1]", "秃发": "[m1]", "发": "[m1]", "乌孤": "[m1]", "秃乌": "[]",
		"straße": "[m2]", "eire is long": "[m2]", "한국": "[m2]", "국어": "[m2]", "가": "[]",
		"then": "[m2]", "nul": "[m2]", "タカ": "[m2]", "🔑": "[m2]", "🗝": "[m2]",
		"a": "[m1]", "in": "[m1]", "x2": "[m1]", "to": "[m2]", "lo": "[]", "ng": "[]",
		"hidden": "[]", "afterwards": "[m2]", "renamed": "[s1]", "東京": "[s1]", "was here; x2": "[m1]",
	} {
		if got := hits(t, s, query); got != want {
			t.Errorf("%q: %s, not %s", query, got, want)
		}
	}
	check(t, s.Check(t.Context()))
}

func TestShortWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "[]",
		"go is a fun":       "[a go is]",
		"x=1; f(ab, abc)":   "[1 ab f x]",
		"日本go語":             "[go 日 日本 本 語]",
		"日 本":               "[日 本]",
		"aaa a aaa":         "[a]",
		"น้ำ":               "[น น้ ำ ้ ้ำ]",
		"été":               "[]",
		searchable("où ОН"): "[ou он]",
	} {
		if got := fmt.Sprint(shortWords(text)); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}
