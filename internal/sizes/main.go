// Command sizes prints the ten largest files and functions of the project, test
// files apart, for whoever reviews its proportions.
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type size struct {
	name  string
	lines int
}

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	files, funcs, err := measure(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
	show("files", files)
	show("functions", funcs)
}

// measure counts the lines of every file and function below root.
func measure(root string) (files, funcs []size, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, size{path, set.Position(f.FileEnd).Line})
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1
				funcs = append(funcs, size{path + " " + fn.Name.Name, n})
			}
		}
		return nil
	})
	return files, funcs, err
}

func show(what string, all []size) {
	slices.SortFunc(all, func(a, b size) int { return cmp.Compare(b.lines, a.lines) })
	fmt.Printf("largest %s (lines)\n", what)
	for _, s := range all[:min(10, len(all))] {
		fmt.Printf("%6d  %s\n", s.lines, s.name)
	}
}
