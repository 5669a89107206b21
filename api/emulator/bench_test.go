package emulator

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// measure reads the answers to one question and reports the deltas a second.
func measure(b *testing.B, o Options, question []byte, deltas int, replies ...Reply) {
	b.Helper()
	run, err := Start(o)
	if err != nil {
		b.Fatal(err)
	}
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	defer func() {
		transport.CloseIdleConnections()
		_ = run.Close()
	}()
	for b.Loop() {
		run.Script(replies...)
		res, err := client.Post(run.URL+"/chat/completions", "application/json", strings.NewReader(string(question)))
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, res.Body)
		if err != nil {
			b.Fatal(err)
		}
		_ = res.Body.Close()
		b.SetBytes(n)
	}
	b.ReportMetric(float64(deltas)*float64(b.N)/b.Elapsed().Seconds(), "deltas/s")
}

func BenchmarkFlood(b *testing.B) {
	const deltas = 100_000
	measure(b, Options{}, question("x"), deltas, Stream(Flood(deltas, 12), F("stop"), D))
}

func BenchmarkFloodUnrecorded(b *testing.B) {
	const deltas = 100_000
	measure(b, Options{Forget: true}, question("x"), deltas, Stream(Flood(deltas, 12), F("stop"), D))
}

// The demo flushes every token by itself.
func BenchmarkDemo(b *testing.B) {
	text := question("count to 20000", `"stream":true`)
	var tokens int
	{
		run, err := Start(Options{})
		if err != nil {
			b.Fatal(err)
		}
		res, err := http.Post(run.URL+"/chat/completions", "", strings.NewReader(string(text)))
		if err != nil {
			b.Fatal(err)
		}
		a := readAll(res)
		tokens = len(a.events())
		_ = run.Close()
	}
	measure(b, Options{Forget: true}, text, tokens)
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		run, err := Start(Options{Forget: true})
		if err != nil {
			b.Fatal(err)
		}
		_ = run.Close()
	}
}
