package chat

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"waferchat/api"
	"waferchat/session"
)

// NoticeKind says what a [Notice] is about.
type NoticeKind string

// The kinds of notices.
const (
	// NoticeWindow: the request will not fit, or hardly, into the context window.
	NoticeWindow NoticeKind = "window"
	// NoticeLimit: the max_tokens that the user set will not hold.
	NoticeLimit NoticeKind = "limit"
	// NoticeDropped: a field that the user set has no effect on this model.
	NoticeDropped NoticeKind = "dropped"
	// NoticeRefused: the model is likely to refuse a field that the user set.
	NoticeRefused NoticeKind = "refused"
	// NoticeSchemaTools: a schema and tools work against each other.
	NoticeSchemaTools NoticeKind = "schema-tools"
	// NoticeEffort: the effort runs as another one, or does not do what it says.
	NoticeEffort NoticeKind = "effort"
	// NoticeZDR: zero data retention will make the server refuse, or is not
	// known to this server.
	NoticeZDR NoticeKind = "zdr"
	// NoticeModel: the catalogue does not have the model, or it is out of service.
	NoticeModel NoticeKind = "model"
	// NoticePictures: the model cannot see the pictures of the chat.
	NoticePictures NoticeKind = "pictures"
)

// Notice is something to know before a request is sent.
type Notice struct {
	Kind NoticeKind
	// Text is one sentence or two, fit to be shown.
	Text string
	// Warning tells that the user would rather change something first.
	Warning bool
}

// outlook is what notices are made of.
type outlook struct {
	session session.Session
	// params are those of the request, the session's effort among them.
	params api.Params
	card   api.Model
	known  bool // card is the model's
	wafer  bool // the server is Wafer's, or one that does as its document says
	tools  bool // function tools are offered
	// pictures is how many the conversation has.
	pictures int
	// names are the models of the catalogue, private those of them that have
	// zero data retention.
	names, private []string
	// honours are the models that honour all sampling fields; nil is what the
	// API's document says.
	honours []string
}

// standing are the notices that do not depend on the draft: those that come
// before the ones that do, and those after.
func (o *outlook) standing() (before, after []Notice) {
	before = slices.Concat(o.aboutModel(), o.aboutPrivacy(), o.aboutPictures())
	after = slices.Concat(o.aboutFormat(), o.aboutFlags(), o.aboutTools(), o.aboutEffort(), o.aboutRivalEfforts(), o.aboutSampling())
	return before, after
}

// sized are the notices about what a forecast comes to.
func (o *outlook) sized(f Forecast, l Limit) []Notice {
	return append(o.aboutWindow(f), o.aboutLimit(l)...)
}

// model is the model's name for a text.
func (o *outlook) model() string {
	if o.card.ID != "" {
		return clean(o.card.ID)
	}
	return cleanOr(o.session.Model, "the model")
}

// say writes a text with the digits of its numbers in groups of three.
func say(format string, args ...any) string {
	return message.NewPrinter(language.English).Sprintf(format, args...)
}

func warn(k NoticeKind, format string, args ...any) []Notice {
	return []Notice{{Kind: k, Text: say(format, args...), Warning: true}}
}

func note(k NoticeKind, format string, args ...any) []Notice {
	return []Notice{{Kind: k, Text: say(format, args...)}}
}

// list names things: a, b and c.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
