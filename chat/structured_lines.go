package chat

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// check tells how a value fails the schema.
func (s answerSchema) check(value any) *AnswerError {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	return &AnswerError{Title: "The answer does not satisfy the schema.", Lines: violations(err)}
}

// schemaFault puts what the compiler says of a schema into lines.
func schemaFault(err error) []string {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		return violations(invalid.Err)
	}
	return []string{cleanOr(strings.ReplaceAll(err.Error(), schemaAddress, ""), "no details were given")}
}

// violations are the lines of a failed validation.
func violations(err error) []string {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return []string{cleanOr(err.Error(), "no details were given")}
	}
	p := message.NewPrinter(language.English)
	var lines []string
	for _, e := range leaves(failed) {
		what := cleanOr(e.ErrorKind.LocalizedString(p), "it is not as the schema says")
		lines = append(lines, cleanOr(pointer(e.InstanceLocation), "somewhere")+": "+what)
	}
	return firstLines(slices.Compact(lines))
}

// leaves are the violations that have no further cause, in the order of the
// answer. Of alternatives that all fail only the one is told of that comes
// nearest, behind the fact that none holds.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all [][]*jsonschema.ValidationError
	for _, c := range e.Causes {
		all = append(all, leaves(c))
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		nearest := slices.MinFunc(all, func(a, b []*jsonschema.ValidationError) int {
			return cmp.Or(len(a)-len(b), deepest(b)-deepest(a))
		})
		return append([]*jsonschema.ValidationError{e}, nearest...)
	}
	out := slices.Concat(all...)
	slices.SortStableFunc(out, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
	return out
}

// deepest is how far into the answer violations are at most: an alternative of
// the right shape fails deeper than one of another shape.
func deepest(all []*jsonschema.ValidationError) int {
	n := 0
	for _, e := range all {
		n = max(n, len(e.InstanceLocation))
	}
	return n
}

// pointer writes a JSON pointer; that of the whole document is empty by its
// standard, which nobody would see.
func pointer(path []string) string {
	if len(path) == 0 {
		return "the whole"
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, key := range path {
		b.WriteString("/" + escape.Replace(key))
	}
	return b.String()
}

// firstLines are as many lines as an [AnswerError] may have; the last one
// counts those that are left out.
func firstLines(lines []string) []string {
	if len(lines) <= maxAnswerLines {
		return lines
	}
	kept := maxAnswerLines - 1
	return append(slices.Clone(lines[:kept]), fmt.Sprintf("… and %d more", len(lines)-kept))
}
