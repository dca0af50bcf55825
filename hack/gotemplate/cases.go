package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// testCase is one template with its data; ../../internal/templates/gotemplate/goldens/README.md has the form of the files.
type testCase struct {
	name         string
	template     string
	data         string
	option       string
	builtinsOnly bool
}

func parseCases(text string) ([]testCase, error) {
	sections := strings.Split("\n"+text, "\n## ")
	defaults := testCase{data: "{}", option: "missingkey=error"}
	if rest, err := readSettings(&defaults, sections[0]); err != nil || strings.TrimSpace(rest) != "" {
		return nil, fmt.Errorf("head of the file: %v %q", err, rest)
	}
	seen := map[string]bool{}
	var cases []testCase
	for _, section := range sections[1:] {
		c := defaults
		name, body, _ := strings.Cut(section, "\n")
		c.name = name
		rest, err := readSettings(&c, body)
		if err != nil {
			return nil, fmt.Errorf("case %q: %w", name, err)
		}
		if seen[name] {
			return nil, fmt.Errorf("case %q: the name is used twice", name)
		}
		seen[name] = true
		if c.template == "" {
			c.template = strings.TrimRight(rest, "\n")
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// readSettings reads the lines "#data …", "#option …", "#template …", "#builtins" and comments ("# …") at the start of a
// text, and returns the rest.
func readSettings(c *testCase, text string) (string, error) {
	for {
		line, rest, _ := strings.Cut(text, "\n")
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "#data":
			c.data = value
		case "#option":
			c.option = value
		case "#builtins":
			c.builtinsOnly = true
		case "#template":
			if err := json.Unmarshal([]byte(value), &c.template); err != nil {
				return "", err
			}
		case "#":
		case "":
			if text == "" {
				return "", nil
			}
			if line != "" {
				return text, nil
			}
		default:
			return text, nil
		}
		text = rest
	}
}
