package chat

import (
	"errors"
	"net/http"
	"strings"

	"waferchat/api"
	"waferchat/nearest"
)

// modelError is the server's word that it does not have a model, with the names
// of the catalogue that come near.
type modelError struct {
	model string
	near  []string
	err   error
}

func (e *modelError) Error() string { return e.err.Error() }
func (e *modelError) Unwrap() error { return e.err }

// nearModels is how many names are told.
const nearModels = 3

// named adds to an error about a missing model what the catalogue knows.
func (e *Engine) named(err error, model string) error {
	var refused *api.Error
	if !errors.As(err, &refused) || !lacksModel(refused) {
		return err
	}
	return &modelError{model, nearest.Names(model, e.names(), nearModels), err}
}

// lacksModel tells a model that is gone from an address that is wrong.
func lacksModel(e *api.Error) bool {
	if strings.EqualFold(e.Code, "model_not_found") {
		return true
	}
	text := strings.ToLower(e.Message + " " + e.Param)
	return status(e) == http.StatusNotFound && !e.HTML && strings.Contains(text, "model") && !strings.Contains(text, "/models")
}

func explainModel(err error) words {
	var gone *modelError
	if !errors.As(err, &gone) || len(gone.near) == 0 {
		return words{}
	}
	w := explainServer(gone.err)
	var names []string
	for _, name := range gone.near {
		names = append(names, clean(name))
	}
	w.title = strings.Replace(w.title, "this model", "the model "+clean(gone.model), 1)
	w.advice = join("The nearest it lists: "+strings.Join(names, ", ")+".", w.advice)
	return w
}
