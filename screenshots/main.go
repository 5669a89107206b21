// Screenshots draws the pictures of the program that the documents show.
//
//	go run ./screenshots              # all of them
//	go run ./screenshots chat 'answer-*'
//
// It builds waferchat, runs it in a virtual terminal against the scripted server
// of api/emulator, plays the steps of each scene and writes one SVG a scene. The
// scenes are in scenes.go; the test of this package plays some of them again and
// compares the text, so that a picture cannot show what the program does not.
//
// What depends on the day and the machine is replaced before drawing, and only
// that: times of day, durations and speeds, see masks.go. It draws no PNG.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

// atOnce is how many scenes are played at the same time: most of each is waiting.
const atOnce = 4

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("screenshots", flag.ContinueOnError)
	out := flags.String("o", "screenshots", "write the pictures into this `DIRECTORY`")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	chosen, err := choose(scenes(), flags.Args())
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "waferchat-screenshots-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin, err := build(ctx, dir)
	if err != nil {
		return err
	}
	return drawAll(ctx, chosen, bin, *out)
}

// drawAll plays the scenes and writes their pictures. One that fails does not
// keep the others.
func drawAll(ctx context.Context, chosen []scene, bin, out string) error {
	var wg sync.WaitGroup
	errs := make([]error, len(chosen))
	places := make(chan struct{}, atOnce)
	for i, s := range chosen {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			errs[i] = cmp.Or(ctx.Err(), write(s, bin, out))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func write(s scene, bin, out string) error {
	svg, err := s.draw(bin)
	if err != nil {
		return fmt.Errorf("draw %s: %w", s.name, err)
	}
	file := filepath.Join(out, s.name+".svg")
	if err := os.WriteFile(file, svg, 0o644); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	fmt.Println(file)
	return nil
}

// choose picks the scenes that names or patterns name; none names all.
func choose(all []scene, patterns []string) ([]scene, error) {
	if len(patterns) == 0 {
		return all, nil
	}
	wanted := make(map[string]bool)
	for _, p := range patterns {
		found := false
		for _, s := range all {
			match, err := path.Match(p, s.name)
			if err != nil {
				return nil, fmt.Errorf("choose scenes: %q: %w", p, err)
			}
			if match {
				wanted[s.name], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no scene %s; there are: %s", p, strings.Join(names(all), " "))
		}
	}
	var chosen []scene
	for _, s := range all {
		if wanted[s.name] {
			chosen = append(chosen, s)
		}
	}
	return chosen, nil
}

func names(all []scene) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.name)
	}
	return out
}
