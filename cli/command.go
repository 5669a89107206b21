package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"waferchat/nearest"
)

// flags are the values of the command line.
type flags struct {
	print, continued, zdr, demo, noSave, quiet, dryRun, jsonMode bool

	resume                         string
	model, system, effort, theme   string
	maxTokens                      string
	options                        []string
	schema, regex, grammar         string
	extract                        string
	baseURL, profile               string
	dataDir, config, log, output   string
	noSessionValue                 bool // -r without a value
	modelSet, systemSet, effortSet bool
	maxTokensSet, zdrSet, themeSet bool
	baseURLSet, resumeSet          bool
	schemaSet, regexSet            bool
	grammarSet, extractSet         bool
}

// pick is the value of -r and -x without one: no session and no language can
// have this name.
const pick = "\x01"

func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "waferchat [PROMPT...]",
		Short: "Chat with models in the terminal",
		Long: "waferchat is a terminal chat client for the Wafer Serverless API and for every server that\n" +
			"speaks the same OpenAI-compatible protocol.\n\n" +
			"Without -p it opens the terminal program; a PROMPT is sent at once, and what is piped in is\n" +
			"appended to it. A word that is a command name is the command; -- makes what follows a prompt.",
		Example: "  waferchat                                 chat\n" +
			"  waferchat -p \"what is a monad?\"           answer on stdout\n" +
			"  git diff | waferchat -p review this       PROMPT, blank line, stdin\n" +
			"  waferchat -c                              go on with the last session\n" +
			"  waferchat -p -- models of cars            a prompt that begins with a command name",
		Args:              cobra.ArbitraryArgs,
		Version:           p.sys.Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		PersistentPreRun:  func(cmd *cobra.Command, _ []string) { p.flags.note(cmd) },
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) == 1 && words[0] == "help" && cmd.ArgsLenAtDash() < 0 {
				return cmd.Help()
			}
			return p.chat(cmd.Context(), words)
		},
	}
	root.SetIn(p.sys.Stdin)
	root.SetOut(p.out)
	root.SetErr(p.sys.Stderr)
	root.SetVersionTemplate("waferchat {{.Version}}\n")
	root.SetFlagErrorFunc(p.flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), help(cmd)) })
	root.SetHelpCommand(&cobra.Command{Use: "help-for-commands", Hidden: true, Args: cobra.ArbitraryArgs})
	root.CompletionOptions.HiddenDefaultCmd = false
	p.flags.everywhere(root.PersistentFlags())
	p.flags.chat(root.Flags())
	root.AddCommand(p.resumeCommand(), p.modelsCommand(), p.sessionsCommand(), p.configCommand(),
		p.keyCommand(), p.serveDemoCommand(), p.manCommand())
	root.InitDefaultCompletionCmd()
	p.guardCompletion(root)
	return root
}

// help is a command's help text. The value that stands for a missing one is not
// shown.
func help(cmd *cobra.Command) string {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	usage := strings.NewReplacer(` NAME[="`+pick+`"]`, "[=NAME]    ", ` LANG[="`+pick+`"]`, "[=LANG]    ").Replace(cmd.UsageString())
	return strings.TrimSpace(about) + "\n\n" + usage
}

// everywhere are the flags that every command takes.
func (f *flags) everywhere(s *pflag.FlagSet) {
	s.SortFlags = false
	s.StringVar(&f.baseURL, "base-url", "", "server's address `URL`, such as http://127.0.0.1:11434/v1")
	s.StringVar(&f.profile, "profile", "", "use the [profile.`NAME`] of the configuration")
	s.StringVar(&f.config, "config", "", "read this `FILE` instead of config.toml")
	s.StringVar(&f.dataDir, "data-dir", "", "keep sessions in this `DIR`")
	s.StringVar(&f.log, "log-level", "", "write a log of this `LEVEL`: debug, info, warn or error")
	s.BoolVar(&f.demo, "demo", false, "talk to the built-in scripted demo, offline")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "no notes on stderr, only errors")
}

// chat are the flags of a chat.
func (f *flags) chat(s *pflag.FlagSet) {
	s.SortFlags = false
	s.BoolVarP(&f.print, "print", "p", false, "print the answer and exit (implied when stdout is not a terminal)")
	s.BoolVarP(&f.continued, "continue", "c", false, "go on with the most recent session")
	s.StringVarP(&f.resume, "resume", "r", "", "go on with the session of this `NAME`: an ID, its beginning, or a title; without =NAME, choose one")
	s.Lookup("resume").NoOptDefVal = pick
	s.StringVarP(&f.model, "model", "m", "", "the `MODEL` to ask")
	s.StringVarP(&f.system, "system", "s", "", "system prompt `TEXT`")
	s.StringVarP(&f.effort, "effort", "e", "", "reasoning `EFFORT`: none, low, medium, high, xhigh, max")
	s.StringVar(&f.maxTokens, "max-tokens", "", "at most `N` tokens of answer")
	s.StringArrayVarP(&f.options, "option", "o", nil, "request field `KEY=VALUE` (repeatable; VALUE as JSON or text; -o -KEY takes one away)")
	s.StringVar(&f.schema, "schema", "", "have the answer in JSON that satisfies the JSON Schema in this `FILE`")
	s.BoolVar(&f.jsonMode, "json-mode", false, "have a JSON object as the answer")
	s.StringVar(&f.regex, "regex", "", "have an answer that matches the regular expression `RE`, where the model can")
	s.StringVar(&f.grammar, "grammar", "", "send the JSON object in this `FILE` as response_format")
	s.BoolVar(&f.zdr, "zdr", false, "require zero data retention")
	s.StringVar(&f.theme, "theme", "", "colour theme `NAME`")
	s.BoolVar(&f.noSave, "no-save", false, "keep nothing on the disk")
	s.StringVarP(&f.extract, "extract", "x", "", "print only the first code block of the answer, of the language `LANG` if given (implies -p)")
	s.Lookup("extract").NoOptDefVal = pick
	s.StringVar(&f.output, "output", "", "print `FORMAT`: text, json, stream-json (implies -p)")
	s.BoolVar(&f.dryRun, "dry-run", false, "print the request instead of sending it")
}

// note records which flags were given.
func (f *flags) note(cmd *cobra.Command) {
	for name, set := range map[string]*bool{
		"model": &f.modelSet, "system": &f.systemSet, "effort": &f.effortSet, "max-tokens": &f.maxTokensSet,
		"zdr": &f.zdrSet, "theme": &f.themeSet, "base-url": &f.baseURLSet, "resume": &f.resumeSet,
		"schema": &f.schemaSet, "regex": &f.regexSet, "grammar": &f.grammarSet, "extract": &f.extractSet,
	} {
		*set = cmd.Flags().Changed(name)
	}
	f.noSessionValue = f.resumeSet && f.resume == pick
}

// settings gives the values of the flags that set configuration options.
func (f *flags) settings() map[string]string {
	out := map[string]string{}
	for _, v := range []struct {
		set         bool
		name, value string
	}{
		{f.modelSet, "model", f.model}, {f.systemSet, "system", f.system}, {f.effortSet, "effort", f.effort},
		{f.maxTokensSet, "max_tokens", f.maxTokens}, {f.zdrSet, "zdr", fmt.Sprint(f.zdr)},
		{f.themeSet, "theme", f.theme}, {f.baseURLSet, "base_url", f.baseURL},
	} {
		if v.set {
			out[v.name] = v.value
		}
	}
	return out
}

// flagError explains a flag that a command does not take.
func (p *program) flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return usage("--%s takes %s, not %q", invalid.GetFlag().Name, valueOf(invalid.GetFlag()), invalid.GetValue())
	case !errors.As(err, &unknown):
		return usage("%v", err)
	}
	name, shorthand := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames() != ""
	root := cmd.Root()
	chatFlag := root.Flags().Lookup(name)
	if shorthand {
		chatFlag = root.Flags().ShorthandLookup(name[:1])
	}
	if chatFlag != nil && cmd != root {
		return usage("%s is a command and does not take --%s; to send it as a prompt: %s", cmd.Name(), chatFlag.Name, p.asPrompt(cmd))
	}
	if shorthand {
		return usage("%v", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := nearest.Name(name, names); ok {
		return usage("%v; did you mean --%s?", err, near)
	}
	return usage("%v", err)
}

// valueOf says what a flag takes that is no text.
func valueOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false, or no value"
	case "uint64":
		return "a whole number, 0 or more"
	}
	return "a number"
}

// takes checks the words behind a command, and shows the form that makes a
// prompt of them when they are too many.
func (p *program) takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > most && most == 0:
			return usage("%s is a command and takes no words; to send it as a prompt: %s", path(cmd), p.asPrompt(cmd))
		case len(args) > most:
			return usage("%s is a command and takes only %s (quote it if it has blanks); to send it as a prompt: %s", path(cmd), what, p.asPrompt(cmd))
		case len(args) < least:
			return usage("%s needs %s", path(cmd), what)
		}
		return nil
	}
}

// group is a command that only holds others.
func (p *program) group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	g.AddCommand(commands...)
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
	}
	g.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s needs a command: %s", use, strings.Join(names, ", "))
		}
		hint := "it knows " + strings.Join(names, ", ")
		if near, ok := nearest.Name(args[0], names); ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return usage("%s is a command and does not know %q; %s To send it as a prompt: %s", use, args[0], hint+closing(hint), p.asPrompt(cmd))
	}
	return g
}

func closing(s string) string {
	if strings.HasSuffix(s, "?") {
		return ""
	}
	return "."
}

// guardCompletion makes "completion" refuse words like every other command.
func (p *program) guardCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		var shells []string
		for _, shell := range c.Commands() {
			shells = append(shells, shell.Name())
			shell.Args = p.takes(0, 0, "")
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("completion needs a shell: %s", strings.Join(shells, ", "))
			}
			return usage("completion is a command and knows %s; to send it as a prompt: %s", strings.Join(shells, ", "), p.asPrompt(cmd))
		}
	}
}

// path is the command without the program's name.
func path(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// asPrompt shows the command line that sends the same words as a prompt.
func (p *program) asPrompt(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	args := slices.Clone(p.sys.Args)
	if i := slices.Index(args, cmd.Name()); i >= 0 {
		args = slices.Insert(args, i, "--")
	}
	for i, a := range args {
		args[i] = shellQuote(a)
	}
	return "waferchat " + strings.Join(args, " ")
}

// shellQuote quotes a word where a shell would not take it as it is.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=./:,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
