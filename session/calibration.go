package session

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// The bounds of a [Calibration].
const (
	// calibratedFrom is how many answers make a calibration.
	calibratedFrom = 3
	// calibratedBy is how many answers are looked at, the newest.
	calibratedBy = 50
	// leastError is what an estimate is off by at best.
	leastError = 0.02
	// farOff is how many times the largest prompt that was measured a prompt may
	// have before its estimate is an extrapolation.
	farOff = 4
)

// UncalibratedError is what an estimate of a prompt's tokens may be off by on
// ordinary text, as a share of it, while nothing was measured: it is made
// without the model's tokenizer, and those differ by that much.
const UncalibratedError = 0.25

// Calibration is how estimates of prompts compare to what a model's server
// counted. It is a value; its zero value is no calibration.
type Calibration struct {
	// Factor times an estimate is what the server is expected to count. It is 1
	// without a calibration.
	Factor float64
	// Error is how far from the truth a corrected estimate is on average, as a
	// share of it: 0.02 and more.
	Error float64
	// Count is the number of answers that were compared, at most 50.
	Count int
	// Largest is the largest estimate among them.
	Largest int64
}

// Calibrated tells whether there were answers enough: three.
func (c Calibration) Calibrated() bool { return c.Count >= calibratedFrom }

// Tokens corrects an estimate and tells what the result may be off by, as a
// share of it. Far beyond the largest prompt that was measured that is at least
// [UncalibratedError]: short prompts tell little about long ones.
func (c Calibration) Tokens(estimate int64) (tokens int64, off float64) {
	if !c.Calibrated() {
		return estimate, UncalibratedError
	}
	tokens, off = int64(math.Round(float64(estimate)*c.Factor)), c.Error
	if estimate/farOff > c.Largest {
		off = max(off, UncalibratedError)
	}
	return tokens, off
}

// calibrationQuery is answered by the index messages_calibrating alone.
const calibrationQuery = `SELECT DISTINCT created, estimate, counted FROM messages
	WHERE model = ? COLLATE NOCASE AND estimate > 0 AND counted > 0 AND state = 'done'
	ORDER BY created DESC LIMIT ?`

// Calibration compares the estimates of the last 50 finished answers of a model
// with the prompt tokens that were reported of them. Models are told apart case
// aside (that of ASCII), as the API's document says of their ids. An answer
// that was copied by a fork counts once.
func (s *Store) Calibration(ctx context.Context, model string) (Calibration, error) {
	var all []sample
	err := each(ctx, s.readers, calibrationQuery, []any{model, calibratedBy}, func(scan func(...any) error) error {
		var created, estimate, counted int64
		if err := scan(&created, &estimate, &counted); err != nil {
			return err
		}
		all = append(all, sample{size: float64(estimate), ratio: float64(counted) / float64(estimate)})
		return nil
	})
	return calibrate(all), wrap(err, "read what model %s counted", model)
}

// sample is an answer whose prompt was estimated and counted.
type sample struct {
	size, ratio float64
	weight      float64
}

// calibrate finds the factor that most of the samples agree on. It is their
// weighted median, so that a few that are wholly wrong, such as prompts that a
// server shortened, change little. A sample weighs its size, since what every
// request has besides its text distorts the short ones, but no more than the
// median size, so that a single giant decides nothing.
func calibrate(all []sample) Calibration {
	c := Calibration{Factor: 1, Error: UncalibratedError, Count: len(all)}
	if !c.Calibrated() {
		return c
	}
	slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(a.size, b.size) })
	c.Largest = int64(all[len(all)-1].size)
	middle := all[len(all)/2].size
	for i := range all {
		all[i].weight = min(all[i].size, middle)
	}
	c.Factor = median(all)
	c.Error = max(spread(all, c.Factor), leastError)
	return c
}

// median is the weighted median of the ratios; between two it is their mean.
func median(all []sample) float64 {
	slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(a.ratio, b.ratio) })
	half := 0.0
	for _, s := range all {
		half += s.weight / 2
	}
	for i, s := range all {
		half -= s.weight
		if half < 0 || i == len(all)-1 {
			return s.ratio
		}
		if half == 0 {
			return (s.ratio + all[i+1].ratio) / 2
		}
	}
	return 1
}

// spread is the weighted mean of how far the samples are from the factor, as a
// share of it, without the tenth that is farthest.
func spread(all []sample, factor float64) float64 {
	far := func(s sample) float64 { return math.Abs(s.ratio-factor) / factor }
	slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(far(a), far(b)) })
	sum, weight := 0.0, 0.0
	for _, s := range all[:len(all)-len(all)/10] {
		sum += far(s) * s.weight
		weight += s.weight
	}
	return sum / weight
}
