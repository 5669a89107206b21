package api

import (
	"runtime"
	"sync"
	"time"
)

const (
	// sleepJump is how far the clock on the wall must run ahead of the one that
	// stops while a machine sleeps.
	sleepJump = 30 * time.Second
	// sleepTick is how often a stream looks, and how long a connection has
	// after a jump to show that it still lives.
	sleepTick = 5 * time.Second
)

// sleepClock notices that the machine slept between two looks at it.
type sleepClock struct {
	wall func() time.Time // without a monotonic reading

	mu       sync.Mutex
	lastMono time.Time
	lastWall time.Time
}

func wallClock() time.Time { return time.Now().Round(0) }

func newSleepClock(wall func() time.Time) *sleepClock {
	return &sleepClock{wall: wall, lastMono: time.Now(), lastWall: wall()}
}

// slept reports whether the machine slept since the look before. due is how
// long ago that look should have been, 0 when it could have been any time:
// where the monotonic clock goes on in sleep, only a late tick shows it.
func (c *sleepClock) slept(due time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	mono, wall := time.Now(), c.wall()
	passed := mono.Sub(c.lastMono)
	jump := wall.Sub(c.lastWall) - passed
	c.lastMono, c.lastWall = mono, wall
	late := runtime.GOOS == "windows" && due > 0 && passed > due+sleepJump
	return jump > sleepJump || late
}
