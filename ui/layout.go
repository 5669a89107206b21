package ui

// The smallest screen that everything works on.
const (
	minWidth  = 40
	minHeight = 10
)

// layout is where the parts of the screen are, in rows from the top.
type layout struct {
	width, height int
	tooSmall      bool
	list, listH   int // conversation
	rule          int // the composer's rule
	prompt        int // first row of the composer
	promptH       int
	status        int
}

// arrange computes the layout for a screen whose composer wants promptRows
// rows. It is pure. Title, blank row, conversation, blank row, rule, composer,
// status; the blank rows go first when rows are scarce.
func arrange(width, height, promptRows int) layout {
	l := layout{width: width, height: height}
	if width < minWidth || height < minHeight {
		l.tooSmall = true
		return l
	}
	top, air := 2, 1
	if height < 16 {
		top, air = 1, 0
	}
	l.promptH = min(max(promptRows, 1), maxPromptRows(height))
	l.status = height - 1
	l.prompt = l.status - l.promptH
	l.rule = l.prompt - 1
	l.list = top
	l.listH = l.rule - top - air
	return l
}

// maxPromptRows is how far the composer may grow: 40 % of the height.
func maxPromptRows(height int) int { return max(1, height*2/5) }
