package main

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"waferchat/api/emulator"
	"waferchat/internal/vterm"
	"waferchat/themes"
)

// stage is a scene under way: the program in its terminal and what is around it.
type stage struct {
	*vterm.Term
	crew   *crew
	server *emulator.Running
	dir    string // holds all that the program keeps
}

// limit is how long a step is waited for, also on a slow day.
const limit = 30 * time.Second

// build makes the program into a directory.
func build(ctx context.Context, dir string) (bin string, err error) {
	bin = filepath.Join(dir, "waferchat")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "waferchat").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build waferchat: %w\n%s", err, out)
	}
	return bin, nil
}

// crew is the vterm.TB of a scene: a failure ends the goroutine that plays it.
type crew struct {
	failure  error
	cleanups []func()
}

// Helper is there for the interface.
func (c *crew) Helper() {}

// Fatalf ends the scene.
func (c *crew) Fatalf(format string, args ...any) {
	c.failure = fmt.Errorf(format, args...)
	runtime.Goexit()
}

// Cleanup calls f when the scene is over, the last one first.
func (c *crew) Cleanup(f func()) { c.cleanups = append(c.cleanups, f) }

func (c *crew) clean() {
	for _, f := range slices.Backward(c.cleanups) {
		f()
	}
}

// draw plays the scene and returns its picture.
func (s *scene) draw(bin string) (svg []byte, err error) {
	c := &crew{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer c.clean()
		st := s.set(c, bin)
		if s.play != nil {
			s.play(st)
		}
		svg = s.settled(st)
	}()
	<-done
	return svg, c.failure
}

// set builds the stage and starts the program on it.
func (s *scene) set(c *crew, bin string) *stage {
	dir, err := os.MkdirTemp("", "waferchat-scene-")
	if err != nil {
		c.Fatalf("make a home: %w", err)
	}
	c.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := emulator.Start(emulator.Options{})
	if err != nil {
		c.Fatalf("start the server: %w", err)
	}
	c.Cleanup(func() { _ = server.Close() })
	server.Script(s.replies...)
	st := &stage{crew: c, server: server, dir: dir}
	if s.seed != nil {
		if err := s.seed(st); err != nil {
			c.Fatalf("prepare the chats: %w", err)
		}
	}
	argv := []string{bin}
	if s.named {
		argv = append(argv, "--theme", s.theme)
	}
	ground := rgb(s.palette().Ground)
	terminal := vterm.Config{Cols: s.cols, Rows: s.rows, Env: s.env(st), Dir: dir, Background: ground}
	st.Term = terminal.Start(c, argv...)
	return st
}

// env keeps the program away from the user's own files, keyring and network.
func (s *scene) env(st *stage) []string {
	env := []string{
		"HOME=" + st.dir, "XDG_DATA_HOME=" + st.data(), "XDG_CACHE_HOME=" + st.cache(), "TZ=UTC",
		"HTTPS_PROXY=http://127.0.0.1:9", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
	}
	if s.noKey {
		return env
	}
	return append(env, "WAFER_BASE_URL="+st.server.URL, "WAFER_API_KEY=wfr_0123456789abcdef", "WAFER_MODEL="+model)
}

func (st *stage) data() string  { return filepath.Join(st.dir, "data") }
func (st *stage) cache() string { return filepath.Join(st.dir, "cache") }

// waitForModels waits until the program has the list of models, which it keeps
// in a file.
func (st *stage) waitForModels() {
	kept := func() bool {
		files, _ := filepath.Glob(filepath.Join(st.cache(), "*", "models-*.json"))
		return len(files) > 0
	}
	for began := time.Now(); !kept(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > limit {
			st.crew.Fatalf("no list of models within %v; the screen:\n%s", limit, st.Text())
		}
	}
}

func (s *scene) palette() themes.Theme { return themes.Builtin()[s.theme] }

func rgb(c themes.Color) color.Color {
	r, g, b, _ := c.RGB()
	return color.RGBA{R: r, G: g, B: b, A: 0xff}
}
