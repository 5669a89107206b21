package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/session"
)

// turnsOfAKilobyte is a path of turns whose answers are about 1 KB of markdown
// each, with some reasoning.
func turnsOfAKilobyte(turns int) []session.Message {
	path := make([]session.Message, 0, 2*turns)
	for i := range turns {
		path = append(path,
			said(fmt.Sprint("q", i), api.RoleUser, text("And how about step "+grouped(i)+"?")),
			said(fmt.Sprint("a", i), api.RoleAssistant, reasoning("Let me see what step "+grouped(i)+" is about."), text(strings.ReplaceAll(answerText(600), "reader", "reader "+grouped(i)))))
	}
	return path
}

// BenchmarkFind types a needle into the bar of a chat of 10,000 turns. It reports
// what a key costs until it is drawn, what the commands take for the whole chat,
// and the longest Update that takes what one of them found.
func BenchmarkFind(b *testing.B) {
	for _, needle := range []string{"stream", "steady text", "zzz", "9,999"} {
		b.Run(needle, func(b *testing.B) {
			m := offline()
			m.chat.transcript.load(turnsOfAKilobyte(10_000))
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			m.View()
			m.Update(press("ctrl+f"))
			var typing, key, work, first, take time.Duration
			keys, searches := 0, 0
			for b.Loop() {
				m.lookAgain("")
				for _, r := range needle {
					start := time.Now()
					m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
					m.View()
					took := time.Since(start)
					key, typing, keys = max(key, took), typing+took, keys+1
				}
				for i := 0; ; i++ {
					start := time.Now()
					m.chat.find.running = false
					job, ok := m.chat.find.scan(m.chat.transcript.scene, "")
					if !ok {
						break
					}
					found := foundMsg{search: job.search, found: job.run()}
					work += time.Since(start)
					if i == 0 {
						first = max(first, time.Since(start))
						searches++
					}
					start = time.Now()
					m.Update(found)
					m.View()
					take = max(take, time.Since(start))
				}
			}
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
			b.ReportMetric(ms(typing)/float64(keys), "key-ms")
			b.ReportMetric(ms(key), "max-key-ms")
			b.ReportMetric(ms(first), "max-first-job-ms")
			b.ReportMetric(ms(take), "max-take-ms")
			b.ReportMetric(ms(work)/float64(searches), "whole-search-ms")
			b.ReportMetric(float64(m.chat.find.total), "hits")
		})
	}
}

// lookAgain empties the bar and fills it with a text.
func (m *Model) lookAgain(text string) {
	m.chat.find.field.SetText(text)
	m.lookFor()
}
