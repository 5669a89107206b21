package chat

import (
	"strings"

	"waferchat/api"
	"waferchat/nearest"
)

// maxNamed is how many models a notice names.
const maxNamed = 4

// aboutModel tells of a model that the catalogue does not have, or that is out
// of service.
func (o *outlook) aboutModel() []Notice {
	if o.known && o.card.Disabled != "" {
		return warn(NoticeModel, "%s is out of service: %s.", o.model(), strings.TrimSuffix(clean(o.card.Disabled), "."))
	}
	if o.known || len(o.names) == 0 || o.session.Model == "" {
		return nil
	}
	near := nearest.Names(o.session.Model, o.names, maxNamed-1)
	if len(near) == 0 {
		return warn(NoticeModel, "The server's catalogue has no model %s.", o.model())
	}
	return warn(NoticeModel, "The server's catalogue has no model %s; near it: %s.", o.model(), list(cleaned(near)))
}

// aboutPrivacy tells what zero data retention will do here. It fails closed: the
// server refuses what it cannot run without retention.
func (o *outlook) aboutPrivacy() []Notice {
	if !o.session.ZDR {
		return nil
	}
	local := note(NoticeZDR, "Zero data retention is about the server: the chat is still saved on this machine, unless it was begun with --no-save.")
	switch {
	case !o.wafer:
		return append(warn(NoticeZDR, "This server may not know zero data retention: it is asked for with a header of Wafer's."), local...)
	case o.known && o.card.ZDR == api.No:
		return append(warn(NoticeZDR, "%s has no zero data retention: the server will refuse the request (422).%s", o.model(), o.others()), local...)
	case o.known && o.card.ZDR == api.Unknown:
		return append(note(NoticeZDR, "The catalogue does not say whether %s has zero data retention; without it the server refuses the request.", o.model()), local...)
	}
	return local
}

// others names the models that have zero data retention.
func (o *outlook) others() string {
	switch n := len(o.private); {
	case n == 0:
		return ""
	case n > maxNamed:
		return say(" These have it: %s and %d more.", strings.Join(cleaned(o.private[:maxNamed]), ", "), n-maxNamed)
	}
	return say(" With it: %s.", list(cleaned(o.private)))
}

// aboutPictures tells of pictures that the model will not see.
func (o *outlook) aboutPictures() []Notice {
	if o.pictures == 0 || o.card.Vision != api.No {
		return nil
	}
	if o.pictures == 1 {
		return warn(NoticePictures, "%s cannot see pictures: the one in this chat is left out, a short note stands for it.", o.model())
	}
	return warn(NoticePictures, "%s cannot see pictures: the %d in this chat are left out, short notes stand for them.", o.model(), o.pictures)
}

func cleaned(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = clean(n)
	}
	return out
}
