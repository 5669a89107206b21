package chat

import (
	"strings"
	"testing"
)

// samples are texts of kinds that chats are made of, with the mean of what the
// tokenizers of DeepSeek V4, GLM 4.7 and Qwen 3.5 count. None of them was part
// of what the meter's costs were fitted to.
func samples() []struct {
	name, text string
	tokens     int64
} {
	return []struct {
		name, text string
		tokens     int64
	}{
		{"English", `The committee met on Tuesday evening to discuss the proposal for a new library. Several members were worried about the cost, but everybody agreed that the old building could not be repaired any longer. After two hours of debate they decided to ask three architects for a first sketch before the end of the year.`, 59},
		{"a question", `hey, quick one: how do I undo my last git commit but keep the changes? I already pushed it, by the way`, 26},
		{"German", `Der Ausschuss traf sich am Dienstagabend, um über den Vorschlag für eine neue Bücherei zu beraten. Mehrere Mitglieder sorgten sich wegen der Kosten, aber alle waren sich einig, dass das alte Gebäude nicht mehr zu reparieren ist. Nach zweistündiger Aussprache beschlossen sie, vor Jahresende drei Architekturbüros um einen ersten Entwurf zu bitten.`, 85},
		{"French", `Le comité s'est réuni mardi soir pour discuter du projet d'une nouvelle bibliothèque. Plusieurs membres s'inquiétaient du coût, mais tous étaient d'accord pour dire que l'ancien bâtiment ne pouvait plus être réparé.`, 53},
		{"Russian", `Комитет собрался во вторник вечером, чтобы обсудить предложение о новой библиотеке. Некоторые члены беспокоились о стоимости, но все согласились, что старое здание уже нельзя отремонтировать.`, 47},
		{"Chinese", `委员会星期二晚上开会，讨论了修建新图书馆的提案。有几位委员担心费用太高，但大家都同意旧楼已经无法修复。经过两个小时的讨论，他们决定在年底之前请三家建筑事务所提交初步方案。`, 47},
		{"Japanese", `委員会は火曜日の夜に集まり、新しい図書館の計画について話し合いました。費用を心配する委員もいましたが、古い建物はもう修理できないという点では全員の意見が一致しました。`, 50},
		{"Korean", `위원회는 화요일 저녁에 모여 새 도서관 건립 제안을 논의했다. 몇몇 위원은 비용을 걱정했지만 낡은 건물을 더는 고칠 수 없다는 데 모두가 동의했다.`, 54},
		{"Go", `func (q *queue) pop(ctx context.Context) (item, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		if err := ctx.Err(); err != nil {
			return item{}, fmt.Errorf("pop from queue %q: %w", q.name, err)
		}
		q.cond.Wait()
	}
	first := q.items[0]
	q.items = q.items[1:]
	return first, nil
}
`, 105},
		{"Python", `class LruCache:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._data: OrderedDict[str, bytes] = OrderedDict()

    def get(self, key: str) -> bytes | None:
        if key not in self._data:
            return None
        self._data.move_to_end(key)
        return self._data[key]
`, 84},
		{"shell", `for f in *.log; do
  gzip -9 "$f" && mv "$f.gz" /var/backups/$(date +%Y-%m)/ || echo "failed: $f" >&2
done
`, 47},
		{"JSON", `[
  {
    "order": 1000,
    "customer": {
      "name": "K. Novak",
      "city": "Brno",
      "vip": true
    },
    "lines": [
      {
        "sku": "A-100",
        "qty": 1,
        "price": 19.9
      }
    ],
    "note": null
  },
  {
    "order": 1037,
    "customer": {
      "name": "K. Novak",
      "city": "Brno",
      "vip": false
    },
    "lines": [
      {
        "sku": "A-107",
        "qty": 2,
        "price": 20.9
      }
    ],
    "note": null
  },
  {
    "order": 1074,
    "customer": {
      "name": "K. Novak",
      "city": "Brno",
      "vip": true
    },
    "lines": [
      {
        "sku": "A-114",
        "qty": 3,
        "price": 21.9
      }
    ],
    "note": null
  },
  {
    "order": 1111,
    "customer": {
      "name": "K. Novak",
      "city": "Brno",
      "vip": false
    },
    "lines": [
      {
        "sku": "A-121",
        "qty": 4,
        "price": 22.9
      }
    ],
    "note": null
  },
  {
    "order": 1148,
    "customer": {
      "name": "K. Novak",
      "city": "Brno",
      "vip": true
    },
    "lines": [
      {
        "sku": "A-128",
        "qty": 5,
        "price": 23.9
      }
    ],
    "note": null
  },
  {
    "order": 1185,
    "customer": {
      "name": "K. Novak",
      "city": "Brno",
      "vip": false
    },
    "lines": [
      {
        "sku": "A-135",
        "qty": 6,
        "price": 24.9
      }
    ],
    "note": null
  }
]`, 550},
		{"compact JSON", `{"model":"x","messages":[{"role":"user","content":"hi"}],"stream":true,"max_tokens":1024,"stop":["\n\n","END"]}`, 36},
		{"Markdown", "## Steps\n\n1. **Install** the package: `npm install left-pad`\n2. Run it:\n\n```js\nconst pad = require(\"left-pad\");\nconsole.log(pad(\"7\", 3, \"0\")); // 007\n```\n\n| option | default | meaning |\n|---|---|---|\n| `len` | 2 | the width |\n", 78},
		{"emoji", `Happy birthday! 🎂🎈🥳 Hope you have a great day 😊 see you tonight 🍻`, 25},
	}
}

func TestAnEstimateIsWithinAQuarterOfWhatTokenizersCount(t *testing.T) {
	m := newMeter()
	for _, s := range samples() {
		got := whole(m.count(s.text))
		if d := float64(got) / float64(s.tokens); d < 0.8 || d > 1.25 {
			t.Errorf("%s: %d tokens, not %d", s.name, got, s.tokens)
		}
	}
}

func TestAShortTextHasAFewTokens(t *testing.T) {
	m := newMeter()
	for text, most := range map[string]int64{"": 0, "a": 1, "hi": 1, "Hello!": 3, "42": 3, "\n": 1, "é": 3, "好": 2, "👍": 3} {
		if got := whole(m.count(text)); got > most || got == 0 && most > 0 {
			t.Errorf("%q: %d tokens", text, got)
		}
	}
}

func TestLongRunsOfOneCharacterCost(t *testing.T) {
	m := newMeter()
	for _, r := range []string{"a", "A", "é", "7", "=", " ", "\n", "я", "好", "あ", "글", "ب", "अ", "…", "👍"} {
		text := strings.Repeat(r, 1000)
		if got := whole(m.count(text)); got < 5 || got > 4000 {
			t.Errorf("1000 × %q: %d tokens", r, got)
		}
	}
}

// FuzzMeter: a text has no fewer tokens than its beginning, and about as many as
// its two halves.
func FuzzMeter(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.text[:len(s.text)/2], s.text[len(s.text)/2:])
	}
	f.Add("\xff\x80", "\xc3")
	m := newMeter()
	f.Fuzz(func(t *testing.T, a, b string) {
		first, both := m.count(a), m.count(a+b)
		if first > both {
			t.Errorf("%q: %d, and with %q only %d", a, first, b, both)
		}
		if apart := first + m.count(b); both > apart+300 || both < apart-300 {
			t.Errorf("%q and %q: %d apart, %d together", a, b, apart, both)
		}
	})
}

func BenchmarkMeter(b *testing.B) {
	m := newMeter()
	for _, s := range samples() {
		b.Run(s.name, func(b *testing.B) {
			text := strings.Repeat(s.text, 1<<20/len(s.text))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.count(text)
			}
		})
	}
}

func BenchmarkNewMeter(b *testing.B) {
	for b.Loop() {
		newMeter()
	}
}
