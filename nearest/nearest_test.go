package nearest

import (
	"slices"
	"testing"
)

func TestAMistypedNameIsRecognised(t *testing.T) {
	names := []string{"model", "system", "effort", "reasoning", "theme"}
	for in, want := range map[string]string{
		"modle": "model", "Effort": "effort", "efort": "effort", "xyzzy": "", "reas": "reasoning", "": "",
	} {
		if got, ok := Name(in, names); got != want || ok != (want != "") {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestTheNearestNameComesFirst(t *testing.T) {
	names := []string{"GLM-5.2", "GLM-5.3-Flash", "Kimi-K3", "GLM-5.3"}
	if got := Names("glm-5.3", names, 3); !slices.Equal(got, []string{"GLM-5.3", "GLM-5.2", "GLM-5.3-Flash"}) {
		t.Errorf("%q", got)
	}
	if got := Names("glm-5.3", names, 1); !slices.Equal(got, []string{"GLM-5.3"}) {
		t.Errorf("%q", got)
	}
}
