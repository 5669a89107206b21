package session

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// indexPart puts a part of a finished message into the search indexes.
func indexPart(ctx context.Context, tx *sql.Tx, p *storedPart) error {
	switch p.Kind {
	case PartText, PartReasoning, PartToolResult, PartRefusal:
		return index(ctx, tx, p.id, p.Text)
	}
	return nil
}

// indexTitle puts the title of a session into the search indexes.
func indexTitle(ctx context.Context, tx *sql.Tx, session int64, title string) error {
	return index(ctx, tx, -session, title)
}

func index(ctx context.Context, tx *sql.Tx, rowid int64, text string) error {
	text = searchable(text)
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO trigrams (rowid, text) VALUES (?, ?)", rowid, text)
	if err != nil {
		return wrap(err, "index text")
	}
	_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO short_words (rowid, text) VALUES (?, ?)",
		rowid, strings.Join(shortWords(text), " "))
	return wrap(err, "index words")
}

// unindexSession takes everything of a session out of the search indexes.
func unindexSession(ctx context.Context, tx *sql.Tx, session int64) error {
	for _, table := range []string{"trigrams", "short_words"} {
		_, err := tx.ExecContext(ctx, "DELETE FROM "+table+` WHERE rowid IN (SELECT p.id FROM messages m
			JOIN parts p ON p.message = m.seq WHERE m.session = ?1 UNION ALL SELECT -?1)`, session)
		if err != nil {
			return wrap(err, "remove from index")
		}
	}
	return nil
}

// searchable folds case and Latin accents, composed or not, in a text or in
// what is searched for, so that the two can be compared.
func searchable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", " ")
	if isASCII(s) {
		return strings.ToLower(s)
	}
	accent := func(r rune) bool { return r >= 0x300 && r <= 0x36f }
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if !accent(r) {
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// shortWords returns the words of one and two characters in a searchable
// text, and every character and pair of characters of scripts that write
// without spaces, each once, sorted.
func shortWords(text string) []string {
	seen := map[string]bool{}
	var word []rune // at most 3 runes of the current word
	var before rune // the character before, if unspaced
	end := func() {
		if n := len(word); n == 1 || n == 2 {
			seen[string(word)] = true
		}
		word = word[:0]
	}
	for _, r := range text {
		if unspaced(r) {
			end()
			seen[string(r)] = true
			if before != 0 {
				seen[string([]rune{before, r})] = true
			}
			before = r
			continue
		}
		before = 0
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			end()
		} else if len(word) < 3 {
			word = append(word, r)
		}
	}
	end()
	words := make([]string, 0, len(seen))
	for w := range seen {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

// unspaced tells characters that are words by themselves: those of scripts
// written without spaces, and pictures.
func unspaced(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.So)
}
