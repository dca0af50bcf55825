// Program gotemplate executes the golden cases of internal/templates/gotemplate with Go's text/template and the sprig functions of
// sprout, and writes what they give beside them: for each x.cases the file x.results.json.
//
//	go run . ../../internal/templates/gotemplate/goldens/*/*.cases
//
// The engine's tests compare their own results with these files, without Go.
package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"github.com/go-sprout/sprout/sprigin"
)

// The sprig functions that templates may use, one in a line.
//
//go:embed functions.txt
var functionNames string

// result is what a case gives: output, as base64 if it is not UTF-8, or the text of an error.
type result struct {
	Output       *string `json:"output,omitempty"`
	OutputBase64 *string `json:"outputBase64,omitempty"`
	Error        *string `json:"error,omitempty"`
}

func main() {
	// sprout warns of names that it calls otherwise.
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for _, path := range os.Args[1:] {
		if err := writeResults(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func writeResults(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	cases, err := parseCases(string(text))
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n\"casesSha256\": %q,\n\"go\": %q,\n\"sprout\": %q,\n\"results\": {", hex.EncodeToString(hash[:]), runtime.Version(), sproutVersion())
	for i, c := range cases {
		first, err := execute(c)
		if err != nil {
			return fmt.Errorf("case %q: %w", c.name, err)
		}
		second, err := execute(c)
		if err != nil || !bytes.Equal(encode(first), encode(second)) {
			return fmt.Errorf("case %q is not deterministic", c.name)
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n%s: %s", encode(c.name), encode(first))
	}
	out.WriteString("\n}\n}\n")
	return os.WriteFile(strings.TrimSuffix(path, ".cases")+".results.json", out.Bytes(), 0o644)
}

// execute runs one case. Its error is a mistake in the case, not in the template.
func execute(c testCase) (result, error) {
	data, err := decodeData(c.data)
	if err != nil {
		return result{}, err
	}
	done := make(chan result, 1)
	go func() { done <- render(c, data) }()
	select {
	case r := <-done:
		return r, nil
	case <-time.After(10 * time.Second):
		return result{}, fmt.Errorf("takes longer than 10 s")
	}
}

func render(c testCase, data any) result {
	t := template.New("t")
	if !c.builtinsOnly {
		t = t.Funcs(allowedFunctions())
	}
	t, err := t.Parse(c.template)
	if err != nil {
		return failure(err)
	}
	var out bytes.Buffer
	if err := t.Option(c.option).Execute(&out, data); err != nil {
		return failure(err)
	}
	if !utf8.Valid(out.Bytes()) {
		text := base64.StdEncoding.EncodeToString(out.Bytes())
		return result{OutputBase64: &text}
	}
	text := out.String()
	return result{Output: &text}
}

func failure(err error) result {
	text := err.Error()
	return result{Error: &text}
}

// missingNames has the names of the list that sprout does not define, although sprig does, and what they mean there.
var missingNames = map[string]string{"mustPush": "mustAppend", "must_date_modify": "mustDateModify"}

func allowedFunctions() template.FuncMap {
	all := sprigin.TxtFuncMap()
	allowed := template.FuncMap{}
	for _, name := range strings.Fields(functionNames) {
		function, ok := all[name]
		if !ok {
			function = all[missingNames[name]]
		}
		allowed[name] = function
	}
	return allowed
}

func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

func sproutVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/go-sprout/sprout" {
			return module.Version
		}
	}
	return "unknown"
}
